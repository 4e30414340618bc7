"""Settings of a grimoire: the defaults, `bardo.toml`, and keywords, in that order of increasing weight."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from bardo._atomic import write_atomically
from bardo._settings import build, merge, numbers
from bardo.errors import ConfigError

FILE_NAME = "bardo.toml"
SECONDS_PER_DAY = 86_400
#: Of the decay when ticks count loops (spec, the inheritance experiment: tau = 500 ticks).
LOOP_TAU_TICKS = 500.0
#: Of the decay when ticks are seconds: as the recency arm of recall, 14 days.
SECONDS_TAU_TICKS = 14.0 * SECONDS_PER_DAY
#: Loops a day when ticks count loops: a Theta tick takes 30 to 120 s (spec, "the three rates"); 60 s is assumed.
LOOP_TICKS_PER_DAY = 1_440
#: Days after which a contradicted fact, or a dream that nothing confirmed, expires.
EXPIRY_DAYS = 14
#: Days that `costs` looks back.
MONTH_DAYS = 30
#: Tokenizers that need no file.
TOKENIZERS = ("o200k", "o200k_base", "cl100k", "cl100k_base", "estimate")
#: How the name of a file ends that holds another one.
TOKENIZER_SUFFIX = ".json"
_FRACTION = (0, 1)
#: Least and most of the numbers that cannot be any from 0 on.
RANGES: Mapping[str, tuple[float, float]] = {
    "archive.batch": (1, math.inf),
    # Statements of others start no surer than this.
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
    # As the core has it.
    "recall.limit": (1, 10_000),
    "replay.recent_share": _FRACTION,
    "replay.surprise": _FRACTION,
}
#: Days that a report of costs looks back by default.
MONTH_DAYS = 30


@dataclass(frozen=True, slots=True)
class Clock:
    """How logical time runs.

    Args:
        unit: `loops` when the caller passes its own tick, `seconds` when a tick is a second since the epoch, `auto`
            to use seconds until the caller passes a tick of its own.
        ticks_per_day: For expiry and ages given in days; 0 means 86,400 for seconds and 1,440 for loops.
    """

    unit: Literal["auto", "seconds", "loops"] = "auto"
    ticks_per_day: int = 0


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which model turns text into vectors.

    Args:
        model: `minilm` (all-MiniLM-L6-v2 from an installed package, no download), `wordllama`, or any name that
            fastembed knows, such as `nomic-ai/nomic-embed-text-v1.5`.
        threads: Threads of the ONNX session; 0 leaves it to the runtime.
        batch: Texts from which on `remember` embeds; 0 never does and leaves it to the next recall or sleep.
        late_interaction: Whether a code per content token is kept and the words of a query look for their matches
            among them, where the model gives token vectors: about 50 bytes a token, .06 more recall@10 on LoCoMo.
            Without it long texts have a vector per sentence instead.
    """

    model: str = "minilm"
    threads: int = 0
    batch: int = 64
    late_interaction: bool = True


@dataclass(frozen=True, slots=True)
class Decay:
    """How facts fade.

    Args:
        tau_ticks: e-folding time in ticks; 0 means 500 for loops and 14 days for seconds.
        reinforcement: Fraction of the gap to 1 that one reinforcement closes.
        spacing_ticks: Reinforcements within this many ticks count once.
        eviction_threshold: Confidence under which a fact is archived; 0 keeps all.
    """

    tau_ticks: float = 0.0
    reinforcement: float = 0.1
    spacing_ticks: int = 50
    eviction_threshold: float = 0.05


@dataclass(frozen=True, slots=True)
class Curator:
    """When knowledge is consolidated.

    Args:
        every_ticks: A pass is due this many ticks after the last one.
        batch: Episodes per pass at most.
        capacity: Facts in force at most, pinned ones aside; beyond, the least sure and least important are archived.
        texts: Whether turns of conversations and verified texts are read for facts.
        shadow: Whether a new fact is held until it is known to make no answer about other episodes worse.
        outcomes: Numbers of a payload that say how something ended, by their paths or the last parts of these:
            heuristics say under which conditions they differ.
        replay: Earlier episodes that a search for rules reads again beside the new ones; 0 for none.
    """

    every_ticks: int = 50
    batch: int = 256
    capacity: int = 16_384
    texts: bool = True
    shadow: bool = True
    replay: int = 768
    outcomes: tuple[str, ...] = (
        "outcome",
        "pnl",
        "profit",
        "return",
        "reward",
        "score",
        "success",
        "value",
    )


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of one model, in the currency of your choice.

    Args:
        input: Of prompts.
        output: Of answers.
        cached: Of what of a prompt came from a cache.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float = 0.0


