"""Recognises plain prohibitions by their grammar: "please don't X", "never X", "let's not X", "hands off X".

The acts that an agent may be asked to leave are of any domain, so the words of the act decide nothing. Only idioms and
small talk that have the same grammar ("don't worry", "never mind") are excluded; the regression judges these.
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.bans import is_ban
from bardo.conduct.state.team_orders import team_order
from bardo.consolidate.texts.vocabulary import PAST_INNER, PAST_IRREGULAR

_OPENING = lazy_pattern(
    r"(?:(?:no way|oh no|no|nope|nah|sorry|please|hey|hi|ok|okay|alright|right|hmm+|u[mh]+|well|oh|ugh|actually|"
    r"honestly|listen|look|wait|thanks|and|but|so|also|just)[\s,!.:;…–—-]+)*?"
    r"(?=(?:please,? |just )*(?:do(?:n'?t| not)|never|avoid|let(?:'?s| us) not|"
    r"(?:we|i|you) |(?:we|i)'d |(?:we|you)'re |no(?= )|hands off|keep |leave |(?:can|could|would|will) you |"
    r"stop|quit|cease|under no|in no|on no|stay (?:away|clear|out)|steer clear|no ?body )\b)",
    re.IGNORECASE,
)
_PLEASE = r"(?:please,? |just |kindly )*"
_IMPERATIVE = lazy_pattern(
    rf"{_PLEASE}(?:(?P<lets>let(?:'?s| us) not)|do(?:n'?t| not)(?: you (?:dare|ever))?|(?P<never>never))"
    r"(?: (?:ever|again|please|just|even))*,? (?P<act>(?P<verb>[a-z@][\w@-]*)(?P<rest>.*))",
    re.IGNORECASE | re.DOTALL,
)
_UNWANTED = lazy_pattern(
    r"(?:(?:please,? )?avoid(?= [\w-]+ing\b)|we (?:really |definitely |absolutely )?(?:don'?t|do not) want|"
    r"(?:we|the team)(?:'ve| have| has)? (?:(?:decided|voted|opted) against|ruled out)|"
    r"i (?:really |definitely |absolutely )?(?:don'?t|do not) want you to) (?P<act>(?P<verb>[\w-]+).*)",
    re.IGNORECASE | re.DOTALL,
)
#: End of an act that the agent does: "stop restarting the container, we have a watchdog".
_STOPPED = lazy_pattern(
    r"(?:please,? |just )*(?:stop|quit|cease) (?P<act>(?P<verb>[a-z][\w-]*ing)\b(?P<rest>[^,;:.!?–—]*).*)",
    re.IGNORECASE | re.DOTALL,
)
#: Report of a habit, which is an order if it is emphasised: "we don't lend out the spare keys. Ever."
_EMPHASIZED = lazy_pattern(
    r"(?:we|the team) (?:(?:really|just|simply|absolutely) )?(?:do(?:n'?t| not)|won'?t|will not|never) (?:ever )?"
    r"(?P<act>(?P<verb>[a-z@][\w@-]*)(?P<rest>.*))",
    re.IGNORECASE | re.DOTALL,
)
#: Acts of talk and feeling, whose end forbids nothing.
_TALKING = frozenset({
    "worrying", "fretting", "panicking", "complaining", "apologizing", "apologising", "asking", "laughing",
    "crying", "kidding", "joking", "nagging", "talking", "pretending", "being", "thinking", "bothering",
    "interrupting", "telling", "whining", "arguing", "waiting", "trying", "saying", "looking", "feeling",
    "going", "doing", "making", "thanking",
})  # fmt: skip
#: Polite question for leaving an act: "could you please not reformat files?".
_ASKED_NOT = lazy_pattern(
    r"(?:can|could|would|will) you (?:please not|not (?=.*\bplease\b))"
    r"(?: (?:ever|again|just|even))* (?P<act>(?P<verb>[a-z@][\w@-]*)(?P<rest>.*?)),?(?: please)?\s*[?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_HANDS_OFF = lazy_pattern(
    r"(?:please,? )?(?:keep (?:your )?)?(?:hands|fingers|paws) off(?: of)? (?P<act>.+)",
    re.IGNORECASE | re.DOTALL,
)
#: Order to the agent: "you must not X", "I'd rather we never X", "under no circumstances X", "you don't X".
_ORDER = lazy_pattern(
    r"(?:you (?:(?:must|should|may|shall|can)(?: not| never|n'?t)|cannot)|"
    r"you(?: are|'re)(?: not|n'?t)(?: (?:allowed|permitted|supposed|authori[sz]ed))? to|"
    rf"{wording.WANTED}(?:(?:not|never)|(?:stop|quit|avoid|refrain from)(?= [\w-]+ing\b))|{wording.WANTED_NOT}|"
    r"(?:i|we)(?:'d| would) (?:much )?(?:rather|prefer)(?: that| if)? (?:you|we) "
    r"(?:never|didn'?t|did not|don'?t|do not)|"
    r"(?:under no circumstances|in no case|on no account|by no means),? "
    r"(?:(?:do|may|must|should|shall|can|are|will) )?(?:(?:you|we|anyone|anybody) )?(?:(?:allowed )?to )?|"
    r"(?P<told>you (?:don'?t|do not|never)))"
    r"(?: (?:ever|again|please|just|even))*,? ?\b(?P<act>(?P<verb>[a-z@][\w@-]*)(?P<rest>.*))",
    re.IGNORECASE | re.DOTALL,
)
#: Verbs after "you don't" and "you never" of a report about the agent or about people: "you don't sound well".
_REPORTED = frozenset({
    "sound", "look", "seem", "feel", "get", "give", "listen", "answer", "reply", "live", "love", "hate", "enjoy", "owe",
    "deserve", "realise", "realize", "notice", "miss", "mind", "cease", "agree", "trust", "belong", "exist", "learn",
    "happen", "hear", "find", "fail", "lose", "win", "appear", "become", "make", "stop", "grow", "say", "talk",
    "speak", "come", "go", "got", "work", "help", "sleep", "eat", "have", "expect", "forget", "let", "disappoint",
})  # fmt: skip
#: Those that are acts if "we" do not do them.
_DONE = frozenset(
    {"give", "get", "make", "let", "eat", "work", "answer", "reply", "talk", "speak", "come", "go", "stop"}
)
#: Clause of a report: a degree, a condition or a wonder, which orders nothing.
_DEGREE = lazy_pattern(
    r"\b(?:enough|very|as much|that much|often|anyway|do you|yet|until|unless|if)\b", re.IGNORECASE
)
#: Order to leave a thing as it is: "leave the search view alone", but not "leave me alone".
_LEAVE_AS_IS = lazy_pattern(
    r"(?:please,? |just )*(?:leave|keep) "
    r"(?P<act>(?!(?:me|us|him|her|them|it|that|this|things?|well enough)\b).{2,80}?) "
    r"(?:alone|untouched|unchanged|as (?:it is|they are|is))(?=\s*(?:$|[.,;:!]| (?:please|for now|until|unless)))",
    re.IGNORECASE,
)
_NO_THING = lazy_pattern(
    r"(?:please,? )?no (?:(?:more|new) )?(?P<act>(?P<verb>[\w'][\w'./@-]*)(?: [\w'./@-]+){0,8}?)"
    r",? (?:please|ok(?:ay)?|all ?right)\b[\s.!?]*(?:$|[,;:–—-])",
    re.IGNORECASE,
)
#: The same of an order that is announced as one: "New house law: no screen time before school".
_NO_LABELLED = lazy_pattern(
    r"no (?:(?:more|new) )?(?P<act>(?P<verb>[\w'`][\w'`./@-]*)(?:[^.!?;:]|[.:](?=\w)){0,120})[\s.!]*$",
    re.IGNORECASE,
)
#: Reason before an order, in the same sentence: "I run on Sundays, so don't book anything then".
_AFTER_REASON = lazy_pattern(
    r"^(?!.*\b(?:said|says?|told|tells?|asked|thinks?|if|when)\b.*\bso\b)[^?!.:\"“”]{3,160}?(?:\s*[,;]|\s+[-–—]+)?\s+"
    r"(?:(?:so|hence|therefore)[,:]? |(?<=[,;–—-] )(?=please ))"
    r"(?=(?:please,? |just )*(?:do(?:n'?t| not)|never|let(?:'?s| us) not|hands off|"
    r"you (?:must|may|should)(?:n'?t| not)|(?:under|in) no (?:circumstances|case)|on no account)\b)",
    re.IGNORECASE,
)
#: Topic before an order: "copper: don't buy the dip". Words of what is told or quoted are none.
_TOPIC = lazy_pattern(
    r"(?!(?:my|his|her|their)\b)(?:(?!(?:said|says?|told|wrote|tip|joke|quote|motto|saying|headline|sign|lyrics?|advice|subject)\b)"
    r"[\w-]+ ?){1,3}:\s+"
    r"(?=(?:please |just )*(?:do(?:n'?t| not)|never)\b)",
    re.IGNORECASE,
)
#: Nouns after "no" in phrases that forbid nothing.
_NO_IDIOM = frozenset({
    "problem", "problems", "worries", "worry", "rush", "hurry", "need", "idea", "clue", "wonder", "doubt",
    "stress", "pressure", "offence", "offense", "one", "body", "thanks", "thank", "luck", "news", "way",
    "chance", "matter", "hard", "shame", "questions", "than", "excuses", "time",
})  # fmt: skip
#: Words after which no act follows: subjects of a question or a report, and verbs of an omitted "I".
_NO_ACT = frozenset({
    "i", "you", "we", "they", "he", "she", "it", "people", "all", "both", "these", "those", "the", "a", "an",
    "my", "your", "our", "his", "her", "their", "its", "this", "that", "there", "who", "what", "is", "are",
    "was", "were", "am", "be", "been", "being", "do", "does", "did", "done", "has", "had", "have", "having",
    "will", "would", "can", "could", "should", "may", "might", "must", "not", "no", "again", "more", "less",
    "better", "worse", "so", "too", "in", "on", "at", "of", "for", "from", "with", "by", "to", "if", "when",
    "since", "before", "after", "until", "quite", "really", "only", "know", "think", "want", "need", "like",
    "see", "remember", "understand", "recall", "believe", "care", "matter", "mean", "seen", "gone", "heard",
    "thought", "knew", "known", "said", "told", "felt", "understood",
})  # fmt: skip
#: Forms of the past that are the verb itself, too.
_BOTH = frozenset({
    "put", "quit", "hit", "cut", "beat", "become", "run", "read", "hurt", "knit", "bred", "let", "set",
})  # fmt: skip
_PAST = (frozenset(PAST_IRREGULAR) | frozenset(PAST_INNER)) - _BOTH
_PARTICIPLES = frozenset({
    "been", "had", "was", "did", "done", "seen", "gone", "heard", "known", "said", "told", "felt", "thought", "met",
    "written", "broken", "chosen", "taken", "given", "driven", "eaten", "fallen", "spoken", "forgotten", "understood",
})  # fmt: skip
#: Small talk in the form of a prohibition.
_SMALL_TALK = lazy_pattern(
    r"(?:worry|fret|panic|fear|mind|hesitate|forget|apologi[sz]e|sweat|mention it|underestimate|say never|overthink|"
    r"count your|bet on it|lose (?:heart|hope|faith|sleep|your)|hold your breath|"
    r"(?:thank|kid) (?:me|us|yourself|yourselves|ourselves)|"
    r"get (?:me|too|so|your|excited|upset|mad|hung|carried|ahead)|shoot the messenger|give up|split hairs|"
    r"take (?:it|this|that|me|everything) (?:personal|serious|the wrong|wrong|so|too|for granted)\w*)\b",
    re.IGNORECASE,
)
#: Acts that are small talk, or orders to the agent, by what follows: "don't be sad", "don't be so formal".
_UNCLEAR = lazy_pattern(
    r"(?:be|feel|stress|expect|hope|laugh|cry|miss|disturb|pretend|bet|blame|judge|hate|count on|wait (?:up|for me)|"
    r"(?:make|start with|quote) me|get (?:it|any|used|lost|hurt|sick|stuck)|take (?:it|this|that|me|my|everything) |"
    r"(?:tell|ask) (?:me|anyone|anybody|him|her|them)|ask (?:why|how|what)|"
    r"let (?:me (?:forget|keep|stop|interrupt|hold|down)|(?:it|this|that|them|him|her|anyone) "
    r"(?:get|bother|fool|stop|worry|ruin))|look (?:now|at me|so|surprised)|hold (?:it against|back)|"
    r"(?:trouble|beat|push|hurt|tire) yourself|stay up|work too|act (?:surprised|like)|go there|go away|die|"
    r"argue|fight|dwell|exaggerate|jump to|rush)\b",
    re.IGNORECASE,
)
_LETS_IDIOM = lazy_pattern(
    r"(?:argue|fight|dwell|exaggerate|jump|go there|lose|talk about (?:it|that))\b", re.IGNORECASE
)
#: Speech of others, a joke after an announcement, and a report of what followed.
_NOT_SAID_TO_AGENT = lazy_pattern(
    r"[\"“”«»]|,? (?:says?|said|reads|goes)(?: (?:the|my|a|our|he|she)\b|[.!]?$)|"
    r"^\S+(?: \S+){0,2}, but\b|, so (?:we|i) \w+(?:ed|t)\b",
    re.IGNORECASE,
)
#: Question that only asks for assent: ", ok?".
_TAG = lazy_pattern(r"[,.!]?\s*(?:ok(?:ay)?|please|alright|right|will you|thanks)\s*\?+\s*$", re.IGNORECASE)
#: Beginning of a rule that forbids an action. A "never" inside may be of something else, unless an act is passive.
_RULE = lazy_pattern(
    r"[^,;:.]{1,80}? (?:must|may|shall|should|can|are|is)(?:n't| not| never) (?:ever )?be \w+|"
    r"(?:please )?(?:(?:you|we|agents?) (?:must|may|shall|should|can|will)(?:n't| not| never)\b|"
    r"(?:you|we|agents?) never\b|(?:never|no(?:thing|body)?(?! longer (?:\d|the |our |an? ))|don't|don’t|do not)\b|"
    r"(?:we|i) (?:don't|don’t|do not) want\b|(?:stop|quit|avoid) (?=[\w-]+ing\b))",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[\w@-]+")
_POINTING = frozenset({
    "it", "that", "this", "them", "those", "these", "him", "her", "me", "you", "us", "so", "there", "here",
    "now", "then", "please", "thanks", "thank", "again", "ever", "anymore", "yet", "too", "either", "at", "all",
    "for", "and", "or", "to", "do", "the", "a", "an", "yourself", "ok", "okay",
})  # fmt: skip
_ARTICLES = frozenset(("a", "an", "the"))


def forbidden_act(rule: str) -> str | None:
    """Returns the words after the prohibition with which a rule begins; None if the rule forbids nothing.

    A rule may also be about others than the agent: "Patient names must never be logged".

    Args:
        rule: Text of a rule.
    """
    text = wording.plain(wording.without_emphasis(rule))
    found = _RULE.match(text)
    if found is not None:
        return text[found.end() :]
    if not is_prohibition(rule):
        return None
    plain = wording.without_emphasis(rule.strip())
    begun, bare = _begun(plain), _bare(plain)
    if (act := team_order(begun)) is not None:
        return act
    forms = (
        *((form, begun) for form in (_ASKED_NOT, _NO_THING, _NO_LABELLED)),
        *(
            (form, bare)
            for form in (_IMPERATIVE, _UNWANTED, _STOPPED, _ORDER, _HANDS_OFF, _LEAVE_AS_IS, _EMPHASIZED)
        ),
    )
    return next(found["act"] for form, said in forms if (found := form.match(said)) is not None)


def is_prohibition(text: str) -> bool:
    """Whether a sentence of a user is a plain prohibition to the agent, with an act or a thing of its own.

    Args:
        text: Sentence.
    """
    plain = wording.without_emphasis(text.strip())
    begun, bare = _begun(plain), _bare(plain)
    is_plain = is_ban(begun) or (plain != text.strip() and _is_emphasized(bare))
    is_plain |= not _NOT_SAID_TO_AGENT.search(bare) and (act := team_order(begun)) is not None and _names(act)
    if not is_plain and (found := _ASKED_NOT.match(begun) or _no_thing(plain, begun)) is not None:
        return found["verb"].lower() not in (_NO_IDIOM | _NO_ACT) and _names(found["act"])
    if is_plain or "?" in bare or _NOT_SAID_TO_AGENT.search(bare):
        return is_plain
    if (found := _IMPERATIVE.match(bare)) is not None:
        return _is_imperative(found)
    if (found := _UNWANTED.match(bare)) is not None:
        is_thing = found["verb"].lower() in _ARTICLES or found["verb"].lower() not in _POINTING
        return is_thing and _names(found["act"])
    if (found := _ORDER.match(bare)) is not None:
        return _is_order(found)
    stopped = _STOPPED.match(bare)
    is_talk = stopped is not None and stopped["verb"].lower() in _TALKING
    found = None if is_talk else stopped or _HANDS_OFF.match(bare) or _LEAVE_AS_IS.match(bare)
    return found is not None and _names(found["rest" if stopped is not None else "act"])


def is_denied_habit(text: str) -> bool:
    """Whether a sentence tells what a group does not do, which is an order under a heading of orders.

    Args:
        text: Sentence.
    """
    return _is_emphasized(_bare(wording.without_emphasis(text.strip())))


def is_no_thing(text: str) -> bool:
    """Whether a sentence is "no" with a thing, which is an order under a label or in a list of orders.

    Args:
        text: Sentence.
    """
    found = _NO_LABELLED.match(_begun(wording.without_emphasis(text.strip())))
    return found is not None and found["verb"].lower() not in (_NO_IDIOM | _NO_ACT) and _names(found["act"])


def _no_thing(text: str, begun: str) -> re.Match[str] | None:
    """Returns the thing of "no X, please", or of "no X" under the label of an order."""
    return _NO_THING.match(begun) or (_NO_LABELLED.match(begun) if wording.is_labelled(text) else None)


def _is_imperative(found: re.Match[str]) -> bool:
    """Whether words in the form of "don't X" forbid an act, and are no small talk and no report."""
    act, verb = found["act"], found["verb"].lower()
    idioms = (_SMALL_TALK, _UNCLEAR, *((_LETS_IDIOM,) if found["lets"] else ()))
    if any(one.match(act) for one in idioms):
        return False
    is_act = verb not in _NO_ACT or (verb == "do" and _names(found["rest"]))
    is_base = is_act and not (found["never"] and is_inflected(verb))
    return is_base and _names(found["rest"])


def _is_order(found: re.Match[str]) -> bool:
    """Whether words in the form of an order to the agent are one, and no report about it."""
    verb = found["verb"].lower()
    is_report = found["told"] and (verb in _REPORTED or _DEGREE.search(found["rest"]) is not None)
    is_order = verb not in _NO_ACT and not is_report
    return is_order and not _SMALL_TALK.match(found["act"]) and _names(found["rest"])


def _is_emphasized(bare: str) -> bool:
    """Whether words in the form of a habit forbid an act, and do not only tell what is known or felt."""
    if (found := _EMPHASIZED.match(bare)) is None or "?" in bare:
        return False
    verb = found["verb"].lower()
    is_act = verb not in _NO_ACT | (_REPORTED - _DONE) and not is_inflected(verb)
    return is_act and not _SMALL_TALK.match(found["act"]) and _names(found["rest"])


def is_small_talk(text: str) -> bool:
    """Whether a sentence only has the form of a prohibition: "don't worry", "let's not forget the cake".

    Args:
        text: Sentence.
    """
    found = _IMPERATIVE.match(_bare(text))
    return found is not None and _SMALL_TALK.match(found["act"]) is not None


def is_inflected(verb: str) -> bool:
    """Whether a verb is in the past, a participle or in the third person: "never seen", "never works".

    Args:
        verb: Verb in lower case.
    """
    if verb in _PAST or verb in _PARTICIPLES:
        return True
    # "Feed" and "bring" have no vowel before, or a double one in the ending.
    if verb.endswith("ed"):
        return not verb.endswith("eed") and bool(re.search(r"[aeiouy]", verb[:-2]))
    if verb.endswith("ing"):
        return bool(re.search(r"[aeiouy]", verb[:-3]))
    return verb.endswith("s") and not verb.endswith(("ss", "us"))


def _bare(text: str) -> str:
    """Returns a sentence without the words before its clause, and without a question for assent after it."""
    return _begun(_TAG.sub("", text.strip()))


def _begun(text: str) -> str:
    """Returns a sentence with straight apostrophes and without the words before its clause."""
    bare = wording.without_remark(text.strip())
    bare = bare if (topic := _TOPIC.match(bare)) is None else bare[topic.end() :]
    reason = _AFTER_REASON.match(bare)
    bare = bare[reason.end() :] if reason is not None else bare
    opening = _OPENING.match(bare)
    return wording.without_remark(bare[opening.end() :]) if opening is not None else bare


def _names(words: str) -> bool:
    """Whether words name a thing, and do not only point at one."""
    return any(word.lower() not in _POINTING for word in _WORD.findall(words))
