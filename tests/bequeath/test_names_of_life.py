"""Names of things of a life are no secrets; a token of one sort of line is no name."""

from __future__ import annotations

from bardo.bequeath.privacy.names import Names
from bardo.bequeath.privacy.redact import Redactor

THINGS = ("kiln Retsch-2", "truck 407")
LINES = (
    "{} left the yard at {}", "fuel for {} is {} l", "oil of {} checked on day {}", "who washes {} in week {}?",
    "photo of {} went to album {}", "{} has run {} hours", "a visitor asked about {} on day {}", "log {}: round {}",
)  # fmt: skip


def names() -> Names:
    told = (line.format(thing, n) for thing in THINGS for line in LINES for n in range(3))
    codes = (f"retry {n}: sent Kx7-Tr0ub4 to the relay" for n in range(40))
    amounts = (f"desk {n} sold 50 of the lots, filled {m}" for n in range(9) for m in range(20))
    return Names.of([*told, *codes, *amounts])


def test_what_stands_in_many_sorts_of_lines_is_a_name():
    found = names()
    assert found.tokens == {"Retsch-2"}
    assert found.numbered == {"truck 407"}


def test_a_redactor_leaves_names_and_takes_the_same_form_elsewhere():
    redactor = Redactor(personal=True, names=names())
    for text in ("the door of truck 407 opens to the left", "disable the door alarm on truck 407"):
        assert redactor.text(text) == text
        assert Redactor(personal=True).text(text) != text
    assert "4471" not in redactor.text("the door of truck 407 opens with 4471")
    assert "50" not in redactor.text("we hold 50 coins beside truck 407")


def test_a_text_about_access_has_no_names():
    assert not list(names().spans("the password of the kiln is Retsch-2"))
    assert list(names().spans("shutter of Retsch-2 closed")) == [(11, 19)]
