"""The page of signatures: it has the verbs of an agent's loop as they are called, and a changed default is reported."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bardo

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = Path("docs/reference/signatures.md")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/signatures.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_is_what_the_code_says() -> None:
    assert run().stderr == ""


@pytest.mark.parametrize(
    ("title", "verb"),
    [
        *((f"bardo.{name}", getattr(bardo, name)) for name in ("open", "inherit", "visit", "drop", "gate")),
        *(
            (f"g.{name}", getattr(bardo.Grimoire, name))
            for name in (
                "remember",
                "recall",
                "context",
                "learn",
                "sleep",
                "turn",
                "scribe",
                "bequeath",
                "boot",
            )
        ),
        *((f"gate.{name}", getattr(bardo.Gate, name)) for name in ("reject", "rule", "before", "lift")),
        *((f"clock.{name}", getattr(bardo.ManualClock, name)) for name in ("set", "now", "advance")),
    ],
)
def test_a_verb_has_every_option(title: str, verb: object) -> None:
    page = (REPOSITORY / PAGE).read_text("utf-8")
    entry = page.partition(f"### `{title}`\n")[2].partition("\n### ")[0]
    assert entry.startswith(f"```text\n{title}(")
    for name in inspect.signature(verb).parameters:  # type: ignore[arg-type]
        if name != "self":
            assert f"{name}: " in entry, name


def test_a_changed_default_fails_until_the_page_is_written_again(tmp_path: Path) -> None:
    shutil.copytree(
        REPOSITORY / "python/bardo", tmp_path / "python/bardo", ignore=shutil.ignore_patterns("*.so", "*.npz")
    )
    page = tmp_path / PAGE
    page.parent.mkdir(parents=True)
    page.touch()
    assert run(str(tmp_path)).returncode == 1
    assert run(str(tmp_path), "--write").returncode == 0
    assert page.read_text("utf-8") == (REPOSITORY / PAGE).read_text("utf-8")
    code = tmp_path / "python/bardo/grimoire/grimoire.py"
    text = code.read_text("utf-8")
    assert "budget: int = 1_500" in text
    code.write_text(text.replace("budget: int = 1_500", "budget: int = 1_600"), "utf-8")
    outcome = run(str(tmp_path))
    assert outcome.returncode == 1
    assert "signatures.py --write" in outcome.stderr
