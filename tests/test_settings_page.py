"""The page of settings: it has every setting of the code with its default, and a changed default is reported."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import bardo

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = Path("docs/reference/settings.md")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/settings.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_is_what_the_code_says() -> None:
    assert run().stderr == ""


def test_the_page_has_every_setting_with_a_meaning() -> None:
    page = (REPOSITORY / PAGE).read_text("utf-8")
    for section in dataclasses.fields(bardo.Config):
        inner = getattr(bardo.Config(), section.name)
        if dataclasses.is_dataclass(inner):
            listed = page.partition(f"## `[{section.name}]`\n")[2].partition("\n## ")[0]
            for setting in dataclasses.fields(inner):
                (row,) = (line for line in listed.splitlines() if line.startswith(f"- `{setting.name}` ("))
                assert len(row) > len(f"- `{setting.name}` (0): A word"), row


def test_a_changed_default_fails_until_the_page_is_written_again(tmp_path: Path) -> None:
    code = tmp_path / "python/bardo/config.py"
    code.parent.mkdir(parents=True)
    text = (REPOSITORY / "python/bardo/config.py").read_text("utf-8")
    code.write_text(text, "utf-8")
    page = tmp_path / PAGE
    page.parent.mkdir(parents=True)
    assert run(str(tmp_path), "--write").returncode == 0
    assert page.read_text("utf-8") == (REPOSITORY / PAGE).read_text("utf-8")
    code.write_text(text.replace("limit: int = 5\n", "limit: int = 6\n"), "utf-8")
    outcome = run(str(tmp_path))
    assert outcome.returncode == 1
    assert "settings.py --write" in outcome.stderr
