"""MCP over stdio, driven by the official client against the program, most often begun as a fork."""

import asyncio
import html
import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import forked
import pytest
from forked import Commands
from mcp import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitRequestFormParams, ElicitResult

import gieok
from gieok.commands import NAMES, load_command
from gieok.commands.command import Effect, Surface
from gieok.surfaces import tool_table, tools
from gieok.surfaces.mcp import McpSession
from gieok.surfaces.mcp_consent import OpenPreviews
from gieok.surfaces.mcp_person import AskedPerson, PersonAnswer

_Call = tuple[str, dict[str, object]]


class Place(NamedTuple):
    project: Path
    environment: dict[str, str]
    commands: Commands
    #: Command line of `gieok` that begins as a fork.
    program: tuple[str, ...]

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *arguments],
            input=given,
            capture_output=True,
            check=False,
            cwd=self.project,
            env=self.environment,
        )

    def cli(self, *arguments: str) -> Any:
        words = (*arguments, "--json")
        return json.loads(self.commands.run(words, self.environment, self.project).out)

    def text(self, *arguments: str) -> str:
        words = ("--lang", "en", *arguments)
        return self.commands.run(words, self.environment, self.project).out.rstrip("\n")

    def describe_server(self, *program: str) -> StdioServerParameters:
        command, *arguments = program or self.program
        return StdioServerParameters(
            command=command, args=[*arguments, "mcp"], env=self.environment, cwd=self.project
        )

    def talk(self, conversation: Callable[[ClientSession], Awaitable[Any]], *program: str) -> Any:
        """Start a server, speak with it, and return what came of it."""
        server = self.describe_server(*program)

        async def main() -> Any:
            async with stdio_client(server) as streams, ClientSession(*streams) as session:
                return await conversation(session)

        return asyncio.run(main())

    def call(self, *calls: _Call, at_once: bool = False) -> list[Any]:
        """Return the answers of tools, called one after the other or all at once."""

        async def conversation(session: ClientSession) -> list[Any]:
            await session.initialize()
            if at_once:
                return await asyncio.gather(*(session.call_tool(*call) for call in calls))
            return [await session.call_tool(*call) for call in calls]

        return self.talk(conversation)


def _told(answer: Any) -> str:
    """Return what stands between the fences of an answer."""
    (part,) = answer.content
    head, _, rest = part.text.partition("\n")
    data, _, end = rest.rpartition("\n")
    assert (head, end) == ('<memory-data source="gieok">', "</memory-data>")
    return str(html.unescape(data)).rstrip("\n")


@pytest.fixture(scope="module")
def program() -> Iterator[tuple[str, ...]]:
    with forked.program("gieok.surfaces.mcp") as program:
        yield program


@pytest.fixture
def place(tmp_path: Path, commands: Commands, program: tuple[str, ...]) -> Place:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    own = {"HOME": str(tmp_path), "GIEOK_HOME": str(tmp_path / "home"), "GIEOK_EMBEDDER": "none"}
    return Place(
        tmp_path / "shop",
        os.environ | own | {"PYTHONPATH": str(Path(gieok.__file__).parents[1])},
        commands,
        program,
    )


def test_the_tools_are_the_operations_that_name_the_surface(place: Place) -> None:
    async def conversation(session: ClientSession) -> tuple[Any, Any]:
        return await session.initialize(), (await session.list_tools()).tools

    server, listed = place.talk(conversation, sys.executable, "-m", "gieok")
    expected = {
        o.tool or tool_table.tool_name(o.name): o
        for o in map(load_command, NAMES)
        if Surface.MCP in o.surfaces
    }
    assert expected.keys() >= {"memory_search", "memory_get", "memory_remember", "memory_status"}
    assert expected.keys() >= {"code_search", "code_symbol", "code_impact", "code_overview"}
    assert {
        tool.name: (tool.description, tool.input_schema, tool.output_schema) for tool in listed
    } == {
        name: (tool_table.description(o), tool_table.build_tool_schema(o), None)
        for name, o in expected.items()
    }
    hints = [
        (
            t.annotations.read_only_hint,
            t.annotations.destructive_hint,
            t.annotations.open_world_hint,
        )
        for t in listed
    ]
    commands = [expected[tool.name] for tool in listed]
    assert hints == [
        (command.effect is Effect.READ, bool(command.person_question.en), False)
        for command in commands
    ]
    assert {tool.name for tool, hint in zip(listed, hints, strict=True) if hint[1]} == {
        "memory_correct",
        "memory_forget",
    }
    assert server.server_info.version == gieok.__version__


