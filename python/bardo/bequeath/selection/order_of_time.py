"""Order of time among the statements that cross: an heir is told which took the place of which, or is the newer.

A pass of the Curator links the corrections in verified episodes; others cross as well. Both statements cross, as the
older one is what the heir must not learn as new.

- A **correction** ends what an older episode says. The two share most words.
- A **succession** is an own statement about the same as an older one, which may be an ancestor's. Few changes are
  announced: `values.yaml merged: timeout 12 seconds` names neither the old timeout nor a change. A testament cannot
  tell whether it ends `the timeout is 3 minutes`, so nothing is ended or disputed. The heir did not live the change;
  where both statements answer its question about equally well, the order of time is the better guess. Two statements
  are about the same if they are judged to be, or if they name the same thing and neither has a nearer one that does.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bardo import _core
from bardo.bequeath.content.contents import StoreContents
from bardo.bequeath.content.tables import LinkTuple
from bardo.bequeath.content.worth import RULE_KINDS, inherited_fields
from bardo.bequeath.selection import predecessors
from bardo.consolidate.clause import Clause, Form, Speech, form_of
from bardo.consolidate.corrections import corrections
from bardo.consolidate.corrections.effects import ENDS_AT_MOST
from bardo.consolidate.languages import Reader
from bardo.consolidate.texts.rule_extraction import NAMELESS
from bardo.model import DISPUTED, ENDED, FOLLOWED, Episode

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder

#: Maximum length of a statement in characters.
LONGEST = 400

# Corrections.
#: Maximum number of episodes, best first, among which corrections are looked for.
AMONG = 2_048
#: Maximum number of pairs that share words, and of texts that are parsed; both bound the time of a death.
WORD_PAIRS, PARSED = 2_048, 256
#: Maximum number of episodes that share a word by which pairs are found.
COMMON = 32
#: Minimum share of the older statement's words in the newer one.
LEAST_SHARED = 0.5
#: Minimum number of these words.
LEAST_WORDS = 2
#: Cosine assumed for statements that share so many words, where their vectors are not compared.
_LIKE = 0.8
_LETTERS = re.compile(r"[^\W\d_]{3,}")

# Successions.
#: Minimum cosine of two statements about the same.
ALIKE = 0.5
#: Minimum log odds, as `corrections.judge` gives them, that the newer statement replaces the older one. Pairs of which
#: both hold, such as two events, have less.
POSSIBLE = -2.0
#: The same where the cross-encoder has read both.
LIKELY = 0.0
#: Minimum cosine of two statements that share a word which few have, as they are read by the cross-encoder, too.
FAINT = 0.25
#: Maximum number of statements with such a word, and the same as a share of all.
FEW, FEW_OF = 4, 1 / 4
#: Maximum number of statements with a name, as a factor on the square root of the number of all.
NAMED_OF = 1.5
#: Minimum nearness of two statements that name the same thing and are nearer to each other than to others that name
#: it: their cosine, and `READ` times the log odds by the cross-encoder.
NEAREST, READ = 0.4, 0.05
#: Weight of the rarest word that two statements share beside their cosine, in the order of pairs.
NAMED = 2.0
#: Minimum share of the words of both statements that are a sentence of which the other words change.
FRAME = 0.5
#: Maximum numbers of statements that are compared, of pairs whose words are, and of pairs that are judged; all bound
#: the time of a death.
COMPARED, WORDED, PAIRS = 1_024, 16_384, 1_024
_WORD = re.compile(r"[^\W_]{3,}")
_OWNER_WORD = re.compile(r"\w+")
#: Identifier: an address, or at least six letters and figures. It is no value of the same kind as one in plain words.
_IDENTIFIER = re.compile(r"(?<!\S)(?:\S+@\S+|\S*://\S+|(?=\S*\d)(?=\S*[A-Za-z])[\w/.:@-]{6,})")


@dataclass(frozen=True, slots=True)
class _Told:
    """Statement that a testator heard or learned, or an ancestor, whose ticks are of another life.

    Args:
        id: Id of the episode or fact.
        text: Text.
        tick: Tick of the life in which it was stated.
        at: Time, microseconds UTC.
        form: Form of the text.
        evidence: Its id and those of the episodes that it rests on.
        is_own: Whether it was stated in the life of the testator.
    """

    id: str
    text: str
    tick: int
    at: int
    form: Form
    evidence: frozenset[str]
    is_own: bool = True

    def is_followed_by(self, other: _Told) -> bool:
        """Whether another statement is an own one of a later time; ancestors linked those of theirs."""
        return other.is_own and (not self.is_own or other.tick > self.tick)


def links_of(
    log: _core.EpisodeLog,
    facts: _core.FactStore,
    contents: StoreContents,
    episodes: Sequence[Episode],
    *,
    rules: Reader | None,
    encoder: CrossEncoder | None,
    tick: int,
) -> list[LinkTuple]:
    """Links newer statements with older ones (`corrects`): by the Curator's corrections, own ones, and successions.

    Args:
        log: Episode log, for the vectors.
        facts: Fact store, for the corrections of passes.
        contents: Facts with their vectors and links.
        episodes: Episodes that may cross, best first.
        rules: Reader of texts; without one there are the Curator's corrections alone.
        encoder: Cross-encoder of corrections; None without one.
        tick: Tick of the links.
    """
    links = [link for link in facts.links([one.id for one in episodes]) if link[2] == "corrects"]
    if rules is None:
        return links
    clauses = _Clauses(rules)
    # A replacement that a pass only found possible is read again.
    linked = {frozenset(link[:2]) for link in (*links, *contents.links) if link[3] > FOLLOWED}
    referred, followed = _successions(log, contents, episodes, clauses, encoder)
    for weight, found in (
        (ENDED, _corrections(log, episodes[:AMONG], clauses, encoder)),
        (DISPUTED, referred),
        (FOLLOWED, followed),
    ):
        fresh = [pair for pair in found if frozenset(pair) not in linked]
        linked.update(map(frozenset, fresh))
        links += [(newer, older, "corrects", weight, tick) for newer, older in fresh]
    return links


class _Clauses:
    """Clauses of statements, each text parsed once.

    Args:
        rules: Rules of the language.
    """

    def __init__(self, rules: Reader) -> None:
        self._rules = rules
        self._read: dict[str, list[Clause]] = {}

    def of(self, told: _Told) -> list[Clause]:
        """Returns the clauses of a statement that state something."""
        return [clause for clause in self.all_of(told) if clause.stated]

    def all_of(self, told: _Told) -> list[Clause]:
        """Returns the clauses of a statement, among them questions, wishes and plans."""
        if told.id not in self._read:
            try:
                found = self._rules.read(Speech(told.text, NAMELESS, told.at, told.form))
            except (OverflowError, ValueError):
                # A time outside the calendar, which a log of an earlier build may hold.
                found = self._rules.read(Speech(told.text, NAMELESS, 0, told.form))
            self._read[told.id] = list(found)
        return self._read[told.id]


def _of_episode(episode: Episode) -> _Told:
    return _Told(
        episode.id, episode.text, episode.tick, episode.at, form_of(episode), frozenset([episode.id]),
        is_own=not inherited_fields(episode),
    )  # fmt: skip


def _corrections(
    log: _core.EpisodeLog, episodes: Sequence[Episode], clauses: _Clauses, encoder: CrossEncoder | None
) -> list[tuple[str, str]]:
    """Ids of the newer and the older of each pair of episodes of which the newer one ends what the older one says.

    The words propose, with a cosine assumed; the vectors and the cross-encoder, where there are any, must agree.
    """
    told = sorted(
        (_of_episode(one) for one in episodes if one.kind != "outcome" and len(one.text) <= LONGEST),
        key=lambda one: (one.at, one.id),
    )
    parsed: set[str] = set()
    proposed: list[tuple[_Told, _Told]] = []
    for older, newer in _sharing_words(told):
        if len(parsed | {older.id, newer.id}) > PARSED:
            continue
        parsed |= {older.id, newer.id}
        if _ends(older, newer, clauses, _LIKE):
            proposed.append((older, newer))
    reads: Sequence[float | None] = [None] * len(proposed)
    if encoder is not None:
        reads = encoder.read([(older.text, newer.text) for older, newer in proposed])
    ended: Counter[str] = Counter()
    found: list[tuple[str, str]] = []
    for (older, newer), cosine, read in zip(proposed, _cosines(log, proposed), reads, strict=True):
        if ended[newer.id] < ENDS_AT_MOST and _ends(older, newer, clauses, cosine, read):
            ended[newer.id] += 1
            found.append((newer.id, older.id))
    return found


def _ends(
    older: _Told, newer: _Told, clauses: _Clauses, cosine: float, encoder_odds: float | None = None
) -> bool:
    """Whether a clause of the newer statement ends one of the older one."""
    least = corrections.limits(is_read=encoder_odds is not None).ends
    return any(
        (judged := corrections.judge(before, after, cosine, encoder_odds)).rule and judged.total >= least
        for before in clauses.of(older)
        for after in clauses.of(newer)
    )


def _cosines(log: _core.EpisodeLog, pairs: Sequence[tuple[_Told, _Told]]) -> list[float]:
    """Cosine of each pair of episodes; `_LIKE` where one has no vector, or one of another model."""
    lacking = {id_ for id_, *_ in log.without_vectors()}
    ids = sorted({one.id for pair in pairs for one in pair} - lacking)
    rows = dict(zip(ids, log.vectors(ids)[0], strict=True)) if ids else {}

    def cosine(one: npt.NDArray[np.float32] | None, other: npt.NDArray[np.float32] | None) -> float:
        if one is None or other is None or one.shape != other.shape:
            return _LIKE
        return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12))

    return [cosine(rows.get(older.id), rows.get(newer.id)) for older, newer in pairs]


def _sharing_words(told: Sequence[_Told]) -> list[tuple[_Told, _Told]]:
    """Pairs of an older and a newer statement that share most words, the most alike first."""
    words = [frozenset(_LETTERS.findall(one.text.casefold())) for one in told]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(words):
        for word in own:
            holders[word].append(place)
    near = {pair for places in holders.values() if len(places) <= COMMON for pair in combinations(places, 2)}
    scored = []
    for older, newer in near:
        both = len(words[older] & words[newer])
        share = both / len(words[older])
        if both >= LEAST_WORDS and share >= LEAST_SHARED:
            scored.append((-share, older, newer))
    return [(told[older], told[newer]) for _, older, newer in sorted(scored)[:WORD_PAIRS]]


def _successions(
    log: _core.EpisodeLog,
    contents: StoreContents,
    episodes: Sequence[Episode],
    clauses: _Clauses,
    encoder: CrossEncoder | None,
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Ids of the newer and the older of each pair about the same; the newer one is an own statement.

    Returns:
        Pairs of which the newer one refers back to the older one (`predecessors`), and others.
    """
    told, vectors = _statements(log, contents, episodes)
    pairs = _alike(told, vectors, with_faint=encoder is not None)
    reads: Sequence[float | None] = [None] * len(pairs)
    if encoder is not None:
        reads = encoder.read([(told[older].text, told[newer].text) for _, older, newer in pairs])
    least = POSSIBLE if encoder is None else LIKELY
    # "The next check-up would be in April" states nothing, yet a later date takes its place.
    of_older = clauses.of if encoder is None else clauses.all_of
    found = []
    for (cosine, older, newer), read in zip(pairs, reads, strict=True):
        if any(
            _takes_place(before, after) or corrections.judge(before, after, cosine, read).total >= least
            for before in of_older(told[older])
            for after in clauses.of(told[newer])
        ):
            found.append((told[newer].id, told[older].id))
    words = _Words(told)
    referring = [
        (older, newer, cosine if read is None else read)
        for (cosine, older, newer), read in zip(pairs, reads, strict=True)
        if predecessors.refers_back(told[newer].text) and words.name_same(older, newer)
    ]
    naming = [
        (older, newer, nearness)
        for (cosine, older, newer), read in zip(pairs, reads, strict=True)
        if (nearness := cosine + READ * (read or 0.0)) >= NEAREST
        and words.name_same(older, newer)
        and _is_same_kind(told[older], told[newer])
    ]
    evidence = {at: one.evidence for at, one in enumerate(told)}
    referred, nearest = (
        [(told[newer].id, told[older].id) for older, newer in pairs]
        for pairs in (predecessors.most_likely(referring, evidence), predecessors.nearest(naming, evidence))
    )
    return referred, list(dict.fromkeys([*found, *nearest]))


