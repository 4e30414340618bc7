"""Reports source files of more than 500 lines; part of `make lint`.

Stubs (`.pyi`) are exempt: they mirror a whole binding.

Usage: lengths.py [folder of the project]
"""

import sys
from collections.abc import Iterator
from pathlib import Path

LINES = 500
FOLDERS = (".ci", "benches", "python", "rust", "tests")
BUILT = {"target", ".venv"}


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = list(long_files(root))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def long_files(root: Path) -> Iterator[str]:
    """Yield one sentence for each Rust and Python file that is too long."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            place = file.relative_to(root)
            if file.suffix in (".rs", ".py") and not BUILT & set(place.parts):
                lines = len(file.read_text("utf-8").splitlines())
                if lines > LINES:
                    yield f"{place} has {lines} lines, at most {LINES}: move one of its ideas to a file of its own."


if __name__ == "__main__":
    sys.exit(main())
