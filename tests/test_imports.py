"""Starting bardo costs next to nothing: heavy libraries load on first use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"arch", "fastembed", "lancedb", "matplotlib", "onnx", "onnxruntime", "pandas", "pyarrow"}
#: Libraries that take as long to load as opening a memory may take, and one that only a testament needs.
SLOW = {"cryptography", "email", "importlib.metadata", "logging", "numpy", "sqlite3", "subprocess"}
#: Modules of an open memory at most, those of Python itself included: each takes a fraction of a millisecond.
MODULES = 210
#: Runs of one command; the quickest counts, since everything else on the machine can only slow a run down.
RUNS = 7
#: Allowed on top of a bare interpreter. numpy alone takes about 60 ms on a slow machine.
IMPORT_SECONDS = 0.15
#: `bardo --help` starts in under 150 ms (issue HOUSE, point 10).
HELP_SECONDS = 0.15


def run(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONUTF8": "1"}
    outcome = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def quickest(*arguments: str) -> float:
    """Seconds of processor that the command takes on top of an interpreter that does nothing."""

    def seconds(command: tuple[str, ...]) -> float:
        started = os.times()
        run(*command)
        ended = os.times()
        return ended.children_user + ended.children_system - started.children_user - started.children_system

    run(*arguments)  # writes the byte code
    bare, whole = zip(*((seconds(("-c", "pass")), seconds(arguments)) for _ in range(RUNS)), strict=True)
    return min(whole) - min(bare)


@pytest.mark.parametrize("start", ["import bardo", "import bardo.__main__"])
def test_importing_bardo_loads_no_heavy_library(start: str) -> None:
    loaded = set(run("-c", f"{start}, sys; print(*sys.modules)").split())

    assert "bardo" in loaded
    assert loaded & HEAVY == set()


def test_opening_a_memory_loads_neither_numpy_nor_what_only_a_death_needs(tmp_path: Path) -> None:
    opened = f"import bardo, sys; bardo.open({str(tmp_path / 'a')!r}).close(); print(*sys.modules)"
    loaded = set(run("-c", opened).split())

    assert loaded & (HEAVY | SLOW) == set()
    assert len(loaded) < MODULES


def test_what_is_loaded_late_works_when_it_is_used(tmp_path: Path) -> None:
    late = "from bardo.lazily import numpy, sqlite3; print(numpy.float32(1.5), sqlite3.Error.__name__)"
    assert run("-c", late).split() == ["1.5", "Error"]


def test_importing_bardo_is_quick() -> None:
    assert quickest("-c", "import bardo") < IMPORT_SECONDS


def test_help_starts_at_once() -> None:
    assert quickest("-m", "bardo", "--help") < HELP_SECONDS
