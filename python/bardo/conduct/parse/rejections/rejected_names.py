"""Names of products, firms and persons that a rejection refuses: "Datadog: too expensive", "we left Amazon".

A name is told by its form: capitals, an inner capital, a digit, or a capital inside of a sentence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.vocabulary import stems_of, vocabulary

#: Maximum number of cached texts.
_TEXTS = 16_384
_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?"
_WORD = r"[A-ZÀ-Þ][\w&.'’+-]*[\w+]|[a-z]+[A-Z]\w*|[A-Z]|[A-Z]&[A-Z]"
_NAME = rf"(?-i:{_TITLE}(?:{_WORD})(?: (?:of |de |von )?(?:{_WORD}|\d+))*)"
#: Name with the common nouns that tell what of it is meant.
_NAMED = rf"(?P<names>{_NAME}(?:(?:,| or| and| nor) {_NAME})*)(?:['’]s)?(?P<kind>(?: [a-z-]+){{0,3}}?)"
_SCOPE = r"(?P<scope> (?:as|for|with|in|on|to|from|at|into|inside) [^.,;:!?–—]+?)?"
#: Words that refuse what is before them, and nothing after them.
_STOP = r"(?=\s*(?:$|[.,;:!(]|[-–—]))"
_NO = (
    rf"(?:(?:also |again |still |absolutely |please,? )?(?:no|never|nope|nowhere|out|"
    rf"forbidden|banned|not any ?more)\b{_STOP}|"
    rf"(?:no more|no longer|never again)\b(?: [a-z]+)?{_STOP}|never again\b|too \w+\b|"
    r"(?:we|i) (?:\w+ ){0,8}?(?:decided|voted|are) against|decided against|nothing else|.{2,60}, nothing else)"
)
_WE = r"(?:(?:we|i|you|they|the team)(?:'ve| have)? +)"
_DONT = r"(?:do(?:n't| not)|never|won't|will not|stop|not)"
_GOES = (
    r"(?:us(?:e|ing)|buy(?:ing)?|order(?:ing)?|book(?:ing)?|ship(?:ping)?|deal(?:ing)?|"
    r"trad(?:e|ing)|pay(?:ing)?|go(?:ing)?|scrap(?:e|ing)|hir(?:e|ing)|work(?:ing)?)"
)
_END = (
    r"(?=\s*(?:$|[.,;:!(?]|\s[-–—]|any ?more|any longer|again|ever\b|please|in any form|"
    r"at all|here\b|is\b|has\b|because|since|until\b|unless\b|if\b|while\b|except))"
)
#: Forms of the rejection of a name.
_FORMS = tuple(
    lazy_pattern(form)
    for form in (
        # "Datadog: too expensive", "Drake Lifts – never again", "Transkar as a subcontractor: no more".
        rf"^(?i:the )?{_NAMED}{_SCOPE}\s*(?::|,|\s[-–—]|\.)\s*(?i:{_NO})",
        rf"^{_NAMED}, in any form",
        # "Fiori Belmonte swapped peonies for carnations. Off the list."
        rf"^(?i:the )?{_NAMED} (?i:[a-z]+ed|was|were|had|is|are|has|sent|broke|lost|left) [^.;!?]*[.;!]\s+"
        r"(?P<told>(?i:off the (?:list|menu|table)|never again|no more|banned|(?:now |so )?out))(?=\s*(?:[.!]|$))",
        # "We looked at Kafka and decided against it", "We tried Zendesk and won't move to it".
        rf"^(?i:{_WE})(?i:looked at|evaluated|tried|tested|considered|piloted|had) (?i:the )"
rf"?{_NAMED}(?: (?:twice|again|once|already))?"
        rf"(?: (?:as|for|with|in|on|to|from|at) [^.,;:!?–—]+?)?,?\s+(?:and|but|then)"
rf"\s+(?i:(?:we )?(?:decided against|voted against|won't|will not|do(?:n't| not)|"
rf"rejected|dropped|said no|(?:decided|chose|voted) to (?:stay|stick|keep|remain|go)))",
        # "VIX futures are off the table", "P&O is off the list".
        rf"^(?i:the )?{_NAMED} (?i:is|are) (?i:(?:now |also |still )?(?:off (?:the (?:table|"
rf"list|menu)|limits)|out(?= *(?:[.,;:!]|$))|banned|"
        rf"forbidden|ruled out|an? no(?:[- ]?go)?|not an option)){_SCOPE}{_END}",
        # "we left Amazon", "we've left X", "We dropped Paketfux in autumn".
        rf"^(?i:{_WE})(?i:left|dropped|ditched|quit|abandoned|banned|ended with|are done with|"
rf"(?:are |'re )?(?:finished|through) with|parted with|stopped using) "
        rf"(?i:the )?{_NAMED}(?: in [\w ]+?)?(?:(?= and\b)|{_END})",
        # "no Ferroli", "boilers: no Ferroli", "no more orders to X", "no orders through X any more".
        rf"^(?:[\w ]+: )?(?i:please,? )?(?i:no)(?: more)?(?: new)?(?: (?P<dealings>[a-z]+) "
rf"(?:to|through|from|with|at|on|via|by|for))? {_NAMED}{_SCOPE}{_END}",
        # "We don't buy from Cloudflare", "don't order on Amazon with the office account".
        rf"^(?i:please )?(?i:{_WE})?(?i:{_DONT}) (?i:ever )?(?i:{_GOES})(?: "
rf"(?P<object>anything|[a-z]+))?(?: (?:to|through|from|with|at|on|via|by|in|for))? "
        rf"{_NAMED}{_SCOPE}{_END}",
        # "Never route anything to Quorum again", "no orders are placed with Kestrel".
        rf"^(?i:please )?(?i:{_WE})?(?i:{_DONT}) (?i:ever )?(?i:rout(?:e|ing)|send(?:ing)?|"
        rf"plac(?:e|ing)|put(?:ting)?|giv(?:e|ing)|execut(?:e|ing)|do(?:ing)?) (?P<dealings>[a-z]+) "
        rf"(?:to|through|from|with|at|on|via|by) {_NAMED}{_SCOPE}{_END}",
        # "Nothing goes out with Paketfux any more", "nothing from Kestrel".
        rf"^(?i:nothing) (?:(?:goes|comes) (?:\w+ )?)?(?:with|from|to|through|via|by|on|off) {_NAMED}{_SCOPE}{_END}",
    )
)  # fmt: skip
_MEMBER = lazy_pattern(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*")
#: Scope that is the context of the rejection itself: "for this book", "with us".
_HERE = lazy_pattern(r"\s*\w+ (?:this|our|us|my|here|the (?:team|project|company|moment))\b", re.IGNORECASE)
_NOT_EVEN = lazy_pattern(r",? (?:not )?even\b.*| after\b.*", re.IGNORECASE)
#: Words of which a rejection that has them is of a time or a condition.
_NARROWED = lazy_pattern(
    r"\b(?:unless|until|till|except|without|only (?:if|when|with|after|before)|before|"
    r"after|over|under|above|below|more than|"
    r"less than|as long as|if|when|while|outside|other than|between|during)\b",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(r"(?<!\b[DM]r)(?<!\bMs)(?<!\bMrs)(?<=[\w\"'`)!])(?:[.!?]+\s+)(?=\S)")
#: Form of a name that no common word at the beginning of a sentence has.
_SURE = lazy_pattern(r"\w[A-Z&\d]|\d")
#: Stem of "as long as".
_LONG = "long"
_IS_TITLE = lazy_pattern(r"(?:Dr|Mr|Mrs|Ms|Prof)\.?")
_CONJUNCTION = lazy_pattern(r"^(?:and|but|so|also|please|again)[, ]+", re.IGNORECASE)


@cache
def word_lists() -> Mapping[str, frozenset[str]]:
    """Returns the lists of `names.toml`; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
    return {name: frozenset(words.split()) for name, words in raw.items()}


