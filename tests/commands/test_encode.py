"""One encoder makes the documented JSON of every result, and one function describes it as JSON
Schema.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest
import world as worlds
from forked import Commands
from jsonschema import Draft202012Validator
from results import check_result

from gieok.commands import NAMES, load_command
from gieok.commands.command import Surface
from gieok.commands.encode import (
    INLINE,
    As,
    Hidden,
    Inline,
    Omitted,
    OrNull,
    Score,
    build_type_schema,
    encode,
    mark_encoded_getter,
    result_schema,
)
from gieok.model.memory import Scope
from gieok.surfaces.http.operations import ELSEWHERE
from gieok.text.messages import Words

#: They start or stop processes; `test_daemon` tries them.
_OF_THE_DAEMON = ("open", "up", "down", "code watch")
#: What others have something to do after.
_BEFORE = ("remember", "code init", "character create", "backup create")
#: They have nothing to answer with.
_REFUSED = ("config edit", "keys rotate", "store switch", "store distribute", "journal switch")


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
    @mark_encoded_getter
    def colour(self) -> _Colour:
        return _Colour.RED


def _record(note: str, extra: str | None) -> _Record:
    size = _Size(2, 3)
    return _Record(
        Path("/a"), note, 0.123456, size, size, (size,), {date(2026, 11, 22): 1}, {"one": 1}, extra
    )


@pytest.mark.parametrize(("note", "extra"), [("", None), ("said", "more")])
def test_a_record_is_encoded_as_its_annotations_say(note: str, extra: str | None) -> None:
    assert encode(_record(note, extra)) == {
        "from": "/a",
        "note": note or None,
        "score": 0.1235,
        "width": 2,
        "height": 3,
        "area": 6,
        "rows": [{"width": 2, "height": 3}],
        "by_day": {"2026-11-22": 1},
        "one": 1,
        "colour": "red",
    } | ({"extra": extra} if extra else {})
    Draft202012Validator(build_type_schema(_Record)).validate(encode(_record(note, extra)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Scope("agent:main"), "agent:main"),
        (datetime(2026, 11, 22, 9, tzinfo=UTC), "2026-11-22T09:00:00+00:00"),
        (Words("note"), "note"),
        ({Scope("a:b"): None}, {"a:b": None}),
    ],
)
def test_a_value_is_a_text_where_json_has_no_type_for_it(value: object, expected: object) -> None:
    assert encode(value) == expected


@pytest.fixture(scope="module")
def answer(
    tmp_path_factory: pytest.TempPathFactory, commands: Commands
) -> Callable[[str], dict[str, object]]:
    """Return a function that gives the JSON of an operation that is not called over HTTP, where
    `test_operations` reads it.
    """
    world = worlds.make(tmp_path_factory.mktemp("user"))
    environment = world.environment(GIEOK_EMBEDDER="none")
    found = {
        name: commands.run(
            world.words(name, "--json"), environment, world.project, given="key\n"
        ).out
        for name in worlds.CALLS
        if name in (*_BEFORE, *ELSEWHERE) and name not in _OF_THE_DAEMON
    }
    return lambda name: json.loads(found[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_an_object_where_a_tool_returns_it(name: str) -> None:
    described = result_schema(load_command(name))
    Draft202012Validator.check_schema(described)
    assert described["type"] == "object" or Surface.MCP not in load_command(name).surfaces


@pytest.mark.parametrize("name", sorted(set(ELSEWHERE) - set(_OF_THE_DAEMON)))
def test_a_result_is_what_its_schema_says(
    name: str, answer: Callable[[str], dict[str, object]]
) -> None:
    data = answer(name)
    assert ("error" in data) == (name in _REFUSED)
    if "error" not in data:
        check_result(name, data)
