"""Tools for models, made from the operations table: what they take and refuse. `test_mcp` calls
them as an agent does.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gieok.commands.command import Surface
from gieok.commands.request import check_request, default_of, request_schema
from gieok.errors import BadRequest, Phrase
from gieok.surfaces import tool_table, tools
from gieok.text.flags import find_parameters, name_parameters


@pytest.mark.parametrize("name", tool_table.load_tool_operations())
def test_a_schema_is_valid_and_holds_every_parameter_with_its_default(name: str) -> None:
    found = tool_table.load_tool_operations()[name]
    schema = request_schema(found, Surface.MCP)
    Draft202012Validator.check_schema(schema)
    fields = {field.name: field for field in found.parameters if not field.about.cli_only}
    assert schema["properties"].keys() == fields.keys()
    assert schema["required"] == [field.name for field in fields.values() if field.about.needed]
    defaults = {
        n: shown["default"]
        for n, shown in schema["properties"].items()
        if n not in schema["required"]
    }
    Draft202012Validator({**schema, "required": []}).validate(defaults)
    needed = dict.fromkeys(schema["required"], "x")
    unset = {parameter.name: default_of(parameter) for parameter in found.parameters}
    named = check_request(found, defaults | needed, Surface.MCP)
    assert unset | named == unset | check_request(found, needed, Surface.MCP)
    assert len(json.dumps(schema) + tool_table.description(found)) < 1_500, "it costs every prompt"


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "hint"),
    [
        ("memory_search", {"query": 3}, "query is 3", "of type string"),
        ("memory_search", {"query": [3]}, "query is [3]", "of type string"),
        ("memory_search", {"query": "a", "limit": "3"}, "limit is '3'", "of type integer"),
        ("memory_search", {"query": "a", "limit": True}, "limit is True", "of type integer"),
        ("memory_search", {"query": "a", "min_score": None}, "min_score is None", "of type number"),
        (
            "memory_search",
            {"query": "a", "source": "web"},
            "source is 'web'",
            "one of: all, memory, observed, sessions",
        ),
        (
            "memory_search",
            {"query": "a", "explain": True},
            "unknown argument 'explain'",
            "arguments: query, limit",
        ),
        ("memory_search", {}, "query is missing", "gieok search"),
        ("memory_get", {}, "path is missing", "notes/a.md"),
        ("memory_remember", {"text": " "}, "text is missing", "gieok remember"),
        ("memory_dance", {}, "unknown tool 'memory_dance'", "tools: memory_search"),
        ("memory_search", {"query": "a", "limit": -1}, "limit is -1", "from 1 to 1,000"),
        ("memory_search", {"query": "a", "limit": 10**30}, str(10**30), ""),
    ],
)
def test_what_cannot_be_done_names_the_value_and_the_next_step(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, object],
    said: str,
    hint: str,
) -> None:
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop" / ".gieok").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    assert not tools.answer_tool_call("memory_remember", {"text": "It is raining."}).is_refused
    answer = tools.answer_tool_call(tool, arguments)
    assert answer.is_refused
    _, message, rest = answer.text.partition(said)
    assert message == said
    assert hint in rest


def test_the_definitions_are_kept_until_an_operation_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    made = [row["definition"] for row in tool_table.describe_tools()]
    code = "import json, sys; from gieok.surfaces import tools; print(json.dumps(tools.list_tool_definitions()))"
    code += "; print('gieok.commands' in sys.modules)"

    def listed() -> tuple[object, str]:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, text=True
        )
        definitions, imported = done.stdout.splitlines()
        return json.loads(definitions), imported

    assert listed() == (made, "True")
    assert listed() == (made, "False")
    file = tmp_path / "home" / "tools.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text(
        file.read_text()
        .replace("Find the lines", "Find other lines")
        .replace('"fingerprint": "', '"fingerprint": "0')
    )
    assert listed() == (made, "True")
    file.write_text("{")
    assert listed() == (made, "True")


def test_a_whole_number_is_a_number_and_the_other_way_round() -> None:
    search = tool_table.load_tool_operations()["memory_search"]
    assert check_request(search, {"query": "a", "min_score": 1}, Surface.MCP)["min_score"] == 1.0
    assert check_request(search, {"query": "a", "limit": 3.0}, Surface.MCP)["limit"] == 3


def test_an_error_leaves_the_callers_value_and_names_no_parameter_that_the_tool_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    (tmp_path / "shop" / ".gieok").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    assert not tools.answer_tool_call("memory_remember", {"text": "It is raining."}).is_refused
    text = "deploy --dry-run"
    said = tools.answer_tool_call("memory_search", {"query": "a", "since": text}).text
    assert f"{text!r}" in said
    flags = set[str]()
    for name, values in (
        ("memory_search", {"query": "a", "since": "someday"}),
        ("memory_search", {"query": " "}),
        ("memory_forget", {"handles": "deadbeef"}),
        ("memory_remember", {"text": "x", "until": "someday"}),
    ):
        told = tools.answer_tool_call(name, values)
        assert told.is_refused
        flags |= set(re.findall("`--[a-z]|give `[a-z_]+`", told.text))
    assert flags == set()


def test_a_hint_of_parameters_that_a_tool_lacks_is_left_out() -> None:
    hint = Phrase("name memories, or give --match: `gieok list --scope user`, {value}", value="--a")
    assert find_parameters(hint) == {"match"}
    assert name_parameters(hint) == (
        "name memories, or give `match`: `gieok list --scope user`, --a"
    )
    row = tools._load_tool_rows()["memory_forget"]
    refused = tools._refuse_call(row, BadRequest("what --handles, {x}?", x="--y", hint=hint))
    assert refused.text == "what `handles`, --y?"


def test_a_server_of_tools_is_light_at_its_start() -> None:
    """A session has one each, and most need neither the network nor mail."""
    code = (
        "import sys, gieok.surfaces.mcp; print(*sorted({'email', 'http', 'ssl'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == ""