def test_every_tool_answers_as_the_command_line_does(place: Place) -> None:
    ours, theirs = "린터는 ruff를 쓰기로 했다.", "Deploys go out on Tuesday mornings."
    cli_made = place.cli(
        "remember", theirs, "--title", "Deploy window", "--category", "constraint", "--tags", "ops"
    )
    path = f"{cli_made['path'].removeprefix('.gieok/')}:1-3"
    made, known, found, got, status, gone = answers = place.call(
        ("memory_remember", {"text": ours, "category": "preference"}),
        (
            "memory_remember",
            {"text": theirs, "title": "Deploy window", "category": "constraint", "tags": "ops"},
        ),
        ("memory_search", {"query": "린터", "limit": 2, "min_score": 0}),
        ("memory_get", {"path": path}),
        ("memory_status", {}),
        ("memory_get", {"path": "memory/nowhere.md"}),
    )
    assert not any(answer.is_error for answer in answers)
    shown = place.text("remember", theirs, "--title", "Deploy window", "--category", "constraint")
    assert _told(known) == shown.replace("`", "'")  # an agent gets no mark of code inside its data
    assert "린터는 ruff를 쓰기로 했다." in _told(made)
    assert place.cli("remember", ours, "--category", "preference")["status"] == "known"
    assert _told(found) == place.text("search", "린터", "--limit", "2", "--min-score", "0")
    assert "ruff" in _told(found)
    assert _told(got) == place.text("get", path)
    assert _told(gone) == "memory/nowhere.md is not there"
    assert "2 documents" in _told(status)


def test_an_answer_travels_once_and_its_length_is_that_of_its_text(place: Place) -> None:
    (answer,) = place.call(("memory_remember", {"text": "Deploys go out on Tuesday mornings."}))
    sent = answer.model_dump(by_alias=True, exclude_none=True)
    assert [part["type"] for part in sent["content"]] == ["text"]
    assert "structuredContent" not in sent
    assert json.dumps(sent, ensure_ascii=False).count("Deploys go out on Tuesday mornings.") == 1


# first memory_remember, but every memory_search of the session goes on to look in agent:main.
def test_what_is_remembered_first_in_a_new_project_is_found_in_the_same_session(
    place: Place,
) -> None:
    made, found = place.call(
        ("memory_remember", {"text": "린터는 ruff를 쓴다."}), ("memory_search", {"query": "린터"})
    )
    assert not made.is_error
    assert not found.is_error, found.content[0].text
    assert "ruff" in found.content[0].text


def test_what_cannot_be_done_is_an_error_that_a_model_can_read(place: Place) -> None:
    refused: list[tuple[_Call, str, str]] = [
        (("memory_search", {"query": "a"}), "nothing is remembered yet", "gieok index"),
        (("memory_search", {"query": "a", "limit": "many"}), "limit is 'many'", "type integer"),
        (
            ("memory_search", {"query": "a", "colour": "red"}),
            "unknown argument 'colour'",
            "arguments: query",
        ),
        (("memory_dance", {}), "unknown tool 'memory_dance'", "tools: memory_search"),
        (("memory_get", {"path": "../../etc/passwd"}), "../../etc/passwd", ""),
    ]
    answers = place.call(
        *(call for call, _, _ in refused), ("memory_remember", {"text": "It still works."})
    )
    assert [answer.is_error for answer in answers] == [True] * 5 + [False]
    for answer, (_, said, hint) in zip(answers, refused, strict=False):
        assert said in answer.content[0].text
        assert hint in answer.content[0].text


def test_calls_at_the_same_time_are_all_answered(place: Place) -> None:
    made: list[_Call] = [
        ("memory_remember", {"text": f"Fact number {n} of {n * 7}."}) for n in range(6)
    ]
    answers = place.call(*made, *[("memory_status", {})] * 6, at_once=True)
    assert [answer.content[0].text for answer in answers if answer.is_error] == []
    assert place.cli("status")["documents"] == 6


