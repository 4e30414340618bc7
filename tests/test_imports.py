"""Starting bardo costs next to nothing: heavy libraries load on first use."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bardo
from bardo._cached_property import locked_cached_property

HEAVY = {"arch", "fastembed", "lancedb", "matplotlib", "onnx", "onnxruntime", "pandas", "pyarrow"}
#: Libraries that take as long to load as opening a memory may take, and one that only a testament needs.
SLOW = {
    "cryptography",
    "email",
    "importlib.metadata",
    "logging",
    "numpy",
    "sqlite3",
    "subprocess",
}
#: Module that only the redaction of a testament needs, with hundreds of patterns.
PRIVACY = {"bardo.privacy.secrets"}
#: Modules of an open memory at most, those of Python itself included: each takes a fraction of a millisecond.
MODULES = 159
#: Modules that opening a memory loads. Every other module loads at the first call that needs it.
OPENING = {
    "bardo", "bardo._atomic", "bardo._cached_property", "bardo._core", "bardo._core._assemble", "bardo._printed",
    "bardo._core._bequeath", "bardo._core._capture", "bardo._core._consolidate", "bardo._core._facts",
    "bardo._core._index", "bardo._core._names", "bardo._core._recall", "bardo._core._simulate", "bardo._core._text",
    "bardo._settings", "bardo._validation", "bardo.assemble",
    "bardo.assemble.copies", "bardo.capture", "bardo.capture.fields", "bardo.capture.inbox",
    "bardo.capture.intake", "bardo.capture.recorder", "bardo.capture.records", "bardo.capture.episode_batch",
    "bardo.clock", "bardo.config", "bardo.errors", "bardo.folder", "bardo.grimoire", "bardo.grimoire.events",
    "bardo.grimoire.continuity", "bardo.grimoire.factory", "bardo.grimoire.grimoire", "bardo.grimoire.idle",
    "bardo.grimoire.resources", "bardo.grimoire.session", "bardo.grimoire.stores",
    "bardo.grimoire.statement_fields",
    "bardo.grimoire.writer", "bardo.index", "bardo.index.embedding", "bardo.index.embedding.cache",
    "bardo.index.embedding.embedders", "bardo.index.embedding.engines", "bardo.index.embedding.minilm",
    "bardo.index.indexer", "bardo.index.keeper", "bardo.index.snapshot", "bardo.model", "bardo.ports",
    "bardo.recall", "bardo.recall.filters", "bardo.recall.options",
}  # fmt: skip
#: Modules that `import bardo` adds to a bare interpreter at most, those of Python itself included.
IMPORTING = 60
#: Modules of bardo that `bardo --help` loads besides those of the command line.
HELP = {
    "bardo", "bardo.__main__", "bardo._atomic", "bardo._core", "bardo._patterns", "bardo._printed", "bardo._settings",
    "bardo.capture",
    "bardo.capture.fields", "bardo.clock", "bardo.conduct", "bardo.conduct.model", "bardo.conduct.model.entries",
    "bardo.config", "bardo.consolidate", "bardo.consolidate.pages", "bardo.consolidate.pages.wording", "bardo.errors",
    "bardo.model", "bardo.ports", "bardo.recall", "bardo.recall.filters", "bardo.recall.options", "bardo.surfaces",
}  # fmt: skip
#: Modules of Python itself that `bardo --help` loads on top of those that typer needs, at most.
HELP_OVER_TYPER = 30


def run(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONUTF8": "1"}
    # Compiled modules are kept, as those of an installed package are.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    outcome = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def modules(code: str) -> set[str]:
    """Modules that are loaded after the code ran in an interpreter of its own."""
    return set(run("-c", f"{code}\nimport sys; print(); print(*sys.modules)").splitlines()[-1].split())


@pytest.mark.parametrize("start", ["import bardo", "import bardo.__main__"])
def test_importing_bardo_loads_no_heavy_library(start: str) -> None:
    loaded = set(run("-c", f"{start}, sys; print(*sys.modules)").split())

    assert "bardo" in loaded
    assert loaded & HEAVY == set()


#: An embedder that needs no library until it is asked for a vector.
EMBEDDER = """
class Known:
    @property
    def fingerprint(self):
        from bardo.model import Fingerprint
        return Fingerprint("known", "1", "none", 4)
    def embed_documents(self, texts):
        import numpy
        return numpy.ones((len(texts), 4), "f4")
    embed_queries = embed_documents
