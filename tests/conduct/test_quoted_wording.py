"""An action that writes wording which a rejection quotes is blocked, one that takes it out passes."""

from __future__ import annotations

import pytest

from bardo.conduct.match import quoted_use
from bardo.conduct.match.matching import Reading
from bardo.conduct.parse import action as actions
from bardo.conduct.parse.rejections import quoted_words
from bardo.conduct.parse.rejections.rejection import parse


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("stop writing 'we apologise' in status updates", ("we apologise",)),
        ("please don't say “risk-free” or “certain” to clients", ("risk-free", "certain")),
        ("'budget', 'cheap and cheerful' - none of that in our ads", ("budget", "cheap and cheerful")),
        ("The word 'users'. They are members, in every mail.", ("users",)),
        # Quotes that stress what is said, or tell the words of another person.
        ("no trackers, not even 'just for a week'", None),
        ("Don't prolong the flags, 'one more sprint' is how we got here", None),
        ("no pieces without the 'Advertisement' label", None),
    ],
)
def test_the_quoted_wording_is_read(text: str, quotes: tuple[str, ...] | None) -> None:
    found = quoted_words.of_text(text)
    assert (found.quotes if found is not None else None) == quotes


@pytest.mark.parametrize(
    ("text", "action", "reading"),
    [
        (
            "The word 'unfortunately' is banned from our mails",
            'Write to Mr Sahin: "Unfortunately the bowl is out of stock."', Reading.SAME,
        ),
        (
            "never say 'best price' about the tickets",
            '{"tool":"ads.create","text":"Best price for your crossing"}', Reading.SAME,
        ),
        (
            "The word 'cheap' is banned", "sed -i 's/affordable desks/cheap desks/' brochure/p07.md", Reading.SAME,
        ),
        ("The word 'cheap' is banned", "sed -i 's/cheap desks/affordable desks/' brochure/p07.md", Reading.UNKNOWN),
        ("The word 'cheap' is banned", "Replacing 'cheap' by 'affordable' on page 7.", Reading.UNKNOWN),
        ("The word 'cheap' is banned", "Adding 'cheap' to the list of words that we avoid.", Reading.UNKNOWN),
        ("The word 'cheap' is banned", "grep -rn cheap brochure/", Reading.UNKNOWN),
        (
            "don't write 'certain' in leaflets", '{"tool":"slack.post","text":"Certain that it is Tuesday."}',
            Reading.TOUCHES,
        ),
    ],
)  # fmt: skip
def test_only_writing_the_wording_is_it(text: str, action: str, reading: Reading) -> None:
    assert quoted_use.compare(parse(text), actions.parse(action)).reading is reading
