"""News of a life and of things is heard as no task and no rejection; requests and decisions beside it are."""

from __future__ import annotations

import pytest

from bardo.conduct.hearing.talk.news import is_news, is_of_life, is_provisional
from bardo.conduct.hearing.talk.reports import is_adoption, is_change

NEWS = [
    "The piano tuner has moved us to Mondays, still at four",
    "my exam is on 14 May",
    "estate agent called, the viewing slips to Friday because the tenants are ill",
    "the skip is booked for the 9th, 7am",
    "new extension of the pharmacy is 2214",
    "nan and grandpa are coming for easter, 3rd to the 8th",
    "sold the tent to a colleague, 80 euros",
    "gran's coming a day earlier, the 12th",
]
REQUESTS = [
    "The gutter leaks, call someone",
    "the licence runs out on the 3rd, get a new one in time",
    "tell Tom the meeting moved to 3",
    "Get the boiler serviced before winter.",
    "upload the signed contract to the deal room",
    "The dog's vaccination is due, so book him in with Dr. Osei.",
    "The heating filter is due for a change next month.",
    "Ring Max when the parcel is there.",
    "The kids need new shoes, put it on the list.",
    "Have the car's brakes looked at.",
]


@pytest.mark.parametrize("text", NEWS)
def test_news_asks_for_nothing(text: str) -> None:
    assert is_news(text)


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_is_no_news(text: str) -> None:
    assert not is_news(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not pregnant any more, it's a boy",
        "I'm no longer at the bakery",
        "I don't drink coffee any more",
        "we're out of flour",
        "I'm off the early shifts for good now, the new ones do them",
        "Mr Kerr's in hospital so no piano until June",
        "so the marathon is off for me, maybe next year",
        "no swimming for now, my ear's infected",
        "dad's off the statin, it gave him cramps",
        "My sister is off the painkillers",
        "no more sugar for me",
        "we're not going to Spain after all",
        "We are not driving to the coast this weekend after all.",
    ],
)
def test_a_negation_about_a_life_forbids_nothing(text: str) -> None:
    assert is_of_life(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ana is on holiday, so no deploys until Monday",
        "I'm not going to use eval for this",
        "I'm off dairy, so no cheese on the burger.",
        "I'm not interested in the premium plan.",
        "I'm no longer interested in the premium plan.",
        "I don't want the GPUs any more, thanks.",
        "I don't use Jenkins any more",
        "I'm not vegetarian any more, don't order tofu",
        "No more meeting invites for the marketing sync, please, I'm not part of it.",
    ],
)
def test_a_negation_about_the_work_is_no_news_of_a_life(text: str) -> None:
    assert not is_of_life(text)


def test_a_change_that_is_told_with_how_things_stand_now_decides_nothing() -> None:
    assert is_change("We moved the metrics endpoint, it is https://m.example/v3 now, the v2 address is gone.")
    assert is_change("I've moved our server to 10.0.0.3, it is in the basement now.")
    assert not is_change("We moved to Scaleway, it is cheaper.")
    assert not is_change("We moved the metrics endpoint, use the new address.")
    assert not is_change("We dropped the queue, it was slow.")


def test_what_a_group_uses_now_is_a_decision() -> None:
    assert is_adoption("No wait, we use Typst now.")
    assert is_adoption("We're using Typst from now on")
    assert not is_adoption("We use the car club for now")
    assert not is_adoption("We used Typst yesterday")
    assert not is_adoption("no wait, it's on Tuesday")


@pytest.mark.parametrize(
    "text",
    [
        "no more meetings for me",
        "no more sugar for me, please",
        "We're not going to use Spark after all.",
        "we're not going to Kubernetes after all",
        "no more emails for me",
    ],
)
def test_an_end_of_what_agents_do_is_not_of_a_life(text: str) -> None:
    assert not is_of_life(text)


def test_a_stopgap_of_people_is_no_decision() -> None:
    assert is_provisional("we'll use the car club for now")
    assert is_provisional("OK, we'll take the bus for the time being.")
    assert not is_provisional("We'll use Postgres for now.")
    assert not is_provisional("We'll use the staging bus for events.")
