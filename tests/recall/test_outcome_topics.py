"""An outcome moves what is about the same, and says what it leaves alone."""

from __future__ import annotations

import bardo

LOOPS = {"clock": {"unit": "loops"}}
DANGER = "Clover bloat kills sheep within the hour"
RULE = "Drench the lambs at eight weeks"


def test_an_outcome_leaves_dangers_of_other_subjects_alone(tmp_path):
    with bardo.open(tmp_path / "farm", config=LOOPS) as g:
        danger = g.learn(DANGER, kind="anti_knowledge", subjects=["clover"], tick=1)
        rule = g.learn(RULE, kind="heuristic", subjects=["lambs"], tick=1)
        shown = g.recall("Drench the lambs, or does clover bloat kill sheep?", layers=["fact"])
        assert {danger.id, rule.id} <= {memory.id for memory in shown}
        prompt = g.context("Drench the lambs?", situation={"subjects": ["lambs"], "actions": ["drench"]})
        report = g.outcome(prompt, value=0.8, action="drench")
    assert report.ids == (rule.id,)
    assert danger.id in report.unjudged or danger.id not in {
        memory.id for memory in prompt.memories if memory.layer == "fact"
    }


def test_bad_outcomes_of_another_subject_refute_nothing(tmp_path):
    with bardo.open(tmp_path / "boat", config=LOOPS) as g:
        cod = g.learn("Cod bite best at dawn in the fjord", subjects=["cod"], confidence=0.75, tick=1)
        situation = {"subjects": ["swell"], "actions": ["dump ice"]}
        for loop in range(9):
            g.remember(f"log {loop}", tick=20 + loop * 60)
            prompt = g.context("The swell rises, dump ice over the side?", situation=situation)
            assert cod.id in {memory.id for memory in prompt.memories}
            report = g.outcome(prompt, value=-1.0, action="dump ice")
            assert report.unjudged == (cod.id,)
            assert "says nothing about 1 fact" in report.notes[0]
        kept = g.facts.get(cod.id)
    assert kept.status == "active"
    assert not kept.is_refuted


def test_without_subjects_the_words_of_task_and_action_decide(tmp_path):
    with bardo.open(tmp_path / "dairy", config=LOOPS) as g:
        butter = g.learn("Salt the butter twice", confidence=0.6, tick=1)
        mast = g.learn("Ice on the mast topples the dinghy", confidence=0.6, tick=1)
        report = g.outcome(g.context("How often is butter salted?"), value=0.8)
        assert report.ids == (butter.id,)
        assert report.unjudged in ((), (mast.id,))
        judged = g.outcome(g.recall("the dinghy, the butter", layers=["fact"]), value=0.8)
        assert set(judged.ids) == {butter.id, mast.id}


def test_a_prompt_of_which_only_the_id_is_known_is_about_all_its_facts(tmp_path):
    with bardo.open(tmp_path / "known", config=LOOPS) as g:
        fact = g.learn("Salt the butter twice", confidence=0.6, tick=1)
        prompt = g.context("What do I do in the dairy?")
        assert g.outcome(prompt.id, value=0.8).ids == (fact.id,)


def test_the_confidence_of_a_fact_that_was_read_earlier_is_current(tmp_path):
    with bardo.open(tmp_path / "dairy", config=LOOPS) as g:
        fact = g.learn("Salt the butter twice", confidence=0.6, tick=1)
        g.outcome(g.context("Salt the butter?"), value=-1.0)
        assert g.facts.confidence(fact) == g.facts.confidence(fact.id) < 0.6


def test_failed_actions_do_not_speak_against_a_stated_value(tmp_path):
    with bardo.open(tmp_path / "services", config=LOOPS) as g:
        port = g.learn(subject="beacon", attribute="port", value="8443", tick=1)
        lesson = g.learn("A restart of the beacon helps", confidence=0.7, subjects=["beacon"], tick=1)
        situation = {"subjects": ["beacon"], "actions": ["restart"]}
        for loop in range(9):
            g.remember(f"log {loop}", tick=20 + loop * 60)
            prompt = g.context("Restart the beacon? On which port is it?", situation=situation)
            assert {port.id, lesson.id} <= {memory.id for memory in prompt.memories}
            report = g.outcome(prompt, value=-1.0, action="restart")
            assert port.id in report.unjudged
            if g.facts.get(lesson.id).is_refuted:
                break
        assert g.facts.get(lesson.id).is_refuted
        assert g.facts.get(port.id).confidence == port.confidence
        good = g.outcome(g.recall("On which port is the beacon?", layers=["fact"]), value=1.0)
    assert port.id in good.ids
