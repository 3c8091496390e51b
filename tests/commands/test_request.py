"""One check of requests for every surface: types, choices, what is missing, what is unknown."""

import pytest

from gieok.commands import load_command
from gieok.commands.command import Surface
from gieok.commands.request import check_request
from gieok.errors import BadRequest


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ({"query": ["a", "b"]}, "query", ["a", "b"]),
        ({"query": "a b"}, "query", ["a b"]),
        ({"query": "a", "limit": "3"}, "limit", 3),
        ({"query": "a", "min_score": ".5"}, "min_score", 0.5),
        ({"query": "a", "explain": True}, "explain", True),
    ],
)
def test_words_of_the_command_line_become_values(
    values: dict[str, object], name: str, expected: object
) -> None:
    assert check_request(load_command("search"), values, Surface.CLI)[name] == expected


@pytest.mark.parametrize(
    ("values", "said", "hint"),
    [
        ({"query": "a", "limit": "3.5"}, "--limit is '3.5'", "a whole number"),
        ({"query": "a", "min_score": "high"}, "--min-score is 'high'", "a number"),
        ({"query": "a", "source": "web"}, "--source is 'web'", "one of: all, memory"),
        (
            {"query": "a", "source": "session"},
            "--source is 'session'",
            "did you mean sessions? One of: all",
        ),
        ({"query": "a", "colour": "red"}, "unknown argument 'colour'", "arguments: query, limit"),
    ],
)
def test_what_does_not_fit_is_named_with_the_next_step(
    values: dict[str, object], said: str, hint: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        check_request(load_command("search"), values, Surface.CLI)
    assert said in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize("values", [{"text": ["", " "]}, {"title": "a"}])
def test_what_is_needed_and_missing_is_named_with_an_example(values: dict[str, object]) -> None:
    with pytest.raises(BadRequest, match="text is missing") as caught:
        check_request(load_command("remember"), values, Surface.CLI)
    assert "gieok remember" in caught.value.hint


def test_a_number_is_not_negative_unless_that_means_something() -> None:
    with pytest.raises(BadRequest, match="--days is -2") as caught:
        check_request(load_command("observe stats"), {"days": "-2"}, Surface.CLI)
    assert caught.value.hint == "it may not be negative"
    assert (
        check_request(load_command("character points"), {"credit": "-5"}, Surface.CLI)["credit"]
        == -5
    )
