"""Settings of a grimoire: defaults, `bardo.toml`, and keywords, in order of increasing precedence."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from bardo._settings import build, merge, numbers
from bardo.errors import ConfigError
from bardo.model import CorrectionRule, InnateState

FILE_NAME = "bardo.toml"
SECONDS_PER_DAY = 86_400
#: e-folding time of decay in ticks, where ticks are loops: that of the inheritance experiment.
LOOP_TAU_TICKS = 500.0
#: e-folding time of decay where ticks are seconds: 14 days, as in the recency arm of recall.
SECONDS_TAU_TICKS = 14.0 * SECONDS_PER_DAY
#: Loops per day: a loop of an agent takes 30 to 120 s; 60 s is assumed.
LOOP_TICKS_PER_DAY = 1_440
#: Days after which a contradicted fact, or a dream that nothing confirmed, expires.
EXPIRY_DAYS = 14
#: Default period of a report of costs, in days.
MONTH_DAYS = 30
#: Tokenizers that need no file.
TOKENIZERS = ("o200k", "o200k_base", "cl100k", "cl100k_base", "estimate")
#: File name suffix of a custom tokenizer.
TOKENIZER_SUFFIX = ".json"
_FRACTION = (0, 1)
#: Minimum and maximum of the numbers whose range is not 0 to infinity.
RANGES: Mapping[str, tuple[float, float]] = {
    "archive.batch": (1, math.inf),
    # Maximum initial confidence of inherited statements.
    "bequeath.archive_confidence": (0, 0.3),
    "bequeath.base_confidence": (0, 0.4),
    "bequeath.generation_decay": _FRACTION,
    "bequeath.generation_step": _FRACTION,
    "bequeath.heuristic_threshold": _FRACTION,
    "bequeath.insight_threshold": _FRACTION,
    "curator.batch": (1, math.inf),
    "decay.eviction_threshold": _FRACTION,
    "decay.reinforcement": _FRACTION,
    "playbook.confidence": _FRACTION,
    # Limit of the core.
    "recall.limit": (1, 10_000),
    "dreams.rounds": (1, 128),
    "replay.recent_share": _FRACTION,
    "replay.share": (0, 0.9),
    "replay.surprise": _FRACTION,
}


@dataclass(frozen=True, slots=True)
class Clock:
    """Settings of logical time.

    Args:
        unit: `loops` when the caller passes its own tick, `seconds` when a tick is a second since the epoch, `auto`
            to use seconds until the caller passes a tick of its own.
        ticks_per_day: Ticks in a day, for expiry and ages in days; 0 means 86,400 for seconds and 1,440 for loops.
    """

    unit: Literal["auto", "seconds", "loops"] = "auto"
    ticks_per_day: int = 0


@dataclass(frozen=True, slots=True)
class Embedding:
    """Settings of the embedding model.

    Args:
        model: `minilm` (all-MiniLM-L6-v2 from an installed package, no download), `wordllama`, or any model name of
            fastembed, such as `nomic-ai/nomic-embed-text-v1.5`.
        threads: Threads of the ONNX session; 0 leaves it to the runtime.
        batch: Minimum number of pending texts at which `remember` embeds; 0 leaves all to the next recall or sleep.
        late_interaction: Whether late interaction is on, where the model gives token vectors: stores a code per content
            token and matches the words of a query with them. Takes about 50 bytes a token; adds .06 recall@10 on
            LoCoMo. Without it long texts have a vector per sentence instead.
    """

    model: str = "minilm"
    threads: int = 0
    batch: int = 64
    late_interaction: bool = True


@dataclass(frozen=True, slots=True)
class Decay:
    """Settings of the decay of facts.

    Args:
        tau_ticks: e-folding time in ticks; 0 means 500 for loops and 14 days for seconds.
        reinforcement: Fraction of the gap to 1 that one reinforcement closes.
        spacing_ticks: Period in ticks within which reinforcements count once.
        eviction_threshold: Confidence below which a fact is archived; 0 keeps all.
    """

    tau_ticks: float = 0.0
    reinforcement: float = 0.1
    spacing_ticks: int = 50
    eviction_threshold: float = 0.05


@dataclass(frozen=True, slots=True)
class Curator:
    """Settings of consolidation.

    Args:
        every_ticks: Ticks between two passes.
        batch: Maximum number of episodes per pass.
        capacity: Maximum number of facts in force, pinned ones excluded; beyond it, those of least confidence and
            importance are archived.
        texts: Whether turns of conversations and verified texts are read: for facts, and for what the gate keeps.
        summaries: Whether conversations of more than 19 messages get summaries.
        shadow: Whether a new fact is held until a check shows that it makes no answer about other episodes worse.
        language: Package of `bardo.consolidate.languages` that reads texts; empty for plain forms that end nothing.
        rules_off: Rules of corrections that may not end a fact, such as `ending`; they dispute it instead.
        cross_encoder: Whether small models of English read texts beside the parser, once `bardo embedding install` ran.
        attributes: `one` or `many` values at a time by the name of an attribute; adds to the built-in table.
        outcomes: Paths, or last parts of paths, of numbers in a payload that measure an outcome, for heuristics.
        replay: Maximum number of earlier episodes that a search for rules reads again beside the new ones; 0 for none.
    """

    every_ticks: int = 50
    batch: int = 256
    capacity: int = 16_384
    texts: bool = True
    summaries: bool = True
    shadow: bool = True
    language: str = "english"
    rules_off: tuple[CorrectionRule, ...] = ()
    cross_encoder: bool = True
    attributes: Mapping[str, Literal["one", "many"]] = field(default_factory=dict)
    replay: int = 768
    outcomes: tuple[str, ...] = ("outcome", "pnl", "profit", "return", "reward", "score", "success", "value")


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of one model, in the currency of your choice.

    Args:
        input: Price of prompt tokens.
        output: Price of answer tokens.
        cached: Price of prompt tokens from a cache.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float = 0.0


@dataclass(frozen=True, slots=True)
class Llm:
    """Settings of the language model for consolidation; off unless a model is named.

    Args:
        model: Name of the model at the server; empty uses rules alone.
        base_url: OpenAI-compatible address such as `http://127.0.0.1:8099/v1`; OpenAI's own if empty.
        api_key_env: Environment variable that holds the key.
        timeout_seconds: Timeout of one answer, in seconds; also the longest wait that a busy server may ask for.
        gate_seconds: Maximum wait of a gate for an answer about an action, in seconds; 0 never asks the model.
        retries: Maximum number of retries after a transient failure.
        window_tokens: Maximum tokens of one prompt and its answer together.
        answer_tokens: Maximum tokens of one answer.
        daily_tokens: Maximum tokens of all prompts and answers of a day (UTC); beyond it, rules are used.
        prices: Prices by name of model, such as `prices = { "small" = { input = 0.1, output = 0.4 } }`.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    timeout_seconds: float = 60.0
    gate_seconds: float = 3.0
    retries: int = 2
    window_tokens: int = 8_192
    answer_tokens: int = 1_024
    daily_tokens: int = 100_000
    prices: Mapping[str, Price] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dossier:
    """Settings of the dossier, `DOSSIER.md`.

    Args:
        words: Limit of its words; it has fewer.
        debounce_seconds: Time without changes, in seconds, before `tick` compiles it; `sleep` compiles it at once.
        behind_seconds: Maximum age of an uncompiled change, in seconds, before `tick` compiles it.
        in_context: Whether `context` uses it instead of a search of the facts while no fact is newer than it.
    """

    words: int = 600
    debounce_seconds: float = 60.0
    behind_seconds: float = 300.0
    in_context: bool = False


