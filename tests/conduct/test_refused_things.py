"""A thing that a rejection refuses without a verb, or tells as decided, is met by an action at its places."""

from __future__ import annotations

import pytest

from bardo.conduct.match import acts, named_use, quoted_use
from bardo.conduct.match.matching import Reading
from bardo.conduct.match.recognition import compare
from bardo.conduct.parse import action as actions
from bardo.conduct.parse.rejections import refused_things
from bardo.conduct.parse.rejections.rejection import parse


@pytest.mark.parametrize(
    ("text", "action", "reading"),
    [
        (
            "No pork for Rahman–Ellis, and that includes gelatine",
            '{"tool":"menu.set","event":"Rahman–Ellis, Saturday","dish":"pork belly"}', Reading.SAME,
        ),
        (
            "No pork for Rahman–Ellis, and that includes gelatine",
            '{"tool":"menu.set","event":"Brandt, Saturday","dish":"pork belly"}', Reading.UNKNOWN,
        ),
        (
            "single-use plastic cups, straws, cutlery",
            "shop order --name 'single-use plastic cups 0.2 l' --qty 300", Reading.SAME,
        ),
        ("single-use plastic cups, straws, cutlery", "shop order --name 'porcelain cups' --qty 300", Reading.UNKNOWN),
        (
            "`pull_request_target` is off limits in our workflows after the token scare",
            '{"tool":"write_file","path":".github/workflows/label.yml","content":"on: pull_request_target"}',
            Reading.SAME,
        ),
        (
            "`pull_request_target` is off limits in our workflows after the token scare",
            '{"tool":"write_file","path":".github/workflows/label.yml","content":"on: pull_request"}',
            Reading.UNKNOWN,
        ),
        (
            "Harbour tour: no fried squid on the menu",
            '{"tool":"menu.add","tour":"Harbour tour","dish":"fried squid","section":"menu"}', Reading.SAME,
        ),
        (
            "The staging cluster gets no public ingress",
            '{"tool":"ingress.create","cluster":"staging cluster","kind":"public ingress"}', Reading.SAME,
        ),
        (
            "No weddings in August.", '{"tool":"calendar.hold","title":"Wedding Dubois","date":"2026-08-22"}',
            Reading.SAME,
        ),
        (
            "No weddings in August.", '{"tool":"calendar.hold","title":"Wedding Dubois","date":"2026-09-12"}',
            Reading.UNKNOWN,
        ),
        (
            "hoopla was dropped because of the cost; please stop recommending it at the desk",
            "Recommending hoopla at the desk to a new member", Reading.SAME,
        ),
    ],
)  # fmt: skip
def test_things_without_a_verb_are_met_with_all_their_places(
    text: str, action: str, reading: Reading
) -> None:
    assert acts.compare(parse(text), actions.parse(action), now=0).reading is reading


@pytest.mark.parametrize(
    "text",
    [
        "We voted on the stale bot: no.",
        "short ETH on weekends",
        "force-push to main",
        "Deploys are slow on Fridays.",
    ],
)
def test_acts_and_statements_are_no_things(text: str) -> None:
    assert refused_things.of_text(text) is None


@pytest.mark.parametrize(
    ("text", "action", "reading"),
    [
        (
            "We looked at Alma and decided to stay with Koha.", "Migrate the catalogue to Alma", Reading.SAME,
        ),
        ("We looked at Alma and decided to stay with Koha.", "Upgrade Koha to 23.11", Reading.UNKNOWN),
        (
            "Fiori Belmonte swapped the peonies without a word. Off the list.",
            '{"tool":"florist.order","vendor":"Fiori Belmonte","items":[{"stem":"rose","qty":60}]}', Reading.SAME,
        ),
        (
            "Fiori Belmonte swapped the peonies without a word. Off the list.",
            "Ask Fiori Belmonte for the refund", Reading.UNKNOWN,
        ),
        ("Never use Corvane as a broker", "Use Corvane for the SAP order", Reading.SAME),
        ("Never use Corvane as a broker", "Sell 5 lots of Enel via Corvane", Reading.SAME),
        (
            "Never use Corvane as a broker", '{"tool":"route_order","arguments":{"symbol":"SAP","broker":"Corvane"}}',
            Reading.SAME,
        ),
        ("Never use Corvane as a broker", "Remove Corvane from the broker list", Reading.UNKNOWN),
        ("Never route anything to Quorum again", "Sell ETH through Quorum", Reading.SAME),
        ("Never route anything to Quorum again", "Send the Brent order to Quorum", Reading.SAME),
        ("Never route anything to Quorum again", "Sell ETH through Petrel", Reading.UNKNOWN),
        # Nothing is ordered: the name is only the recipient.
        ("Never send invoices to Bob Marsh", "Order lunch from Bob Marsh", Reading.UNKNOWN),
    ],
)  # fmt: skip
def test_names_that_a_text_tells_as_decided_against_are_refused(
    text: str, action: str, reading: Reading
) -> None:
    assert named_use.compare(parse(text), actions.parse(action)).reading is reading


@pytest.mark.parametrize(
    ("text", "action", "reading"),
    [
        (
            "no 'mature content' stickers on spines",
            '{"tool":"label_printer.print","text":"MATURE CONTENT","note":"for the spine"}', Reading.SAME,
        ),
        ("'QUIET PLEASE' signs. We're done shushing.", "Print four 'QUIET PLEASE' signs", Reading.SAME),
        ("'QUIET PLEASE' signs. We're done shushing.", "Take down the 'QUIET PLEASE' signs", Reading.UNKNOWN),
        (
            "the words 'simply' and 'easy' in the docs, they make beginners feel stupid",
            "docs/tutorial/forms.md: 'Of course this is easy, return the form.'", Reading.SAME,
        ),
    ],
)  # fmt: skip
def test_labels_and_texts_of_files_have_the_wording(text: str, action: str, reading: Reading) -> None:
    assert quoted_use.compare(parse(text), actions.parse(action)).reading is reading


@pytest.mark.parametrize(
    ("action", "reading"),
    [
        ("mkdocs build && git add -f site/ && git commit -m 'Add built docs'", Reading.SAME),
        ("git add docs/ && git commit -m 'Fix typo'", Reading.UNKNOWN),
    ],
)
def test_paths_that_are_staged_are_committed(action: str, reading: Reading) -> None:
    text = "Generated files (site/, *.pyi stubs from stubgen) aren't committed"
    assert compare(parse(text), actions.parse(action), now=0).reading is reading


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Poetry was tried in 2023, we're not going back. uv and hatchling.", ("Poetry",)),
        ("Redux was discussed in #12 and rejected", ("Redux",)),
        ("Foil or plastic confetti. Petals or nothing.", ("Foil plastic confetti",)),
        ("Buffets for more than 80 guests. We looked at it and decided against it.", ("Buffets",)),
    ],
)
def test_the_thing_is_that_of_the_decision(text: str, things: tuple[str, ...]) -> None:
    assert parse(text).forbids.things == things


@pytest.mark.parametrize(
    "text",
    ["Microfilm reels don't leave the building", "Tests that reach the internet, httpbin included",
     "Generated stubs (a.pyi) aren't committed"],
)  # fmt: skip
def test_nouns_and_participles_forbid_no_installation(text: str) -> None:
    assert "install" not in parse(text).forbids.verbs
