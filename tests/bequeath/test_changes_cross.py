"""Numbers that changed and multiples of a quantity cross whole; parameters of trade do not."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor


@pytest.mark.parametrize(
    "text",
    [
        "[fix/port 0d0d] fix(worker): port 7420 -> 7431",
        "port 8080 -> 9090",
        "nginx: listen 8080 -> 8443",
        "INFO Running upgrade 0051 -> 0052, departure utc and zone",
        "Running downgrade 0052 -> 0051, departure utc",
        "FastAPI 0.110 -> 0.115",
        "replicas: 3 → 5",
        "If we ever had 10x the load we could maybe look at Kafka, but not now.",
        "If traffic grew 10x we would need another queue",
        "With 20x the guests the kitchen would not hold",
        "scale to 10x the load",
        "git checkout -b feat/FERRY-4471-seats",
        "Generating migrations/0057_booking_uuid7.py ... done",
    ],
)
def test_a_change_of_a_number_crosses(text: str) -> None:
    assert Redactor(personal=True).text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "stop loss 2.5 -> 3.1",
        "rebalance threshold 0.05 -> 0.08",
        "size 20 -> 40 lots",
        "leverage 10x on BTC",
        "We are long with 10x leverage",
        "If we ever had 10x leverage we would be liquidated",
        "We go 3x the position when funding is low",
    ],
)
def test_a_parameter_of_trade_does_not_cross(text: str) -> None:
    assert "[redacted: " in Redactor(personal=True).text(text)