@dataclass(frozen=True, slots=True)
class Llm:
    """The language model that consolidation may ask; none unless one is named.

    Args:
        model: Its name at the server; empty: everything is done by rules.
        base_url: An OpenAI-compatible address such as `http://127.0.0.1:8099/v1`; OpenAI's own if empty.
        api_key_env: Environment variable that holds the key.
        timeout_seconds: For one answer; also the longest wait that a busy server may ask for.
        retries: Further attempts after a failure that may pass.
        window_tokens: Of one prompt and its answer together.
        answer_tokens: Of one answer.
        daily_tokens: Of all prompts and answers of a day (UTC); beyond it memory goes on by rules.
        prices: By name of model, such as `prices = { "small" = { input = 0.1, output = 0.4 } }`.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    timeout_seconds: float = 60.0
    retries: int = 2
    window_tokens: int = 8_192
    answer_tokens: int = 1_024
    daily_tokens: int = 100_000
    prices: Mapping[str, Price] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dossier:
    """Settings of the dossier, `DOSSIER.md`.

    Args:
        words: It has fewer than this.
        debounce_seconds: Nothing more has to change for so long before `tick` compiles it; `sleep` does so at once.
        behind_seconds: `tick` leaves it behind the facts no longer than this.
        in_context: Whether `context` takes it in place of a search of the facts while no fact is newer than it.
    """

    words: int = 600
    debounce_seconds: float = 60.0
    behind_seconds: float = 300.0
    in_context: bool = False


@dataclass(frozen=True, slots=True)
class Playbook:
    """Settings of promotion into `PLAYBOOK.md`.

    Args:
        confidence: Of today, from which a heuristic is acted by.
        active_ticks: That it must have been known for.
        bytes: Of the file at most; the least sure heuristics are left out.
        history: Versions that are kept, the one in force included.
    """

    confidence: float = 0.7
    active_ticks: int = 10
    bytes: int = 50 * 1_024
    history: int = 20


@dataclass(frozen=True, slots=True)
class Lint:
    """How facts are kept in order.

    Args:
        every_days: A pass of the Curator does it when it is due; 0 only when asked.
        latest: Facts that are looked at, the latest.
        stale_days: Without a look or a reason, after which an unimportant fact leaves for the cold tier.
    """

    every_days: int = 1
    latest: int = 200
    stale_days: int = 60


@dataclass(frozen=True, slots=True)
class Replay:
    """Which episodes are looked at again (Schaul et al., Prioritized Experience Replay, 2016).

    Args:
        surprise: Part of a priority that is surprise, 0..1; the rest is importance.
        alpha: How much priorities matter: 0 not at all, 1 in proportion.
        beta: How much of the bias the weights take back: 1 all of it.
        recent_share: Part of a batch that is recent; the rest is older, so that an old regime is not forgotten.
        recent: How many of the latest verified episodes are recent.
    """

    surprise: float = 0.5
    alpha: float = 0.6
    beta: float = 0.4
    recent_share: float = 0.7
    recent: int = 1_024


@dataclass(frozen=True, slots=True)
class Index:
    """Settings of the index in memory.

    Args:
        hot_limit: Episodes kept in memory; LanceDB answers for older ones, at ten times the time of a recall or more. 0
            keeps all.
    """

    hot_limit: int = 100_000


@dataclass(frozen=True, slots=True)
class Archive:
    """The derived LanceDB index of episodes.

    Args:
        batch: Episodes appended at once; every append makes a fragment and a version.
        compact_fragments: Fragments after which the table is compacted.
        ivf_rows: Episodes from which vectors are found by an IVF index instead of a scan of all; 0 never.
        days: Whether `sleep` also writes every day that is over to a JSON file of its own
            (`archive/2026-01-31.json`), for people to read; it takes about twice the text.
    """

    batch: int = 512
    compact_fragments: int = 8
    ivf_rows: int = 100_000
    days: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts in the sum; 0 leaves it out.

    Tuned on the development parts of LoCoMo and LongMemEval-S together.

    Args:
        dense: Vectors, in standard deviations of the candidates, as the others.
        lexical: Words (BM25).
        recency: Age.
        late: Late interaction; with it the three above count .6 as much.
        rare: A word of the query that hardly any other memory holds.
        conversation: Whether the turns around a memory, who spoke and when, count.
    """

    dense: float = 0.7
    lexical: float = 0.3
    recency: float = 0.02
    late: float = 1.0
    rare: float = 1.5
    conversation: bool = True


