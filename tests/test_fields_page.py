"""The page of fields: it has the fields of what verbs return, and a changed field is reported."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bardo
from bardo.conduct.verdict import Verdict
from bardo.consolidate.lint import Gap
from bardo.recall.options import OwnerRecallOptions, RecallOptions

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = Path("docs/reference/fields.md")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/fields.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def entry(name: str) -> str:
    return (REPOSITORY / PAGE).read_text("utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_the_page_is_what_the_code_says() -> None:
    assert run().stderr == ""


@pytest.mark.parametrize("kind", [bardo.Fact, bardo.Episode, Verdict, Gap])
def test_a_class_has_every_field(kind: type) -> None:
    for field in dataclasses.fields(kind):
        assert field.name.startswith("_") or f"- `{field.name}` (" in entry(kind.__name__), field.name


def test_a_fact_tells_that_its_statement_has_the_times() -> None:
    assert "- `since` (" in entry("Statement")
    assert "- `statement` (" in entry("Fact")


@pytest.mark.parametrize("kind", [RecallOptions, OwnerRecallOptions])
def test_options_of_a_recall_are_listed(kind: type) -> None:
    for name in kind.__annotations__:
        assert f"- `{name}` (" in entry(kind.__name__) + entry("RecallOptions"), name


def test_a_changed_field_fails_until_the_page_is_written_again(tmp_path: Path) -> None:
    shutil.copytree(
        REPOSITORY / "python/bardo", tmp_path / "python/bardo", ignore=shutil.ignore_patterns("*.so", "*.npz")
    )
    shutil.copytree(REPOSITORY / "docs/reference", tmp_path / "docs/reference")
    code = tmp_path / "python/bardo/consolidate/lint.py"
    text = code.read_text("utf-8")
    assert "question: str" in text
    code.write_text(text.replace("question: str", "question: str | None"), "utf-8")
    outcome = run(str(tmp_path))
    assert outcome.returncode == 1
    assert "fields.py --write" in outcome.stderr
    assert run(str(tmp_path), "--write").returncode == 0
    assert run(str(tmp_path)).returncode == 0
