"""Reports words that the project does not use in its own prose; part of `make lint`.

Prose is: the text of Markdown pages outside code, comments, docstrings, and messages (strings of five words and more).
Strings in tests are data and are not read. Markdown lines have at most 120 characters, unless a long address is why.

Usage: words.py [--count] [FILE or FOLDER ...]; without names it reads the whole project.
"""

import argparse
import ast
import collections
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
PLACES = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "docs", "python", "rust", "tests", "benches", ".ci",
)  # fmt: skip
LINE_LENGTH = 120
MESSAGE_WORDS = 5
# Tables that a benchmark writes are as wide as they have columns.
GENERATED = ("RESULTS.md",)

# A pattern, and what to write instead.
BANNED = {
    r"anew": "again; or rebuild, reload",
    r"nobody|somebody|whoever": "the caller, the agent, another process",
    r"whatever|whichever": "any",
    r"(?:what|who) waits": "the pending records",
    r"what (?:is|was) left": "the rest, the remaining",
    r"for want of": "without",
    r"lets? go|letting go": "release",
    r"go(?:es)? by": "use, follow",
    r"as what (?:it is|they are)": "leave it out",
    r"at all costs|for good": "permanently",
    r"all the same": "nevertheless",
    r"as ever": "as before",
    r"gets? nothing": "say what is returned",
    r"in step": "synchronised, up to date",
}
BANNED_WORD = re.compile(
    "|".join(rf"(?P<w{n}>\b(?:{words})\b)" for n, words in enumerate(BANNED)), re.IGNORECASE
)
# A description leads with a verb or the field's noun: rule 2 of CONTRIBUTING's "How we write".
RIDDLE = re.compile(r"(?:What|Who)\b[^?]*$")
# A description stands alone: rule 3. It is a docstring, an entry of its arguments, `#:` or `///`. A qualified name
# after "As" says where to look.
FRAGMENT = re.compile(
    r"(?:\A\s*|^ +\w+: )(?P<opening>Of|In|As(?! `bardo\.)|From which|By which|See) ", re.MULTILINE
)

RUST_COMMENT = re.compile(r'(?P<string>r#"(?:.|\n)*?"#|"(?:\\(?:.|\n)|[^"\\])*")|(?P<comment>//[^\n]*)')
MARKDOWN_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)\s]*\)|^ {4}.*$", re.MULTILINE | re.DOTALL)

Place = Literal["inside", "comment", "description"]
Prose = tuple[int, str, Place]  # line, text, and what the text opens, if anything


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("places", nargs="*", type=Path)
    parser.add_argument("--count", action="store_true", help="print the number of findings per folder")
    given = parser.parse_args()
    findings = []
    for path in files(given.places or [ROOT / place for place in PLACES]):
        text = path.read_text(encoding="utf-8")
        findings += [(path, line, problem) for line, problem in problems(path, text)]
    if given.count:
        folders = collections.Counter(str(shown(path).parent) for path, *_ in findings)
        for folder, count in sorted(folders.items()):
            print(f"{count:5} {folder}")
    else:
        for path, line, problem in findings:
            print(f"{shown(path)}:{line}: {problem}", file=sys.stderr)
    return 1 if findings else 0


def shown(path: Path) -> Path:
    """The path as it is printed: within the project, relative to its root."""
    path = path.resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def files(places: list[Path]) -> Iterator[Path]:
    """Yield the files to read, in the order of their names."""
    kinds = {".md", ".py", ".pyi", ".rs"}
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if (
                path.suffix in kinds
                and not {"target", ".venv"} & set(path.parts)
                and path.name != Path(__file__).name
            ):
                yield path


def problems(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and description of each banned word or long line of a file."""
    read = {".md": markdown, ".rs": rust}.get(path.suffix, python)
    is_test = "tests" in path.parts
    for line, prose, opens in read(text, is_test):
        for match in BANNED_WORD.finditer(prose):
            instead = list(BANNED.values())[int(str(match.lastgroup)[1:])]
            yield line + prose.count("\n", 0, match.start()), f"{match[0]!r}: write {instead}"
        if opens != "inside" and RIDDLE.match(prose.strip().split("\n", 1)[0]):
            yield line, "a description starts with 'What' or 'Who': name the thing"
        for match in FRAGMENT.finditer(prose) if opens == "description" else ():
            found = match["opening"]
            yield (
                line + prose.count("\n", 0, match.start("opening")),
                f"a description starts with {found!r}: name the thing",
            )
    if path.suffix == ".md" and path.name not in GENERATED:
        for line, written in enumerate(text.splitlines(), start=1):
            if len(written) > LINE_LENGTH and not re.search(r"\S{80}", written):
                yield line, f"{len(written)} characters; at most {LINE_LENGTH}"


def markdown(text: str, _is_test: bool) -> Iterator[Prose]:
    """Yield the page with its code blanked out."""
    yield 1, MARKDOWN_CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text), "inside"


def rust(text: str, is_test: bool) -> Iterator[Prose]:
    """Yield each comment, and each message outside tests."""
    previous, in_tests = -1, text.find("#[cfg(test)]\nmod ")
    for match in RUST_COMMENT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["comment"]:
            body = re.sub(r"^//[/!]?", "", match[0])
            opens: Place = "description" if match[0].startswith("///") else "comment"
            yield line, body, "inside" if line == previous + 1 else opens
            previous = line
        elif (
            not is_test
            and (in_tests < 0 or match.start() < in_tests)
            and len(match[0].split()) >= MESSAGE_WORDS
        ):
            yield line, match[0], "inside"


def python(text: str, is_test: bool) -> Iterator[Prose]:
    """Yield each comment and docstring, and each message outside tests."""
    previous = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            opens: Place = "description" if token.string.startswith("#:") else "comment"
            line = token.start[0]
            yield line, token.string.lstrip("#: "), "inside" if line == previous + 1 else opens
            previous = line
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            opens = "description" if id(node) in docstrings else "inside"
            if opens == "description" or (not is_test and len(node.value.split()) >= MESSAGE_WORDS):
                yield node.lineno, node.value, opens


if __name__ == "__main__":
    sys.exit(main())
