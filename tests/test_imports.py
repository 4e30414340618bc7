"""Starting bardo costs next to nothing: heavy libraries load on first use."""

import os
import subprocess
import sys
import time

import pytest

HEAVY = {"arch", "fastembed", "lancedb", "matplotlib", "onnx", "onnxruntime", "pandas", "pyarrow"}
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
    """Seconds that the command takes on top of an interpreter that does nothing."""

    def seconds(command: tuple[str, ...]) -> float:
        started = time.perf_counter()
        run(*command)
        return time.perf_counter() - started

    run(*arguments)  # writes the byte code
    bare, whole = zip(*((seconds(("-c", "pass")), seconds(arguments)) for _ in range(RUNS)), strict=True)
    return min(whole) - min(bare)


@pytest.mark.parametrize("start", ["import bardo", "import bardo.__main__"])
def test_importing_bardo_loads_no_heavy_library(start: str) -> None:
    loaded = set(run("-c", f"{start}, sys; print(*sys.modules)").split())

    assert "bardo" in loaded
    assert loaded & HEAVY == set()


def test_importing_bardo_is_quick() -> None:
    assert quickest("-c", "import bardo") < IMPORT_SECONDS


def test_help_starts_at_once() -> None:
    assert quickest("-m", "bardo", "--help") < HELP_SECONDS
