"""The page of modules: it is what the docstrings say, and a changed docstring is reported."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/modules.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_has_every_module() -> None:
    assert run().stderr == ""


def test_a_changed_docstring_fails_until_the_page_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "python/bardo/recall"
    folder.mkdir(parents=True)
    (folder / "rows.py").write_text('"""Rows of a result. More of them."""\n', "utf-8")
    page = tmp_path / "docs/concepts/modules.md"
    page.parent.mkdir(parents=True)
    assert run(str(tmp_path), "--write").returncode == 0
    assert "- `rows`: Rows of a result\n" in page.read_text("utf-8")
    assert run(str(tmp_path)).returncode == 0
    (folder / "rows.py").write_text('"""Columns of a result."""\n', "utf-8")
    outcome = run(str(tmp_path))
    assert outcome.returncode == 1
    assert "modules.py --write" in outcome.stderr
