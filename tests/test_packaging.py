"""Files around the code: targets, locked packages, and a clear error when a machine lacks a tool."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LOCKS = sorted((REPOSITORY / "requirements").glob("*.lock"))
PROMISED_TARGETS = {"dev", "demo", "test", "lint", "bench", "docs"}
LOCKED_LINE = re.compile(r"(?P<name>[a-z0-9-]+)==[^ ;]+( ; .+)? \\")


def normalised(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def locked_names(lock: Path) -> set[str]:
    return {match["name"] for line in lock.read_text().splitlines() if (match := LOCKED_LINE.fullmatch(line))}


def test_make_lists_every_promised_target() -> None:
    listing = subprocess.run(
        ["make", "--no-print-directory"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    listed = {line.split()[1] for line in listing.stdout.splitlines() if line.startswith("make ")}
    assert listed >= PROMISED_TARGETS


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_each_locked_package_has_one_version_and_hashes_and_no_index_is_named(lock: Path) -> None:
    lines = lock.read_text().splitlines()
    assert locked_names(lock)
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(" "):
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line), line
        else:
            assert LOCKED_LINE.fullmatch(line), line
            assert following.startswith("    --hash="), f"{line} has no hash"


def test_everything_that_is_declared_is_locked() -> None:
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    groups = declared["dependency-groups"]
    needed = [
        *declared["project"]["dependencies"],
        # Ray takes 260 MB; its tests run where it is installed.
        *(
            item
            for name, extra in declared["project"]["optional-dependencies"].items()
            for item in extra
            if name != "ray"
        ),
        *(item for group in groups["all"] for item in groups[group["include-group"]]),
    ]
    assert {normalised(item) for item in needed} - locked_names(REPOSITORY / "requirements/dev.lock") == set()
    assert {normalised(item) for item in groups["docs"]} - locked_names(
        REPOSITORY / "requirements/docs.lock"
    ) == set()


def test_a_machine_without_rust_is_told_what_to_install() -> None:
    outcome = subprocess.run(
        [sys.executable, REPOSITORY / ".ci/preflight.py"],
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert "Install Rust" in outcome.stderr
    assert "install gcc or clang" in outcome.stderr


def test_a_python_that_cannot_make_virtual_environments_is_refused_with_the_way_out() -> None:
    outcome = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, runpy; sys.modules['ensurepip'] = None; "
            "runpy.run_path('.ci/preflight.py', run_name='__main__')",
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert "python3-venv" in outcome.stderr
