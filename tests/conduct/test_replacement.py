"""Statements of a person that replace an order or a decision, and statements about something else."""

from __future__ import annotations

import pytest

from bardo.conduct.hearing.changes.replacement import replaces

VAULT = "The east vault must be held at 91 percent humidity."
INCUBATOR = "The incubator must always be kept at 37 degrees."
BOATS = "Boats must leave the slip by 18:00."
BOARDS = "We age the reblochon on spruce boards, not on steel grids"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (VAULT, "Correction: hold the east vault at 88 percent humidity from now on, no longer 91."),
        (VAULT, "The east vault goes to 86 percent humidity now, the 91 was too wet."),
        (VAULT, "Make it 88 in the east vault, no longer 91."),
        (VAULT, "From Monday the east vault runs at 88 percent instead of 91."),
        (VAULT, "The east vault must be held at 85 percent."),
        (VAULT, "The east vault goes to 86 percent now."),
        (VAULT, "Let's lower the east vault from 91 to 88 percent."),
        (VAULT, "East vault: 88 percent from now on."),
        (VAULT, "The new humidity target for the east vault is 88 percent."),
        (VAULT, "I changed my mind: hold the east vault at 88 percent."),
        ("Deploys must be approved by two people.", "Deploys must be approved by three people from now on."),
        ("Always use Postgres for the store.", "We use MySQL for the store now instead of Postgres."),
        (VAULT, "Please keep the east vault at 84 % humidity."),
        (
            "Correction: hold the east vault at 88 percent humidity from now on, no longer 91.",
            "The east vault goes to 86 percent humidity now, the 88 was too wet.",
        ),
        (INCUBATOR, "Change of plan: keep the incubator at 34 degrees from today, not 37 any more."),
        (INCUBATOR, "The incubator has to be at 35 degrees as of tomorrow."),
        (BOATS, "From now on boats have until 20:00 to leave the slip, the 18:00 limit is gone."),
        (BOATS, "Boats must leave the slip by 19:30."),
        ("Keep at least 40 litres in the reserve tank.", "Keep at least 60 litres in the reserve tank from now on."),
        ("Turn the raclette every 3 days.", "Turn the raclette every 2 days."),
        ("Refunds may be paid up to 50 euros.", "Refunds may be paid up to 80 euros from 1 December."),
        ("Requests must time out after 30 seconds.", "Requests must time out after 45 seconds, 30 is too short."),
        ("Never stack young raclette more than three high.", "Never stack young raclette more than two high."),
        ("Keep the greenhouse between 18 and 22 degrees.", "Keep the greenhouse between 16 and 20 degrees now."),
        (BOARDS, "We moved the reblochon to larch boards, spruce is out of stock for good."),
        (BOARDS, "From now on the reblochon is aged on larch boards."),
        ("We ship parcels with DHL.", "From now on we ship parcels with UPS instead of DHL."),
        ("Always ship parcels with DHL.", "Ship parcels with UPS from today, no longer with DHL."),
        ("We host the wiki on Hetzner.", "We moved the wiki to Scaleway after all, Hetzner is too expensive."),
        ("We meet in the small hall.", "From now on we meet in the large hall."),
    ],
)  # fmt: skip
def test_another_value_of_the_same_thing_replaces_it(older: str, newer: str) -> None:
    assert replaces(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (VAULT, "The west vault goes to 86 percent humidity now."),
        (VAULT, "Hold the west vault at 88 percent humidity, the east vault stays at 91."),
        (VAULT, "Hold the east vault at 12 degrees."),
        (VAULT, "In summer, hold the east vault at 88 percent humidity."),
        (VAULT, "When the sprayer is out, hold the east vault at 80 percent humidity."),
        (VAULT, "Hold the east vault at 88 percent humidity on Sundays."),
        (VAULT, "Should we hold the east vault at 88 percent humidity?"),
        (VAULT, "The east vault was at 88 percent humidity this morning."),
        (VAULT, "The east vault dropped to 86 percent humidity."),
        (VAULT, "The east vault is at 86 percent humidity."),
        (VAULT, "The east vault is now at 86 percent."),
        (VAULT, "The humidity in the east vault moved to 86 percent."),
        (VAULT, "Hold the east vault at 88 percent for an hour."),
        (VAULT, "Please hold the east vault at 88 percent today."),
        (VAULT, "The east vault goes to 86 percent every night."),
        (VAULT, "Hold the east vault at 12 percent oxygen."),
        ("Feed the goats at 7:00.", "Feed the goats at 18:00 today."),
        ("Always pay the milk within 30 days.", "Pay the milk of August within 10 days."),
        ("Backups must run every 6 hours.", "Backups must run every 2 days."),
        ("Always use Postgres for the store.", "I now use MySQL for my blog instead of Postgres."),
        (VAULT, "The fan of the east vault must be held at 40 percent."),
        (VAULT, "Maybe the east vault should go to 88 percent humidity."),
        (VAULT, "Odile says the east vault must be held at 88 percent humidity."),
        (VAULT, "The east vault must not go to 86 percent humidity."),
        (VAULT, "Keep the east vault at 88 percent humidity until Friday."),
        (VAULT, "The new boards for the east vault cost 88 euros."),
        (INCUBATOR, "The brooder must always be kept at 34 degrees."),
        (INCUBATOR, "Keep the incubator running for 34 days."),
        (INCUBATOR, "The incubator must always be kept at 37 degrees."),
        (BOATS, "Boats must not leave the slip before 6:00."),
        (BOATS, "Cars must leave the slip by 20:00."),
        (BOATS, "Boats must pay 20 euros at the slip."),
        (BOATS, "The boats left the slip at 20:00."),
        ("Always keep at least 40 litres in the reserve tank.", "Keep at most 60 litres in the reserve tank."),
        ("Refunds may be paid up to 50 euros.", "Refunds for members may be paid up to 80 euros."),
        (BOARDS, "We moved the comté to larch boards, steel is out of stock."),
        (BOARDS, "We also moved the reblochon trays to the cellar."),
        (BOARDS, "We moved the reblochon wheels to the north room."),
        (BOARDS, "We moved the reblochon to the north room."),
        (BOARDS, "From now on we age the reblochon on Sundays."),
        ("We age the goat cheese on spruce boards.", "From now on we age the cow cheese on spruce boards."),
        ("We meet in the small hall.", "From now on we sing in the library."),
        (BOARDS, "We ordered new spruce boards for the reblochon."),
        ("We ship parcels with DHL.", "We ship returns with UPS instead of DHL."),
        ("We ship parcels with DHL.", "We shipped one parcel with UPS yesterday."),
        ("We age the comté on spruce boards.", "From now on we age the reblochon on spruce boards."),
        ("We host the wiki on Hetzner.", "We moved the mail to Scaleway."),
        ("We decided to hold the meetup in Cork.", "We decided to hold the retreat in Galway."),
        ("We decided to use Postgres for the store.", "We decided to add Redis beside Postgres for the cache."),
        ("Decision: we go with Stripe for payments.", "Decision: we go with Mailgun for mail."),
    ],
)  # fmt: skip
def test_another_thing_place_or_condition_replaces_nothing(older: str, newer: str) -> None:
    assert not replaces(older, newer)
