"""A testament of so many tokens: its Markdown never has more, and it takes what is of most worth for its length."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from estate import bequeath, episode, fact
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo._core import count_tokens
from bardo.bequeath.content import markdown
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.left_behind import counts_of
from bardo.bequeath.content.questions import Question
from bardo.bequeath.selection.token_limit import Parts, fit
from bardo.bequeath.testament import testament
from bardo.config import Bequeath

ALL = 1_000_000


def chosen(parts: Parts, limit: int, **given) -> tuple[Parts, Counter[str]]:
    within, left_behind = fit(parts, limit, **{"worths": {}, **given})
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
    parts = Parts([], [], [older, newer], [], "", {older.id: [newer.id]})
    within, _ = chosen(parts, 14)
    assert [one.id for one in within.episodes] == [newer.id]


@pytest.mark.parametrize("limit", range(8, 90, 6))
def test_no_outdated_line_crosses_without_its_correction(limit: int) -> None:
    told = [
        episode(1, "The gate code list hangs in hut 3", tick=1),
        episode(2, "The gate code list moved from hut 3 to the office of the harbour master in building 12", tick=2),
        episode(3, "The gate code list is kept by Maren in the blue locker behind the workshop since May", tick=3),
        episode(4, "Coffee is free", tick=4),
    ]  # fmt: skip
    parts = Parts([], [], told, [], "", {told[0].id: [told[1].id], told[1].id: [told[2].id]})
    within, left_out = chosen(parts, limit)
    places = [told.index(one) for one in within.episodes]
    assert within.tokens() <= limit
    assert all(newer in places for newer, older in ((1, 0), (2, 1)) if older in places)
    assert len(places) + left_out.total() == len(told)


def test_what_was_replaced_stands_below_what_replaced_it_and_the_latest_first():
    older, other, newer = (
        episode(1, "Ilse feeds the horses", tick=1), episode(2, "The barn is red", tick=2),
        episode(3, "Per feeds the horses from now on", tick=3),
    )  # fmt: skip
    text = markdown.render([], [], [older, other, newer], [], "", ends={older.id: [newer.id]})
    assert text == (
        "## Episodes\n- Per feeds the horses from now on\n  - before: Ilse feeds the horses\n- The barn is red\n"
    )
    # Two that end each other both stay.
    both = markdown.render([], [], [older, newer], [], "", ends={older.id: [newer.id], newer.id: [older.id]})
    assert older.text in both
    assert newer.text in both


def test_a_testament_of_few_tokens_is_read_back(tmp_path):
    whole = bequeath(tmp_path)
    written = bequeath(tmp_path, settings=dataclasses.replace(Bequeath(), tokens=40))
    assert count_tokens(written.markdown) <= 40
    assert 0 < len(written.facts) < len(whole.facts)
    assert testament.read(written.path).facts == written.facts
    assert written.left_out["over_tokens"] == len(whole.facts) - len(written.facts)


def test_a_reflection_is_shortened_to_its_evidence_and_crosses_before_figures():
    reflection = (
        "# What Ada leaves\n\nGeneration 0.\n\n## What worked\n\n- Nothing in the record speaks to this.\n\n"
        "## What failed\n\n- The east dam broke after three days of rain\n"
        "- The second pump was never delivered, and nobody asked the supplier for it before winter came\n"
    )
    figures = [
        fact(
            number, f"level.basin{number}: mean {number}.25, sd 0.4 over 40 observations", kind="baseline",
            payload={"type": "baseline", "metric": "level", "n": 40, "mean": 1.25, "variance": 0.16},
        )
        for number in range(1, 30)
    ]  # fmt: skip
    parts = Parts([], figures, [episode(1, "Goran has the key")], [], reflection)
    within, left_out = chosen(parts, 80)
    assert within.reflection == "## What failed\n- The east dam broke after three days of rain"
    assert left_out["reflection"] == 1
    assert within.episodes
    within, left_out = chosen(parts, 300)
    assert within.reflection == reflection
    assert 0 < len(within.facts) < len(figures)
    whole, left_out = chosen(Parts([], figures, [], [], reflection), ALL)
    assert whole.reflection == reflection
    assert not left_out
