"""Every operation says what it is, in both languages, and stands on every surface.
`tests/test_docs` has the documents.
"""

import shlex
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import gieok
from gieok.commands import NAMES, load_command
from gieok.commands.command import Style, Surface, printable
from gieok.commands.encode import result_schema
from gieok.commands.request import check_request
from gieok.surfaces import parser, tool_table
from gieok.surfaces.arguments import read_command_line
from gieok.surfaces.cli import main
from gieok.surfaces.http.operations import ELSEWHERE, describe_operation_routes, path_of
from gieok.text.messages import Words


def _is_korean(text: str) -> bool:
    return any("가" <= char <= "힣" for char in text)


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_and_its_parameters_are_told_in_english_and_korean(name: str) -> None:
    found = load_command(name)
    assert found.name == name
    texts: list[Words] = [
        found.doc,
        *(field.about.doc for field in found.parameters),
    ]
    for text in texts:
        assert text.en.isascii()
        assert _is_korean(text.say("ko"))
        assert text.say("en") == text.say("fr") == text.en


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_help_lists_every_operation(
    lang: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_LANG", lang)
    groups = sorted({name.split()[0] for name in NAMES if " " in name})
    for arguments in (["--help"], *([group, "--help"] for group in groups)):
        assert main(arguments) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name in NAMES:
        assert name.rpartition(" ")[2] in shown
        assert load_command(name).doc.say(lang) in shown


@pytest.mark.parametrize("name", NAMES)
def test_an_operations_help_names_its_parameters(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    for field in load_command(name).parameters:
        expected = (
            field.name.upper()
            if field.about.positional
            else f"--{field.name.rstrip('_').replace('_', '-')}"
        )
        assert expected in shown
    assert "--json" in shown


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_shows_examples_that_can_be_typed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An example may read from a pipe.
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"We lint with ruff.")))
    found = load_command(name)
    assert found.examples
    for example in found.examples:
        words = shlex.split(example.rpartition("|")[2].partition("<")[0])
        line = read_command_line(words[1:])
        assert (words[0], line.name) == ("gieok", name)
        parsed = parser.of_command(name, "en", lambda error: pytest.fail(str(error))).parsed(
            line.arguments
        )
        check_request(found, parser.values(found, parsed), Surface.CLI)


def test_paths_are_written_as_the_reader_would_write_them() -> None:
    style = Style("en", colour=False, folder="/home/kim/shop", user="/home/kim")
    written = {
        "/home/kim/shop/a.md": "a.md",
        "/home/kim/b/a.md": "~/b/a.md",
        "/home/kim/shopping": "~/shopping",
        "/x": "/x",
    }
    assert {path: style.path(path) for path in written} == written


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gieok.Memory]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIEOK_HOME", str(tmp_path_factory.mktemp("home")))
        yield gieok.open(tmp_path_factory.mktemp("work"), settings={"embedder": "none"})


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_on_every_surface_that_it_says(name: str, memory: gieok.Memory) -> None:
    found, (routes, schemas) = load_command(name), describe_operation_routes()
    assert Surface.CLI in found.surfaces
    with pytest.raises(gieok.GieokError, match="unknown argument 'no_such'"):
        memory.run(name, no_such=1)
    tools = {one.name for one in tool_table.load_tool_operations().values()}
    assert (name in tools) == (Surface.MCP in found.surfaces)
    route = routes.get(path_of(name), {}).get("post")
    assert (route is None) == bool(ELSEWHERE.get(name))
    if route:
        words = [
            route["summary"],
            *(
                one["description"]
                for one in _schema(route["requestBody"], schemas)["properties"].values()
            ),
        ]
        assert words == [
            found.doc.en,
            *(field.about.doc.en for field in found.parameters),
        ]
        assert _schema(route["responses"]["200"], schemas) == result_schema(found)


def _schema(part: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schemas[
        part["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    ]
    Draft202012Validator.check_schema(found)
    return found


def test_no_two_operations_share_a_name_in_the_description() -> None:
    routes, schemas = describe_operation_routes()
    assert len(schemas) == 2 * len(routes)
    assert len({route["post"]["operationId"] for route in routes.values()}) == len(routes)


def test_what_a_terminal_obeys_is_not_printed() -> None:
    assert printable("가\tb\n\x1b[2J\x07\x9b31m\x7f\r") == "가\tb\n�[2J��31m��"


def test_a_style_without_colour_leaves_text_alone() -> None:
    assert Style("en", colour=False).bold("a") + Style("en", colour=False).dim("b") == "ab"
    assert Style("en", colour=True).bold("a") == "\033[1ma\033[0m"
