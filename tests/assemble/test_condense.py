"""Texts without their predictable words, and prompts counted by any tokenizer."""

from __future__ import annotations

import builtins

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo import _core
from bardo.assemble import condense as condensing
from bardo.assemble.blocks import Block
from bardo.assemble.condense import Condenser, OwnWords, condense
from bardo.assemble.context import assemble, build, count_tokens
from bardo.errors import BudgetTooSmallError, InvalidInputError, MissingPackageError
from helpers.models import flat

TEXT = "\n".join(
    f"Speaker {number}: well, you know, I was really thinking about it and then we went to the market because it was "
    f"a very nice day, and the price of item {number} was not {number * 3} euros"
    for number in range(30)
)


def test_a_text_is_condensed_to_its_share_and_keeps_what_carries_its_meaning():
    short = condense(TEXT, 0.5, question="the price of item 7")
    assert 0.4 <= short.kept <= 0.55
    assert short.tokens == count_tokens(str(short))
    for number in range(30):
        assert f"Speaker {number}:" in short.text
        assert f"{number * 3}" in short.text.split()
    assert short.text.count("not") == TEXT.count("not")


@pytest.mark.parametrize("share", [0.1, 0.9, float("nan")])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(InvalidInputError):
        condense(TEXT, share)


def test_an_optional_backend_that_is_missing_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name == "llmlingua":
            raise ImportError("No module named 'llmlingua'")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(condensing, "_LOADED", [])
    with pytest.raises(MissingPackageError, match="pip install llmlingua"):
        condense(TEXT, 0.5, backend="llmlingua")
    with pytest.raises(InvalidInputError, match="backend"):
        condense(TEXT, 0.5, backend="zip")  # type: ignore[arg-type]


def test_a_long_event_is_condensed_before_its_end_is_cut_and_the_report_says_so():
    model = _core.WordModel()
    model.learn(TEXT.splitlines())
    blocks = [Block("instruction", "What was the price of item 22?"), Block("event", TEXT)]
    limit = {"budget": 800, "reserve": 0}
    whole = assemble(blocks, **limit)
    short = assemble(blocks, **limit, condenser=Condenser(model, "What was the price of item 22?"))
    assert "66 euros" not in whole.text
    assert "66 euros" in short.text
    report = next(block for block in short.blocks if block.name == "event")
    assert report.cut
    assert 0.4 < report.condensed < 0.8
    assert "[…condensed]" in report.text
    assert "condensed to" in str(report)
    assert short.to_dict()["blocks"][0]["condensed"] == report.condensed
    assert whole.blocks[0].condensed is None


def test_the_users_own_words_and_what_fits_are_left_alone():
    model = _core.WordModel()
    condenser = Condenser(model, "x")
    blocks = [Block("system", "It is what it is, and so it was."), Block("event", "It is what it is.")]
    prompt = assemble(blocks, condenser=condenser)
    assert "It is what it is, and so it was." in prompt.text
    assert not prompt.cut


def test_a_grimoire_condenses_by_its_own_words_and_can_be_told_not_to(tmp_path):
    embedder = flat()
    for condensed in (True, False):
        config = {"assemble": {"condense": condensed}}
        with bardo.open(tmp_path / str(condensed), embedder=embedder, config=config) as opened:
            opened.remember(TEXT.splitlines())
            prompt = opened.context("price of item 22?", blocks={"tool_results": TEXT}, budget=900)
            report = next(block for block in prompt.blocks if block.name == "tool_results")
            assert (report.condensed is not None) == condensed


def test_the_model_of_words_follows_the_log_and_forgets_with_it(tmp_path):
    embedder = flat()
    with bardo.open(tmp_path / "a", embedder=embedder) as opened:
        words = OwnWords(opened._session.log)
        assert words.model().texts == 0
        first = opened.remember("the price of oil rose")
        opened.remember("the price of gold fell")
        assert words.model().texts == 2
        opened.forget(first, reason="asked to")
        words.forget()
        assert words.model().texts == 1


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=400), share=st.floats(0.2, 0.8))
def test_any_text_is_never_longer_than_it_was(text, share):
    short = condense(text, share)
    assert short.tokens <= short.before == count_tokens(text)


# -- tokenizers ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own_tokenizer(tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["[UNK]"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    made.train_from_iterator([TEXT], trainer)
    made.enable_truncation(5)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    made.no_truncation()
    return str(path), lambda text: len(made.encode(text, add_special_tokens=False).ids)


def test_a_tokenizer_json_counts_as_its_own_package_does(own_tokenizer):
    path, count = own_tokenizer
    assert count_tokens(TEXT, path) == count(TEXT) > 5


@settings(max_examples=40, deadline=None)
@given(
    event=st.text(st.characters(exclude_categories=["Cs"]), max_size=600) | st.just(TEXT),
    budget=st.integers(60, 700),
)
def test_the_budget_holds_by_any_tokenizer_tags_included(own_tokenizer, event, budget):
    path, count = own_tokenizer
    try:
        prompt = assemble(
            {"event": event, "instruction": "Decide."}, budget=budget, reserve=0, tokenizer=path
        )
    except BudgetTooSmallError:
        return
    assert prompt.tokens == count(prompt.text) <= budget


def test_a_file_that_is_no_tokenizer_is_a_typed_error(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    for name in (str(tmp_path / "x.json"), str(tmp_path / "none.json"), "gpt-9"):
        with pytest.raises(InvalidInputError):
            count_tokens("text", name)


def test_a_tokenizer_that_fails_fails_the_call_with_its_own_error():
    def broken(text: str) -> int:
        raise RuntimeError("no vocabulary")

    _core.register_tokenizer("broken", broken)
    with pytest.raises(RuntimeError, match="no vocabulary"):
        count_tokens("text", "broken")
    with pytest.raises(RuntimeError, match="no vocabulary"):
        build("task", [], tokenizer="broken")
    assert count_tokens("text") == 1
