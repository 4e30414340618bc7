"""Words in names of code and files are parts of names: no operations, and no reason for a warning alone."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse import action
from bardo.conduct.parse.rejections.forbidden import propose


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("alter the order_lines table", ("modify",)),
        ("don't change purchaseOrders", ("modify",)),
        ("delete src/release/notes.md", ("delete",)),
        ("order the book", ("buy",)),
    ],
)
def test_a_word_in_a_name_is_no_forbidden_operation(text: str, verbs: tuple[str, ...]) -> None:
    assert propose(text).verbs == verbs


@pytest.mark.parametrize(
    ("text", "operation", "is_done"),
    [
        ("Look at order_lines", "buy", False),
        ("Explain deletedRows", "delete", False),
        ("psql -c 'select * from order_lines'", "buy", False),
        ("call delete_user for row 5", "delete", True),
        ("api.delete_user(5)", "delete", True),
        ('{"tool": "delete_user", "id": 5}', "delete", True),
    ],
)
def test_a_name_that_is_not_called_does_nothing(text: str, operation: str, is_done: bool) -> None:
    assert (operation in action.parse(text).verbs) is is_done


def test_a_shared_folder_is_no_reason_for_a_warning(gate: bardo.Gate) -> None:
    gate.reject("touch apps/legacy_edi", by="anna")
    for harmless in ("mkdir -p apps/reports", "pytest apps/orders", "vim apps/orders/models.py"):
        assert gate.before(harmless).decision == "allow", harmless
    assert gate.before("sed -i s/a/b/ apps/legacy_edi/parser.py").decision == "block"
    assert gate.before("ls legacy_edi").decision != "block"
