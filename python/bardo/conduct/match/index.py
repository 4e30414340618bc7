"""Index of the texts that actions are compared with, in the process: words by postings, meanings by a matrix.

The index follows `conduct.db` by the checksums of its rows: after a write only changed rows are read again. A
snapshot in the file spares a new process the reading of all rows.
"""

from __future__ import annotations

import heapq
import marshal
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, cast

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.conduct.match import comparison, operation_match
from bardo.conduct.match import keys as index_keys
from bardo.conduct.match import packed_rows as packing
from bardo.conduct.match.matching import NEAR, NEAR_WORDS, Approved, Touch, near_at
from bardo.conduct.match.packed_rows import PackedRows
from bardo.conduct.model.entries import Outcome, Rule, StateEntry
from bardo.conduct.model.procedures import Capability, Flow
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.action import parse as parse_action
from bardo.conduct.parse.actions import operation_table, operations
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.rejection import ParsedRejection, ParsedText, parse, parse_text
from bardo.conduct.storage.rows import Row
from bardo.conduct.storage.store import ConductStore
from bardo.errors import EmbedderUnavailableError, InvalidVectorError, StoreBusyError, StoreUnavailableError
from bardo.ports import Embedder, Vectors

if TYPE_CHECKING:
    import numpy as np

    from bardo.consolidate.cross_encoder import CrossEncoder

#: Maximum numbers of texts that are compared in full with one action: by their words, and by their meaning.
CANDIDATES, BY_MEANING = 40, 16
#: Number of the latest entries, rejections aside, that are kept in order.
LATEST = 64
#: Minimum number of changed rows for a new snapshot, and minimum share, so that a large one is not written for few.
SNAPSHOT_ROWS, SNAPSHOT_SHARE = 64, 1 / 32
_WORD = lazy_pattern(r"[^\W_]+(?:['’.][^\W_]+)*")
_NAME = lazy_pattern(r"(?<=\S)\s+\W*[A-Z]|\w[._@/\d-]\w|[a-z][A-Z]")
_PART = lazy_pattern(r"[^\W_]+")
#: Attributes of the index that a snapshot holds as they are.
_SAVED = ("_seen", "_changed_at", "_ids", "_texts", "_sizes", "_short", "_keyed", "_forbidding")
#: Weight of a forbidden operation beside the share of common words.
_OPERATION = 0.5


