"""`python -m bardo` and the `bardo` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line and exits with its code (see `bardo.surfaces.cli.exits`)."""
    _open_standard_streams()
    # A file name may hold bytes that are not UTF-8.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    from bardo.surfaces.cli.app import app  # the console script imports this module for `main` alone

    app(prog_name="bardo")


def _open_standard_streams() -> None:
    """Opens the null device for each standard stream that the caller closed (`>&-`).

    Otherwise the next file that is opened, such as the log, would get the stream's descriptor, and libraries would
    print into that file. The null device for standard output is read-only: losing the answer is an error.
    """
    for name, mode, access in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, access)
            setattr(sys, name, open(nothing, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # open to the end


if __name__ == "__main__":
    main()
