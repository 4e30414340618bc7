"""Identifiers of software, parts and places cross to an heir unchanged: nothing in their clause makes them private."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.consolidate.texts.secrets import is_secret


@pytest.mark.parametrize(
    "text",
    [
        "ERROR 1062 (23000): Duplicate entry '90417' for key 'items.PRIMARY'",
        "SQLSTATE 40001 on retry 3, deadlock again on stock_moves",
        "ORA-01555: snapshot too old, undo segment 4471",
        "job 88213 ended with exit code 2, retry of job 88190",
        "worker exited with code 137, oom again",
        "Windows update KB5021233 fails with 0x80070643 on the till pc",
        "boiler needs gasket 0020025074, not 0020025075 which is for the older model",
        "seed=424242, folds=10, shuffle on",
        "np.random.seed(20240611) before every run",
        "chore: pin pandas==2.2.1 and polars<1.0 until the cast bug is fixed",
        "need node >=18.17 and pnpm <9 for the docs build",
        "batch_size=512, lr=3e-4, warmup_steps=4000",
        "summarizer truncated: 200000 tokens in context, max_tokens=8192, dropped 2 tool results",
        "asset register; the mill; lathe; serial LTH-40912-77b0c1de42; bought used",
        "Ines signed out the lamp for the mill, it's the scratched one, SNKQ4R7TBXW2MNPD on the back",
        "the study about the mill is DOI 10.4417/plover.20931",
        "byline and phone duty for the mill fire: Rashid",
        "call facilities on extension 4402 when the lift alarm rings",
        "library is open 10.00-18.45, Thursdays till 20",
        "npm ERR! code E404, package left-pad@1.3.9",
        "black==24.3.0, ruff>=0.4,<0.5, mypy~=1.10",
        "pharmacist on duty 0900-1300, ext 61",
        "the washer takes belt 481935818214, it fits model 7 only",
        "APP_PASSWORD=${APP_PASSWORD:?must be set}",
        "the adjuster opened a file on the wet carpets, it's DSR-44563-LU95ZZJUJM3J, she comes on Monday",
        "job done: waybill WBL-saffron-878613, 3 copies, for the ferry",
        "terminal: unit MSKU650413-8 assigned to the ferry, seal intact",
        "export finished: /mnt/share/cedar/scan_141930_final.parquet",
        "if an order is over 500 euros call the customer before releasing it",
        "the guest paid 61 euros duty and left one star",
        "four thousand players lost their progress",
        "business customers get net 30 after the second order",
        "set the stock to 999 so the shop would stop showing 'sold out'",
        "filled it with the wrong fuel, my instruction was bad. injectors gone, 17k",
        "password: ENC[from vault]",
        "Clearing desk Mombasa: ext. 0171, ask for Wanjiru",
        "For margin calls ring Wanjiru, ext. 0171",
        "Broker hotline ext. 4402 opens at 6",
        "The risk desk sits behind extn. 0171 and picks up at 7",
        "Our account label at the broker is BX-4471-KES",
        "quote the account name KX-2290-USD on every ticket",
        "The ledger tag of the desk is LT-8812-EUR",
        "The margin limit on our account is 400,000 USD",
    ],
)
def test_an_identifier_without_evidence_of_privacy_stays(text):
    assert Redactor(personal=False).text(text) == text
    assert not is_secret(text)


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("wait if polars < 1.0 and gas < 31, we need version 2 of the rule", "31"),
        ("enter only if min_edge: 0.0031", "0.0031"),
        ("call Bjarne on 0612345678", "0612345678"),
        ("Bjarne: 06 1234 5678", "06 1234 5678"),
        ("the tenant has 4419-0032-88 at the bank", "4419-0032-88"),
        ("press 41905 and hold the bell", "41905"),
        ("we stop trading at a loss of 17k", "17k"),
        ("if gas is over 48 skip the entry", "48"),
        ("I paid 340 euros for my shares", "340"),
        ("Our account password is BX-4471-KES", "BX-4471-KES"),
        ("Log in with the account name BX-4471-KES and the password KX-2290-USD", "KX-2290-USD"),
        ("the tag on the door key says KX-4471-B, its code is 90417", "90417"),
        ("the PIN behind ext. 0171 is 4471", "4471"),
        ("The licence label reads ABCD-1234-EFGH-5678 and activates it", "ABCD-1234-EFGH-5678"),
        ("The balance on our account is 400,000 USD", "400,000"),
    ],
)
def test_evidence_beside_a_number_makes_it_private(text, private):
    assert private not in Redactor(personal=False).text(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("take the rent from checking 000731882654 at Valley Trust, please", "000731882654"),
        ("New acct 000731882655 routing 011000138 for Adaeze", "000731882655"),
        ("savings account no. 7318 8265 41 stays for the roof", "7318 8265 41"),
    ],
)
def test_the_number_of_a_bank_account_goes(text, secret):
    assert secret not in Redactor(personal=False).text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Checking 40731882 rows took 4 s",
        "The verification code lives in verify.py, line 4071",
        "checking PLW-2219",
    ],
)
def test_what_only_looks_like_an_account_or_a_code_stays(text):
    assert Redactor(personal=False).text(text) == text
