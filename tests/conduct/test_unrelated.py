"""Actions that have only the operation in common with a rejection, or only its brevity: they are no matter of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.ports import Embedder

UNRELATED = [
    ("use tabs", "book a table for four"),
    ("order from Amazon", "call the florist"),
    ("order from Amazon", "buy bread"),
    ("buy on margin", "buy bread"),
    ("sell the piano", "sell raffle tickets at the fair"),
    ("call the landlord", "call the vet about the cat"),
    ("rename the API", "curl https://api.weather.gov/points"),
    ("rename the API", "GET https://api.coingecko.com/api/v3/ping"),
    ("delete the docs", "wget https://docs.python.org/3/archive.zip"),
    ("change the blog", '{"tool":"http_get","args":{"url":"https://blog.a.org/feed.xml"}}'),
]
RELATED = [
    ("sell the piano", "sell the Steinway piano"),
    ("call the landlord", "phone the landlord about the heating"),
    ("don't post about politics", "Tweet our opinion on the election."),
    ("don't download films", "curl -O https://a.org/films/metropolis.mkv"),
    ("don't restart the database", "curl https://ops.a.org/database/restart"),
    ("don't call the payment API", "curl https://pay.a.org/charges"),
]


@pytest.fixture
def with_model(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Gate]:
    folder = tmp_path / "agent"
    bardo.open(folder, embedder=minilm).close()
    with bardo.gate(folder, embedder=minilm) as opened:
        yield opened


@pytest.mark.parametrize(("rejection", "action"), UNRELATED)
def test_an_unrelated_action_is_allowed_beside_a_single_rejection(
    with_model: bardo.Gate, rejection: str, action: str
) -> None:
    with_model.reject(rejection, by="anna")
    assert with_model.before(action).decision == "allow", with_model.before(action)


@pytest.mark.parametrize(("rejection", "action"), RELATED)
def test_a_related_action_is_still_found(with_model: bardo.Gate, rejection: str, action: str) -> None:
    with_model.reject(rejection, by="anna")
    assert with_model.before(action).decision != "allow"
