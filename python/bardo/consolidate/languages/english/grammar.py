"""Readings of a dependency parse: heads of clauses, subjects, negation, mood, tense.

Labels are those of ClearNLP, as spaCy uses them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

#: Dependencies of a verb that begins a clause of its own.
CLAUSAL = frozenset({"ROOT", "conj", "ccomp", "advcl", "relcl", "parataxis", "acl", "csubj"})
#: Dependencies of a subject.
SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})
#: Dependencies of an object or a complement.
COMPLEMENTS = frozenset({"dobj", "attr", "acomp", "oprd"})
#: Auxiliaries and adverbs by which a clause is only supposed.
UNREAL = frozenset({"would", "could", "should", "might", "may", "ought", "'d", "must"})
#: Conjunctions of a condition.
CONDITIONS = frozenset({"if", "unless", "whether", "in case", "supposing", "provided", "suppose", "imagine"})
#: Verbs above a clause that take its truth away.
NOT_MEANT = frozenset({
    "wish", "hope", "imagine", "pretend", "suppose", "guess", "wonder", "doubt", "dream", "fear", "bet", "joke", "want",
    "consider", "assume", "ask", "expect", "seem", "promise", "threaten", "claim", "swear", "suggest", "offer",
    "refuse",
})  # fmt: skip
#: Verbs of speech and thought: another's words if the subject is not the speaker.
SAYING = frozenset({
    "say", "tell", "think", "believe", "write", "claim", "insist", "argue", "joke", "swear", "shout", "text", "reply",
    "hear", "read", "call", "reckon", "mention", "explain", "announce", "whisper", "complain", "suspect",
})  # fmt: skip
#: Verbs of speech and thought by which even the speaker only guesses or repeats.
_GUESSING = frozenset({"think", "guess", "suspect", "reckon", "hear", "read"})
#: People whose findings on health are facts, and the verbs by which they give them.
EXPERTS = frozenset({
    "allergist", "audiologist", "cardiologist", "consultant", "dermatologist", "doctor", "endo", "endocrinologist",
    "gp", "gynaecologist",
    "gynecologist", "neurologist", "nurse", "ophthalmologist", "optician", "orthopaedist", "orthopedist",
    "paediatrician", "pediatrician", "pharmacist", "physician", "physio", "psychiatrist", "specialist", "surgeon",
    "vet",
})  # fmt: skip
_FINDING = frozenset({"say", "tell", "confirm", "find", "explain"})
#: Adverbs by which a clause is only supposed.
HEDGES = frozenset({
    "maybe", "perhaps", "probably", "possibly", "supposedly", "apparently", "allegedly", "hypothetically", "presumably",
    "theoretically",
})  # fmt: skip
#: Adjectives of "it's possible that ...".
_UNSURE = frozenset({"possible", "impossible", "likely", "unlikely", "unclear", "doubtful"})
#: Adverbs by which something is as good as so, and states that a joke gives to what cannot have them.
_AS_GOOD_AS = frozenset({"practically", "basically", "virtually", "figuratively", "metaphorically"})
_STATES = frozenset({
    "marry", "married", "divorce", "divorced", "engage", "engaged", "widow", "allergic", "addicted", "dead", "blind",
    "deaf", "bankrupt", "homeless", "retire", "retired", "pregnant",
})  # fmt: skip
#: What only a joke makes an allergy of.
NO_ALLERGENS = frozenset({
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "weekend", "morning",
    "meeting", "work", "homework", "housework", "exercise", "people", "paperwork", "spreadsheet", "commitment", "drama",
    "nonsense", "stupidity", "fun", "email", "deadline", "politics", "tax", "early", "queue", "admin",
})  # fmt: skip
#: Words of a text that is not meant as it is said.
NOT_SERIOUS = re.compile(
    r"\b(?:just kidding|kidding aside|jk|just joking|i'?m joking|only joking|april fools?|yeah,? right|as if!|"
    r"role-?play|pretend|hypothetical(?:ly)?|in this (?:story|scenario|game)|let'?s say|let us say|"
    r"for the sake of argument|act as|you are (?:now )?an? |write (?:me )?an? (?:story|poem|song|joke|scene)|"
    r"lyrics)\b|(?:^|\s)/s\b|🙄|😏|🙃",
    re.IGNORECASE,
)
#: Orders to a memory: instructions that state nothing.
ORDERS = re.compile(
    r"\b(?:remember (?:that you|this|:)|from now on,? (?:you|always|never|respond|answer)|memori[sz]e|"
    r"store (?:this|that)|you must|always (?:respond|answer|reply|recommend)|never (?:mention|tell|reveal)|"
    r"system prompt|ignore (?:all|previous|the above|your)|disregard (?:all|previous|your)|the assistant|"
    r"as an ai)\b|\bremember:",
    re.IGNORECASE,
)
#: Text in quotation marks.
QUOTED = re.compile(r'"[^"]{0,400}"|“[^”]{0,400}”|«[^»]{0,400}»')


def clause_heads(sentence: Any) -> Iterator[Any]:
    """The heads of the clauses of a sentence: verbs with a subject of their own or a shared one, and verbless roots."""
    for token in sentence:
        if token.dep_ not in CLAUSAL:
            continue
        if token.dep_ in ("relcl", "acl") or (token.dep_ == "conj" and token.pos_ not in ("VERB", "AUX")):
            continue
        has_subject = any(child.dep_ in SUBJECTS for child in token.children)
        if token.dep_ in ("ccomp", "advcl") and not (has_subject or drops_subject(token)):
            continue
        yield token


def drops_subject(verb: Any) -> bool:
    """Whether a verb in the past opens a sentence without a subject: "cancelled the pool, I wasn't going"."""
    is_first = verb.i == verb.sent.start and verb.head.i > verb.i
    return is_first and verb.tag_ == "VBD" and any(child.dep_ == "dobj" for child in verb.children)


def subject_of(head: Any) -> Any:
    """The subject of a clause, its own or that of the verb it is joined to; None if there is none."""
    if any(child.dep_ == "expl" for child in head.children):
        # "Amadou was tested and there is no allergy" says nothing that Amadou is.
        return None
    for token in (head, *ancestors_by_conj(head)):
        for child in token.children:
            if child.dep_ in SUBJECTS and child.dep_ != "expl":
                if token.i != head.i and not _agrees(head, child):
                    return None
                return _unclosed(child, token) or _kinship_before(child) or child
    return None


def _agrees(head: Any, subject: Any) -> bool:
    """Whether a joined verb can have the subject of the first one.

    "I got into the course, starts 14 August" tells of the course, and "eggs count, do not suggest an omelette" asks.
    """
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    finite = auxiliaries[0] if auxiliaries else head
    if subject.text.lower() in ("i", "we"):
        return bool(finite.tag_ != "VBZ")
    is_order = head.tag_ == "VB" and lemma(finite) == "do" and finite.tag_ in ("VB", "VBP")
    return not is_order or subject.text.lower() in ("you", "they")


def _unclosed(subject: Any, head: Any) -> Any:
    """The noun that the parse takes for an apposition of the one before a comma, as in "X Ltd, accountant is Y"."""
    for child in subject.children:
        is_after_comma = (
            child.dep_ == "appos" and child.pos_ == "NOUN" and child.left_edge.nbor(-1).text == ","
        )
        if is_after_comma and subject.pos_ == "PROPN" and child.right_edge.i + 1 == head.i:
            return child
    return None


def _kinship_before(subject: Any) -> Any:
    """The noun of "my boyfriend Tomas bakes", if the parse takes it for an adjunct of the verb; else None."""
    before = subject.nbor(-1) if subject.pos_ == "PROPN" and subject.i > subject.sent.start else None
    if before is None or before.dep_ != "npadvmod" or before.ent_type_:
        return None
    return before if any(child.dep_ == "poss" for child in before.children) else None


def apposed(subject: Any) -> Any:
    """The name right behind a subject that the parse takes for a second one, as in "my boyfriend Tomas works"."""
    return next(
        (
            child
            for child in subject.head.children
            if child.dep_ in SUBJECTS and child.i == subject.i + 1 and child.pos_ == "PROPN"
        ),
        None,
    )


def is_contraction(token: Any, subject: Any) -> bool:
    """Whether a word is the "is" or "has" behind a subject that the parser takes for a possessive: "mum's moved"."""
    is_own = token.dep_ == "case" and token.head.i == subject.i
    return bool(is_own and token.text.lower() == "'s" and subject.dep_ in SUBJECTS)


def gives_name(head: Any) -> bool:
    """Whether a clause gives the name of its subject, as "is called Juno" and "my sister's called Morag" do."""
    if lemma(head) not in ("call", "name") or not any(child.dep_ in SUBJECTS for child in head.children):
        return False
    if any(child.dep_ in ("auxpass", "nsubjpass") for child in head.children):
        return True
    subject = next(child for child in head.children if child.dep_ in SUBJECTS)
    rest = [
        child
        for child in head.children
        if child.i > head.i and child.dep_ not in ("cc", "conj", "punct", "advcl")
    ]
    is_contracted = any(is_contraction(child, subject) for child in subject.children)
    return is_contracted and len(rest) == 1 and rest[0].pos_ == "PROPN"


def ancestors_by_conj(head: Any) -> Iterator[Any]:
    """Verbs that a clause is coordinated with."""
    while head.dep_ == "conj" and head.head.i != head.i:
        head = head.head
        yield head


def lemma(token: Any) -> str:
    """The lemma in lower case."""
    return str(token.lemma_).lower()


def predicate_of(head: Any) -> str:
    """The verb with its particle; for "used to live" the verb below."""
    particles = [child for child in head.children if child.dep_ == "prt"]
    extra = "".join(f" {lemma(child)}" for child in particles[:1])
    if not extra:
        after = [child for child in head.children if child.i == head.i + 1 and child.dep_ == "advmod"]
        if after and lemma(after[0]) in {"up", "off", "out", "back", "down", "over", "away", "on"}:
            extra = f" {lemma(after[0])}"
    return lemma(head) + extra


def hangs_below(token: Any, top: Any, labels: tuple[str, ...]) -> bool:
    """Whether a word, or one between it and a word above it, has one of some dependencies.

    Args:
        token: The word.
        top: The word above it, where the search ends.
        labels: Dependencies.
    """
    while token.i != top.i:
        if token.dep_ in labels:
            return True
        token = token.head
    return False


#: Verbs after "can't" that deny nothing: "I can't wait to see it".
_EAGER = frozenset({"wait", "help", "believe", "thank"})


def is_denied(head: Any) -> bool:
    """Whether a clause is negated: by "not", "no longer", "never", or "no" before its object."""
    if lemma(head) in _EAGER and any(lemma(child) == "can" for child in head.children):
        return False
    if _is_prohibition(head):
        return True
    parts = [child for child in head.children if child.dep_ in ("aux", "xcomp", "acomp", "attr", "advmod")]
    if any(_is_negation(child) for token in (head, *parts) for child in token.children):
        return True
    if any(_is_nothing(child) and not is_aside(child, head) for child in head.children):
        return True
    own = [child for child in head.children if not _has_own_subject(child)]
    return any(_is_no_longer(token) for token in head.subtree if token.head in (head, *own))


def _is_prohibition(head: Any) -> bool:
    """Whether a clause without a subject begins with "never": the parser takes "never short BTC" for a noun."""
    return head.dep_ == "ROOT" and lemma(head.sent[0]) == "never" and subject_of(head) is None


def _has_own_subject(token: Any) -> bool:
    """Whether a word begins a clause with a subject of its own."""
    return token.dep_ in CLAUSAL and any(child.dep_ in SUBJECTS for child in token.children)


def _is_negation(token: Any) -> bool:
    """Whether a word is "not" or an adverb such as "never"."""
    return (token.dep_ == "neg" and not contrasts(token)) or (
        lemma(token) in {"never", "neither", "hardly"} and token.dep_ in ("advmod", "preconj")
    )


def contrasts(token: Any) -> bool:
    """Whether a word is the "not" of "Thursday, not Tuesday", which denies the second noun alone."""
    if token.text.lower() != "not" or not 0 < token.i < len(token.doc) - 1:
        return False
    is_between = token.nbor(-1).text == "," and token.nbor(-1).i > token.sent.start
    return is_between and token.nbor(1).pos_ in ("NOUN", "PROPN", "NUM") and token.nbor(-2).pos_ != "VERB"


def _is_nothing(token: Any) -> bool:
    """Whether a subject or object is "nothing", or "no" stands before it."""
    if token.dep_ not in ("dobj", "attr", "nsubj", "nsubjpass"):
        return False
    return lemma(token) in {"nobody", "nothing", "none"} or any(
        lemma(each) in {"no", "neither"} and each.dep_ in ("det", "neg") for each in token.children
    )


def is_aside(token: Any, head: Any) -> bool:
    """Whether a complement comes after another one and a comma: "allergic to nuts, so no pesto"."""
    before = [child for child in head.children if head.i < child.i < token.left_edge.i]
    return any(child.is_punct for child in before) and any(child.dep_ in COMPLEMENTS for child in before)


def _is_no_longer(token: Any) -> bool:
    """Whether a word is the "longer" of "no longer", the "more" of "not any more", or "anymore"."""
    if lemma(token) not in {"longer", "more", "anymore"}:
        return False
    return (
        lemma(token) == "anymore"
        or any(lemma(each) in {"no", "any", "not"} for each in token.children)
        or (token.i > 0 and lemma(token.nbor(-1)) == "no")
    )


def is_unreal(head: Any) -> bool:
    """Whether a clause is supposed, wished, hedged, joked, asked of others or said by another."""
    if _is_joke(head):
        return True
    for token in (head, *ancestors_by_conj(head)):
        for child in token.children:
            if child.dep_ == "aux" and lemma(child) in UNREAL:
                return True
            if child.dep_ == "mark" and lemma(child) in CONDITIONS:
                return True
            if child.dep_ == "advmod" and lemma(child) in HEDGES:
                return True
        # "She is hard of hearing, please write to her" and "Holt comes on the 13th, he called": both hold.
        # "I've dropped Zagreb, everyone says it is dull": what is said stands behind the verb.
        says_another = any(child.dep_ == "ccomp" and child.i > token.head.i for child in token.head.children)
        is_beside = token.i < token.head.i and (
            is_order(token.head) or lemma(token.head) == "call" or says_another or _points_back(token.head)
        )
        if token.dep_ in ("ccomp", "advcl", "parataxis") and governs(token.head) and not is_beside:
            return True
    return False


def _points_back(verb: Any) -> bool:
    """Whether a verb has a clause before it as its object once more: "it is 30 days, they asked for it"."""
    objects = [
        *verb.children,
        *(each for child in verb.children if child.dep_ == "prep" for each in child.children),
    ]
    return any(
        each.dep_ in ("dobj", "pobj") and each.text.lower() in ("it", "that", "this") for each in objects
    )


def _is_joke(head: Any) -> bool:
    """Whether a clause gives a state in a joke: "basically married to my laptop", "allergic to Mondays"."""
    states = [head, *(child for child in head.children if child.dep_ in ("acomp", "attr", "oprd"))]
    for state in states:
        adverbs = {
            lemma(child) for each in {head, state} for child in each.children if child.dep_ == "advmod"
        }
        if lemma(state) in _STATES and adverbs & _AS_GOOD_AS:
            return True
        preposition = (child for each in {head, state} for child in each.children if child.dep_ == "prep")
        things = {lemma(thing).removesuffix("s") for each in preposition for thing in each.children}
        if lemma(state) == "allergic" and things & NO_ALLERGENS:
            return True
    return False


def governs(verb: Any) -> bool:
    """Whether a verb above a clause makes it another's words, a wish or a guess."""
    above = lemma(verb)
    if above in NOT_MEANT or any(
        child.dep_ == "acomp" and lemma(child) in _UNSURE for child in verb.children
    ):
        return True
    if above in SAYING:
        subject = subject_of(verb)
        if _is_finding(verb, subject):
            return False
        return subject is None or lemma(subject) not in {"i", "we"} or above in _GUESSING
    return False


