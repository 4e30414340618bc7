"""Says what a machine lacks to build bardo, before anything is built. Runs on any Python 3."""

import importlib.util
import shutil
import sys

OLDEST_PYTHON = (3, 11)


def lacking() -> "list[str]":
    """One sentence per thing that is missing, with the way out."""
    problems = []
    if sys.version_info < OLDEST_PYTHON:
        have = ".".join(map(str, sys.version_info[:2]))
        want = ".".join(map(str, OLDEST_PYTHON))
        problems.append(
            f"{sys.executable} is Python {have}; bardo needs {want} or newer. "
            f"Name another one: make PYTHON=/path/to/python{want} ..."
        )
    if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
        problems.append(
            f"{sys.executable} cannot make a virtual environment with pip in it: its modules venv and ensurepip "
            "are not both there. Debian and Ubuntu keep them in the package python3-venv: install it, or name "
            "another Python: make PYTHON=/path/to/python3.11 ..."
        )
    if not shutil.which("cargo"):
        problems.append(
            "cargo was not found. Install Rust (rust-version in Cargo.toml is the oldest that will do) and put "
            "~/.cargo/bin on PATH"
        )
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        problems.append("No C compiler was found. SQLite is compiled from source: install gcc or clang")
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        problems.append(
            "No C++ compiler was found. The tests ask a small language model whose server is compiled: install g++ or "
            "clang++"
        )
    return problems


if __name__ == "__main__":
    problems = lacking()
    if problems:
        sys.exit("bardo cannot be built here yet:\n" + "\n".join(f"  - {problem}." for problem in problems))
    print(f"Python {sys.version.split()[0]}, cargo and a C compiler are here.")
