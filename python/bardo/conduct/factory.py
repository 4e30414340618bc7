"""Opens the gate of a memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo._validation import checked
from bardo.conduct.gate import Gate
from bardo.config import Config, Llm
from bardo.folder import Folder
from bardo.handle import facts_of
from bardo.ports import LLM, Clock, Embedder, checked_clock

if TYPE_CHECKING:
    from bardo.conduct.adjudication import Adjudicator


@checked
def gate(
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
    llm: LLM | None = None,
    words_only: bool = False,
) -> Gate:
    """Opens an agent's decisions, rejections and rules, whether or not another process has its memory open.

    Args:
        path: Folder of the memory.
        agent: Name of the agent, if not in `bardo.toml`.
        config: Settings that override those of `bardo.toml`.
        clock: Source of the wall clock; the computer's if not given.
        embedder: As `bardo.open` takes it. Without a model actions are compared by their words.
        llm: Language model of your own, which decides about warnings; that of the settings, if any, if not given. Its
            calls are not paid from `life.budget`.
        words_only: Whether to compare by words even where there are models: a hook starts at once then.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner has not finished creating it.
        StoreForeignError: The memory is another agent's.
        StoreError: The fact store, which names the agent, cannot be read.
        ConfigError: A setting does not exist or is out of range.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    settings = config.check() if isinstance(config, Config) else Config.load(folder.root, config)
    facts = facts_of(folder, agent, settings)
    try:
        port = None if words_only else _serving(folder, settings, embedder)
        now = checked_clock(clock)
        judge = None if words_only else _adjudicator(folder, settings.llm, llm, now)
        return Gate(folder, facts, clock=now, embedder=port, adjudicator=judge)
    except BaseException:
        facts.close()
        raise


def _serving(
    folder: Folder, settings: Config, embedder: Embedder | Callable[[list[str]], Any] | None
) -> Embedder | None:
    # Imported where a model is wanted: a hook that compares by words alone starts without numpy.
    from bardo.index.embedding.serving import serving

    return serving(folder, settings.embedding, embedder)


def _adjudicator(folder: Folder, settings: Llm, given: LLM | None, clock: Clock) -> Adjudicator | None:
    """Makes the access to a language model; None if none is configured."""
    if not settings.gate_seconds or (given is None and not settings.model):
        return None
    from bardo.conduct.adjudication import Adjudicator
    from bardo.language.advisor import Advisor
    from bardo.language.client import OpenAIClient
    from bardo.language.ledger import Ledger

    # A hook waits for the answer: one attempt within the limit.
    seconds = min(settings.gate_seconds, settings.timeout_seconds)
    llm = given or OpenAIClient(replace(settings, timeout_seconds=seconds, retries=0))
    ledger = Ledger(folder.root)
    # A gate does not open the log, which has the ticks.
    advisor = Advisor(llm, ledger, settings, clock=clock, tick=lambda: 0)
    return Adjudicator(advisor, llm.model, seconds, ledger.close)