@dataclass(frozen=True, slots=True)
class Playbook:
    """Settings of promotion into `PLAYBOOK.md`.

    Args:
        confidence: Minimum current confidence of a heuristic in the playbook.
        active_ticks: Minimum age of a heuristic in the playbook, in ticks.
        bytes: Maximum size of the file in bytes; the heuristics of least confidence are left out.
        history: Number of versions kept, the current one included.
    """

    confidence: float = 0.7
    active_ticks: int = 10
    bytes: int = 50 * 1_024
    history: int = 20


@dataclass(frozen=True, slots=True)
class Lint:
    """Settings of the lint of facts.

    Args:
        every_days: Days between two lints, each in a pass of the Curator; 0 lints only on request.
        latest: Number of the latest facts to lint.
        stale_days: Days without a retrieval or reinforcement after which an unimportant fact moves to the cold tier.
    """

    every_days: int = 1
    latest: int = 200
    stale_days: int = 60


@dataclass(frozen=True, slots=True)
class Replay:
    """Settings of prioritized experience replay (Schaul et al., Prioritized Experience Replay, 2016).

    Args:
        surprise: Weight of surprise in a priority, 0..1; the rest is importance.
        alpha: Exponent of the priorities: 0 ignores them, 1 samples in proportion.
        beta: Exponent of the importance-sampling weights; 1 corrects the bias in full.
        recent_share: Fraction of a batch that is from the latest `recent` verified episodes; the rest is older.
        recent: Number of the latest verified episodes that count as recent.
        share: Fraction of a pass that is old episodes, read again to test rules that were told; 0 reads none again.
    """

    surprise: float = 0.5
    alpha: float = 0.6
    beta: float = 0.4
    recent_share: float = 0.7
    recent: int = 1_024
    share: float = 0.3