@dataclass(frozen=True, slots=True)
class Recall:
    """How memories are ranked.

    Args:
        policy: `four_factor`, `rrf` or `pinned`.
        limit: Memories returned when the caller names no number.
        weights: Of the signals.
    """

    policy: Literal["four_factor", "rrf", "pinned"] = "four_factor"
    limit: int = 5
    weights: Weights = Weights()


@dataclass(frozen=True, slots=True)
class Assemble:
    """How prompts are built.

    Args:
        tokenizer: `o200k`, `cl100k`, `estimate`, or the path of a Hugging Face `tokenizer.json`.
        condense: Whether long texts lose their predictable words before their ends.
        budget: Tokens of one prompt, the reserve included.
        reserve: Tokens kept free for the answer. The default shrinks to a quarter of a small budget; any other number
            is kept as told.
    """

    tokenizer: str = "o200k"
    condense: bool = True
    budget: int = 3_200
    reserve: int = 500


@dataclass(frozen=True, slots=True)
class Feedback:
    """Settings of the records of prompts and their outcomes, and of learning from them.

    Args:
        record: Whether prompts are recorded at all: ids and numbers, no text.
        learn: Whether weights that were learned from outcomes come into force.
        evidence: Outcomes of one kind of task from which they do.
    """

    record: bool = True
    learn: bool = False
    evidence: int = 30


@dataclass(frozen=True, slots=True)
class Bequeath:
    """Settings of what crosses at death.

    Args:
        entries: Facts in a testament at most.
        episodes: Episodes in a testament at most.
        insight_threshold: Confidence from which an insight crosses.
        heuristic_threshold: Confidence from which a heuristic crosses.
        base_confidence: Of an entry handed to a chosen direct heir.
        archive_confidence: Of an entry that reached the heir through an archive.
        stranger_confidence: Of an entry whose testament an unknown signer signed.
        fading: `factor` multiplies the base per generation since the one that lived it, `step` subtracts.
        generation_decay: The factor.
        generation_step: The step.
    """

    entries: int = 2_048
    episodes: int = 128
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
    """All settings of one grimoire; `bardo.toml` has a table per section."""

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
    index: Index = Index()
    archive: Archive = Archive()
    recall: Recall = Recall()
    assemble: Assemble = Assemble()
    feedback: Feedback = Feedback()
    bequeath: Bequeath = Bequeath()

    @classmethod
    def load(cls, folder: Path, overrides: Mapping[str, Any] | None = None) -> Self:
        """Reads `bardo.toml` in a folder, if there is one, and lays the overrides over it.

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
        return build(cls, merge(settings, overrides or {}), str(path)).check(f"{path}: ")

    def check(self, where: str = "") -> Self:
        """These settings, when all of them can be in force.

        Args:
            where: They come from, as the beginning of the message.

        Raises:
            ConfigError: A number is out of its range, or there is no such tokenizer.
        """
        for name, number in numbers(self, ""):
            least, most = RANGES.get(name, (0, math.inf))
            # Not a number is in no range.
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


def write_setting(folder: Path, section: str, key: str, value: str) -> None:
    """Sets one text in `bardo.toml` and leaves the rest of the file as a person wrote it.

    Raises:
        ConfigError: The setting stands in a form that cannot be changed line by line.
    """
    path = folder / FILE_NAME
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if _setting(text, section, key) == value:
        return
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    lines = text.splitlines()
    headers = [at for at, each in enumerate(lines) if re.match(rf"\s*\[{re.escape(section)}\]", each)]
    if headers:
        start = headers[0] + 1
        end = next((at for at in range(start, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
        old = [at for at in range(start, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[at])]
        lines[old[0] if old else start : old[0] + 1 if old else start] = [line]
    else:
        lines += ["", f"[{section}]", line]
    changed = "\n".join(lines) + "\n"
    if _setting(changed, section, key) != value:
        raise ConfigError(
            f"{path} cannot be changed by itself. Set {key} = {value!r} under [{section}] by hand"
        )
    write_atomically(path, changed.encode())


def _setting(text: str, section: str, key: str) -> Any:
    try:
        return tomllib.loads(text).get(section, {}).get(key)
    except (tomllib.TOMLDecodeError, AttributeError):
        return None
