"""`bardo demo`: three generations of an agent on real market data, from birth to testament, and a chat."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo.errors import StoreUnavailableError

if TYPE_CHECKING:
    from bardo.examples.lives import Life
    from bardo.ports import Progress

#: Seed of all ids, keys and orders, which makes the demo reproducible.
SEED = 7
#: Number of days of `--quick`: lives of a year and a half each, long enough to confirm some inherited facts.
QUICK_DAYS = 1_140
PICTURE = "demo.png"
#: File that marks a folder which the demo may empty.
MARK = ".bardo-demo"


def run(
    out: Path,
    *,
    quick: bool = False,
    embedder: Any = None,
    progress: Progress | None = None,
    say: Callable[..., None] = lambda *_parts: None,
) -> dict[str, Any]:
    """Runs both parts of the demo, draws the picture, and reports.

    Args:
        out: Folder for the grimoires, testaments and the picture; one of an earlier demo is emptied.
        quick: Whether to run fewer years.
        embedder: Embedder for `bardo.open`; None is the default model.
        progress: Callback with the progress of each stage.
        say: Callback with the output as Rich renderables.

    Returns:
        Report as a JSON-like value.

    Raises:
        StoreUnavailableError: The folder holds something else, or cannot be written.
        MissingPackageError: The extra `demo` is not installed.
    """
    from bardo.examples import chat, lives, market, picture, report, story, twins
    from bardo.examples.trader import Terms

    began = time.monotonic()
    terms = Terms()
    days = market.days(market.load(), count=QUICK_DAYS if quick else None)
    _prepare(out)
    say(story.opening(days))

    def tell(life: Life) -> None:
        say(story.life(life, terms))

    lived = lives.live_and_die(
        days, out, terms=terms, seed=SEED, embedder=embedder, progress=progress or _silent, tell=tell
    )
    compared = twins.compare(
        days, lived, out, terms=terms, seed=SEED, embedder=embedder, progress=progress or _silent
    )
    say(story.twins(lived, compared))
    drawn = out / PICTURE
    picture.draw(drawn, lived, compared, terms=terms)
    told = chat.converse(out / "chat", seed=SEED, embedder=embedder)
    say(story.chat(told))
    seconds = time.monotonic() - began
    say(story.closing(out, drawn, seconds))
    return report.document(lived, compared, told, days=days, picture=drawn, seconds=seconds)


def _silent(stage: str, done: int, total: int) -> None:
    """Ignores the progress."""


def _prepare(out: Path) -> None:
    try:
        if out.exists() and any(out.iterdir()):
            if not (out / MARK).is_file():
                raise StoreUnavailableError(
                    f"{out} holds something that is not a demo. Choose another folder with --out"
                )
            for path in out.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        out.mkdir(parents=True, exist_ok=True)
        (out / MARK).write_text(
            "This folder was made by `bardo demo`, which empties it on the next run.\n", "utf-8"
        )
    except OSError as error:
        if isinstance(error, StoreUnavailableError):
            raise
        raise StoreUnavailableError(
            f"cannot write to {out}: {error.strerror or error}. Choose another folder with --out"
        ) from error
