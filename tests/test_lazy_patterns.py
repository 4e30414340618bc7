"""Patterns that are compiled when they are used first."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import bardo
from bardo._patterns import LazyPattern, lazy_pattern

PACKAGE = Path(bardo.__file__).parent
USERS = sorted(
    ".".join(("bardo", *file.relative_to(PACKAGE).with_suffix("").parts))
    for file in PACKAGE.rglob("*.py")
    if "lazy_pattern(" in file.read_text("utf-8")
)


def test_a_lazy_pattern_is_compiled_at_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_ = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given[0]) or compile_(*given))
    pattern = lazy_pattern(r"(?P<word>lamp)s?", re.IGNORECASE)
    assert not compiled

    assert pattern.sub(r"\g<word>!", "Two LAMPS") == "Two LAMP!"
    assert [match["word"] for match in pattern.finditer("lamp lamps")] == ["lamp", "lamp"]
    assert pattern.search("a LAMP")
    assert set(compiled) == {pattern.pattern}


@pytest.mark.parametrize("name", USERS)
def test_each_lazy_pattern_of_a_module_is_valid(name: str) -> None:
    def patterns(value: object) -> list[LazyPattern]:
        if isinstance(value, LazyPattern):
            return [value]
        if isinstance(value, dict):
            return [each for item in (*value.keys(), *value.values()) for each in patterns(item)]
        return [each for item in value for each in patterns(item)] if isinstance(value, (list, tuple)) else []

    for pattern in patterns(list(vars(import_module(name)).values())):
        assert pattern.groups >= 0
