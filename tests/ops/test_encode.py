"""One encoder makes the documented JSON of every result, and one function describes it as JSON Schema."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple

import forked
import pytest
import world as worlds
from jsonschema import Draft202012Validator

from gieok.model.memory import Scope
from gieok.ops import NAMES, operation
from gieok.ops.encode import INLINE, As, Hidden, Inline, Omitted, OrNull, Score, encode, result_schema, schema, shown
from gieok.ops.operation import Surface, Words

#: They start or stop processes; `test_daemon` tries them.
_OF_THE_DAEMON = ("up", "down", "code watch", "logs")


class _Colour(Enum):
    RED = "red"


class _Size(NamedTuple):
    width: int
    height: int


def _area(size: _Size) -> int:
    return size.width * size.height


@dataclass(frozen=True, slots=True)
class _Record:
    """Everything that an annotation can say."""

    from_: Path
    note: OrNull[str]
    score: Score
    size: Inline[_Size]
    area: Annotated[_Size, As(_area)]
    rows: tuple[_Size, ...]
    by_day: dict[date, float]
    more: Annotated[dict[str, int], INLINE]
    extra: Omitted[str]
    secret: Hidden[str] = "hidden"

    @property
    @shown
    def colour(self) -> _Colour:
        return _Colour.RED


def _record(note: str, extra: str | None) -> _Record:
    size = _Size(2, 3)
    return _Record(Path("/a"), note, 0.123456, size, size, (size,), {date(2026, 11, 22): 1}, {"one": 1}, extra)


@pytest.mark.parametrize(("note", "extra"), [("", None), ("said", "more")])
def test_a_record_is_encoded_as_its_annotations_say(note: str, extra: str | None) -> None:
    assert encode(_record(note, extra)) == {
        "from": "/a", "note": note or None, "score": 0.1235, "width": 2, "height": 3, "area": 6,
        "rows": [{"width": 2, "height": 3}], "by_day": {"2026-11-22": 1}, "one": 1, "colour": "red",
    } | ({"extra": extra} if extra else {})  # fmt: skip
    Draft202012Validator(schema(_Record)).validate(encode(_record(note, extra)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Scope("agent:main"), "agent:main"),
        (datetime(2026, 11, 22, 9, tzinfo=UTC), "2026-11-22T09:00:00+00:00"),
        (Words("note", "알림"), "note"),
        ({Scope("a:b"): None}, {"a:b": None}),
    ],
)
def test_a_value_is_a_text_where_json_has_no_type_for_it(value: object, expected: object) -> None:
    assert encode(value) == expected


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, object]]:
    """Return a function that gives the JSON of an operation: all have run once for a user, in the order of the table."""
    world = worlds.make(tmp_path_factory.mktemp("user"))
    environment = world.environment(GIEOK_EMBEDDER="none")
    with forked.commands() as commands:
        found = {
            name: commands.run(world.words(name, "--json"), environment, world.project, given="key\n").out
            for name in worlds.CALLS
            if name not in _OF_THE_DAEMON
        }
    return lambda name: json.loads(found[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_what_its_schema_says(name: str, answer: Callable[[str], dict[str, object]]) -> None:
    described = result_schema(operation(name))
    Draft202012Validator.check_schema(described)
    if Surface.MCP in operation(name).surfaces:
        assert described["type"] == "object"
    data = {} if name in _OF_THE_DAEMON else answer(name)
    if name not in _OF_THE_DAEMON and "error" not in data:
        Draft202012Validator(described).validate(data)
        if "properties" in described and "additionalProperties" not in described:
            assert data.keys() <= described["properties"].keys()
    else:
        assert name in (
            *_OF_THE_DAEMON,
            "code coverage",
            "ask",
            "why",
            "calibrate",
            "keys rotate",
            "store switch",
            "store distribute",
            "journal switch",
        )  # there is nothing to answer with
