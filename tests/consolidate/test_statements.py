"""Statements: said outright, read from texts, corrected, and bounded in time; with the real parser, store and model."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.corrections import corrections
from bardo.consolidate.languages import reader
from bardo.consolidate.texts.secrets import is_secret
from bardo.consolidate.texts.sentence import Sentence, sentences
from bardo.errors import ConfigError, InvalidInputError

START = 1_760_000_000_000_000
DAY = 86_400


def say(memory: bardo.Grimoire, clock: bardo.ManualClock, text: str, role: str = "user") -> bardo.Episode:
    """One message of Nadia, a day after the last, and a pass of the Curator."""
    clock.advance(DAY)
    episode = memory.remember(text, role=role, kind="turn", speaker="Nadia" if role == "user" else None)
    memory.sleep()
    return episode


def in_force(memory: bardo.Grimoire) -> list[str]:
    return [fact.text for fact in memory.facts.list()]


def test_an_outright_statement_is_replaced_exactly_and_its_history_is_kept(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    old = memory.learn(
        "Deploys go to production", subject="deploy target", attribute="environment", value="production"
    )
    clock.advance(DAY)
    new = memory.learn(subject="The deploy target", attribute="environment", value="staging")
    assert in_force(memory) == ["The deploy target: environment is staging"]
    ended = memory.facts.get(old.id)
    assert (ended.status, ended.ended_by, ended.superseded_by) == ("superseded", "slot", new.id)
    assert memory.facts.history(old)[0].fact.status == "active"
    before, after = clock.now() - DAY * 500_000, clock.now()
    assert [fact.id for fact in memory.facts.list(valid_at=before)] == [old.id]
    assert [fact.id for fact in memory.facts.list(valid_at=after)] == [new.id]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_late_pass_ends_a_value_at_the_message_that_replaces_it(
    memory: bardo.Grimoire, clock: bardo.ManualClock, is_reversed: bool
):
    days = [datetime(2026, month, 2, tzinfo=UTC) for month in (3, 5)]
    clock.set(int(datetime(2026, 10, 1, tzinfo=UTC).timestamp()) * 1_000_000)
    told = list(zip(days, ["I live in Bern.", "I live in Porto now."], strict=True))
    for at, text in reversed(told) if is_reversed else told:
        memory.remember({"role": "user", "name": "Nadia", "at": at.isoformat(), "content": text}, thread="a")
        if is_reversed:
            memory.sleep()
    memory.sleep()
    (bern,) = memory.facts.list(status="superseded")
    assert bern.statement is not None
    assert bern.statement.value == "Bern"
    assert bern.statement.until == int(days[1].timestamp()) * 1_000_000
    held = [fact.statement.value for fact in memory.facts.list(valid_at=datetime(2026, 7, 1, tzinfo=UTC))]
    assert held == ["Porto"]
    # The pass is when it was known.
    assert memory.facts.history(bern)[-1].from_tick >= bern.created_tick


def test_a_statement_of_a_future_day_holds_from_that_day_on(memory: bardo.Grimoire, clock: bardo.ManualClock):
    june = datetime(2026, 6, 1, tzinfo=UTC)
    memory.learn("Nadia lives in Bern", subject="Nadia", attribute="home", value="Bern")
    memory.learn("Nadia moves to Porto", subject="Nadia", attribute="home", value="Porto", since=june)
    assert [fact.text for fact in memory.facts.list(valid_at=clock.now())] == ["Nadia lives in Bern"]
    assert [fact.text for fact in memory.facts.list(valid_at=june)] == ["Nadia moves to Porto"]
    clock.set(int(june.timestamp()) * 1_000_000 + 1)
    memory.sleep()
    assert in_force(memory) == ["Nadia moves to Porto"]


def test_settings_declare_how_many_values_an_attribute_has(tmp_path: Path):
    config = {"curator": {"attributes": {"reviewer": "many"}}}
    with bardo.open(tmp_path / "team", config=config) as memory:
        for name in ("Kavita", "Teo"):
            memory.learn(subject="mobile app", attribute="reviewer", value=name)
        assert len(memory.facts.list()) == 2


@pytest.mark.parametrize(
    "given",
    [
        {"subject": "api"},
        {"subject": "api", "attribute": "port"},
        {"value": "8080"},
        {"subject": "api", "attribute": " ", "value": "1"},
    ],
)
def test_an_incomplete_statement_is_refused(memory: bardo.Grimoire, given: dict[str, str]):
    with pytest.raises(InvalidInputError):
        memory.learn("The port is 8080", **given)
    assert not memory.facts.list(status=None)


@pytest.mark.parametrize(
    ("before", "after", "gone", "there"),
    [
        ("I'm allergic to nuts.", "I'm not allergic to nuts after all!", "Nadia is allergic to nuts", "not allergic"),
        ("I work at Helvion.", "I no longer work at Helvion.", "Nadia works at Helvion", "no longer works"),
        ("I live in Bern.", "I live in Porto now.", "Nadia lives in Bern", "Porto"),
        ("The grant deadline is 12 June.", "Correction: the grant deadline is 14 June.", "12 June", "14 June"),
    ],
)  # fmt: skip
def test_a_plain_correction_ends_the_old_fact_in_the_same_pass(
    memory: bardo.Grimoire, clock: bardo.ManualClock, *, before: str, after: str, gone: str, there: str
):
    say(memory, clock, before)
    assert any(gone in text for text in in_force(memory))
    say(memory, clock, after)
    facts = in_force(memory)
    assert not any(gone == text or (gone.endswith("June") and gone in text) for text in facts), facts
    assert any(there in text for text in facts), facts
    ended = [fact for fact in memory.facts.list(status="superseded") if gone in fact.text]
    assert ended
    assert ended[0].ended_by


def test_the_newer_message_comes_first_although_it_is_worded_less_plainly(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    older = say(memory, clock, "I take 50 mg of sertraline in the morning.")
    newer = say(memory, clock, "Saw the doctor today. She raised the sertraline to 75 mg.")
    found = [
        item.id for item in memory.recall("What dose of sertraline does Nadia take in the morning?", limit=10)
    ]
    assert newer.id in found
    assert older.id not in found or found.index(newer.id) < found.index(older.id)


def test_statements_about_other_attributes_leave_a_fact_alone(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    for text in ("I'm diabetic.", "I'm a nurse.", "I've been vegetarian since 2015."):
        say(memory, clock, text)
    before = set(in_force(memory))
    for text in ("I moved to Lisbon.", "I switched to oat milk.", "I live in Porto now."):
        say(memory, clock, text)
    assert before <= set(in_force(memory)), before


def test_learned_sentences_about_a_person_survive_an_unrelated_one(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    diabetic = memory.learn("Nadia is diabetic")
    clock.advance(DAY)
    memory.learn("Nadia moved to Lisbon")
    memory.sleep()
    clock.advance(365 * DAY)
    memory.sleep()
    kept = memory.facts.get(diabetic.id)
    assert (kept.status, kept.persistence) == ("active", "permanent")


def test_a_secret_stays_in_its_episode_and_is_no_fact(memory: bardo.Grimoire, clock: bardo.ManualClock):
    say(memory, clock, "My door code is 4711 and my sister Ana lives in Graz.")
    assert not any("4711" in text for text in in_force(memory))
    assert "4711" in memory.recall("door code")[0].text
    assert is_secret("the wifi password is Kummin-88")
    assert not is_secret("I pay 4711 euros a year")


@pytest.mark.parametrize(
    ("sentence", "secret"),
    [
        ("My password is swordfish", True),
        ("The wifi password is hunter2", True),
        ("The safe code is 48-22-91", True),
        ("The alarm is set to 4521", True),
        ("The test code 4711 opens the door", True),
        ("The token limit is 4096.", False),
        ("It's safe to take 400 mg of ibuprofen.", False),
        ("The login page took 450 ms.", False),
        ("My zip code is 1204", False),
        ("I write code since 2012", False),
        ("The code review is at 14:30", False),
        ("My password is too short", False),
        ("api key sk-live-9aKq77ZxPPw2LmN04tt for the shop", True),
        ("use rk_live_51HabcdefGhijkl from now on", True),
        ("the token is 9aKqx7ZxPPwLmN0tt", True),
        ("sk-learn-contrib-packages are fine", False),
        ("the code lives in utf8_to_latin1.py", False),
        ('JWT_SIGNING_SECRET: "correct-otter-battery"', True),
        ("sshpass -p 'gravel&Tide' ssh deploy@build-03 uptime", True),
        ("The passphrase? seven wet badgers waltz", True),
        ("The gate is #2580* for couriers", True),
        ("security question: the street i grew up on = Gasworks Lane", True),
        ("My IBAN is DE89 3704 0044 0532 0130 00", True),
        ("The first bad commit is 4be0d2f1a7c93356e18f0bb27d5ac9e3410f68d7", False),
        ("The clevis pin is 8x40, the bearing is 6204-2RS", False),
        ("INC0093381 was raised after password resets started to lag", False),
        ("The gate's port is 8080", False),
        ("The safe load of the beam is 2400 N", False),
    ],
)
def test_ordinary_figures_are_no_secrets(sentence: str, secret: bool):
    assert is_secret(sentence) == secret


def test_questions_jokes_and_suppositions_are_no_facts(memory: bardo.Grimoire, clock: bardo.ManualClock):
    for text in (
        "Am I allergic to nuts?",
        "If I won the lottery I'd buy a boat.",
        "Let's say I live on the moon, what would I eat?",
        "I'm the queen of Sheba, just kidding.",
        'My boss said "I am leaving the company and moving to Peru next year" and everybody laughed.',
        "I have to run!",
    ):
        say(memory, clock, text)
    assert not in_force(memory)


def test_a_commit_subject_ends_the_value_that_it_changes(memory: bardo.Grimoire, clock: bardo.ManualClock):
    fact = memory.learn("The worker concurrency is 8")
    memory.sleep()
    clock.advance(DAY)
    memory.remember("worker.concurrency 8 -> 24", role="tool", kind="commit")
    memory.sleep()
    marked = memory.facts.get(fact.id).status == "superseded" or any(
        link.relation in ("contradicts", "corrects") for link in memory.facts.links(fact)
    )
    assert marked


def test_a_rule_that_is_switched_off_disputes_instead_of_ending(tmp_path: Path, clock: bardo.ManualClock):
    with bardo.open(
        tmp_path / "n", clock=clock, seed=1, config={"curator": {"rules_off": list(corrections.RULES)}}
    ) as memory:
        say(memory, clock, "The nightly backup starts at 02:30 on the old server.")
        fact = memory.learn("The nightly backup starts at 02:30")
        say(memory, clock, "We moved the start of the nightly backup from 02:30 to 04:15.")
        assert memory.facts.get(fact.id).status == "active"


def test_an_unknown_language_of_rules_is_refused_with_the_way_out():
    with pytest.raises(ConfigError, match="english"):
        reader("klingon", BUILT_IN)


def test_clauses_carry_owner_polarity_and_cues():
    english = reader("english", BUILT_IN)
    assert english is not None
    (clause,) = english.read(Speech("My sister Ana doesn't eat fish anymore.", "Nadia", START))
    assert clause.text == "Nadia's sister Ana does not eat fish anymore"
    assert (clause.owner, clause.predicate, clause.denied) == ("ana", "eat", True)
    assert {"denial", "now"} <= clause.cues


def read_sentences(text: str) -> list[Sentence]:
    english = reader("english", BUILT_IN)
    assert english is not None
    return sentences(english.read(Speech(text, "Nadia", START)))


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("I am allergic to walnuts.", ["Nadia is allergic to walnuts"]),
        ("MRI on 1 March at the Royal.", ["Nadia: MRI on 1 March at the Royal."]),
        # A home can be replaced, and must not stay in force inside a quote.
        ("I live in Bern and the rent is steep.", ["Nadia lives in Bern", "The rent is steep"]),
    ],
)
def test_a_sentence_is_quoted_where_no_clause_says_nearly_all_of_it(text: str, notes: list[str]):
    (sentence,) = read_sentences(text)
    assert [note.text for note in sentence.notes("Nadia", ())] == notes


def test_a_quote_brings_the_sentence_that_its_pronoun_points_to():
    _, sentence = read_sentences("We have a daughter, Imogen. She plays the cello, loudly.")
    assert sentence.quote("Nadia") == "Nadia: We have a daughter, Imogen. She plays the cello, loudly."
    assert sentence.quote("Nadia" * 60) == "", "a quote is never cut"


def test_eagerness_is_no_denial_and_no_correction():
    for text in ("I can't wait to see your bakery!", "I can't believe how well the bakery does."):
        for sentence in read_sentences(text):
            assert not any(clause.denied or clause.cues for clause in sentence.clauses)
    (wait,) = read_sentences("Wait, the bakery opens on Monday.")
    assert any("correction" in clause.cues for clause in wait.clauses)


def test_a_conversation_without_corrections_ends_nothing_and_keeps_its_order(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    turns = [
        ("Ida", "I lost my office job and I want to open a bakery, bread has been my passion since school."),
        ("Tom", "Wow, a bakery of your own! Bread is what keeps me calm, so I get it."),
        ("Ida", "Thanks, Tom! I'm looking at shops near the river, the ovens will make the place warm."),
        ("Tom", "Can't wait to see the bakery done! My little bike workshop is growing, too."),
        ("Ida", "Baking makes me so happy, and now I get to share that with the whole street."),
        ("Tom", "Your drive will make the bakery a hit. My workshop and the bakery could run a market day."),
        ("Ida", "Great idea! I'm working on new loaves for the opening, it has been quite a journey."),
        ("Tom", "Looking forward to more good mornings with fresh bread!"),
    ]
    episodes = []
    for speaker, text in turns:
        clock.advance(DAY)
        episodes.append(memory.remember(text, role="user", kind="turn", speaker=speaker))
    questions = ["Why does Ida open a bakery?", "Where does Ida look for shops?", "What does Tom own?"]

    def order() -> list[list[str]]:
        return [[item.id for item in memory.recall(each, layers=("episode",))] for each in questions]

    before = order()
    memory.sleep()
    assert memory.facts.list(status="superseded") == []
    assert order() == before


def test_what_an_ended_quote_says_besides_stays_in_force(memory: bardo.Grimoire, clock: bardo.ManualClock):
    say(
        memory,
        clock,
        "Two goats live behind the barn in Meiringen, my sister Ruth makes cheese since 2009, and we keep bees.",
    )
    (quote,) = memory.facts.list()
    say(memory, clock, "We no longer keep bees.")
    ended = memory.facts.get(quote.id)
    assert ended.status == "superseded"
    assert ended.ended_by in ("denial", "slot")
    assert {
        "Two goats live behind the barn in Meiringen",
        "Nadia's sister Ruth makes cheese since 2009",
    } < set(in_force(memory))
    assert not any("keep bees" in text and "no longer" not in text for text in in_force(memory))


@pytest.mark.parametrize(
    "question",
    [
        "does envoy cap connections",
        "what size of table do I need for 11",
        "ok so how much salt is too much",
        "can I take it with milk",
    ],
)
def test_a_question_without_its_mark_states_nothing(
    memory: bardo.Grimoire, clock: bardo.ManualClock, question: str
):
    say(memory, clock, question)
    assert not memory.facts.list()


def test_a_learned_sentence_outlasts_half_a_year(memory: bardo.Grimoire, clock: bardo.ManualClock):
    fact = memory.learn("Our GPU box under the stairs has two cards")
    passing = memory.learn("The build is red this morning", kind="context")
    clock.advance(180 * 86_400)
    memory.sleep()
    assert memory.facts.get(fact.id).status == "active"
    assert memory.facts.confidence(passing) < 0.01 < memory.facts.confidence(fact)