def test_the_server_needs_no_package_at_all(place: Place) -> None:
    code = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "pydantic", "anyio", "numpy", "yaml"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv[1:] = ["mcp"]
from gieok.__main__ import main
sys.exit(main())
"""
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = place.run("-c", code, given=asked)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "memory_search" in {tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]}


@pytest.mark.parametrize("answer", ["accept", "decline", "cancel"])
def test_a_person_is_asked_before_a_memory_is_corrected_or_forgotten(
    place: Place, answer: Literal["accept", "decline", "cancel"]
) -> None:
    for text in ("Payments are settled on Tuesdays.", "The office opens at nine."):
        place.cli("remember", text)
    asked: list[str] = []

    async def ask(_: object, params: ElicitRequestFormParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=answer)

    def handle(question: str) -> str:
        return str(place.cli("search", question)["results"][0]["handle"])

    async def main() -> list[Any]:
        server = place.describe_server()
        async with (
            stdio_client(server) as streams,
            ClientSession(*streams, elicitation_callback=ask) as session,
        ):
            await session.initialize()
            office, payments = handle("office opens"), handle("payments settled")
            text = "Payments are settled on Wednesdays."
            return [
                await session.call_tool("memory_correct", {"handle": payments, "text": text}),
                await session.call_tool("memory_forget", {"handles": office}),
                await session.call_tool("memory_forget", {"handles": "deadbeef"}),
                await session.call_tool("memory_correct", {"handle": payments}),
            ]

    corrected, forgotten, unknown, empty = asyncio.run(main())
    is_agreed = answer == "accept"
    assert corrected.is_error is forgotten.is_error is not is_agreed
    assert unknown.is_error
    assert empty.is_error
    first, second = asked  # nobody is asked about what is not there
    assert re.match(r"Correct this memory\? \([0-9a-f]{8}, project:.*\)\n    ", first)
    assert "\n    Payments are settled on Tuesdays." in first
    assert first.endswith("\n→\n    Payments are settled on Wednesdays.")
    assert re.match(r"Forget this memory for good\? \([0-9a-f]{8}, project:.*\)\n    ", second)
    assert "\n    The office opens at nine." in second
    assert second.endswith(".md")  # the file that is deleted
    found = [row["text"] for row in place.cli("list")["memories"]]
    assert any("Wednesdays" in text for text in found) is is_agreed
    assert any("opens at nine" in text for text in found) is not is_agreed
    if not is_agreed:
        assert "the user did not agree" in corrected.content[0].text


_TOKEN = re.compile(r'`confirm`: "([0-9a-f]{12})"')


def _text(answer: Any) -> str:
    (part,) = answer.content
    return str(part.text)


@pytest.mark.parametrize(
    ("tool", "values"), [("memory_forget", {}), ("memory_correct", {"text": "It opens at ten."})]
)
def test_without_a_way_to_ask_a_call_is_a_preview_and_its_token_confirms_it(
    place: Place, tool: str, values: Mapping[str, str]
) -> None:
    place.cli("remember", "The office opens at nine.")
    handle = place.cli("search", "office opens")["results"][0]["handle"]
    given = {"handles" if tool == "memory_forget" else "handle": handle, **values}

    async def confirm(session: ClientSession) -> tuple[Any, Any, Any, Any]:
        preview = await session.call_tool(tool, given)
        (unchanged,) = place.cli("list")["memories"]
        found = _TOKEN.search(_text(preview))
        assert found
        wrong = await session.call_tool(tool, {**given, "confirm": "0" * 12})
        (still,) = place.cli("list")["memories"]
        assert unchanged == still
        done = await session.call_tool(tool, {**given, "confirm": found[1]})
        again = await session.call_tool(tool, {**given, "confirm": found[1]})
        return preview, wrong, done, again

    preview, wrong, done, again = place.talk(confirm)
    assert not preview.is_error
    told = _text(preview)
    assert told.startswith("Nothing is changed yet. Show the user")
    shown = told.partition("<memory-data")[2]
    assert "The office opens at nine." in shown
    assert values.get("text", "×") in shown
    assert wrong.is_error
    assert "does not fit" in _text(wrong)
    assert not done.is_error
    assert again.is_error  # the memory is another now, or gone
    left = [row["text"] for row in place.cli("list")["memories"]]
    assert left == list(values.values())


def test_a_token_confirms_no_other_text_and_no_other_memory(place: Place) -> None:
    office, lift = (
        _kept(place, text) for text in ("The office opens at nine.", "The lift is broken.")
    )

    async def confuse(session: ClientSession) -> list[Any]:
        asked = {"handle": office, "text": "It opens at ten."}
        found = _TOKEN.search(_text(await session.call_tool("memory_correct", asked)))
        assert found
        confirm = {"confirm": found[1]}
        calls = (
            ("memory_correct", {**asked, "text": "It opens at noon."}),
            ("memory_correct", {**asked, "handle": lift}),
            ("memory_forget", {"handles": office}),
        )
        return [await session.call_tool(tool, {**given, **confirm}) for tool, given in calls]

    assert all("does not fit" in _text(answer) for answer in place.talk(confuse))
    assert sorted(row["text"] for row in place.cli("list")["memories"]) == [
        "The lift is broken.",
        "The office opens at nine.",
    ]


def test_a_token_is_used_up_also_where_the_user_undoes_the_change(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    given = {"handle": handle, "text": "The office opens at ten."}
    found = _TOKEN.search(tools.answer_tool_call("memory_correct", given).text)
    assert found
    confirmed = {**given, "confirm": found[1]}
    assert not tools.answer_tool_call("memory_correct", confirmed).is_refused
    (row,) = here.cli("list")["memories"]
    here.cli("edit", row["handle"], "The office opens at nine.")
    again = tools.answer_tool_call("memory_correct", confirmed)
    assert again.is_refused
    assert "does not fit" in again.text
    (row,) = here.cli("list")["memories"]
    assert row["text"] == "The office opens at nine."


def test_a_token_is_good_for_ten_minutes_and_the_oldest_of_many_for_none(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    seconds = [1_000.0]
    previews = OpenPreviews(lambda: seconds[0])

    def preview() -> str:
        asked = {"handle": handle, "text": "It opens at ten."}
        found = _TOKEN.search(
            tools.answer_tool_call("memory_correct", asked, previews=previews).text
        )
        assert found
        return found[1]

    def confirm(token: str) -> bool:
        asked = {"handle": handle, "text": "It opens at ten.", "confirm": token}
        answer = tools.answer_tool_call("memory_correct", asked, previews=previews)
        assert not answer.is_refused or "does not fit" in answer.text
        return not answer.is_refused

    late = preview()
    seconds[0] += 601
    assert not confirm(late)
    first, *rest = [preview() for _ in range(33)]
    assert len({first, *rest}) == 33
    assert not confirm(first)
    seconds[0] += 599
    assert confirm(rest[0])


@pytest.mark.parametrize("has_person", [True, False])
def test_a_correction_that_cannot_be_shown_whole_is_refused(here: Place, has_person: bool) -> None:
    handle = _kept(here, "The office opens at nine.")
    given = {"handle": handle, "text": f"{'It opens. ' * 100}And all may be deleted."}
    told = (
        Talk().refusal("memory_correct", given)
        if has_person
        else tools.answer_tool_call("memory_correct", given).text
    )
    assert "more than 1,000 characters" in told
    assert f"`gieok edit {handle}`" in told
    (row,) = here.cli("list")["memories"]
    assert row["text"] == "The office opens at nine."
    shown = tools.answer_tool_call("memory_correct", {**given, "text": "x" * 1_000}).text
    assert "x" * 1_000 in shown


def test_a_tool_that_needs_consent_says_what_it_takes_and_that_it_shows_a_preview(
    here: Place,
) -> None:
    definitions: dict[str, Any] = {row["name"]: row for row in tools.list_tool_definitions()}
    for name, needed in (("memory_correct", ["handle", "text"]), ("memory_forget", ["handles"])):
        described = definitions[name]
        assert described["inputSchema"]["required"] == needed
        assert "end your turn and let the user answer" in described["description"]
        assert "$EDITOR" not in str(described)
        assert len(json.dumps(described)) <= 1_500
    handle = _kept(here, "The office opens at nine.")
    preview = tools.answer_tool_call("memory_forget", {"handles": handle}).text
    assert "end your turn" in preview.partition("<memory-data")[0]


def test_a_token_of_a_memory_that_changed_since_confirms_nothing(place: Place) -> None:
    file = place.project / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text("The office opens at nine.\n")
    place.cli("index", "notes")
    (row,) = place.cli("list")["memories"]

    async def change_between(session: ClientSession) -> Any:
        given = {"handles": row["handle"]}
        found = _TOKEN.search(_text(await session.call_tool("memory_forget", given)))
        assert found
        file.write_text("The office opens at ten.\n")
        return await session.call_tool("memory_forget", {**given, "confirm": found[1]})

    assert "does not fit" in _text(place.talk(change_between))
    assert len(place.cli("list")["memories"]) == 1


def test_a_client_that_can_ask_is_asked_also_where_the_agent_brings_a_token(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    preview = tools.answer_tool_call("memory_forget", {"handles": handle})
    found = _TOKEN.search(preview.text)
    assert found
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle, "confirm": found[1]})
    question = talk.next()
    assert question["method"] == "elicitation/create"
    talk.reply(question, "decline")
    assert talk.next()["result"]["isError"]
    assert len(here.cli("list")["memories"]) == 1


def test_what_an_agent_corrected_is_marked_as_the_agents(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    given = {"handle": handle, "text": "The office opens at ten."}
    found = _TOKEN.search(tools.answer_tool_call("memory_correct", given).text)
    assert found
    assert not tools.answer_tool_call("memory_correct", {**given, "confirm": found[1]}).is_refused
    (row,) = here.cli("list")["memories"]
    assert "\ncorrected_by: agent " in here.text("get", row["handle"])
    versions = here.cli("history", row["handle"])["versions"]
    assert [(version["text"], version["how"]) for version in versions] == [
        ("The office opens at nine.", "kept"),
        ("The office opens at ten.", "corrected_by_agent"),
    ]
    assert "corrected through an agent" in here.text("history", row["handle"])
    row = here.cli("edit", row["handle"], "The office opens at noon.")
    versions = here.cli("history", row["handle"])["versions"]
    assert [version["how"] for version in versions] == ["kept", "corrected_by_agent", "corrected"]
    assert "corrected_by" not in here.text("get", row["handle"])


class Talk:
    """Session in this process whose client has a person, and what the server wrote to it."""

    #: Sessions that still wait; a test that fails leaves its own.
    begun: ClassVar[list["Talk"]] = []

    def __init__(self, version: str = "2025-11-25") -> None:
        self.begun.append(self)
        self._written: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.session = McpSession(self._written.put)
        self.say_hello(version)

    def say_hello(self, version: str = "2025-11-25") -> None:
        hello = {"protocolVersion": version, "capabilities": {"elicitation": {}}}
        self.send({"id": 0, "method": "initialize", "params": hello})
        self.next()

    def send(self, message: Mapping[str, object]) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def call(self, identity: int, tool: str, arguments: Mapping[str, object]) -> None:
        params = {"name": tool, "arguments": arguments}
        self.send({"id": identity, "method": "tools/call", "params": params})

    def reply(self, question: Any, action: str) -> None:
        self.send({"id": question["id"], "result": {"action": action}})

    def cancel(self, identity: int) -> None:
        self.send({"method": "notifications/cancelled", "params": {"requestId": identity}})

    def next(self) -> Any:
        """Return the next message; raises where none comes."""
        return self._written.get(timeout=60)

    def refusal(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Return the text with which a call is refused before anybody is asked."""
        self.call(1, tool, arguments)
        answer = self.next()
        assert "result" in answer, answer
        assert answer["result"]["isError"]
        return str(answer["result"]["content"][0]["text"])

    def end(self) -> list[Any]:
        """End the session; return what was written and not read yet."""
        self.session.finish()
        rest = []
        while not self._written.empty():
            rest.append(self._written.get())
        return rest


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Return the place, which this process is in too."""
    for name in ("HOME", "GIEOK_HOME", "GIEOK_EMBEDDER"):
        monkeypatch.setenv(name, place.environment[name])
    monkeypatch.chdir(place.project)
    monkeypatch.setenv("GIEOK_LANG", "en")
    yield place
    while Talk.begun:
        Talk.begun.pop().session.finish()


def _kept(place: Place, text: str, *options: str) -> str:
    """Remember a text; return its handle."""
    place.cli(*options, "remember", text)
    memories = place.cli(*options, "list")["memories"]
    return next(str(row["handle"]) for row in memories if text in row["text"])


def test_a_person_who_leaves_does_not_agree(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle})
    assert talk.next()["method"] == "elicitation/create"
    talk.send({"id": "gieok-9", "result": {"action": "accept"}})  # no question of ours
    (answer,) = talk.end()
    assert "the user did not agree" in answer["result"]["content"][0]["text"]
    assert len(here.cli("list")["memories"]) == 1


def test_a_client_that_says_hello_again_still_answers_the_open_question(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle})
    asked = talk.next()
    talk.say_hello()
    talk.reply(asked, "accept")
    answer = talk.next()
    assert "forgotten" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_correct", {"handle": "HANDLE", "text": ["It opens at ten."]}),
        ("memory_correct", {"handle": "HANDLE"}),
        ("memory_correct", {"handle": "HANDLE", "text": "x", "important": True}),
        ("memory_forget", {"handles": ["HANDLE"]}),
        ("memory_forget", {"handles": "HANDLE", "yes": True}),
        ("memory_forget", {}),
    ],
)
def test_a_call_that_is_not_one_text_a_parameter_is_refused(
    here: Place, tool: str, arguments: Mapping[str, object]
) -> None:
    handle = _kept(here, "The office opens at nine.")
    given = json.loads(json.dumps(arguments).replace("HANDLE", handle))
    refusal = Talk().refusal(tool, given)
    assert "takes one text for each of its parameters, and nothing else" in refusal
    assert "give each a text: handle" in refusal
    (kept,) = here.cli("list")["memories"]
    assert kept["text"] == "The office opens at nine."


@pytest.mark.parametrize(
    "name",
    [
        "decision/the-office-opens-at-nine.md",
        "the-office-opens-at-nine",
        "{handle}#L1",
        "$(id)",
        "3fa",
    ],
)
def test_a_memory_is_changed_by_its_handle_alone(here: Place, name: str) -> None:
    handle = _kept(here, "The office opens at nine.")
    typed = name.format(handle=handle)
    for tool, values in (
        ("memory_forget", {"handles": typed}),
        ("memory_correct", {"handle": typed, "text": "It opens at ten."}),
    ):
        told = Talk().refusal(tool, values)
        assert f"{typed!r} is no handle. `memory_search` and `memory_list` show handles" in told
        assert f"gieok {tool.removeprefix('memory_')} " not in told


def test_a_plan_of_more_than_one_memory_is_refused(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    # a record of the user that is called like the handle
    file = Path(here.environment["GIEOK_HOME"]) / "memory" / "decision" / f"{handle}.md"
    file.parent.mkdir(parents=True)
    file.write_text("The lift is broken.\n")
    told = Talk().refusal("memory_forget", {"handles": handle})
    assert "more than one memory" in told
    assert f"`gieok forget {handle}`" in told


def test_a_memory_of_another_project_is_not_forgotten(here: Place) -> None:
    _kept(here, "The office opens at nine.")
    handle = _kept(here, "The lift is broken.", "--scope", "agent:other")
    assert "no memory has the handle" in Talk().refusal("memory_forget", {"handles": handle})


def test_a_memory_that_changes_while_the_person_thinks_stays(here: Place) -> None:
    file = here.project / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text("The office opens at nine.\n")
    here.cli("index", "notes")
    (row,) = here.cli("list")["memories"]
    handle = row["handle"]
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle})
    question = talk.next()
    file.write_text(file.read_text().replace("nine", "ten"))
    talk.reply(question, "accept")
    assert "changed while the user was asked" in talk.next()["result"]["content"][0]["text"]
    assert len(here.cli("list")["memories"]) == 1


def test_a_cancelled_call_changes_nothing_and_its_question_is_withdrawn(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    talk.call(7, "memory_forget", {"handles": handle})
    question = talk.next()
    talk.cancel(7)
    withdrawn = talk.next()
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == question["id"]
    talk.reply(question, "accept")  # it was on its way
    assert talk.end() == []
    assert len(here.cli("list")["memories"]) == 1


def test_a_call_that_is_cancelled_behind_the_yes_changes_nothing(
    here: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    answer = AskedPerson.ask

    def agree_and_cancel(person: AskedPerson, question: str, call_id: str | int) -> PersonAnswer:
        agreed = answer(person, question, call_id)
        talk.cancel(7)
        return agreed

    monkeypatch.setattr(AskedPerson, "ask", agree_and_cancel)
    talk.call(7, "memory_forget", {"handles": handle})
    talk.reply(talk.next(), "accept")
    assert talk.end() == []
    assert len(here.cli("list")["memories"]) == 1


def test_a_question_shows_what_is_hidden_and_says_what_it_leaves_out(here: Place) -> None:
    first = "A\u202e bell\u0007 and a fold."
    file = here.project / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text(f"{first}\n→\nForget nothing? (deadbeef, user)\n{'long ' * 300}\n")
    here.cli("index", "notes")
    (row,) = here.cli("list")["memories"]
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": row["handle"]})
    message = str(talk.next()["params"]["message"])
    head, *lines = message.split("\n")
    assert head.startswith(f"Forget this memory for good? ({row['handle']}, ")
    assert "    A<U+202E> bell<U+0007> and a fold." in lines
    assert "    →" in lines
    assert "    Forget nothing? (deadbeef, user)" in lines
    cut = len(file.read_text().strip()) - 1_000
    assert f"… (+{cut} characters)" in lines
    assert [line for line in lines if not line.startswith(("    ", "… (+", "× "))] == []
    talk.end()


def test_while_a_person_thinks_other_tools_run_and_nobody_else_asks(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle})
    question = talk.next()
    for identity in range(2, 20):
        talk.call(identity, "memory_forget", {"handles": handle})
        refused = talk.next()
        assert refused["id"] == identity
        assert "is being asked about another call" in refused["result"]["content"][0]["text"]
    talk.call(20, "memory_dance", {})
    assert talk.next()["id"] == 20
    talk.reply(question, "decline")
    assert talk.next()["id"] == 1


def test_many_calls_that_wait_for_a_person_hold_no_place(
    here: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gieok.surfaces.mcp._MOST_CALLS", 1)
    handle = _kept(here, "The office opens at nine.")
    talk = Talk()
    talk.call(1, "memory_forget", {"handles": handle})
    question = talk.next()
    talk.call(2, "memory_dance", {})
    assert talk.next()["id"] == 2
    talk.reply(question, "decline")
    assert talk.next()["id"] == 1


def test_a_batch_asks_nobody(here: Place) -> None:
    handle = _kept(here, "The office opens at nine.")
    talk = Talk("2025-03-26")
    params = {"name": "memory_forget", "arguments": {"handles": handle}}
    row = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    reading = threading.Thread(target=talk.session.receive, args=(json.dumps([row]).encode(),))
    reading.daemon = True
    reading.start()
    (answer,) = talk.next()
    assert "Nothing is changed yet" in answer["result"]["content"][0]["text"]
    assert len(here.cli("list")["memories"]) == 1
    reading.join(60)


def test_a_version_in_each_request_is_understood_too(place: Place) -> None:
    async def main() -> tuple[Any, Any]:
        server = place.describe_server()
        async with Client(server, mode="2026-07-28") as client:
            listed = await client.list_tools()
            return listed.tools, await client.call_tool("memory_status", {})

    listed, status = asyncio.run(main())
    assert "memory_search" in {tool.name for tool in listed}
    assert "Memory: empty" in _told(status)


def test_a_version_that_nobody_knows_is_refused_with_those_that_are_served(place: Place) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    done = place.run("-m", "gieok", "mcp", given=json.dumps(asked).encode() + b"\n")
    assert json.loads(done.stdout)["error"]["data"] == {
        "supported": ["2026-07-28"],
        "requested": "2031-01-01",
    }


def test_a_cancelled_call_is_not_answered_and_the_session_goes_on() -> None:
    written: list[Mapping[str, Any]] = []
    session = McpSession(written.append)
    session.receive(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}'
    )
    session.receive(
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory_dance"}}'
    )
    session.receive(
        b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"memory_dance"}}'
    )
    session.finish()
    assert [row["id"] for row in written] == [6]