class Rejected(NamedTuple):
    """Names that a rejection refuses.

    Args:
        names: Names as they are written.
        kind: Stems of the common nouns after them, all of which an action must have: "futures" of "VIX futures".
        scopes: Stems of the places and purposes to which the rejection is limited.
        is_narrowed: Whether other conditions may limit it.
        is_sure: Whether the form of the names is of no common word at the beginning of a sentence.
    """

    names: tuple[str, ...]
    kind: frozenset[str]
    scopes: frozenset[str]
    is_narrowed: bool
    is_sure: bool


@lru_cache(_TEXTS)
def of_text(text: str) -> Rejected | None:
    """Returns the names that a rejection refuses; None if it refuses none.

    Args:
        text: Text of a rejection.
    """
    plain = wording.without_emphasis(wording.without_remark(text))
    sentences = [_CONJUNCTION.sub("", each) for each in _SENTENCE.split(plain)]
    # A short sentence alone rejects what the one before it names: "WhatsApp with brokers. Never."
    joined = [". ".join(pair) for pair in zip(sentences, [*sentences[1:], ""], strict=True)]
    for place, sentence in enumerate(joined[:2]):
        for form in _FORMS:
            if (found := form.match(sentence)) is not None and (
                rejected := _rejected(found, sentence)
            ) is not None:
                # The topic of the first sentence may limit the second one.
                return rejected._replace(is_narrowed=rejected.is_narrowed or place > 0)
    return None