@dataclass(frozen=True, slots=True)
class Dreams:
    """Settings of dreams that start by themselves.

    Args:
        idle_minutes: Minutes without a call other than `tick` after which a dream starts in a thread of its own; 0
            starts none, because with it the same seed, clock and calls no longer give the same memory.
        rounds: Number of replays of 32 episodes in such a dream, 1 to 128.
    """

    idle_minutes: float = 0.0
    rounds: int = 32


@dataclass(frozen=True, slots=True)
class Index:
    """Settings of the in-memory index.

    Args:
        hot_limit: Maximum number of episodes in memory; 0 keeps all. Older ones are searched in LanceDB, which makes a
            recall take ten times as long or more.
        documents: Maximum number of documents (`g.documents`).
    """

    hot_limit: int = 100_000
    documents: int = 20


@dataclass(frozen=True, slots=True)
class Archive:
    """Settings of the LanceDB index of episodes, which is derived from the log.

    Args:
        batch: Episodes per append; every append makes a fragment and a version.
        compact_fragments: Number of fragments above which the table is compacted.
        ivf_rows: Number of episodes from which an IVF index replaces the scan of all vectors; 0 never builds one.
        days: Whether `sleep` also writes each past day to `archive/2026-01-31.json`, twice the size of its text.
    """

    batch: int = 512
    compact_fragments: int = 8
    ivf_rows: int = 100_000
    days: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals in the sum; 0 leaves a signal out.

    Tuned on the development parts of LoCoMo and LongMemEval-S together.

    Args:
        dense: Weight of vector similarity; as the others, measured in standard deviations of the candidates.
        lexical: Weight of word matches (BM25).
        recency: Weight of recency.
        late: Weight of late interaction, which scales the three above by .6.
        rare: Weight of a word of the query that hardly any other memory holds.
        conversation: Whether the turns around a memory, its speaker and its time count.
    """

    dense: float = 0.7
    lexical: float = 0.3
    recency: float = 0.02
    late: float = 1.0
    rare: float = 1.5
    conversation: bool = True


@dataclass(frozen=True, slots=True)
class Recall:
    """Settings of the ranking of memories.

    Args:
        policy: `four_factor`, `rrf` or `pinned`.
        limit: Default number of memories returned.
        secrets: Whether episodes that tell a secret, such as a PIN or a password, answer every query. Otherwise they
            answer those that ask for it.
        weights: Weights of the signals.
    """

    policy: Literal["four_factor", "rrf", "pinned"] = "four_factor"
    limit: int = 5
    secrets: bool = False
    weights: Weights = Weights()


@dataclass(frozen=True, slots=True)
class Assemble:
    """Settings of prompt assembly.

    Args:
        tokenizer: `o200k`, `cl100k`, `estimate`, or the path of a Hugging Face `tokenizer.json`.
        condense: Whether long texts lose their predictable words before their ends are cut.
        budget: Token budget of one prompt, the reserve included.
        reserve: Tokens kept free for the answer; the default alone shrinks to a quarter of a small budget.
    """

    tokenizer: str = "o200k"
    condense: bool = True
    budget: int = 3_200
    reserve: int = 500


@dataclass(frozen=True, slots=True)
class Feedback:
    """Settings of the records of prompts and their outcomes, and of learning from them.

    Args:
        record: Whether prompts are recorded: ids and numbers, no text.
        learn: Whether weights learned from outcomes take effect.
        evidence: Minimum number of outcomes of one kind of task from which learned weights take effect.
    """

    record: bool = True
    learn: bool = False
    evidence: int = 30


@dataclass(frozen=True, slots=True)
class Life:
    """Settings of the agent's life. With a budget or a lifespan its phase of life sets the budgets of prompts.

    Args:
        budget: Budget at birth, in a unit of your own, for `life.spend`; 0 for none.
        lifespan_ticks: Longest life in ticks; 0 for none.
        in_context: Whether prompts of a mortal or dying agent have a block about its vitality.
        least_reserve: Minimum part of the budget that is set aside at birth for the death, in the unit of the budget.
        llm_costs: Whether calls of the language model are spent from the budget; `llm.prices` are in its unit then.
    """

    budget: float = 0.0
    lifespan_ticks: int = 0
    in_context: bool = True
    least_reserve: float = 0.30
    llm_costs: bool = False


@dataclass(frozen=True, slots=True)
class Bequeath:
    """Settings of testaments and inheritance.

    Args:
        entries: Maximum number of facts.
        episodes: Maximum number of episodes; they share the places of `entries` beyond the first 128.
        tokens: Maximum length of a testament as Markdown, in tokens of `o200k`; 0 for no limit.
        seconds: Time for reading texts in the last consolidation, in seconds; 0 for no limit. Texts without another
            copy are read first.
        personal: Whether contact data of persons crosses: addresses, telephone numbers, accounts, dates of birth,
            numbers of contracts. Secrets, bank cards and numbers of identity documents never do.
        insight_threshold: Minimum confidence of an insight in a testament.
        heuristic_threshold: Minimum confidence of a heuristic in a testament.
        base_confidence: Initial confidence of an entry for a chosen direct heir.
        archive_confidence: Initial confidence of an entry that reached the heir through an archive.
        stranger_confidence: Initial confidence of an entry whose testament an unknown signer signed.
        fading: Change of the base per generation since the first: `factor` multiplies, `step` subtracts.
        generation_decay: Factor of `fading`.
        generation_step: Step of `fading`.
    """

    entries: int = 2_048
    episodes: int = 2_048
    tokens: int = 0
    seconds: float = 0.0
    personal: bool = True
    insight_threshold: float = 0.6
    heuristic_threshold: float = 0.7
    base_confidence: float = 0.4
    archive_confidence: float = 0.3
    stranger_confidence: float = 0.2
    fading: Literal["factor", "step"] = "factor"
    generation_decay: float = 0.85
    generation_step: float = 0.05


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one grimoire; `bardo.toml` has a table per section. Heirs find their innate rules in `innate`."""

    agent: str = ""
    clock: Clock = Clock()
    embedding: Embedding = Embedding()
    decay: Decay = Decay()
    curator: Curator = Curator()
    llm: Llm = field(default_factory=Llm)
    dossier: Dossier = Dossier()
    playbook: Playbook = Playbook()
    lint: Lint = Lint()
    replay: Replay = Replay()
    dreams: Dreams = Dreams()
    index: Index = Index()
    archive: Archive = Archive()
    recall: Recall = Recall()
    assemble: Assemble = Assemble()
    feedback: Feedback = Feedback()
    life: Life = Life()
    bequeath: Bequeath = Bequeath()
    innate: Mapping[str, InnateState] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, overrides: Mapping[str, Any] | None = None) -> Self:
        """Reads `bardo.toml` in a folder, if there is one, and applies the overrides.

        Raises:
            ConfigError: A setting does not exist, has the wrong type or is out of range, or the file is not TOML.
        """
        settings: dict[str, Any] = {}
        path = folder / FILE_NAME
        if path.is_file():
            try:
                settings = tomllib.loads(path.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ConfigError(f"{path} is not TOML: {error}. Mend that line") from error
        # An unknown section of the keywords is no mistake of the file.
        is_given = any(
            name not in settings and name not in cls.__dataclass_fields__ for name in overrides or {}
        )
        source = "config" if is_given else str(path)
        return build(cls, merge(settings, overrides or {}), source).check(f"{path}: ")

    def check(self, where: str = "") -> Self:
        """Validates the settings and returns them.

        Args:
            where: Source of the settings, the beginning of an error message.

        Raises:
            ConfigError: A number is out of its range, or there is no such tokenizer.
        """
        for name, number in numbers(self, ""):
            least, most = RANGES.get(name, (0, math.inf))
            # NaN fails this comparison too.
            if not least <= number <= most:
                told = f"{least} or more" if most == math.inf else f"from {least} to {most}"
                raise ConfigError(f"{where}{name} is {number!r}. It must be {told}")
        tokenizer = self.assemble.tokenizer
        if tokenizer not in TOKENIZERS and not tokenizer.endswith(TOKENIZER_SUFFIX):
            raise ConfigError(
                f"{where}assemble.tokenizer is {tokenizer!r}. It must be one of {', '.join(TOKENIZERS)}, or the path "
                "of a tokenizer.json"
            )
        return self
