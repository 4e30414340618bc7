"""Notes: what is warned of, what is not, and what is extracted from files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bardo
from bardo.errors import InvalidInputError, NotFoundError


def kinds(folder: Path, text: str) -> list[str]:
    file = folder / "note.md"
    file.write_text(text, encoding="utf-8")
    return [warning.kind for warning in bardo.check_notes(file).warnings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Found a tool called ripgrep, very fast.", ["tool_without_link"]),
        ("- Tool: ripgrep\n- Weather: rain", ["tool_without_link"]),
        ("The library `httpx` replaces requests.", ["tool_without_link"]),
        ("Discovered dbmate, a migration runner.", ["tool_without_link"]),
        ("I use lazygit now, a terminal UI for git.", ["tool_without_link"]),
        ("Set up Caddy as reverse proxy.", ["install_without_command"]),
        ("Installed Docker on the build machine.", ["install_without_command"]),
        ("Remember to install `ripgrep` first.", ["install_without_command"]),
        ("We decided to drop Redis.", ["decision_without_next_step"]),
        ("Decision: Postgres 16 for all services.", ["decision_without_next_step"]),
        ("# A\nWe agreed on tabs.\n# B\nNext: lunch.", ["decision_without_next_step"]),
    ],
)
def test_what_is_missing_is_warned_of(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert kinds(tmp_path, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Found a tool called ripgrep: https://github.com/BurntSushi/ripgrep",
        "Tool: ripgrep\n\nSee https://github.com/BurntSushi/ripgrep for its flags.",
        "Install Docker with `docker run hello-world`.",
        "Install ripgrep:\n\n```bash\ncargo install ripgrep\n```",
        "1. Install ripgrep\n   ```\n   brew install ripgrep\n   ```\n2. Run it",
        "The install took an hour, and the installed version is old.",
        "It was not installed yesterday.",
        "We decided to drop Redis. Next: Ana removes the client.",
        "We decided to drop Redis.\n\n- [ ] remove the client",
        "We agreed on tabs; Tom will reformat the repository.",
        "We found Anna, a project manager at Acme. I use the train now, a relief for everyone.",
        "We set up Maria as the new chair, and a meeting on the server room.",
        "The tool works well and the app is slow.",
        "```\nwe decided: x\ninstall Docker\n```",
        "",
    ],
)
def test_complete_notes_bring_no_warning(tmp_path: Path, text: str) -> None:
    assert kinds(tmp_path, text) == []


def test_a_warning_names_line_text_and_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_text("# Tools\n\n- coffee\n- Tool: ripgrep\n", encoding="utf-8")
    (warning,) = bardo.check_notes(file).warnings
    assert (warning.path, warning.line, warning.text) == (file, 4, "- Tool: ripgrep")
    assert "ripgrep" in warning.suggestion


def test_a_folder_is_read_with_its_subfolders_and_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "a.md").write_text("See https://example.org/x and src/lib.rs", encoding="utf-8")
    (tmp_path / "deep" / "b.txt").write_text(
        "Run `git rebase main`. See https://example.org/x", encoding="utf-8"
    )
    (tmp_path / ".hidden" / "c.md").write_text("Tool: secret", encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\xfa")
    report = bardo.check_notes(tmp_path)
    assert [file.name for file in report.files] == ["a.md", "b.txt"]
    assert report.urls == ("https://example.org/x",)
    assert report.commands == ("git rebase main",)
    assert report.paths == ("src/lib.rs",)
    assert report.warnings == ()
    assert "bad.md" in report.notes[0]


def test_a_missing_or_unreadable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        bardo.check_notes(tmp_path / "nowhere")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        bardo.check_notes(tmp_path / "bad.md")


def test_the_command_exits_with_nine_for_warnings(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bardo", "notes", "check", str(tmp_path), *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    (tmp_path / "a.md").write_text("Tool: ripgrep", encoding="utf-8")
    found = run("--json")
    assert found.returncode == 9
    assert json.loads(found.stdout)["warnings"][0]["kind"] == "tool_without_link"
    (tmp_path / "a.md").write_text("Tool: ripgrep, https://example.org", encoding="utf-8")
    assert run().returncode == 0
