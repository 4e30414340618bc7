"""The check of file lengths: it agrees with the sources, and reports a long file."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def check(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/lengths.py", root], capture_output=True, text=True, check=False
    )


def test_no_source_file_is_too_long() -> None:
    assert check(REPOSITORY).stderr == ""


def test_long_file_fails_and_stub_does_not(tmp_path: Path) -> None:
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust/longest.rs").write_text("//\n" * 500, "utf-8")
    (tmp_path / "rust/stub.pyi").write_text("#\n" * 501, "utf-8")
    assert check(tmp_path).returncode == 0
    (tmp_path / "rust/planted.rs").write_text("//\n" * 501, "utf-8")
    outcome = check(tmp_path)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("rust/planted.rs has 501 lines, at most 500")
