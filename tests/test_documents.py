"""What the documents show works: every Python block runs, in its document's order, with real parts."""

import os
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def with_python() -> list[Path]:
    documents = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [document for document in documents if BLOCK.search(document.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("document", with_python(), ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_the_python_in_a_document_runs(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "document"}
    for block in BLOCK.finditer(text):
        # As many empty lines before it as it has in the document, so that an error names the right line.
        code = "\n" * (text.count("\n", 0, block.start()) + 1) + block["code"]
        exec(compile(code, os.fspath(document), "exec"), names)


def test_the_python_of_the_readme_lives_a_whole_life() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    verbs = ("open", "remember", "learn", "recall", "context", "outcome", "sleep", "bequeath", "inherit")
    shown = "\n".join(block["code"] for block in BLOCK.finditer(text))
    assert [verb for verb in verbs if f".{verb}(" not in shown] == []
