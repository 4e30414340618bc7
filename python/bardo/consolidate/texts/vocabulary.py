"""The words by which statements about oneself are recognised; each list says what its words have in common."""

from __future__ import annotations

from bardo.model import Pad


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: A verb with one of these alone says too little.
PARTICLES = _words("""
    through out up on by off down back over away around along in about not hard well
""")
#: "I love": verbs of taste.
PREFERENCE = _words("""
    like love prefer hate enjoy dislike adore despise
""")
#: "I collect": verbs of pastimes.
INTEREST = _words("""
    collect play practice practise follow volunteer
""")
#: "I drive": verbs of habits and possessions.
CONTEXT = _words("""
    own use drive keep run attend take commute bike wear eat drink cook bake read write paint watch listen
    grow raise manage go have wake swim hike cycle meditate knit garden sleep walk jog climb surf dance
    sing
""")
#: Past forms that are not made by "-ed".
PAST_IRREGULAR = _words("""
    went got bought took saw met made found ate ran won lost began built wrote broke chose came drew drank
    drove fell flew gave grew held kept left paid rode sang sold sent set sewed spent swam taught threw
    tore woke wore caught hurt hung put quit hit cut beat became fed led lent knit bred read
""")
#: Past forms of thinking, saying and wanting, which state no event.
PAST_INNER = _words("""
    wondered wanted needed asked mentioned hoped liked loved hated used planned guessed noticed assumed
    believed agreed appreciated supposed expected intended seemed figured feared doubted imagined promised
    wished explained replied claimed stated suggested realized realised
""")
#: "I'm learning": what goes on for a while.
GOING_ON = _words("""
    learning studying training working taking attending moving building writing growing raising running
    organizing organising volunteering renovating teaching using living saving preparing planning trying
    reading practicing practising cooking baking painting dating seeing recovering knitting restoring
    remodeling redecorating hosting launching starting opening playing collecting exploring experimenting
    doing struggling applying tracking
""")
#: "I'm married": states of a person, in a word.
STATES = _words("""
    married single divorced engaged widowed retired pregnant vegan vegetarian pescatarian left-handed
    right-handed diabetic bilingual colorblind color-blind transgender gay lesbian bisexual asexual deaf
    blind dyslexic autistic unemployed self-employed celiac lactose gluten-free jewish christian muslim
    hindu buddhist atheist catholic
""")
#: Verbs in "-ing" that are no doings.
NOT_DOING = _words("""
    being having thinking wondering feeling meaning hoping wanting looking considering needing getting
    dying hearing
""")
#: Words without a meaning by themselves.
EMPTY = _words("""
    great good awesome amazing nice fine okay ok important true bad cool fun going doing like about
""")
#: Words that a core leaves out.
SMALL = _words("""
    a an the is are was were be been has have had does do to of in on at for with and or as their them by from about
    into this that it
""")
#: Feelings with their words, as pleasure, arousal, dominance (Russell and Mehrabian, "Evidence for a three-factor
#: theory of emotions", 1977).
FEELINGS: dict[str, tuple[str, Pad]] = {
    "happy": ("happy glad delighted thrilled joyful", (0.81, 0.51, 0.46)),
    "excited": ("excited ecstatic pumped stoked", (0.62, 0.75, 0.38)),
    "proud": ("proud", (0.77, 0.38, 0.65)),
    "grateful": ("grateful thankful", (0.64, 0.16, -0.21)),
    "hopeful": ("hopeful optimistic", (0.51, 0.23, 0.14)),
    "relaxed": ("relaxed calm peaceful", (0.68, -0.46, 0.06)),
    "curious": ("curious", (0.22, 0.62, -0.01)),
    "surprised": ("surprised amazed", (0.40, 0.67, -0.13)),
    "anxious": ("anxious nervous worried stressed overwhelmed", (0.01, 0.59, -0.15)),
    "angry": ("angry furious mad annoyed", (-0.51, 0.59, 0.25)),
    "frustrated": ("frustrated", (-0.64, 0.52, 0.35)),
    "afraid": ("afraid scared terrified fearful", (-0.64, 0.60, -0.43)),
    "sad": ("sad heartbroken upset devastated", (-0.63, -0.27, -0.33)),
    "depressed": ("depressed hopeless", (-0.72, -0.29, -0.41)),
    "lonely": ("lonely", (-0.66, -0.43, -0.32)),
    "bored": ("bored", (-0.65, -0.62, -0.33)),
    "embarrassed": ("embarrassed ashamed", (-0.46, 0.54, -0.24)),
    "guilty": ("guilty", (-0.57, 0.28, -0.34)),
}