"""


@pytest.mark.parametrize("episodes", [0, 3, 600], ids=["empty", "from the log", "from a snapshot"])
def test_opening_a_memory_loads_nothing_that_opening_does_not_need(tmp_path: Path, episodes: int) -> None:
    folder = tmp_path / "a"
    start = f"{EMBEDDER}\nimport bardo, sys\ng = bardo.open({str(folder)!r}, embedder=Known())\n"
    if episodes:
        run(
            "-c",
            start + f"g.remember([f'thing {{n}}' for n in range({episodes})]); g.recall('thing'); g.close()",
        )
    assert (folder / "hot.snapshot").exists() == (episodes > 512)
    loaded = set(run("-c", start + "print(*sys.modules)").split())

    assert loaded & (HEAVY | SLOW) == set()
    assert {name for name in loaded if name.partition(".")[0] == "bardo"} == OPENING
    assert len(loaded) < MODULES


def test_opening_with_the_usual_model_loads_no_library_of_it(tmp_path: Path) -> None:
    opened = f"import bardo, sys; bardo.open({str(tmp_path / 'a')!r}).close(); print(*sys.modules)"
    assert set(run("-c", opened).split()) & (HEAVY | SLOW) == set()


def test_a_hook_that_asks_a_gate_by_words_loads_no_other_command_and_no_prompt(tmp_path: Path) -> None:
    folder = str(tmp_path / "a")
    bardo.open(folder, agent="trader").close()
    call = f"app(['gate', 'before', '--words', '--at', {folder!r}, 'deploy'])"
    loaded = modules(
        f"from bardo.surfaces.cli.app import app\ntry:\n    {call}\nexcept SystemExit as end:\n    assert not end.code"
    )
    assert (
        loaded
        & (HEAVY | PRIVACY | {"bardo.assemble.prompt", "concurrent.futures", "bardo.surfaces.cli.recall"})
        == set()
    )
    assert "bardo.conduct.gate" in loaded


def test_the_first_turn_of_a_process_loads_no_matrix_library_and_no_patterns_of_other_calls(
    tmp_path: Path,
) -> None:
    folder = str(tmp_path / "a")
    with bardo.open(folder, agent="trader") as g:
        g.remember("The customs tariff for lamps is 9405")
        with bardo.gate(folder) as gate:
            gate.reject("send lamps by air", by="ida")
    loaded = modules(
        f"import bardo\nwith bardo.open({folder!r}) as g:\n    turn = g.turn('What is the customs tariff for lamps?')\n"
        "    assert '9405' in turn.text and 'by air' in turn.text and not turn.notes"
    )
    assert (
        loaded
        & (HEAVY | PRIVACY | {"numpy", "bardo.conduct.match.index", "bardo.conduct.parse.actions.shell"})
        == set()
    )


def test_a_part_that_is_made_once_is_made_once_by_many_threads() -> None:
    made: list[object] = []

    class Owner:
        @locked_cached_property
        def part(self) -> object:
            made.append(object())
            return made[-1]

    owner = Owner()
    with ThreadPoolExecutor(8) as threads:
        parts = set(threads.map(lambda _: owner.part, range(64)))
    assert parts == set(made)
    assert len(made) == 1


def test_importing_bardo_loads_its_core_and_little_of_python() -> None:
    loaded = modules("import bardo") - modules("pass")

    ours = {name for name in loaded if name.partition(".")[0] == "bardo"}
    assert {name for name in ours if not name.startswith("bardo._core")} == {"bardo"}
    assert {name.partition(".")[0] for name in loaded - ours} <= sys.stdlib_module_names
    assert len(loaded) <= IMPORTING, sorted(loaded)


def test_help_loads_typer_and_no_other_library() -> None:
    asked = """
import sys
from bardo.__main__ import main
sys.argv = ["bardo", "--help"]
try:
    main()
except SystemExit as exit:
    assert exit.code == 0
"""
    loaded, typer = modules(asked), modules("import typer.main")

    assert "bardo.surfaces.cli.app" in loaded
    assert (loaded - typer) & (HEAVY | SLOW) == set()
    ours = {name for name in loaded if name.partition(".")[0] == "bardo"}
    core, commands = "bardo._core.", "bardo.surfaces.cli"
    assert {name for name in ours if not name.startswith((core, commands))} == HELP
    others = {name for name in loaded - typer - ours if name.partition(".")[0] != "typer"}
    assert {name.partition(".")[0] for name in others} <= sys.stdlib_module_names
    assert len(others) <= HELP_OVER_TYPER, sorted(others)
