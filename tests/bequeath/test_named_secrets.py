"""The value of a secret that its sentence names goes whole; the thing that it opens stays."""

from __future__ import annotations

import pytest

import bardo
from bardo.bequeath.privacy.redact import MARK, Redactor


@pytest.mark.parametrize(
    ("text", "values", "opened"),
    [
        ("The client secret of the booking gateway is TX-551-ROMB-09", ["TX-551"], "booking gateway"),
        ("Our API token for the weather feed: WF-9921-KORA", ["WF-9921-KORA"], "weather feed"),
        ("The licence key for the plotter is PLT-8841-ZZ, do not forward it.", ["PLT-88"], "forward it"),
        ("Ben's login code for the pager is TRV-553", ["TRV-553"], "Ben's login code for the pager"),
        ("The shared secret between the two routers is Fjord-Kestrel", ["Fjord", "Kestrel"], "two routers"),
        ("TR-9104-XA is the access key of the turbine console.", ["TR-9104-XA"], "turbine console"),
        ("Private token for the mirror → MIR-0077-qq", ["MIR-0077-qq"], "mirror"),
        ("API key of the tide service at tide.example = TD-40-KLP-77", ["TD-40"], "tide.example"),
        ("Mira's passphrase for the disk: green lanterns sleep under marble", ["lanterns", "marble"], "disk"),
        ("Passphrase: nine old tin drums", ["nine", "drums"], "Passphrase"),
        ("Secret word for the night desk: silver heron", ["silver", "heron"], "night desk"),
        ("Codeword for the night shift: evening harvest lilies", ["evening", "lilies"], "night shift"),
        ("The passphrase that opens db-par-3 is tall ships never sleep", ["tall", "sleep"], "db-par-3"),
        ("velvet river under snow is the passphrase for the laptop", ["velvet", "snow"], "laptop"),
        ("the password of the kiosk is purple walrus now.", ["purple", "walrus"], "kiosk"),
        ("It ended (the panel password is Heron-Field-08).", ["Heron-Field-08"], "]).")
    ],
)  # fmt: skip
def test_a_named_secret_goes_whole_and_the_thing_it_opens_stays(text, values, opened):
    told = Redactor(personal=True).text(text)
    assert [value for value in values if value in told] == []
    assert told.count(MARK) == 1
    assert opened in told
    assert Redactor(personal=True).text(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "Keep the admin password of the mixer to yourself until Friday.",
        "The root password of web-osl-14 has to be changed.",
        "The password for db-lux-02 lives in the team vault.",
        "Login to kibana works only over the VPN.",
        "The secret of good bread is patience.",
        "The passphrase of the backup must be rotated every quarter.",
        "The passphrase is the same as on the old disk.",
        "Their passphrase is six words long.",
        "The session key is 256 bits long.",
        "The signing key of the release is ed25519.",
        "The password of cache-rom-7 was lost in the move.",
        "The access key is kept by Olga in the safe.",
    ],
)
def test_a_remark_about_a_secret_stays(text):
    assert Redactor(personal=True).text(text) == text


def test_a_secret_of_the_text_goes_from_subjects_and_statement(tmp_path):
    grimoire = bardo.open(tmp_path / "g")
    grimoire.learn(
        "The access token of the tide gauge is TG-771-KORA-4",
        subjects=["tide gauge", "TG-771-KORA-4"],
        subject="tide gauge",
        attribute="token",
        value="TG-771-KORA-4",
    )
    (fact,) = grimoire.facts.list()
    grimoire.close()
    told = Redactor(personal=True).fact(fact)
    assert told.subjects == ("tide gauge",)
    assert "KORA" not in f"{told}"


def test_a_statistic_of_the_curator_is_judged_by_its_metric():
    public = "invoice-queue.lag: mean 0.3102, sd 0.02 over 44 observations (min 0.21, max 0.42)"
    assert Redactor(personal=True).text(public) == public
    public = "lag of stock-feed has a spread of 0.4411 around a mean of 0.2059: the average says little."
    assert Redactor(personal=True).text(public) == public
    own = "desk.pnl: mean 3102.5, sd 20.4 over 44 observations (min 21, max 42)"
    assert "3102.5" not in Redactor(personal=True).text(own)
