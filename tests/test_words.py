"""The check of the project's prose: the project passes, and each kind of planted violation is reported."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def check(*places: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/words.py", *places], capture_output=True, text=True, check=False
    )


def test_the_project_uses_no_banned_word() -> None:
    assert check().stderr == ""


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("page.md", "The index is built anew.", "page.md:1: 'anew': write again"),
        ("page.md", f"{'word ' * 25}", "page.md:1: 125 characters; at most 120"),
        ("code.py", "# The index is built anew.\n", "code.py:1: 'anew': write again"),
        (
            "code.py",
            'def built():\n    """What is built."""\n',
            "code.py:2: a description starts with 'What'",
        ),
        (
            "code.py",
            'raise ValueError("the index was built anew, sorry")\n',
            "code.py:1: 'anew': write again",
        ),
        ("code.rs", "// The index is built anew.\n", "code.rs:1: 'anew': write again"),
        ("code.rs", "/// Who builds it.\nfn built() {}\n", "code.rs:1: a description starts with 'What'"),
        ("code.rs", "/// Of ours.\nOurs,\n", "code.rs:1: a description starts with 'Of'"),
        ("code.py", "#: In bytes.\nLIMIT = 8\n", "code.py:1: a description starts with 'In'"),
        (
            "code.py",
            'def built(seed: int) -> None:\n    """Builds it.\n\n    Args:\n        seed: Of the ids.\n    """\n',
            "code.py:5: a description starts with 'Of'",
        ),
    ],
)
def test_a_planted_violation_is_reported(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    outcome = check(tmp_path / name)
    assert outcome.returncode == 1
    assert problem in outcome.stderr


def test_code_and_short_strings_are_no_prose(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("`anew` is a word.\n\n```\nanew\n```\n", "utf-8")
    (tmp_path / "code.py").write_text('anew = "anew"\n', "utf-8")
    (tmp_path / "code.rs").write_text('const ANEW: &str = "anew";\n', "utf-8")
    assert check(tmp_path).returncode == 0


def test_a_comment_within_code_may_be_a_sentence_about_the_code(tmp_path: Path) -> None:
    (tmp_path / "code.rs").write_text("// Of two writes the later one wins.\nlet kept = last;\n", "utf-8")
    (tmp_path / "code.py").write_text("# In SQLite, booleans are integers.\nkept = 1\n", "utf-8")
    assert check(tmp_path).returncode == 0
