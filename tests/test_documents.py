"""The documents are true: each Python block runs, each link leads somewhere, each file that the map names exists."""

import os
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "CHANGELOG.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "benches/README.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
#: Abbreviations of the map in CONTRIBUTING.
FOLDERS = {"py": "python/bardo", "rs": "rust/bardo-core/src"}


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


def anchors_of(page: Path) -> set[str]:
    """Anchors that a page's headings have."""
    headings = re.findall(r"^#+ (.*)$", ANY_BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_the_map_of_concepts_in_contributing_names_files_that_exist() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| concept | file |") : text.index("## Requirements")]
    for row in table.splitlines()[2:-1]:
        folder = REPOSITORY
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]):
            root, _, rest = name.partition("/")
            path = REPOSITORY / FOLDERS[root] / rest if root in FOLDERS else REPOSITORY / name
            # A bare name is a file beside the one before it.
            path = path if path.exists() else folder / name
            assert path.exists(), f"{name} in {row}"
            folder = path.parent