def _is_same_kind(older: _Told, newer: _Told) -> bool:
    """Whether both statements have an identifier, or neither has one."""
    return bool(_IDENTIFIER.search(older.text)) == bool(_IDENTIFIER.search(newer.text))


def _takes_place(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause announces of another person or thing what the older one says, word for word."""
    words = [
        (one.predicate, (one.anchors | one.names) - {*_OWNER_WORD.findall(one.owner)}, one.denied)
        for one in (older, newer)
    ]
    is_announced = bool(newer.cues & corrections.VALUE_RULES)
    return is_announced and older.owner != newer.owner and words[0] == words[1] and bool(words[0][1])


def _statements(
    log: _core.EpisodeLog, contents: StoreContents, episodes: Sequence[Episode]
) -> tuple[list[_Told], npt.NDArray[np.float32]]:
    """Statements that a testator holds, with their vectors of shape (statements, dims)."""
    told: list[_Told] = []
    rows: list[npt.NDArray[np.float32]] = []
    lacking = {id_ for id_, *_ in log.without_vectors()}
    heard = [
        one for one in episodes
        if one.kind != "outcome" and len(one.text) <= LONGEST and one.id not in lacking
    ][:COMPARED]  # fmt: skip
    if heard:
        rows += list(log.vectors([one.id for one in heard])[0])
    told += map(_of_episode, heard)
    for place, fact in enumerate(contents.facts):
        vector = None if contents.vectors is None else contents.vectors[place]
        is_statement = fact.kind not in RULE_KINDS and fact.payload.get("type", "none") == "none"
        is_held = fact.status == "active" and len(fact.text) <= LONGEST
        if vector is None or np.isnan(vector).any() or not (is_statement and is_held):
            continue
        evidence = frozenset([fact.id, *fact.evidence])
        told.append(
            _Told(
                fact.id, fact.text, fact.observed[1], fact.created_at, "note", evidence,
                is_own=not fact.generation,
            )
        )  # fmt: skip
        rows.append(vector)
        if len(told) == 2 * COMPARED:
            break
    dims = rows[0].shape[0] if rows else 0
    if any(row.shape[0] != dims for row in rows):
        # A migration that was interrupted leaves vectors of two models; these do not compare.
        return [], np.zeros((0, 0), np.float32)
    return told, np.array(rows, np.float32).reshape(len(told), dims)


def _alike(
    told: Sequence[_Told], vectors: npt.NDArray[np.float32], *, with_faint: bool
) -> list[tuple[float, int, int]]:
    """Cosine and places of the older and the newer statement of each pair about the same, the likeliest first.

    Args:
        told: Statements.
        vectors: Their vectors, shape (statements, dims).
        with_faint: Whether pairs of a lower cosine that share a word which few statements have are among them.
    """
    if not told:
        return []
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    words = _Words(told)
    found: list[tuple[float, int, int, float]] = []
    for older, one in enumerate(told):
        cosines = unit @ unit[older]
        for newer in np.flatnonzero(cosines >= (FAINT if with_faint else ALIKE)).tolist():
            other = told[newer]
            is_same = one.evidence & other.evidence or one.text == other.text
            if is_same or not one.is_followed_by(other):
                continue
            cosine, rarity = float(cosines[newer]), words.rarity(older, newer)
            if cosine >= ALIKE or rarity >= words.least_rarity:
                found.append((cosine, older, newer, cosine + NAMED * rarity))
    # Lines of one sentence about different things are more alike than two sentences about one thing.
    found.sort(key=lambda pair: (-pair[3], pair[1:3]))
    direct = (pair[:3] for pair in found[:WORDED] if not words.have_between(*pair[1:3]))
    return list(islice(direct, PAIRS))


class _Words:
    """Words of statements.

    Args:
        told: Statements.
    """

    def __init__(self, told: Sequence[_Told]) -> None:
        self._words = [frozenset(_WORD.findall(one.text.casefold())) for one in told]
        self._names = [
            frozenset(word.casefold() for word in _WORD.findall(one.text) if not word.islower())
            for one in told
        ]
        by_time = sorted(
            range(len(told)), key=lambda at: (told[at].is_own, told[at].tick, told[at].at, told[at].id)
        )
        self._order = {at: place for place, at in enumerate(by_time)}
        #: The statements with each word, as bits in the order of time.
        self._holders: dict[str, int] = defaultdict(int)
        for at, own in enumerate(self._words):
            for word in own:
                self._holders[word] |= 1 << self._order[at]
        self._count = len(told)
        #: Rarity of a word that few statements have.
        self.least_rarity = self._rarity_of(max(FEW, int(FEW_OF * len(told))))

    def rarity(self, one: int, other: int) -> float:
        """Rarity of the rarest word that two statements share, such as the name of what both are about, in 0..1."""
        shared = self._words[one] & self._words[other]
        return max((self._rarity_of(self._holders[word].bit_count()) for word in shared), default=0.0)

    def name_same(self, one: int, other: int) -> bool:
        """Whether two statements share a name that few have: a word with a capital or a figure in both."""
        shared = self._words[one] & self._words[other] & self._names[one] & self._names[other]
        return any(
            self._holders[word].bit_count() <= max(FEW, NAMED_OF * self._count**0.5) for word in shared
        )

    def _rarity_of(self, holders: int) -> float:
        """Rarity of a word that a number of statements have: 1 for one of them, 0 for all."""
        return 1.0 - math.log(holders) / math.log(self._count) if 1 < self._count >= holders else 0.0

    def have_between(self, older: int, newer: int) -> bool:
        """Whether a statement between two of one sentence, of which other words change, is of that sentence, too.

        "Anna brought cake" follows only the latest one who did: most statements of a sentence that comes often are
        about different things. What takes the place of an earlier value is compared with it by way of those between.
        """
        words = self._words[older], self._words[newer]
        shared = words[0] & words[1]
        if not shared or len(shared) < FRAME * max(map(len, words)):
            return False
        first, last = self._order[older] + 1, self._order[newer]
        between = (1 << last) - (1 << first) if first < last else 0
        holders = -1
        for word in shared:
            holders &= self._holders[word]
        return holders.bit_count() > FEW and bool(holders & between)
