"""`python -m bardo` and the `bardo` command."""

from __future__ import annotations


def main() -> None:
    """Runs the command line and exits with its code (see `bardo.surfaces.cli.exits`)."""
    from bardo.surfaces.cli.app import app  # noqa: PLC0415  # the console script imports this module for `main` alone

    app(prog_name="bardo")


if __name__ == "__main__":
    main()
