"""The commands and options of the command line: complete, documented, and helpful where they are mistyped."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bardo.capture.fields import EpisodeFields
from bardo.recall.options import OwnerRecallOptions, RecallOptions, Selection
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app
from bardo.surfaces.cli.declared import given_fields, options_of
from bardo.surfaces.cli.group import commands

ROOT = typer.main.get_command(app)
PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/command-line.md").read_text(encoding="utf-8")
#: Groups, which the page names by their verbs.
NOUNS = {name for name, command in ROOT.commands.items() if hasattr(command, "commands")}
#: Verbs of the grimoire that take a callable or have a command of another name.
NOT_COMMANDS = {
    "prompts contribute", "prompts withdraw",  # they take a callable
    "lineage generation", "lineage parents", "lineage is-dead", "lineage inheritance",  # `lineage show`
    "lineage adopt",  # `inherit`
    "death checklist", "death status",  # `death show`
    "flows get", "capabilities get", "missions current", "bridges outputs", "bridges grants",  # `list`
    "summaries get", "summaries of",  # `summaries show`
    "gate",
}  # fmt: skip


def flags(*command: str) -> dict[str, typer.core.TyperOption]:
    """The options of a command by their long names."""
    found = ROOT
    for word in command:
        found = found.commands[word]
    return {each.opts[0]: each for each in found.params if each.param_type_name == "option"}


def test_the_page_names_every_command_and_no_other() -> None:
    rows = re.findall(r"^\| `([a-z -]+?)(?: [A-Z\[].*?| --by NAME)?` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(set(commands(ROOT)) - NOUNS)


def test_every_verb_of_every_noun_is_a_command() -> None:
    from bardo.conduct.gate import Gate
    from bardo.grimoire.grimoire import Grimoire

    known = set(commands(ROOT))
    for noun in NOUNS - {"gate", "notes", "trust", "turn"}:
        holder = Gate if hasattr(Gate, noun) else Grimoire
        listed = re.findall(r"`(\w+)`", inspect.getdoc(inspect.getattr_static(holder, noun)) or "")
        assert listed, noun
        verbs = {f"{noun} {verb.replace('_', '-')}" for verb in listed}
        assert verbs - NOT_COMMANDS <= known


@pytest.mark.parametrize(
    ("command", "declared"),
    [
        ("remember", EpisodeFields), ("scribe", EpisodeFields), ("recall", OwnerRecallOptions),
        ("context", OwnerRecallOptions), ("forget", Selection),
    ],
)  # fmt: skip
def test_every_declared_field_is_an_option_with_the_help_of_its_declaration(
    command: str, declared: type
) -> None:
    known = flags(command)
    options = options_of(declared)
    assert {each.field for each in options} == set(declared.__annotations__)
    for each in options:
        assert len(known[each.flag].help or "") > 4, each.flag
    assert set(RecallOptions.__annotations__) < set(OwnerRecallOptions.__annotations__)


def test_declared_options_become_values_of_their_fields() -> None:
    options = options_of(OwnerRecallOptions)
    empty = {each.parameter.name: None for each in options}
    assert given_fields(options, empty) == {}
    given = empty | {
        "field_kinds": ["note"],
        "field_since": "2026-03-04",
        "field_pad": "0.5,0,-1",
        "field_as_of": "7",
    }
    fields = given_fields(options, given)
    assert fields["kinds"] == ["note"]
    assert fields["since"].isoformat() == "2026-03-04T00:00:00+00:00"
    assert (fields["pad"], fields["as_of"]) == ((0.5, 0.0, -1.0), 7)
    assert given_fields(options, empty | {"field_since": "1772582400000000"}) == {"since": 1772582400000000}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["why", "x"], "bardo facts why"),
        (["acts"], "bardo journal list"),
        (["model", "check"], "bardo embedding"),
        (["rebuild"], "bardo maintenance rebuild"),
        (["recal", "x"], "bardo recall"),
        (["fact"], "bardo facts"),
        (["facts", "hisotry"], "bardo facts history"),
        (["check"], "bardo embedding check` or `bardo maintenance check"),
    ],
)
def test_an_unknown_command_names_what_it_may_have_meant(given: list[str], meant: str) -> None:
    result = CliRunner().invoke(app, given)
    assert result.exit_code == exits.USAGE
    assert f"Did you mean `{meant}" in " ".join(result.stderr.split())


@pytest.mark.parametrize("word", ["xyzzyxyzzy", "serve"])
def test_a_word_unlike_any_command_gets_no_suggestion(word: str) -> None:
    result = CliRunner().invoke(app, [word])
    assert result.exit_code == exits.USAGE
    assert "Did you mean" not in result.stderr


def test_a_text_that_begins_with_a_dash_is_taken_or_its_error_says_how(tmp_path: Path) -> None:
    runner, at = CliRunner(), ["--at", str(tmp_path / "a")]
    assert runner.invoke(app, ["init", *at[1:]]).exit_code == 0
    for command in (
        ["remember", "--force is forbidden"],
        ["gate", "before", "-rf /tmp"],
        ["gate", "reject", "rm -rf", "--why", "-rf = no way back"],
    ):
        done = runner.invoke(app, [*command, *at, "--json"])
        assert (done.exit_code, "\\u0000" in done.output) == (0, False), done.output
    stored = runner.invoke(app, ["episodes", "list", *at, "--json"]).output
    assert "--force is forbidden" in stored
    wrong = runner.invoke(app, ["gate", "before", "--forced", *at])
    assert wrong.exit_code == 2
    assert "write -- before it" in wrong.output