def _is_finding(verb: Any, subject: Any) -> bool:
    """Whether a verb of speech gives the finding of an expert on health."""
    is_of_expert = subject is not None and lemma(subject) in EXPERTS
    return is_of_expert and lemma(verb) in _FINDING and not is_denied(verb)


def introduces_finding(head: Any) -> bool:
    """Whether a clause only introduces the finding of an expert, as "the doctor says" does."""
    has_finding = any(child.dep_ == "ccomp" and subject_of(child) is not None for child in head.children)
    return has_finding and _is_finding(head, subject_of(head))


def is_question(sentence: Any) -> bool:
    """Whether a sentence asks, with or without a question mark."""
    if "?" in re.sub(r"\w+://\S+", "", sentence.text):
        return True
    words = [token for token in sentence if not token.is_space]
    borders = [place + 1 for place, token in enumerate(words) if token.text in _BORDERS]
    return any(begins_question(words, place) for place in (0, *borders))


#: Marks after which a question can begin.
_BORDERS = frozenset({":", ",", ";", "-", "–", "—", "..", "...", "…"})
#: Words before a question.
_OPENERS = frozenset(
    {
        "and",
        "but",
        "so",
        "ok",
        "okay",
        "hey",
        "hi",
        "well",
        "then",
        "also",
        "now",
        "anyway",
        "btw",
        "um",
        "oh",
    }
)
#: Conjunctions of time.
_TIME_MARKS = frozenset({"since", "when", "while", "until", "till", "before", "after", "as"})
#: Tags of words that ask.
QUESTION_TAGS = frozenset({"WP", "WRB", "WDT", "WP$"})
#: Words that ask without a verb before the subject, too.
_ASKING_ALONE = frozenset({"what", "who", "how"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET"})


def begins_question(words: list[Any], place: int) -> bool:
    """Whether a question begins at a word: with "how" or "which" of the main clause, or a verb before its subject."""
    while place < len(words) and (words[place].pos_ == "INTJ" or lemma(words[place]) in _OPENERS):
        place += 1
    if place + 1 >= len(words):
        return False
    first, second = words[place], words[place + 1]
    if first.tag_ in QUESTION_TAGS:
        head = first
        while head.dep_ not in CLAUSAL and head.head.i != head.i:
            head = head.head
        if head.dep_ != "ROOT" or second.text.lower() in ("a", "an") or words[-1].text == "!":
            return False
        # "Where I work" and "which is why" begin a clause that states something.
        is_inverted = second.pos_ == "AUX"
        return is_inverted == (lemma(first) != "which") or lemma(first) in _ASKING_ALONE
    if first.text.lower() == "does" and second.pos_ in _NOMINAL:
        return True
    if first.pos_ != "AUX" or second.dep_ == "neg":
        return False
    verb = first.head if first.dep_ in ("aux", "auxpass") else first
    # "Did the blood test and the result is clear" drops its subject.
    is_main_verb = lemma(first) == "do" and verb.tag_ in ("VBD", "VBZ")
    return not is_main_verb and any(
        child.dep_ in SUBJECTS and child.left_edge.i == second.i for child in verb.children
    )


def is_time_clause(head: Any) -> bool:
    """Whether a clause only tells when another one holds: "since I was a kid"."""
    return head.dep_ == "advcl" and any(
        child.dep_ in ("mark", "advmod") and lemma(child) in _TIME_MARKS for child in head.children
    )


def is_order(head: Any) -> bool:
    """Whether a clause is an order or a request: a bare verb without a subject."""
    return (
        head.dep_ in ("ROOT", "conj")
        and head.tag_ in ("VB", "VBP")
        and subject_of(head) is None
        and not any(child.dep_ in ("aux", "auxpass") for child in head.children)
    )


def is_past(head: Any) -> bool:
    """Whether a clause tells of the past: simple past or "used to"; not the perfect, whose result may last."""
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    if any(lemma(child) == "have" and child.tag_ != "VBD" for child in auxiliaries):
        return False
    is_simple = head.tag_ == "VBD" and head.pos_ in ("VERB", "AUX")
    return is_simple or any(child.tag_ == "VBD" for child in auxiliaries)


def is_future(head: Any) -> bool:
    """Whether a clause tells of the future."""
    if any(child.dep_ == "aux" and lemma(child) in {"will", "shall", "'ll"} for child in head.children):
        return True
    return (
        lemma(head) == "go" and head.tag_ == "VBG" and any(child.dep_ == "xcomp" for child in head.children)
    )
