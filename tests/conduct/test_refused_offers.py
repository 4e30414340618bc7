"""Answers that turn an offer down in words of their own, and answers that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.refused_offers import refused_offer


@pytest.mark.parametrize(
    ("offer", "answer", "words", "thing"),
    [
        ("I could put Memcached there.", "rather not, we've burned our fingers on that one. Redis is in the stack",
         "put Memcached", "Memcached"),
        ("A ball pit?", "A ball pit. In a clinic. Come on. Books and a wooden train", "A ball pit", "ball pit"),
        ("Two truths and a lie?", "god no, they've done it", "Two truths and a lie", "Two truths and a lie"),
        ("The seaplane takes 20 minutes, the ferry three hours.", "the ferry any day. seaplane, over my dead body",
         "seaplane", "seaplane"),
        ("The Golden Ox has its big room free.", "Somewhere else, please, that's where they announced the divorce.",
         "The Golden Ox has its big room free", "Golden Ox"),
        ("A Mozart concert in costume? Tourist classic.", "wigs... eh, not for me. Something modern?",
         "A Mozart concert in costume", "Mozart concert"),
        ("Shall I book the Hotel Adler?", "Ugh, the Adler? Last time we had bed bugs. Try the Post.",
         "book the Hotel Adler", "Hotel Adler"),
        ("Either MySQL or Postgres would do.", "MySQL no, Postgres yes", "MySQL", "MySQL"),
        ("Curtains or blinds?", "curtains collect dust, so blinds", "Curtains", "Curtains"),
        ("We could use Redis Streams.", "too complicated for what we need", "use Redis Streams", "Redis Streams"),
        ("A Tesla Model Y would fit your budget.", "I wouldn't be seen dead in one.",
         "A Tesla Model Y would fit your budget", "Tesla Model Y"),
        ("Shall I lower retention from 90 days to 7?", "Seven won't fly with the auditors. Drop the debug lines",
         "lower retention from 90 days to 7", "retention 7"),
        ("I can sell the Apple shares, they've the biggest gain.", "Apple I keep, those are from my dad.",
         "sell the Apple shares", ""),
        ("I can cancel the gym membership.", "the gym stays, cancel the paper", "cancel the gym membership", ""),
        ("I could ask Ben to cover the shift.", "leave Ben out of this", "ask Ben to cover the shift", ""),
        ("I can get two tickets for the musical.", "musicals aren't really our thing",
         "get two tickets for the musical", "musical"),
        ("Fish and chips tonight?", "again?? no", "Fish and chips tonight", "Fish and chips"),
        ("Should I put it all in crypto?", "lol no", "put it all in crypto", ""),
        ("I can enable autoscaling.", "hmm I'd keep it off", "enable autoscaling", ""),
    ],
)  # fmt: skip
def test_what_was_offered_is_turned_down(offer: str, answer: str, words: str, thing: str) -> None:
    found = refused_offer(answer, offer)
    assert found is not None
    assert found.words == words
    assert (json.loads(found.forbids)["things"] if found.forbids else [""]) == [thing]


@pytest.mark.parametrize(
    ("offer", "answer", "words"),
    [
        ("I can roll out Istio to the cluster.", "Not before the load test is through. Ask me again after that",
         "roll out Istio to the cluster before the load test is through"),
        ("I could drop the old table now.", "let's wait with that until the migration is verified",
         "drop the old table until the migration is verified"),
        ("Shall I send the reminder to Mr Voss today?", "not today, he just lost his wife",
         "send the reminder to Mr Voss today"),
    ],
)  # fmt: skip
def test_a_refusal_for_now_has_its_end(offer: str, answer: str, words: str) -> None:
    found = refused_offer(answer, offer)
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        ("Shall I book the Hotel Adler?", "yes please"),
        ("Shall I book the Hotel Adler?", "No problem, go ahead."),
        ("Shall I book the Hotel Adler?", "not bad, do it"),
        ("Shall I stop here?", "No, go on"),
        ("How about a drum kit?", "great idea"),
        ("Curtains or blinds?", "blinds"),
        ("The flight is two hours late.", "It is what it is."),
        ("The whole suite is ported.", "No way, you finished already?!"),
        ("Guess who got the promotion? Me!", "No! Seriously? Congratulations!"),
        ("The balance wheel. Its spring is the hairspring.", "Balance wheel. Beautiful."),
        ("June or August, have you agreed?", "The trip will be in June, not in August."),
        ("Which one?", "No idea."),
        ("", "over my dead body"),
        ("Time to review your homework.", "The dog ate my homework. No, really this time."),
    ],
)
def test_other_answers_turn_nothing_down(offer: str, answer: str) -> None:
    assert refused_offer(answer, offer) is None


def test_a_refused_offer_blocks_in_other_words_and_its_substitute_does_not(tmp_path: Path) -> None:
    turns = [
        ("agent", "I could put Memcached there."),
        ("user", "rather not, we've burned our fingers on that one. Redis is already in the stack"),
        ("agent", "A ball pit?"),
        ("user", "A ball pit. In a clinic. Come on. Books and a wooden train"),
    ]
    with bardo.open(tmp_path) as memory:
        for role, text in turns:
            memory.remember(text, role=role, kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.before("helm install memcached bitnami/memcached").decision == "block"
        assert gate.before("Order a ball pit for the waiting room").decision == "block"
        assert gate.before("Add a Redis cache in front of the profile service").decision == "allow"
        assert gate.before("Order a wooden train set and ten picture books").decision == "allow"
