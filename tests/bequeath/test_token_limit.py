"""A testament of so many tokens: its Markdown never has more, and it takes what is of most worth for its length."""

from __future__ import annotations

import dataclasses
from collections import Counter

from estate import bequeath, episode, fact
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo._core import count_tokens
from bardo.bequeath import markdown, testament
from bardo.bequeath.directives import Directive
from bardo.bequeath.left_behind import counts_of
from bardo.bequeath.questions import Question
from bardo.bequeath.token_limit import Parts, fit
from bardo.config import Bequeath

ALL = 1_000_000


def chosen(parts: Parts, limit: int, **given) -> tuple[Parts, Counter[str]]:
    within, left_behind = fit(parts, limit, **{"worths": {}, "ended": (), **given})
    return within, counts_of(left_behind)


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=80).filter(str.strip)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(texts, max_size=8, unique=True), st.lists(texts, max_size=8), st.lists(texts, max_size=4),
    st.lists(texts, max_size=3), st.integers(60, 2_000),
)  # fmt: skip
def test_no_content_exceeds_the_limit(facts, episodes, rejected, asked, limit):
    parts = Parts(
        [Directive("rejected", text) for text in rejected],
        [fact(number, text) for number, text in enumerate(facts, 1)],
        [episode(number, text) for number, text in enumerate(episodes, 1)],
        [Question(text) for text in asked],
        "# What I leave\n\n- nothing",
    )
    within, left_out = chosen(parts, limit)
    assert within.tokens() <= limit
    counts = [
        sum(len(getattr(one, name)) for name in ("conduct", "facts", "episodes", "questions"))
        for one in (parts, within)
    ]
    assert counts[0] - counts[1] == left_out["told_elsewhere"] + left_out["over_tokens"]


def test_all_content_crosses_a_wide_limit_once():
    parts = Parts(
        [Directive("rule", "Compact before you restart")],
        [fact(1, "The port of billing is 8443")],
        [episode(1, "The port of billing is 8443"), episode(2, "Goran owns the deploy key")],
        [Question("Does it hold on weekends?")],
        "",
    )
    within, left_out = chosen(parts, ALL)
    assert [len(within.conduct), len(within.facts), len(within.questions)] == [1, 1, 1]
    assert [one.text for one in within.episodes] == ["Goran owns the deploy key"]
    assert left_out["told_elsewhere"] == 1


def test_lines_that_differ_in_a_number_or_a_name_alone_all_cross():
    told = [
        "nightly builds of the pipeline land in bucket artifacts-5432 since the split in March, ask Ravi Okafor",
        "nightly builds of the pipeline land in bucket artifacts-9917 since the split in March, ask Ravi Okafor",
        "nightly builds of the pipeline land in bucket artifacts-5432 since the split in March, ask Leila Okafor",
    ]
    episodes = [episode(number, text) for number, text in enumerate([*told, told[0].lower()], 1)]
    within, left_out = chosen(Parts([], [], episodes, [], ""), ALL)
    assert {one.text for one in within.episodes} == {*told}
    assert left_out["told_elsewhere"] == 1


def test_a_rejection_crosses_before_a_remark():
    remark = episode(1, "It was a quiet afternoon in the office with plenty of coffee")
    parts = Parts([Directive("rejected", "delete the audit log")], [], [remark], [], "")
    within, _ = chosen(parts, 20)
    assert [one.text for one in within.conduct] == ["delete the audit log"]
    assert not within.episodes


def test_directives_stand_by_kind_and_a_shared_reason_stands_once():
    parts = Parts(
        [
            Directive("rejected", "delete the audit log", "was tried and failed"),
            Directive("rejected", "restart during a payout", "was tried and failed"),
            Directive("decision", "Decided: the cellar stays dry"),
            Directive("decision", "decision"),
        ],
        [], [], [], "",
    )  # fmt: skip
    within, _ = chosen(parts, ALL)
    assert within.conduct == parts.conduct
    text = markdown.render(within.conduct, [], [], [], "")
    assert text == (
        "## Rejected (was tried and failed)\n- delete the audit log\n- restart during a payout\n\n"
        "## Decided\n- the cellar stays dry\n- decision\n"
    )


def test_the_limit_is_used_to_the_last_line_that_fits():
    told = [
        f"{name} keeps the key of the shed" for name in ("Ann", "Bea", "Cem", "Dora", "Emil", "Fay", "Gus")
    ]
    parts = Parts([], [], [episode(number, text) for number, text in enumerate(told, 1)], [], "")
    within, left_out = chosen(parts, 60)
    missing = [one for one in parts.episodes if one not in within.episodes]
    assert left_out["over_tokens"] == len(missing) > 0
    for one in missing:
        assert dataclasses.replace(within, episodes=[*within.episodes, one]).tokens() > 60


def test_a_line_that_lost_its_value_to_redaction_crosses_last():
    lost, whole = (
        episode(1, "the code of the shed is [redacted: code]"),
        episode(2, "the shed is behind the barn"),
    )
    within, _ = chosen(Parts([], [], [lost, whole], [], ""), 18, worths={lost.id: 1.0, whole.id: 0.6})
    assert [one.id for one in within.episodes] == [whole.id]


def test_the_newer_of_two_statements_crosses_before_the_older():
    older, newer = episode(1, "billing runs in Dublin"), episode(2, "billing runs in Oregon now")
    within, _ = chosen(Parts([], [], [older, newer], [], ""), 14, ended={older.id})
    assert [one.id for one in within.episodes] == [newer.id]


def test_a_testament_of_few_tokens_is_read_back(tmp_path):
    whole = bequeath(tmp_path)
    written = bequeath(tmp_path, settings=dataclasses.replace(Bequeath(), tokens=40))
    assert count_tokens(written.markdown) <= 40
    assert 0 < len(written.facts) < len(whole.facts)
    assert testament.read(written.path).facts == written.facts
    assert written.left_out["over_tokens"] == len(whole.facts) - len(written.facts)
