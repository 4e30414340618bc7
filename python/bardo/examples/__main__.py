"""Runs `bardo demo` as `python -m bardo.examples`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command with the given arguments."""
    from bardo.surfaces.cli.app import app

    app(["demo", *sys.argv[1:]], prog_name="bardo")


if __name__ == "__main__":
    main()
