"""Token counts, prompts, and the fence around memories."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, final

def count_tokens(text: str, tokenizer: str = "o200k") -> int:
    """The number of tokens of a text by `o200k`, `cl100k` (exact, offline) or `estimate` (a quarter of the characters).

    The vocabulary is loaded by the first count that needs it.

    Raises:
        InvalidInputError: There is no such tokenizer, or the text holds a lone surrogate.
    """

def count_tokens_batch(texts: list[str], tokenizer: str = "o200k") -> list[int]:
    """`count_tokens` of many texts in one call."""

@final
class BlockReport:
    """Report of one block; see `bardo.assemble.context.BlockReport`, which has its memories instead of places.

    Attributes:
        places: Indexes of the memories or rows that got in, in the order in which they stand.
        shortened_places: Indexes of the memories that got in shortened.
    """

    name: str
    text: str
    used: int
    asked: int
    given: int
    cut: bool
    shown: int
    shortened: int
    left_out: int
    condensed: float | None
    flags: tuple[str, ...]
    places: list[int]
    shortened_places: list[int]

@final
class Assembled:
    """A prompt and the reports of its blocks, in the order in which they stand; see `bardo.assemble.context.Prompt`."""

    id: str
    text: str
    tokens: int
    window: int
    reserve: int
    blocks: list[BlockReport]

def assemble(
    blocks: Iterable[object],
    *,
    budget: int,
    reserve: int | None,
    tokenizer: str = "o200k",
    phase: str = "thriving",
    task_type: str | None = None,
    voice: str = "briefing",
    model: WordModel | None = None,
    question: str | None = None,
) -> Assembled:
    """One prompt out of blocks of the shape of `bardo.assemble.context.Block`; see `bardo.assemble.context.assemble`.

    Raises:
        BudgetTooSmallError: The protected blocks do not fit.
        InvalidInputError: A block or an option is not usable.
    """

def register_tokenizer(name: str, count: Callable[[str], int]) -> None:
    """Registers a tokenizer under a name for the life of the process; a known name keeps its tokenizer."""

def frame_memory(memory: object, tags: list[str]) -> str:
    """One memory, inert and fenced, for a prompt that uses these tags besides the standard ones."""

def neutralise(text: str, tags: list[str]) -> tuple[str, list[str]]:
    """A text made inert, and the names of what was found in it; see `bardo.assemble.fence.neutralise`."""

@final
class WordModel:
    """Self-information of words under a bigram model learned from the agent's own text, in bounded memory."""

    def __new__(cls) -> WordModel: ...
    texts: int
    def __len__(self) -> int: ...
    def learn(self, texts: Sequence[str]) -> int:
        """Takes texts into the counts.

        Returns:
            Texts learned so far.
        """

    def compress(
        self, text: str, share: float, *, question: str | None = None, tokenizer: str = "o200k"
    ) -> tuple[str, int, int]:
        """A text without its predictable words, its tokens, and those of the whole; see `bardo.assemble.compress`."""

def prompt_marks(block: str) -> list[tuple[int, int, int, int]]:
    """The passages of a block of memories: hash, hash of the first words, number of words, kind; none of other texts.

    Kinds: 0 a sentence, 1 a memory's opening tag or the rules, 2 a section's opening tag, 3 the block's tag.
    """

def copied_starts(text: str) -> list[int]:
    """Hashes of first words by which copies in a text can be looked up; empty if nothing in it is framed."""

def strip_copies(text: str, marks: Sequence[tuple[int, int, int, int]]) -> tuple[str, int, list[int]]:
    """A text without copies of these passages, the number of sentences that went, and the hashes that were recognised.

    Raises:
        InvalidInputError: The text holds a lone surrogate.
    """

def standard_blocks() -> list[tuple[str, int, int, bool, str]]:
    """The blocks in the order of a prompt: tag, tokens, priority, protected, place."""

@final
class FrameLayout:
    """A prompt in the order of a frame; see `bardo.assemble.frames.Frame`.

    Attributes:
        order: Indexes of the parts that were given, in the order in which they stand.
        steady: Number of parts at the front that did not change since the last frame.
    """

    kind: Literal["first", "cycle", "phase", "due", "predicted"]
    order: list[int]
    steady: int
    changed: list[str]
    tokens: int
    cacheable: int

@final
class FrameTracker:
    """Makes frames out of prompts; see `bardo.assemble.frames.FrameTracker`."""

    def __new__(cls, every: int) -> FrameTracker: ...
    def next(self, parts: list[tuple[str, str, int]], tokenizer: str, phase: str, cycle: int) -> FrameLayout:
        """The next frame of the parts (name, text, tokens) of a prompt."""

    def totals(self) -> tuple[int, int, int]:
        """Frames made, their tokens, and how many of those were cacheable."""
