"""Holds the layers of the core in Rust, as import-linter holds those in Python; part of `make lint`.

A folder of `rust/bardo-core/src/` imports only folders below it in LAYERS, and in the folders of WITHOUT_CIRCLES no
files import each other in a circle. Nor do the files of `rust/bardo-py/src/`. An item that a `mod.rs` re-exports
counts as an import of the file that defines it. Tests inside a file are free to import anything.

Usage: layers.py [folder of the sources]
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# The way of a memory, last stage first. A folder not named here is an error.
LAYERS = (
    "simulate",
    "engine",
    "bequeath",
    "assemble",
    "recall",
    "consolidate",
    "index",
    "facts",
    "capture",
    "text",
    "hashing",
    "model",
    "error",
)
WITHOUT_CIRCLES = ("capture", "facts", "index", "recall", "text", "engine")

Module = tuple[str, ...]
# A comment, a text (raw or not), or a character that could be mistaken for the beginning of one.
NOT_CODE = re.compile(r'//[^\n]*|r#"(?:.|\n)*?"#|"(?:\\(?:.|\n)|[^"\\])*"|' + r"'(?:\\.|[^'\\])'")
TEST_MODULE = re.compile(
    r"^#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod \w+ \{\n.*?^\}\n", re.MULTILINE | re.DOTALL
)
TEST_FILE = re.compile(r"^#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod (\w+);\n", re.MULTILINE)
USE = re.compile(r"^[ ]*(?:pub(?:\(\w+\))? )?use ([^;]+);", re.MULTILINE)
EXPORT = re.compile(r"^pub(?:\(\w+\))? use ([^;]+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])(?:crate|(?:super::)*super)(?:::\w+)+")


RUST = Path(__file__).parents[1] / "rust"


def main() -> int:
    imports = Imports(Path(sys.argv[1]) if len(sys.argv) > 1 else RUST / "bardo-core/src")
    binding = Imports(RUST / "bardo-py/src")
    problems = [*imports.unnamed(), *imports.upward(), *binding.circles_among("bardo-py", binding.modules)]
    for stage in WITHOUT_CIRCLES:
        problems += imports.circles_among(stage, {one for one in imports.modules if one[0] == stage})
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    print(
        f"{len(imports.modules)} files keep {len(LAYERS)} layers; {len(binding.modules)} of the binding have no circle."
    )
    return 0


class Imports:
    """Which file imports which, as code outside of tests does."""

    def __init__(self, root: Path) -> None:
        sources = {module_of(file.relative_to(root)): file for file in sorted(root.rglob("*.rs"))}
        code = {module: without_tests(file.read_text("utf-8")) for module, file in sources.items()}
        tests = {
            (*module, name)
            for module, file in sources.items()
            for name in TEST_FILE.findall(file.read_text("utf-8"))
        }
        self.modules = {module for module in sources if module and module not in tests}
        self.exports = {module: exports_of(code[module]) for module in self.modules | {()}}
        self.targets = {
            module: {target for path in paths_in(code[module], module) if (target := self.file_of(path))}
            - {module}
            for module in self.modules
        }

    def file_of(self, path: Module) -> Module | None:
        """The file that defines what a path names, through re-exports of folders."""
        length = next(end for end in range(len(path), -1, -1) if path[:end] in self.modules or not end)
        module, item = path[:length], path[length : length + 1]
        for exported in self.exports[module].get(item[0], ()) if item else ():
            if path not in (exported, (*module, *exported)):
                return self.file_of((*module, *exported))
        return module or None

    def unnamed(self) -> Iterator[str]:
        """Folders without a place in LAYERS."""
        for stage in sorted({module[0] for module in self.modules} - set(LAYERS)):
            yield f"{stage} has no place in LAYERS of {Path(__file__).name}."

    def upward(self) -> Iterator[str]:
        """Imports of a folder that lies above."""
        height = {stage: len(LAYERS) - place for place, stage in enumerate(LAYERS)}
        for module, targets in sorted(self.targets.items()):
            for target in sorted(targets):
                if height.get(target[0], 0) > height.get(module[0], len(LAYERS)):
                    yield f"{name(module)} imports {name(target)}: {module[0]} lies below {target[0]}."

    def circles_among(self, what: str, files: set[Module]) -> Iterator[str]:
        """Files that import each other in a circle, or lie between two circles."""
        left = set(files)
        # Files that import nothing of the rest, or that nothing of the rest imports, are in no circle.
        while outer := {
            module
            for module in left
            if not self.targets[module] & left or not any(module in self.targets[other] for other in left)
        }:
            left -= outer
        if left:
            yield f"{what} has a circle of imports among {len(left)} files:"
        for module in sorted(left):
            yield f"  {name(module)} imports {', '.join(map(name, sorted(self.targets[module] & left)))}"


def name(module: Module) -> str:
    return "/".join(module)


def module_of(file: Path) -> Module:
    parts = file.with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def without_tests(text: str) -> str:
    return NOT_CODE.sub("", TEST_MODULE.sub("", text))


def exports_of(text: str) -> dict[str, list[Module]]:
    exports: dict[str, list[Module]] = {}
    for tree in EXPORT.findall(text):
        for path in leaves(tree):
            if path[0] not in ("crate", "super"):
                exports.setdefault(path[-1], []).append(path)
    return exports


def paths_in(text: str, module: Module) -> Iterator[Module]:
    written = [path for tree in USE.findall(text) for path in leaves(tree)]
    written += [tuple(path.split("::")) for path in PATH.findall(USE.sub("", text))]
    for path in written:
        ups = next(place for place, part in enumerate((*path, "")) if part != "super")
        if path[0] == "crate":
            yield path[1:]
        elif 0 < ups <= len(module):
            yield (*module[: len(module) - ups], *path[ups:])


def leaves(tree: str, above: Module = ()) -> Iterator[Module]:
    """The paths of a use tree, without the names that `as` gives them."""
    start = tree.find("{")
    if start < 0:
        path = tuple(part.split()[0] for part in tree.strip().split("::") if part.strip())
        yield above + (path[:-1] if path[-1] in ("self", "*") else path)
        return
    above += tuple(part.strip() for part in tree[:start].split("::") if part.strip())
    depth, part = 0, ""
    for char in tree[start + 1 : tree.rindex("}")] + ",":
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            if part.strip():
                yield from leaves(part, above)
            part = ""
        else:
            part += char


if __name__ == "__main__":
    sys.exit(main())