class ConductIndex:
    """Index over one agent's entries in force, rules, outcomes, flows and capabilities; safe to share among threads.

    Args:
        store: State and rules of the agent.
    """

    def __init__(self, store: ConductStore) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self._stamp: tuple[int, int] | None = None
        self._seen: dict[str, bytes] = {}
        self._rows = PackedRows()
        #: Number of changes since the snapshot.
        self._unsaved = 0
        self._rules: dict[str, Rule] = {}
        #: Flows and capabilities, by id.
        self._procedures: dict[str, Flow | Capability] = {}
        self._latest: list[StateEntry] = []
        #: Times of change of the entries, rejections aside, by id.
        self._changed_at: dict[str, int] = {}
        #: Keys of corrections, by the place of the text.
        self._corrected: defaultdict[int, frozenset[str]] = defaultdict(frozenset)
        #: Ids of rejections and of rules that forbid something.
        self._forbidding: set[str] = set()
        #: Ids of the rows of a text, and the place of the text.
        self._ids: dict[str, set[str]] = {}
        self._places: dict[str, int] = {}
        self._texts: list[str] = []
        #: Places of texts of which no row is left.
        self._dead: set[int] = set()
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._sizes: list[int] = []
        #: Places of texts of which a single common word is enough: they may have a name, or have no other word.
        self._short: set[int] = set()
        #: Places of texts with the keys by which actions find what is forbidden.
        self._keyed: set[int] = set()
        self._model = ""
        self._matrix: np.ndarray | None = None
        #: Number of texts in the matrix.
        self._placed = 0

    def refresh(self) -> None:
        """Reads the rows that changed since the last call.

        Raises:
            ConductLostError: The file is lost, emptied, replaced or an older copy.
            StoreError: The file cannot be read.
        """
        with self._lock:
            if self._stamp is None:
                self._load()
            stamp, rows, gone = self._store.changes(self._stamp, self._seen)
            if stamp != self._stamp:
                self._stamp = stamp
                for id_ in gone:
                    self._remove(id_)
                for checksum, row in rows:
                    self._remove(row.id)
                    self._seen[row.id] = checksum
                    self._add(row)
                self._unsaved += len(gone) + len(rows)
                if len(self._dead) > len(self._texts) / 2:
                    self._rebuild()
                ids = heapq.nlargest(
                    LATEST, self._changed_at, key=lambda id_: (self._changed_at[id_], int(id_[1:]))
                )
                self._latest = [cast("StateEntry", self._rows[id_]) for id_ in ids]
            if self._unsaved >= max(SNAPSHOT_ROWS, len(self._rows) * SNAPSHOT_SHARE):
                self._save(stamp)

    def _load(self) -> None:
        """Reads the snapshot, if there is one of this build."""
        found = self._store.snapshot(packing.build())
        if found is None:
            return
        self._stamp, content = found
        packed, special, latest, postings, corrected, saved = marshal.loads(content)
        for name, value in zip(_SAVED, saved, strict=True):
            setattr(self, name, value)
        self._rows = PackedRows(packed)
        self._places = {text: place for place, text in enumerate(self._texts)}
        self._postings.update(postings)
        self._corrected.update(corrected)
        for id_ in special:
            self._add_special(self._rows[id_])
        self._latest = [cast("StateEntry", self._rows[id_]) for id_ in latest]

    def _save(self, stamp: tuple[int, int]) -> None:
        """Stores a snapshot, without texts that are gone."""
        if self._dead:
            self._rebuild()
        self._unsaved = 0
        content = marshal.dumps(
            (
                self._rows.pack(),
                [*self._rules, *self._procedures],
                [entry.id for entry in self._latest],
                dict(self._postings),
                dict(self._corrected),
                [getattr(self, name) for name in _SAVED],
            )
        )
        # Without it, the next process reads all rows.
        with suppress(StoreUnavailableError, StoreBusyError):
            self._store.put_snapshot(packing.build(), stamp, content)

    @property
    def latest(self) -> Sequence[StateEntry]:
        """Returns the latest entries in force, rejections aside, the latest first."""
        return self._latest

    @property
    def rules(self) -> list[Rule]:
        """Returns the rules that are not retired, in no order."""
        return list(self._rules.values())

    @property
    def flows(self) -> list[Flow]:
        """Returns the flows in force, in no order."""
        return [row for row in self._procedures.values() if isinstance(row, Flow)]

    @property
    def capabilities(self) -> list[Capability]:
        """Returns the capabilities, in no order."""
        return [row for row in self._procedures.values() if isinstance(row, Capability)]

    def rows(self, texts: Iterable[str]) -> list[Row]:
        """Returns the rows with given texts."""
        with self._lock:
            return [self._rows[id_] for text in texts for id_ in sorted(self._ids.get(text, ()))]

    def match(
        self, action: str, embedder: Embedder | None, *, now: int = 0, is_approved: Approved | None = None
    ) -> tuple[dict[str, Touch], list[str]]:
        """Compares an action with every text; returns the possibly related ones, and notes.

        Args:
            action: Action in words, or as a command.
            embedder: Embedder of the agent's model; None to compare words alone.
            now: Wall clock, microseconds UTC, for conditions such as "on Fridays".
            is_approved: Whether the person whom a row requires approved the action; None without an approval.
        """
        with self._lock:
            if not self._ids:
                return {}, []
            cosines, notes = self._cosines(action, embedder)
            parsed = parse_action(action)
            places, rest = self._candidates(parsed)
            if cosines is not None:
                places = list(dict.fromkeys([*places, *self._by_meaning(cosines)]))
            touched, pairs = self._compared(places, parsed, cosines, now=now, is_approved=is_approved)
            if cosines is not None and comparison.is_fitted(embedder) and (reader := _reader()) is not None:
                touched |= comparison.read(pairs, reader)
            for place, shared in rest:
                # Taken as near: a text that is not compared in full must not block, nor pass in silence.
                share = min(1.0, shared / self._sizes[place])
                touched.setdefault(self._texts[place], Touch(None, share, shared, apart=True))
            if rest:
                notes.append(f"entries with common words that were not compared in full: {len(rest)}")
            return touched, notes

    def _compared(
        self,
        places: Sequence[int],
        action: ParsedAction,
        cosines: np.ndarray | None,
        *,
        now: int,
        is_approved: Approved | None,
    ) -> tuple[dict[str, Touch], list[comparison.Pair]]:
        """Compares an action with texts by table and words; returns the matches, and the pairs that forbid."""
        count = len(self._forbidding)
        texts = [self._parsed(self._texts[place]) for place in places]
        words = _core.touches([each.spoken for each in texts], action.text)
        touched: dict[str, Touch] = {}
        pairs = []
        for place, text, common in zip(places, texts, words, strict=True):
            cosine = None if cosines is None else float(cosines[place])
            if isinstance(text, ParsedRejection):
                rows = (self._rows[id_] for id_ in self._ids.get(text.text, ()))
                approved = is_approved is not None and all(map(is_approved, rows))
                pair = comparison.pair_of(
                    text, action, common, cosine, count=count, now=now, approved=approved
                )
                touched[text.text] = pair.touch
                pairs.append(pair)
            else:
                found = operation_match.compare(text, action)
                touched[text.text] = Touch(
                    cosine, *common, found.reading, fitting=found.because, read_by=found.by
                )
        return touched, pairs

    def _by_meaning(self, cosines: np.ndarray) -> list[int]:
        """Returns the places of texts to compare for their cosines: related ones, and the nearest that forbid."""
        order = (-cosines).argsort().tolist()
        least = min(NEAR, near_at(len(self._forbidding)))
        alive = (place for place in order if place not in self._dead)
        related = list(islice(takewhile(lambda place: cosines[place] >= least, alive), BY_MEANING))
        forbidding = (
            place
            for place in order
            if place not in self._dead and not self._forbidding.isdisjoint(self._ids[self._texts[place]])
        )
        return [*related, *islice(forbidding, BY_MEANING // 2 if self._forbidding else 0)]

    def vectors(self, texts: Sequence[str], embedder: Embedder | None) -> Vectors | None:
        """Returns the vectors of texts, stored or new; None without a model, or while it is unavailable."""
        if embedder is None:
            return None
        try:
            found, _ = stored_vectors(self._store, texts, embedder)
        except (EmbedderUnavailableError, InvalidVectorError):
            return None
        import numpy as np

        return np.stack([found[text] for text in texts])

    def _add(self, row: Row) -> None:
        self._rows[row.id] = row
        self._add_special(row)
        if isinstance(row, StateEntry) and row.kind != "rejected":
            self._changed_at[row.id] = row.changed_at
        if _can_forbid(row):
            self._forbidding.add(row.id)
        fresh = set()
        for text in _texts_of(row):
            if text not in self._places:
                self._places[text] = len(self._texts)
                self._texts.append(text)
                fresh.add(text)
            self._ids.setdefault(text, set()).add(row.id)
            self._dead.discard(self._places[text])
        if isinstance(row, StateEntry | Rule) and row.corrections and row.forbidden_action:
            place = self._places[row.forbidden_action]
            added = index_keys.of_correction(row.corrections) - self._corrected[place]
            self._corrected[place] |= added
            for key in added:
                self._postings[key].append(place)
        can_forbid = _can_forbid(row)
        for text in dict.fromkeys(_texts_of(row)):
            place = self._places[text]
            # A text that another row has already may be forbidden only by this one.
            if text not in fresh and (not can_forbid or place in self._keyed):
                continue
            # "Redis is off the table" is found as "don't use Redis" is: by the operation, or by the name alone.
            plain = wording.plain(text) if can_forbid else text
            tokens = tokens_of(text)
            known = tokens if text not in fresh else frozenset[str]()
            keys = index_keys.of_text(text) if can_forbid else frozenset[str]()
            if can_forbid:
                self._keyed.add(place)
            if text in fresh:
                self._sizes.append(max(1, len(tokens - operation_table.framing_stems())))
            if self._sizes[place] == 1 or _NAME.search(plain) is not None:
                self._short.add(place)
            tokens |= tokens_of(plain) if plain != text else frozenset()
            for token in (*tokens - known, *keys):
                self._postings[token].append(place)

    def _add_special(self, row: Row) -> None:
        """Adds a row to those that are read whole by each action."""
        if isinstance(row, Rule):
            self._rules[row.id] = row
        if isinstance(row, Flow | Capability):
            self._procedures[row.id] = row

    def _remove(self, id_: str) -> None:
        self._seen.pop(id_, None)
        row = self._rows.pop(id_, None)
        self._rules.pop(id_, None)
        self._procedures.pop(id_, None)
        self._changed_at.pop(id_, None)
        self._forbidding.discard(id_)
        for text in _texts_of(row) if row is not None else ():
            self._ids[text].discard(id_)
            if not self._ids[text]:
                del self._ids[text]
                self._dead.add(self._places[text])

    def _rebuild(self) -> None:
        """Builds the index again without the texts that are gone."""
        stamp, seen, rows = self._stamp, self._seen, list(self._rows.values())
        unsaved, latest = self._unsaved, self._latest
        self._clear()
        self._stamp, self._seen, self._unsaved, self._latest = stamp, seen, unsaved, latest
        for row in rows:
            self._add(row)

    def _parsed(self, text: str) -> ParsedText:
        """Returns a parsed text: with what it forbids, if it is of a rejection or a rule."""
        for id_ in self._ids.get(text, ()):
            row = self._rows[id_]
            if isinstance(row, StateEntry | Rule) and text == row.forbidden_action:
                return parse(text, row.corrections)
            if isinstance(row, Rule) and text == row.approval:
                return parse(text)
        return parse_text(text)

    def _candidates(self, action: ParsedAction) -> tuple[list[int], list[tuple[int, int]]]:
        """Returns the texts to compare in full, the greatest overlap first, and others with their common words.

        A text is compared if it has two words in common with the action, all of its words, a name, or an operation.
        """
        count = len(self._ids)
        tokens = tokens_of(action.text) | action.things | action.used | action.kin | action.programs
        # In order, so that the sums of weights are the same in each process.
        shared = {token: posting for token in sorted(tokens) if (posting := self._posting(token))}
        words = Counter(chain.from_iterable(shared.values()))
        names = {
            place for token in shared if action.is_command or token in action.kin for place in shared[token]
        }
        found = {
            place for place, number in words.items() if number > 1 or place in self._short or place in names
        }
        weighted = [(math.log1p(count / len(posting)), posting) for posting in shared.values()]
        wide = chain.from_iterable(map(operations.closure, action.operations))
        for name in sorted({*wide, *action.mentioned}):
            for phrase in operation_table.phrases_of(name):
                # Texts are found by content words: of "fail over" by "fail".
                content = [stem for stem in phrase if operation_table.content_stems([stem])]
                first, *others = (self._posting(stem) for stem in content or phrase)
                places = list(set(first).intersection(*others))
                weighted.append((_OPERATION * math.log1p(count), places))
                found.update(places)
        for key in sorted(index_keys.of_action(action)):
            posting = self._posting(key)
            if not posting:
                continue
            weighted.append((math.log1p(count / len(posting)), posting))
            found.update(posting)
        weights: defaultdict[int, float] = defaultdict(float)
        for weight, posting in weighted:
            for place in found.intersection(posting):
                weights[place] += weight
        # Ties by the text, so that the order does not depend on when the index was made.
        order = sorted(found, key=lambda place: (-weights[place] / self._sizes[place], self._texts[place]))
        return order[:CANDIDATES], [
            (place, words[place]) for place in order[CANDIDATES:] if words[place] >= NEAR_WORDS
        ]

    def _posting(self, key: str) -> list[int]:
        """Returns the places of the texts with a word or key, without those that are gone."""
        posting = self._postings.get(key, [])
        return [place for place in posting if place not in self._dead] if self._dead else posting

    def _cosines(self, action: str, embedder: Embedder | None) -> tuple[np.ndarray | None, list[str]]:
        """Returns the cosine of each text with the action; None without vectors."""
        if embedder is None:
            return None, []
        try:
            unkept = self._follow(embedder)
            asked = embedder.embed_queries([action])[0]
        except (EmbedderUnavailableError, InvalidVectorError) as error:
            return None, [f"only words were compared, no meanings: {error}"]
        assert self._matrix is not None
        return self._matrix[: self._placed] @ asked, [unkept] if unkept else []

    def _follow(self, embedder: Embedder) -> str:
        """Adds the vectors of new texts to the matrix."""
        import numpy as np

        model = embedder.fingerprint.key
        dims = embedder.fingerprint.dims
        if model != self._model or self._matrix is None:
            self._model, self._matrix, self._placed = model, np.zeros((0, dims), np.float32), 0
        fresh = self._texts[self._placed :]
        if not fresh:
            return ""
        found, unkept = stored_vectors(self._store, fresh, embedder)
        if len(self._texts) > len(self._matrix):
            # Grown by half, so that single entries do not copy the matrix each time.
            grown = np.zeros((max(len(self._texts), len(self._matrix) * 3 // 2), dims), np.float32)
            grown[: self._placed] = self._matrix[: self._placed]
            self._matrix = grown
        for text in fresh:
            self._matrix[self._placed] = found[text]
            self._placed += 1
        return unkept


def stored_vectors(
    store: ConductStore, texts: Sequence[str], embedder: Embedder
) -> tuple[dict[str, Vectors], str]:
    """Returns the vectors of texts, and a note if new ones could not be stored.

    Raises:
        EmbedderUnavailableError: The model is unavailable.
        InvalidVectorError: The model returned no usable vectors.
    """
    model = embedder.fingerprint.key
    known = store.vectors(texts, model)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if not missing:
        return known, ""
    new = dict(zip(missing, embedder.embed_documents(missing), strict=True))
    try:
        store.put_vectors(new, model)
    except (StoreUnavailableError, StoreBusyError) as error:
        return known | new, f"vectors of {len(new)} texts are made again the next time: {error}"
    return known | new, ""


def tokens_of(text: str) -> frozenset[str]:
    """Returns the stems of content words and of parts of names, and the canonical names of aliases."""
    same = operation_table.table().same
    parts = _PART.findall(operation_table.CAMEL.sub(" ", text))
    stems = operation_table.content_stems({*_WORD.findall(text), *parts})
    return stems | {same[stem] for stem in stems if stem in same} | operations.canonical(text)


def _reader() -> CrossEncoder | None:
    """Returns the cross-encoder of forbidden actions; None if its packages are not installed."""
    # Imported where a model is wanted: a hook that compares by words alone starts without numpy.
    from bardo.consolidate import cross_encoder

    return cross_encoder.load("forbidden")


def _can_forbid(row: Row) -> bool:
    return isinstance(row, StateEntry | Rule) and bool(
        row.forbidden_action or (isinstance(row, Rule) and row.approval)
    )


def _texts_of(row: Row) -> tuple[str, ...]:
    """Returns the texts with which actions are compared."""
    match row:
        case StateEntry():
            return (row.summary,)
        case Rule():
            return tuple(filter(None, (row.forbids, row.approval))) or (row.text,)
        case Outcome():
            return (row.action,)
        case Flow() | Capability():
            return row.texts
        case _:
            return ()
