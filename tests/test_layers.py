"""The check of the core's layers: it agrees with the sources, and sees what is planted into a copy of them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "rust/bardo-core/src"


def check(sources: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / ".ci/layers.py", sources], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SOURCES, tmp_path / "src"))


def plant(file: Path, text: str) -> None:
    file.write_text(file.read_text("utf-8") + text, "utf-8")


def test_the_core_keeps_its_layers() -> None:
    assert check(SOURCES).stderr == ""


def test_an_import_of_a_later_stage_fails(copied: Path) -> None:
    plant(copied / "capture/storage/codec.rs", "\nuse crate::facts::FactStore;\n")
    outcome = check(copied)
    assert outcome.returncode == 1
    assert outcome.stderr == "capture/storage/codec imports facts/store: capture lies below facts.\n"


@pytest.mark.parametrize(
    "circle",
    [
        "use super::upsert::UpsertOutcome;",
        "use crate::facts::upsert::{self, UpsertOutcome};",
        "use crate::facts::UpsertOutcome;",
        "fn planted() {\n    crate::facts::UpsertOutcome::all();\n}",
    ],
    ids=["by super", "by crate", "by the face of the folder", "in the code"],
)
def test_a_circle_between_files_fails(copied: Path, circle: str) -> None:
    plant(copied / "facts/rows.rs", f"\n{circle}\n")
    outcome = check(copied)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("facts has a circle of imports among ")
    assert "  facts/rows imports facts/upsert" in outcome.stderr


def test_a_folder_without_a_layer_fails(copied: Path) -> None:
    (copied / "planted").mkdir()
    (copied / "planted/mod.rs").write_text("//! Planted.\n", "utf-8")
    assert "planted has no place in LAYERS" in check(copied).stderr


def test_comments_texts_and_tests_import_nothing(copied: Path) -> None:
    plant(
        copied / "model/value.rs",
        '\n// crate::facts::FactStore\nconst PLANTED: &str = "crate::facts::FactStore";\n'
        "\n#[cfg(test)]\nmod planted {\n    use crate::facts::FactStore;\n}\n",
    )
    assert check(copied).returncode == 0
