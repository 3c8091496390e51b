"""The project of a packaged MCP server: told as a root, as an argument, or not at all."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces import tools
from gieok.surfaces.mcp import McpSession
from gieok.surfaces.mcp_roots import ProjectRoots
from gieok.surfaces.tools import ToolAnswer


class Client:
    """A client of one session: what it is sent, and in which folder its calls were answered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path, *, packaged: bool) -> None:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("GIEOK_MCP_ROOTS", "1" if packaged else "")
        self.written: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []

        def answer(name: str, arguments: Any, *, folder: str, person: Any) -> ToolAnswer:
            del name, person
            self.calls.append((folder, dict(arguments)))
            return ToolAnswer("found", is_refused=False)

        monkeypatch.setattr(tools, "answer_tool_call", answer)
        self.session = McpSession(self.written.append)

    def send(self, **message: object) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def say_hello(self, **capabilities: object) -> None:
        params = {"protocolVersion": "2025-11-25", "capabilities": capabilities}
        self.send(id=0, method="initialize", params=params)
        self.send(method="notifications/initialized")

    def tell_roots(self, *addresses: object) -> None:
        asked = [row["id"] for row in self.written if row.get("method") == "roots/list"]
        self.send(id=asked[-1], result={"roots": [{"uri": address} for address in addresses]})

    def search(self, **arguments: object) -> tuple[str, dict[str, Any]]:
        params = {"name": "memory_search", "arguments": {"query": "x", **arguments}}
        self.send(id=1, method="tools/call", params=params)
        self.session.finish()
        return self.calls[-1]

    def list_arguments(self) -> set[str]:
        self.send(id=2, method="tools/list")
        listed = self.written[-1]["result"]["tools"]
        return set.intersection(*(set(tool["inputSchema"]["properties"]) for tool in listed))


def test_a_client_that_tells_its_roots_is_asked_and_asked_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = tmp_path / "my shop", tmp_path / "other"
    shop.mkdir()
    other.mkdir()
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello(roots={"listChanged": True})
    client.tell_roots("https://example.org", "file:///nowhere", shop.as_uri())
    assert client.search() == (str(shop), {"query": "x"})
    assert "project" not in client.list_arguments()
    client.send(method="notifications/roots/list_changed")
    client.tell_roots(other.as_uri())
    assert client.search()[0] == str(other)


def test_a_root_that_is_no_address_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop #1?"
    shop.mkdir()
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello(roots={})
    client.tell_roots(
        "file://[", "http://[::1", "file:///a%00b", "file:///" + "x" * 9_000, 3, shop.as_uri()
    )
    assert client.search()[0] == str(shop)


def test_a_client_that_closed_its_project_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello(roots={})
    client.tell_roots(shop.as_uri())
    assert client.search()[0] == str(shop)
    client.send(method="notifications/roots/list_changed")
    client.tell_roots()
    assert client.search()[0] == str(tmp_path)


def test_a_client_that_stays_silent_holds_up_one_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []

    class Silent(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.extend([] if self.is_set() else [timeout])
            return self.is_set()

    monkeypatch.setattr("gieok.surfaces.mcp_roots.threading.Event", Silent)
    roots = ProjectRoots(lambda row: None, {"GIEOK_MCP_ROOTS": "1"})
    roots.greet({"capabilities": {"roots": {}}})
    for _ in range(3):
        roots.find_place({})
    assert len(waits) == 1


def test_a_client_without_roots_names_the_project_in_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello()
    assert client.list_arguments() == {"project"}
    assert client.search(project=str(shop)) == (str(shop), {"query": "x"})
    for unnamed in ({}, {"project": None}, {"project": ""}):
        assert client.search(**unnamed) == (str(tmp_path), {"query": "x"})
    assert all(row.get("method") is None for row in client.written)


@pytest.mark.parametrize("named", ["shop", "/nowhere", "/a\0b", "/" + "x" * 9_000, 3, True])
def test_a_project_that_is_not_there_is_refused_and_not_taken_for_all_projects(
    named: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello()
    params = {"name": "memory_remember", "arguments": {"text": "x", "project": named}}
    client.send(id=1, method="tools/call", params=params)
    client.session.finish()
    assert client.calls == []
    answer = client.written[-1]["result"]
    assert answer["isError"]
    text = answer["content"][0]["text"]
    assert text == f"no folder {named!r}. give the absolute path of the project's folder"


def test_a_call_after_the_roots_changed_waits_for_the_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = tmp_path / "shop", tmp_path / "other"
    shop.mkdir()
    other.mkdir()
    client = Client(monkeypatch, tmp_path, packaged=True)
    client.say_hello(roots={"listChanged": True})
    client.tell_roots(shop.as_uri())
    client.send(method="notifications/roots/list_changed")
    params = {"name": "memory_search", "arguments": {"query": "x"}}
    client.send(id=1, method="tools/call", params=params)
    client.tell_roots(other.as_uri())
    client.session.finish()
    assert [folder for folder, _ in client.calls] == [str(other)]


def test_the_tools_of_a_batch_take_the_project_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(monkeypatch, tmp_path, packaged=True)
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}}
    client.send(id=0, method="initialize", params=hello)
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    client.session.receive(json.dumps(batch).encode())
    pong, listed = client.written[-1]  # type: ignore[misc]
    assert pong["result"] == {}
    assert all("project" in row["inputSchema"]["properties"] for row in listed["result"]["tools"])
    client.session.receive(b"[]")
    assert "error" in client.written[-1]


def test_a_client_that_says_no_hello_can_name_the_project_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(monkeypatch, tmp_path, packaged=True)
    assert client.search(project=str(tmp_path))[0] == str(tmp_path)


def test_a_server_that_an_agent_starts_in_the_project_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(monkeypatch, tmp_path, packaged=False)
    client.say_hello(roots={})
    assert client.list_arguments() == set()
    assert client.search(project="/p") == ("", {"query": "x", "project": "/p"})
    assert all(row.get("method") is None for row in client.written)
