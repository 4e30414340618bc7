"""Words of a chat reach the gate: rejections, decisions, tasks and rules, and nothing of small talk."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo.conduct.hearing.hearing import KINDS, is_other, read, sure
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.hearing.utterance import Utterance

DAY = 86_400


def told(folder: Path, *said: tuple[str, str], clock: bardo.ManualClock | None = None) -> bardo.ManualClock:
    """Remembers turns of a chat, and consolidates them."""
    clock = clock or bardo.ManualClock(1_770_000_000_000_000)
    with bardo.open(folder, clock=clock) as memory:
        for role, text in said:
            memory.remember(text, role=role, kind="turn", thread="chat")
            clock.advance(60)
        memory.sleep()
    return clock


def entries(folder: Path, clock: bardo.ManualClock) -> list[tuple[str, str]]:
    with bardo.gate(folder, clock=clock) as gate:
        return [(entry.kind, entry.summary) for entry in gate.state()]


def test_what_a_user_rejects_in_a_chat_is_blocked_by_the_gate_after_a_pass(tmp_path: Path) -> None:
    clock = told(tmp_path, ("user", "Let's not use MongoDB for this."), ("user", "haha that was so funny"))
    with bardo.gate(tmp_path, clock=clock) as gate:
        (entry,) = gate.state()
        assert (entry.kind, entry.by) == ("rejected", "the user")
        assert gate.before("use MongoDB for this").decision == "block"


def test_an_answer_that_names_nothing_rejects_the_proposal_before_it(tmp_path: Path) -> None:
    clock = told(
        tmp_path, ("agent", "I could add a chat widget to the shop page."), ("user", "No, I don't want that.")
    )
    assert entries(tmp_path, clock) == [("rejected", "add a chat widget to the shop page")]
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.state()[0].detail == "No, I don't want that."


def test_small_talk_and_questions_reach_no_gate(tmp_path: Path) -> None:
    told(
        tmp_path, ("user", "hi there"), ("user", "Do we use Redis anywhere?"),
        ("user", "He told me never to trust a smiling cat."),
    )  # fmt: skip
    assert not (tmp_path / "conduct.db").exists()


def test_a_lifted_rejection_is_not_heard_again_from_the_same_words_but_from_new_ones(tmp_path: Path) -> None:
    said = ("user", "Let's not use MongoDB for this.")
    clock = told(tmp_path, said)
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.lift(gate.state("rejected")[0].id, by="Ana")
    with bardo.open(tmp_path, clock=clock) as memory:
        memory._session.log.set_watermark("heard", 0)
        memory.sleep()
    assert entries(tmp_path, clock) == []
    clock.advance(DAY)
    told(tmp_path, said, clock=clock)
    assert [kind for kind, _ in entries(tmp_path, clock)] == ["rejected"]


def test_law_11_what_was_heard_in_a_forgotten_episode_goes_with_it(tmp_path: Path) -> None:
    clock = told(tmp_path, ("user", "Never push to main without a review."))
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert [(rule.text, rule.score) for rule in gate.rules()] == [
            ("Never push to main without a review.", 9.0)
        ]
    with bardo.open(tmp_path, clock=clock) as memory:
        memory.forget([one.id for one in memory.episodes.list()], reason="asked")
        memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.rules() == []


def test_a_rule_that_forbids_is_blocked(tmp_path: Path) -> None:
    clock = told(tmp_path, ("user", "Never push to main without a review."))
    with bardo.gate(tmp_path, clock=clock, words_only=True) as gate:
        verdict = gate.before("git push origin main")
        assert (verdict.decision, verdict.findings[0].reason) == ("block", "forbidden")
        assert gate.before("git log").decision == "allow"


def test_the_agents_own_no_is_a_decision(tmp_path: Path) -> None:
    clock = told(
        tmp_path, ("agent", "I decided against the scraping approach, the terms of service forbid it.")
    )
    assert [kind for kind, _ in entries(tmp_path, clock)] == ["decision"]


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=40), st.booleans()), max_size=5))
def test_any_text_can_be_heard(said: list[tuple[str, str, bool]]) -> None:
    found = sure(read([Utterance(*one) for one in said], None, None))
    assert len(found) == len(said)
    assert all(one is None or (one.kind in KINDS[1:] and one.margin >= 0) for one in found)


@pytest.mark.parametrize("text", ["x " * 700, "", " \n"])
def test_a_document_and_an_empty_text_are_no_utterances(text: str) -> None:
    assert utterances(text) == []


def test_a_long_message_is_heard_by_the_sentence() -> None:
    story = "The market was full of people today and we walked along the river until it got dark and cold. "
    said = utterances(f"{story}{story}Please avoid tabs.", "Shall I format it?")
    assert [(one.text, one.before) for one in said] == [
        (story.strip(), "Shall I format it?"), (story.strip(), ""), ("Please avoid tabs.", ""),
    ]  # fmt: skip
    assert utterances("Please avoid tabs. They look odd.") == [Utterance("Please avoid tabs. They look odd.")]


def test_a_secret_is_not_heard(tmp_path):
    with bardo.open(tmp_path / "ann") as memory:
        for text in (
            "The alarm code is 5521.",
            "We decided the safe code will be 9041.",
            "Don't use tabs in this file.",
        ):
            memory.remember(text, role="user", kind="turn")
        memory.sleep()
        told = str(memory.context("Suggest a film for tonight", budget=600))
        with bardo.gate(memory.path, words_only=True) as gate:
            heard = [entry.summary for entry in gate.state()]
    assert not [text for text in heard if "5521" in text or "9041" in text]
    assert "5521" not in told
    assert any("tabs" in text for text in heard)


@pytest.mark.parametrize(
    ("before", "text", "kinds"),
    [
        ("I could add a reminder.", "I'd like a new bike", []),
        ("Anything you'd like for your birthday?", "I’d really like to learn the cello", []),
        (
            "I could book a window seat or one on the aisle.",
            "I'd like a window seat, let's do that",
            ["decision"],
        ),
        ("We could use MySQL or Postgres.", "I'd like to go with Postgres", ["decision"]),
    ],
)
def test_a_wish_for_what_nobody_offered_is_no_decision(
    tmp_path: Path, before: str, text: str, kinds: list[str]
) -> None:
    clock = told(tmp_path, ("agent", before), ("user", text))
    assert [kind for kind, _ in entries(tmp_path, clock)] == kinds


@pytest.mark.parametrize("passes", [1, 2])
def test_a_discovery_that_was_heard_ends_with_its_statement_and_does_not_cross(
    tmp_path: Path, passes: int
) -> None:
    said = (
        ("user", "The export queue is on broker mq-ham-1."), ("user", "The test database is on pg-kiel-1."),
        ("user", "We moved the export queue to broker mq-ham-4."),
    )  # fmt: skip
    clock = told(tmp_path / "ann", *said) if passes == 1 else told(tmp_path / "ann", *said[:2])
    if passes == 2:
        assert ("discovery", said[0][1]) in entries(tmp_path / "ann", clock)
        told(tmp_path / "ann", said[2], clock=clock)
    held = [summary for kind, summary in entries(tmp_path / "ann", clock) if kind == "discovery"]
    assert held == [said[1][1]]
    with bardo.gate(tmp_path / "ann", clock=clock) as gate:
        (ended,) = [entry for entry in gate.state("discovery", every=True) if entry.status == "archived"]
        assert (ended.summary, ended.closed_why) == (said[0][1], "a newer statement ended it")
    with bardo.open(tmp_path / "ann", clock=clock) as memory:
        left = memory.bequeath(tmp_path / "ann.testament")
    assert [one.text for one in left.conduct if one.kind == "discovery"] == [said[1][1]]


def test_a_report_of_when_something_takes_place_is_no_rule(tmp_path: Path) -> None:
    clock = told(
        tmp_path, ("user", "Choir is every Monday at eight."), ("user", "The team meeting is every Tuesday at ten."),
        ("user", "Backups must run every night."),
    )  # fmt: skip
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert [rule.text for rule in gate.rules()] == ["Backups must run every night."]


@pytest.mark.parametrize(
    ("heard", "noted"),
    [
        ("Never deploy on Fridays.", ("rejected", "deploy on Fridays")),
        ("Never deploy on Fridays.", ("rejected", "Never deploy on Fridays")),
        ("Always run the tests before you push.", ("decision", "Always run the tests before you push")),
    ],
)
@pytest.mark.parametrize("told_first", [True, False])
def test_a_rule_that_was_heard_and_told_is_once_in_the_gate_as_told(
    tmp_path: Path, heard: str, noted: tuple[str, str], told_first: bool
) -> None:
    def note() -> None:
        with bardo.gate(tmp_path, clock=clock) as gate:
            gate.note(*noted, by="Ann")  # type: ignore[arg-type]

    clock = told(tmp_path, ("user", "Good morning"))
    if told_first:
        note()
    told(tmp_path, ("user", heard), clock=clock)
    if not told_first:
        note()
    with bardo.gate(tmp_path, clock=clock) as gate:
        (entry,) = gate.state()
        assert (entry.kind, entry.summary, entry.by, entry.episode) == (*noted, "Ann", "")
        assert gate.rules() == []
        assert [rule.retired_why for rule in gate.rules(every=True)] == [f"told as {entry.id}"] * (
            not told_first
        )


@pytest.mark.parametrize(
    ("before", "said", "is_echo"),
    [
        ("We settled on Vitest for the web tests.", "Understood, Vitest it is.", True),
        ("Never log the session token.", "I won't log it.", True),
        ("What did we say about Kafka?", "That we will not adopt it.", True),
        ("Shall we take Postgres or MySQL?", "I will take Postgres.", False),
        ("The upload is slow.", "I decided against the scraping approach, the terms forbid it.", False),
        ("", "I won't log it.", False),
    ],
)
def test_an_agent_that_repeats_what_the_user_said_decides_nothing(
    before: str, said: str, is_echo: bool
) -> None:
    utterance = Utterance(said, before, by_agent=True)
    assert utterance.is_echo is is_echo
    if is_echo:
        assert sure(read([utterance], None, None)) == [None]
    assert not Utterance(said, before).is_echo


@pytest.mark.parametrize(
    "text",
    [
        "But please stop rebasing my feature branch, it took me an hour to repair.",
        "Stop rebooting the build server, all my jobs die every time.",
        "no more globals in the parser",
    ],
)
def test_what_a_user_ends_in_plain_words_is_a_rejection(tmp_path: Path, text: str) -> None:
    clock = told(tmp_path, ("user", text))
    assert entries(tmp_path, clock) == [("rejected", text)]


@pytest.mark.parametrize(
    "text",
    [
        "No worries, take your time.",
        "She stopped eating meat in May.",
        "There are no more seats on that train.",
    ],
)
def test_words_that_end_nothing_for_the_agent_have_not_the_form_of_it(text: str) -> None:
    assert not Utterance(text).is_end


@pytest.mark.parametrize(
    ("before", "said", "by_agent"),
    [
        ("Please write shorter answers.", "- Will do", True),
        (
            "Would 50 micrograms be enough for me?",
            "- That is for your doctor; don't change it yourself",
            True,
        ),
        ("Does Pogo come to the churches with you?", "Only to the ones without a carpet", False),
        ("Which days do you train?", "Only on Mondays and Fridays", False),
    ],
)
def test_consent_advice_and_answers_about_facts_are_no_orders(before: str, said: str, by_agent: bool) -> None:
    assert sure(read(utterances(said, before, by_agent=by_agent), None, None)) == [None]


def test_what_an_old_chat_said_has_the_day_of_its_words(tmp_path: Path) -> None:
    said = datetime(2026, 3, 30, 17, 20, tzinfo=UTC)
    with bardo.open(tmp_path / "agent") as memory:
        memory.remember("We decided on Hetzner for hosting the shop.", role="user", thread="chat", at=said)
        memory.remember(
            "From now on always run the linter before a push.", role="user", thread="chat", at=said
        )
        memory.sleep()
        with bardo.gate(memory.path) as gate:
            (entry,), (rule,) = gate.state(), gate.rules()
            assert entry.at == entry.changed_at == rule.at == int(said.timestamp() * 1_000_000)
            assert rule.score_at(rule.confirmed_at) == rule.score
            later = gate.note("decision", "We decided on Hetzner for hosting the shop.", by="Ann")
            assert later.changed_at > entry.changed_at


@pytest.mark.parametrize(
    ("said", "act"),
    [
        ("Please do not email the tenants", "email the tenants"),
        ("Okay, and please don't fold the towels for now.", "fold the towels"),
        ("Please never print the payslips.", "print the payslips"),
        ("Let's not repaint the corridor, thanks", "repaint the corridor"),
        ("We don't want Kubernetes in any of our clusters.", "use Kubernetes in one of our clusters"),
        ("No autoplay videos, please", "add autoplay videos"),
        ("please avoid calling the Stripe API from the frontend", "call the Stripe API from the frontend"),
        ("Don’t reply to Hugo, ok?", "reply to Hugo"),
        ("Thanks for the figures. Please don't invoice Acme twice.", "invoice Acme twice"),
    ],
)
def test_a_plain_prohibition_of_any_act_reaches_the_gate(tmp_path: Path, said: str, act: str) -> None:
    clock = told(tmp_path, ("user", said))
    with bardo.gate(tmp_path, clock=clock, words_only=True) as gate:
        assert gate.before(act).decision in ("warn", "block")
        assert [entry.kind for entry in gate.state()] in ([], ["rejected"])


@pytest.mark.parametrize(
    "said",
    [
        "Don't worry about the invoice.", "Please don't apologise.", "Don't you think the red is too bright?",
        "Never mind the typo.", "Never seen such a mess.", "Let's not kid ourselves.", "No worries, please.",
        "Don't sweat the deadline.", "Do not disturb, says the sign on the door.", "Don't hesitate to call me.",
        "She told me not to sell the house.", "We don't want to miss the train, so we left early.",
        "Don't laugh, but I burned the soup.", "I don't want to keep you, go ahead",
    ],
)  # fmt: skip
def test_small_talk_in_the_form_of_a_prohibition_forbids_nothing(tmp_path: Path, said: str) -> None:
    told(tmp_path, ("user", said))
    assert not (tmp_path / "conduct.db").exists()


def test_what_must_not_be_forgotten_is_no_rejection(tmp_path: Path) -> None:
    clock = told(tmp_path, ("user", "Don't forget to water the basil on Friday."))
    assert [kind for kind, _ in entries(tmp_path, clock)] == ["task"]


PLANS = {
    "I'm going to drop the index on orders.": "drop the index on orders",
    "My plan: merge the two repositories tonight.": "merge the two repositories tonight",
    "The columns are messy. Next I will rename the columns.": "rename the columns",
    "You could cache the results on disk.": "cache the results on disk",
    "Let me rewrite the parser in Rust.": "rewrite the parser in Rust",
    "Shall I raise the rent of flat 4?": "raise the rent of flat 4",
}
REFUSALS = (
    "no", "Stop!", "Wait, no", "Hmm. I do not want that at all.", "Oh no. Please don't do that.",
    "That's not what I want.", "Nope, leave it.", "I'd rather you didn't.", "Absolutely not.",
    "nah don't do that please",
)  # fmt: skip


@pytest.mark.parametrize(("plan", "act"), PLANS.items())
def test_a_no_to_a_plan_of_the_agent_leaves_only_the_rejection_of_the_act(
    tmp_path: Path, plan: str, act: str
) -> None:
    for place, refusal in enumerate(REFUSALS[::3]):
        folder = tmp_path / str(place)
        clock = told(folder, ("agent", plan), ("user", refusal))
        assert entries(folder, clock) == [("rejected", act)], refusal
    with bardo.gate(folder, clock=clock, words_only=True) as gate:
        assert gate.before(act).decision == "block"


@pytest.mark.parametrize(
    "before",
    [
        "",
        "The harbour was founded in 1802.",
        "Shall I go on?",
        "I won't delete it.",
        "Shall I delete it, or keep it in the archive?",
    ],
)
def test_a_refusal_without_a_proposal_says_nothing(tmp_path: Path, before: str) -> None:
    said = [Utterance(refusal, before) for refusal in REFUSALS]
    assert sure(read(said, None, None)) == [None] * len(REFUSALS)


def test_a_plan_that_an_earlier_pass_kept_ends_once_the_user_refuses_it(tmp_path: Path) -> None:
    clock = told(tmp_path, ("agent", "Next I will rename the columns."))
    assert entries(tmp_path, clock) == [("task", "Next I will rename the columns.")]
    told(tmp_path, ("user", "Please don't."), clock=clock)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert [(entry.kind, entry.summary) for entry in gate.state()] == [("rejected", "rename the columns")]
        (ended,) = [entry for entry in gate.state("task", every=True) if entry.status == "archived"]
        assert (ended.closed_by, ended.closed_why) == ("the user", "a user contradicted it in the next turn")


def test_a_plan_that_the_user_agrees_to_is_kept(tmp_path: Path) -> None:
    clock = told(tmp_path, ("agent", "Next I will rename the columns."), ("user", "No problem, go ahead!"))
    assert entries(tmp_path, clock) == [("task", "Next I will rename the columns.")]


@pytest.mark.parametrize(
    "said",
    [
        "We took the train to Ghent.", "We picked apples all afternoon.", "We sold the old van.",
        "We chose a blue sofa last year, it broke.", "We went with Tom to the lake last weekend.",
    ],
)  # fmt: skip
def test_a_report_of_what_people_did_is_no_decision(tmp_path: Path, said: str) -> None:
    told(tmp_path, ("user", said))
    assert not (tmp_path / "conduct.db").exists()


@pytest.mark.parametrize(
    "said",
    ["We chose Vitest for the web tests.", "We bought the Miele, not the Bosch.", "We settled on Postgres."],
)
def test_a_choice_that_was_made_is_a_decision(tmp_path: Path, said: str) -> None:
    clock = told(tmp_path, ("user", said))
    assert entries(tmp_path, clock) == [("decision", said)]


def test_the_other_way_is_kept_with_the_ways_or_not_at_all(tmp_path: Path) -> None:
    ways = "We could sort on the client, or in the database. I'd sort on the client."
    clock = told(tmp_path / "a", ("agent", ways), ("user", "let's try the other way"))
    assert entries(tmp_path / "a", clock) == [("decision", f"{ways} (let's try the other way)")]
    told(tmp_path / "b", ("user", "let's try the other way"))
    assert not (tmp_path / "b" / "conduct.db").exists()


@pytest.mark.parametrize(
    ("plan", "answer", "refused", "wanted"),
    [
        (
            "I'm going to use Postgres for the orders.",
            "No, use MySQL please.",
            "use Postgres for the orders",
            "use MySQL",
        ),
        ("Shall I deploy on Friday?", "Nope, do it on Monday.", "deploy on Friday", "deploy on Monday"),
        ("Next I will drop the index.", "No. Drop the view instead.", "drop the index", "drop the view"),
    ],
)
def test_a_no_with_another_way_rejects_the_plan_and_never_the_other_way(
    tmp_path: Path, plan: str, answer: str, refused: str, wanted: str
) -> None:
    clock = told(tmp_path, ("assistant", plan), ("user", answer))
    assert entries(tmp_path, clock) == [("rejected", refused)]
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.state()[0].detail == answer
        assert gate.before(refused).decision == "block"
        assert gate.before(wanted).decision != "block"


def test_a_no_with_another_way_and_no_plan_before_it_rejects_nothing(tmp_path: Path) -> None:
    clock = told(tmp_path, ("assistant", "The orders are in Postgres."), ("user", "No, use MySQL please."))
    assert [kind for kind, _ in entries(tmp_path, clock) if kind == "rejected"] == []


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("Copper: don't buy the dip on holidays. It cost us 41k.", "Copper: don't buy the dip on holidays."),
        ("While we're away don't accept any deliveries.", "Don't accept any deliveries while we're away"),
        (
            "We're done with Kestrel. No more orders through Kestrel, fees doubled.",
            "No more orders through Kestrel",
        ),
    ],
)
def test_a_ban_is_heard_apart_from_its_topic_time_and_reason(text: str, forbidden: str) -> None:
    assert forbidden.rstrip(".") in [each.text.rstrip(" .") for each in utterances(text)]


@pytest.mark.parametrize(
    "text",
    [
        "You can use the courier again for everything, I've no time for principles.",
        "The trade approval threshold is 20 lots now, not 15.",
        "Nobody here can price them.",
    ],
)
def test_a_permission_a_limit_and_an_inability_are_no_rejection(text: str) -> None:
    assert all(one is None or one.kind != "rejection" for one in sure(read([Utterance(text)], None, None)))
    assert is_other("rejection", Utterance(text))


@pytest.mark.parametrize(
    "text",
    ["When the users don't respond we wait.", "My sister: don't marry a sailor.", "Use nothing but pnpm."],
)
def test_a_subject_a_speaker_and_an_exception_begin_no_ban(text: str) -> None:
    assert [(each.text, each.is_prohibition) for each in utterances(text)] == [(text, False)]


def test_an_acknowledgement_asks_for_no_answer() -> None:
    (said,) = utterances("I'm allergic to penicillin, please keep that somewhere safe.", "Noted.")
    assert said.before == ""
