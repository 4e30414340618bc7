"""Cleft sentences in their plain order: "it's sesame that Pia is allergic to" as "Pia is allergic to sesame"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS, is_denied, lemma

#: Words by which the second part of a cleft sentence can begin.
_LINKS = frozenset({"that", "who", "which", "whom"})
#: Dependencies of the verb of the second part.
_SECOND = frozenset({"relcl", "acl", "ccomp", "advcl"})
#: Nouns that judge the second part, which then is no part of a cleft sentence: "it's a shame that he's away".
_JUDGING = frozenset({"fact", "joke", "miracle", "pity", "pleasure", "problem", "relief", "shame", "wonder"})


def second_part(head: Any) -> Any:
    """The verb of the second part of a cleft sentence that ends with a preposition; None for any other clause.

    Args:
        head: Head of the clause.
    """
    subject = next((child for child in head.children if child.dep_ in SUBJECTS), None)
    if lemma(head) != "be" or subject is None or lemma(subject) != "it" or is_denied(head):
        return None
    verb = next((token for token in head.subtree if _is_second(token, head)), None)
    if verb is None or not {lemma(token) for token in _focus(head, verb)}.isdisjoint(_JUDGING):
        return None
    has_subject = any(child.dep_ in SUBJECTS and lemma(child) not in _LINKS for child in verb.children)
    said = _said(verb)
    return verb if has_subject and said and said[-1].dep_ == "prep" and _focus(head, verb) else None


def plain_order(head: Any, verb: Any) -> str:
    """The sentence that a cleft sentence says in its plain order.

    Args:
        head: Head of the first part.
        verb: Verb of the second part.
    """
    said = _said(verb)
    after = head.doc[said[-1].i + 1 : head.right_edge.i + 1].text.rstrip(" .!")
    return f"{_text(said)} {_text(_focus(head, verb))}{after}."


def _is_second(token: Any, head: Any) -> bool:
    """Whether a word is the verb of the second part of a cleft sentence."""
    is_below = token.head.i == head.i or (
        token.head.head.i == head.i and token.head.dep_ in ("attr", "acomp")
    )
    return is_below and token.dep_ in _SECOND and token.i > head.i and token.pos_ in ("VERB", "AUX")


def _focus(head: Any, verb: Any) -> list[Any]:
    """The words that the first part puts first."""
    return [token for token in head.doc[head.i + 1 : verb.left_edge.i] if not token.is_punct]


def _said(verb: Any) -> list[Any]:
    """The words of the second part up to its first mark, without the word by which it begins."""
    words: list[Any] = []
    for token in verb.doc[verb.left_edge.i : verb.right_edge.i + 1]:
        if token.is_punct:
            break
        words.append(token)
    return words[1:] if words and lemma(words[0]) in _LINKS else words


def _text(words: list[Any]) -> str:
    """Words as text."""
    return "".join(token.text_with_ws for token in words).strip()
