"""The receiver of a forbidden act, goods that go back, and a program's own command are no matter of an order."""

from __future__ import annotations

import pytest

import bardo

CHOCOLATE, SUPPLIER = "Biscuit must not get chocolate.", "Don't order anything from Medisupply any more."
BODIES, SANDBOX = "Don't log request bodies", "Tests must not call the Paylane sandbox"


@pytest.mark.parametrize(
    ("order", "action", "decision"),
    [
        (CHOCOLATE, "Take Biscuit for a walk", "allow"),
        (CHOCOLATE, "Brush Biscuit on Friday", "allow"),
        (CHOCOLATE, "Give Biscuit chocolate", "block"),
        (CHOCOLATE, "Give Biscuit a piece of chocolate", "block"),
        ("Mr Finch is not to receive invoices by post", "Ring Mr Finch about his appointment", "allow"),
        (SUPPLIER, "Send the wrong gloves back to Medisupply", "allow"),
        (SUPPLIER, "Return the gloves to Medisupply", "allow"),
        (SUPPLIER, "Order syringes from Medisupply", "block"),
        (SUPPLIER, "Send an order to Medisupply", "block"),
        (SUPPLIER, "Switch back to Medisupply", "block"),
        (BODIES, "git log --oneline -5", "allow"),
        (BODIES, "log.info(request.body)", "block"),
        (SANDBOX, "just test", "allow"),
        (SANDBOX, "cargo test --workspace", "allow"),
    ],
)
def test_an_order_is_about_its_act(gate: bardo.Gate, order: str, action: str, decision: str) -> None:
    gate.reject(order, by="ida")
    assert gate.before(action).decision == decision
