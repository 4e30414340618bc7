"""Values are frozen, slotted dataclasses to everyone who looks, though `dataclasses` did not make them."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bardo._values import fresh, is_value, replace, value
from bardo.config import Config, Decay
from bardo.model import Episode, Fact, Fingerprint

CLASSES = [Config, Decay, Episode, Fact, Fingerprint]


@value
class Ours:
    """A value of bardo."""

    name: str
    weight: float = 1.0
    notes: dict[str, int] = fresh(default_factory=dict)

    @property
    def heavy(self) -> bool:
        """Whether it weighs more than one."""
        return self.weight > 1


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """The same by the standard library."""

    name: str
    weight: float = 1.0
    notes: dict[str, int] = dataclasses.field(default_factory=dict)


both = st.tuples(st.text(), st.floats(allow_nan=False), st.dictionaries(st.text(), st.integers(), max_size=3))


@given(both, both)
def test_a_value_reads_compares_and_copies_as_a_dataclass_does(one: Any, other: Any) -> None:
    ours, theirs = Ours(*one), Theirs(*one)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert dataclasses.astuple(ours) == dataclasses.astuple(theirs)
    assert (ours == Ours(*other)) == (theirs == Theirs(*other))
    assert ours != theirs
    assert replace(ours, name="x") == dataclasses.replace(ours, name="x") == Ours("x", *one[1:])
    for again in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert again == ours


@pytest.mark.parametrize("attempt", [lambda it: setattr(it, "name", "b"), lambda it: delattr(it, "name")])
def test_a_value_cannot_be_changed(attempt: Callable[[Any], None]) -> None:
    for frozen in (Ours("a"), Theirs("a")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            attempt(frozen)
    assert not hasattr(Ours("a"), "__dict__")


def test_a_default_that_is_made_is_made_for_each_value() -> None:
    one, other = Ours("a"), Ours("b")
    one.notes["seen"] = 1
    assert other.notes == {}
    assert Ours("a", notes={"x": 2}).notes == {"x": 2}


def test_values_that_hold_the_same_are_one_key_and_what_cannot_be_hashed_says_so() -> None:
    assert len({Fingerprint("m", "1", "p", 4), Fingerprint("m", "1", "p", 4)}) == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours("a"))


def test_a_wrong_field_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match="colour"):
        replace(Ours("a"), colour="red")
    with pytest.raises(TypeError, match="name"):
        Ours()  # type: ignore[call-arg]  # the name is missing on purpose


def test_methods_and_patterns_work_on_values() -> None:
    match Ours("a", 2.0):
        case Ours(name, weight):
            assert (name, weight) == ("a", 2.0)
    assert Ours("a", 2.0).heavy


@pytest.mark.parametrize("kind", CLASSES)
def test_the_fields_and_the_signature_are_those_of_the_class(kind: Any) -> None:
    names = list(kind.__annotations__)
    assert is_value(kind)
    assert dataclasses.is_dataclass(kind)
    assert (
        [field.name for field in dataclasses.fields(kind)]
        == names
        == list(inspect.signature(kind).parameters)
    )
    assert not is_value(int)
    assert not is_value("Ours")