def _rejected(found: re.Match[str], sentence: str) -> Rejected | None:
    """Returns the names of a match of a form; None if they are common words, or another thing is refused."""
    parts = found.groupdict()
    dealings = word_lists()["dealings"]
    if parts.get("dealings") and not stems_of(parts["dealings"]) <= dealings:
        return None
    names = tuple(filter(None, map(_plain, _MEMBER.split(found["names"]))))
    at_start = found.start("names") == 0
    if not names or not all(_is_name(name, at_start=at_start) for name in names):
        return None
    kind = operation_table.content_stems(parts["kind"].split()) - dealings
    scope = parts.get("scope") or ""
    narrow = (
        operation_table.content_stems(operation_table.table().additional) | vocabulary().incidental | {_LONG}
    )
    is_role = scope.startswith(" as ") and not stems_of(scope).isdisjoint(
        stems_of(" ".join(word_lists()["trades"]))
    )
    scopes = frozenset[str]() if _HERE.match(scope) or is_role else stems_of(scope) - narrow
    rest = _NOT_EVEN.sub("", sentence[found.end("names") :].partition(".")[0].partition(" - ")[0])
    if parts.get("told"):
        # The words before it give the reason.
        rest = ""
    is_sure = not at_start or all(" " in name or _SURE.search(name) for name in names)
    return Rejected(names, kind, scopes, _NARROWED.search(rest) is not None, is_sure)


def _plain(name: str) -> str:
    """Returns a name without its ending of possession, and without a word that denies."""
    return re.sub(r"^No ", "", re.sub(r"['’]s$", "", name.strip()))


def _is_name(name: str, *, at_start: bool) -> bool:
    """Whether words with capitals can be a name: no function word, and no verb of the table of operations."""
    first = name.split(maxsplit=1)[0]
    low = first.lower()
    if _IS_TITLE.fullmatch(name):
        return False
    if low in operation_table.table().framing or (
        at_start and low.endswith("ing") and not _SURE.search(first)
    ):
        return False
    if _SURE.search(name) or not at_start:
        return True
    if len(name) == 1:
        return name not in {"I", "A"}
    is_verb = bool(operation_table.phrase_at(operation_table.stem_each([low]))[0])
    return bool(operation_table.content_stems([low])) and not (" " not in name and is_verb)
