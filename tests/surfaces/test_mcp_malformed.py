"""Whatever line `gieok mcp` is sent, it is answered, and the next one too."""

import json
import random
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import world as worlds
from conversation import Conversation
from world import GIEOK

from gieok.surfaces import jsonrpc

_CALL = (
    b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"memory_search",'
    b'"arguments":%s}}'
)
_PING = b'{"jsonrpc":"2.0","id":%s,"method":"ping"}'


@pytest.fixture(scope="module", params=["alone", "daemon"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Conversation]:
    world = worlds.make(tmp_path_factory.mktemp("mcp") / "user")
    environment = world.environment(GIEOK_EMBEDDER="none")
    subprocess.run(
        world.command("index"), cwd=world.project, env=environment, check=True, capture_output=True
    )
    if request.param == "daemon":
        subprocess.run(
            world.command("up"), cwd=world.project, env=environment, check=True, capture_output=True
        )
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*GIEOK, "mcp"], cwd=world.project, env=environment, **pipes) as process:
        conversation = Conversation(process)
        conversation.begin()
        yield conversation
        conversation.end()
    subprocess.run(
        world.command("down"), cwd=world.project, env=environment, check=False, capture_output=True
    )


@pytest.mark.parametrize(
    ("line", "code", "answered"),
    [
        (b"not json", -32700, None),
        (b"", -32700, None),
        (b"   ", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,', -32700, None),
        (b'\xff\xfe{"a"', -32700, None),
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), -32700, None),
        (_PING % b"NaN", -32700, None),
        (_PING % (b"9" * 5000), -32700, None),
        (_CALL % (b"1", b'{"query":' + b"[" * 20_000 + b"]" * 20_000 + b"}"), -32700, None),
        (_CALL % (b"1", b'{"query":' + b"[" * 400 + b"]" * 400 + b"}"), -32600, 1),
        (b"[]", -32600, None),
        (b"[" + _PING % b"1" + b"]", -32600, None),
        (b"null", -32600, None),
        (b'"text"', -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5),
        (b'{"jsonrpc":"2.0","method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":6}', -32600, 6),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7),
        (_PING % b"null", -32600, None),
        (_PING % b"true", -32600, None),
        (_PING % b"1.5", -32600, None),
        (_PING % b'{"a":1}', -32600, None),
        (_PING % rb'"\ud800"', -32600, None),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":7}', -32602, 8),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}', -32602, 9),
        (_CALL % (b"10", rb'{"query":"\ud83d"}'), -32602, 10),
        (_CALL % (b"11", rb'{"\udc00":1}'), -32602, 11),
        (b'{"jsonrpc":"2.0","id":12,"method":"nothing/such"}', -32601, 12),
    ],
)
def test_a_malformed_line_is_answered_with_an_error(
    server: Conversation, line: bytes, code: int, answered: object
) -> None:
    server.write(line)
    answer = server.read()
    assert (answer["error"]["code"], answer["id"]) == (code, answered)
    assert answer["error"]["message"]
    assert server.ask("ping", {}) == {"jsonrpc": "2.0", "id": server.number, "result": {}}


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"query":1e400}',
        b'{"query":{}}',
        b'{"query":"x","limit":%s}' % (b"9" * 400),
        b'{"query":"x","limit":true}',
        b"{}",
        b'{"query":"x","since":"never"}',
        b'{"other":1}',
        b'{"query":null}',
        b'{"query":"x","min_score":-1e308}',
    ],
)
def test_wrong_arguments_are_answered(server: Conversation, arguments: bytes) -> None:
    server.write(_CALL % (b"20", arguments))
    answer = server.read()
    assert answer["id"] == 20
    assert answer["result"]["isError"] or "memory-data" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("identity", [[], {"a": 1}, None, 1.5, "nobody"])
def test_the_end_of_a_request_that_does_not_run_ends_nothing(
    server: Conversation, identity: object
) -> None:
    row = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identity}}
    server.write(json.dumps(row).encode())
    assert server.ask("ping", {}) == {"jsonrpc": "2.0", "id": server.number, "result": {}}


@pytest.mark.parametrize(
    "path", ["\\u0000", "x" * 5000, "../../etc/passwd", "a:99999999999999999999", "#L0"]
)
def test_wrong_paths_are_answered(server: Conversation, path: str) -> None:
    call = (
        '{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"memory_get",'
        '"arguments":{"path":"%s"}}}'
    )
    server.write((call % path).encode())
    answer = server.read()
    assert answer["id"] == 30
    assert "error" in answer or answer["result"]


def test_every_mutant_of_a_request_is_answered_unless_none_is_due(server: Conversation) -> None:
    chance = random.Random(20261122)
    whole = bytearray(_CALL % (b"77", '{"query":"결제","limit":3}'.encode()))
    for _ in range(400):
        line = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(line))
            line[at : at + chance.randint(0, 3)] = chance.choice(
                [b"", b"\xed", b'"', b"{", b"\\ud8", b"]", b"0", b"\\"]
            )
        line = line.replace(b"\n", b"")
        due = not _is_told(bytes(line))
        server.write(bytes(line))
        if due:
            server.read()
        assert server.ask("ping", {})["result"] == {}


def _is_told(line: bytes) -> bool:
    """Say whether a line is a message that asks for no answer."""
    if jsonrpc.refusal(line):
        return False
    return "id" not in json.loads(line) or "method" not in json.loads(line)
