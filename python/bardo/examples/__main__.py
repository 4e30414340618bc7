"""`python -m bardo.examples` is `bardo demo`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the verb with the arguments given."""
    from bardo.surfaces.cli.app import app

    app(["demo", *sys.argv[1:]], prog_name="bardo")


if __name__ == "__main__":
    main()
