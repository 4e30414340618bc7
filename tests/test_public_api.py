"""Public API of a memory: which verbs there are, that the reference page names them, and small programs that use it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bardo
from bardo._cached_property import locked_cached_property
from bardo.capture.fields import EpisodeFields
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.grimoire import Grimoire
from bardo.grimoire.reader import Visitor
from bardo.model import Episode
from bardo.recall.options import OwnerRecallOptions, RecallOptions

REPOSITORY = Path(__file__).resolve().parent.parent
REFERENCE = (REPOSITORY / "docs" / "reference" / "grimoire.md").read_text(encoding="utf-8")
LOOP = (
    "remember scribe backtest turn recall context outcome learn forget triage tick sleep boot recover heartbeat "
    "checkpoint bequeath on stats close"
)
NOUNS = {
    "episodes": "list get verify find",
    "facts": "list get why history confidence retention supersede contradict link links",
    "documents": "add list remove",
    "entities": "list of related merge part relate relations",
    "curator": "replay dream lint gaps calibration",
    "pages": "dossier playbook versions",
    "prompts": "list contribute withdraw acted reset_weights",
    "summaries": "list get of",
    "journal": "list undo",
    "embedding": "check migrate abandon",
    "maintenance": "rebuild check drain_inbox costs rebase_ticks",
    "life": "vitality spend earn marker risks decision dangers",
    "death": "begin status checklist settle complete left_behind",
    "lineage": "generation parents is_dead adopt inheritance autopsy innate knew revoke",
}
PROPERTIES = "path agent config now_tick lost resumed"
#: Pages of the documentation and the members that they take out of a module.
DIRECTIVE = re.compile(
    r"^::: (?P<module>[\w.]+)\n(?:    options:\n      members: \[(?P<members>[^\]]*)\]\n)?", re.MULTILINE
)


def directions(texts: list[str]) -> list[list[float]]:
    """A model: each letter has a direction."""
    return [[1.0, *(float(text.count(letter)) for letter in "abcdefghijklmno")] for text in texts]


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_a_grimoire_has_the_verbs_of_the_loop_and_nouns_for_the_rest(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=directions) as g:
        assert public(g) == {*LOOP.split(), *NOUNS, *PROPERTIES.split()}
        for noun, verbs in NOUNS.items():
            assert public(getattr(g, noun)) == set(verbs.split()), noun


def test_a_visitor_has_what_can_be_seen_from_outside(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=directions) as g, bardo.visit(g.path) as visitor:
        assert public(visitor) == {
            "recall", "context", "stats", "facts", "now_tick", "close", "path", "agent", "config"
        }  # fmt: skip
        assert public(visitor.facts) == {"list", "confidence", "retention", "links"}


def test_the_reference_page_names_every_noun_and_verb() -> None:
    rows: dict[str, str] = {}
    for noun, verbs in re.findall(r"^\| \[`g\.(\w+)`\]\(#\w+\) \| (.*?) \|", REFERENCE, re.MULTILINE):
        rows[noun] = f"{rows.get(noun, '')} {verbs}"
    assert {noun: re.findall(r"`(\w+)`", verbs) for noun, verbs in rows.items()} == {
        noun: verbs.split() for noun, verbs in NOUNS.items()
    }
    loop = REFERENCE[REFERENCE.index("| verb |") : REFERENCE.index("Everything else")]
    assert [name for name in LOOP.split() if f"`{name}`" not in loop] == []


@pytest.mark.parametrize("page", sorted((REPOSITORY / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_every_member_that_a_page_documents_exists(page: Path) -> None:
    for directive in DIRECTIVE.finditer(page.read_text(encoding="utf-8")):
        module = importlib.import_module(directive["module"])
        for member in filter(None, re.split(r",\s*", directive["members"] or "")):
            assert hasattr(module, member), f"{page.name}: {directive['module']} has no {member}"


def test_every_resource_documents_its_verbs() -> None:
    for noun, verbs in NOUNS.items():
        assert isinstance(inspect.getattr_static(Grimoire, noun), locked_cached_property)
        module = importlib.import_module(f"bardo.grimoire.{noun}")
        resource = getattr(module, noun.capitalize())
        for verb in verbs.split():
            assert inspect.getattr_static(resource, verb).__doc__, f"{noun}.{verb}"


def test_the_fields_of_an_episode_are_declared_once() -> None:
    fields = set(EpisodeFields.__annotations__)
    assert fields < set(Episode.__dataclass_fields__)
    for verb in (Grimoire.remember, bardo.drop):
        assert not fields & inspect.signature(verb).parameters.keys()
        assert str(inspect.signature(verb).parameters["fields"].annotation) == "Unpack[EpisodeFields]"


def test_every_option_of_a_recall_is_declared_once() -> None:
    options = set(OwnerRecallOptions.__annotations__)
    assert options - set(RecallOptions.__annotations__) == {"session", "pad", "factors", "window"}
    for verb in (Grimoire.recall, Grimoire.context, Visitor.recall, Visitor.context):
        assert not options & inspect.signature(verb).parameters.keys()


def test_an_id_of_the_other_kind_is_refused_with_the_noun_that_has_it(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=directions) as g:
        episode, fact = g.remember("The ferry was late"), g.learn("Ferries are late")
        assert (g.episodes.get(episode.id).text, g.facts.get(fact.id)) == ("The ferry was late", fact)
        with pytest.raises(NotFoundError, match=r"is a fact, .* facts\.get"):
            g.episodes.get(fact.id)
        with pytest.raises(NotFoundError, match=r"is an episode, .* episodes\.get"):
            g.facts.get(episode.id)
        for noun in (g.episodes, g.facts):
            with pytest.raises(NotFoundError, match="there is no"):
                noun.get("0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f")


def test_a_visitor_refuses_options_that_only_the_owner_has(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=directions) as g, bardo.visit(g.path) as visitor:
        for verb in (visitor.recall, visitor.context):
            with pytest.raises(TypeError, match=r"Visitor\.\w+\(\) got an unexpected .* 'session'"):
                verb("what?", session="s")  # type: ignore[call-arg]
            with pytest.raises(InvalidInputError, match="thread of"):
                verb("what?", thread=5)  # type: ignore[arg-type]


def test_drop_names_the_field_that_it_cannot_use(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=directions) as g:
        with pytest.raises(TypeError, match=r"drop\(\) got an unexpected keyword argument 'knd'"):
            bardo.drop(g.path, "x", knd="note")  # type: ignore[call-arg]
        with pytest.raises(InvalidInputError, match="subjects is 5"):
            bardo.drop(g.path, "x", subjects=5)  # type: ignore[arg-type]


# -- small programs --------------------------------------------------------------------------------------------------


def test_a_chat_goes_on_where_it_stopped(tmp_path: Path) -> None:
    turns = ["My daughter Ana is allergic to hazelnuts", "We fly to Lisbon in May", "What may Ana not eat?"]
    messages: list[dict[str, str]] = []
    for said in turns:
        # Each turn is another process.
        with bardo.open(tmp_path / "chat", embedder=directions, seed=1) as g:
            prompt = g.context(said, thread="family", budget=1_000)
            messages += [
                {"role": "user", "content": said},
                {"role": "assistant", "content": f"I see: {said}"},
            ]
            g.remember(messages, thread="family")
    assert "hazelnuts" in str(prompt)
    with bardo.open(tmp_path / "chat", embedder=directions) as g:
        assert [one.text for one in g.episodes.list()] == [message["content"] for message in messages]
        (ana, *_) = g.entities.list("Ana")
        assert ana.mentions == 4
        (found,) = g.episodes.find(url="lisbon") or [None]
        assert found is None
        g.prompts.contribute("clock", lambda situation: f"tick {situation.tick}")
        assert "<clock>" in str(g.context("When do we fly?"))
        assert g.prompts.withdraw("clock")


def test_a_trading_loop_learns_and_leaves_an_heir(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "trader", embedder=directions, seed=1) as g:
        for block in range(1, 61):
            g.remember(
                f"Gas at block {block}",
                tick=block,
                subjects=["gas"],
                payload={"gwei": 20 + block % 3},
                verified=True,
            )
            if block % 20 == 0:
                prompt = g.context("Is gas cheap?", subjects=["gas"])
                g.outcome(prompt, value=0.5)
            g.tick(block)
        g.sleep()
        (fact,) = g.facts.list(kind="baseline")
        assert g.facts.why(fact).support == 60
        assert 0 < g.facts.confidence(fact) <= 1
        last = g.journal.list(limit=1)[0]
        assert g.journal.undo(last).act > last.number
        g.journal.undo(g.journal.list(limit=1)[0])
        g.bequeath(tmp_path / "trader.testament", cause="economic")
        assert g.lineage.is_dead
    with bardo.inherit(tmp_path / "trader.testament", tmp_path / "heir", embedder=directions, seed=2) as heir:
        assert heir.lineage.generation == 1
        assert [parent.agent for parent in heir.lineage.parents] == ["trader"]
        assert heir.lineage.inheritance is not None
        assert [one.source for one in heir.facts.list()] == ["testament"]


def test_the_nouns_are_awaited_under_asyncio(tmp_path: Path) -> None:
    async def live() -> tuple[float, list[str], int]:
        async with bardo.AsyncGrimoire.open(tmp_path / "a", embedder=directions) as g:
            fact = await g.learn("Ferries are late", confidence=0.6)
            await g.remember("The ferry Minerva was late", subjects=["Minerva"])
            names = [entity.name for entity in await g.entities.list()]
            await g.maintenance.rebuild()
            return await g.facts.confidence(fact), names, g.lineage.generation

    confidence, names, generation = asyncio.run(live())
    assert confidence == pytest.approx(0.6)
    assert "Minerva" in names
    assert generation == 0


def test_a_shell_script_keeps_and_finds(tmp_path: Path) -> None:
    """The command line has the same nouns."""
    script = """
        set -e
        bardo init home --agent home >/dev/null
        bardo remember "Gas doubled before the close, see https://gas.example/today" --subject gas --at home
        bardo recall "what happened to gas?" --at home --json
        bardo episodes find --url gas.example --at home --json
        bardo stats --at home --json
    """
    shell = script.replace("bardo ", f"{sys.executable} -m bardo ", 10_000)
    done = subprocess.run(
        ["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Gas doubled before the close") >= 2
    assert '"agent": "home"' in done.stdout
