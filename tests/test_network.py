"""Nothing leaves the machine that was not asked for: every surface runs under a guard that sees
native code.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import forked
import guard
import pytest
import world as worlds
from conversation import Conversation
from guard import Done
from world import GIEOK, QMD, World

from gieok.agents.table import EVENTS, HOOKED
from gieok.commands import NAMES
from gieok.commands.command import Surface
from gieok.commands.request import request_schema
from gieok.surfaces import tool_table

pytestmark = pytest.mark.skipif(
    not guard.IS_SUPPORTED, reason="the guard is seccomp's: Linux on x86_64 or aarch64"
)

_NATIVE = """
import ctypes, struct
libc = ctypes.CDLL(None)
udp = libc.socket(2, 2, 0)
server = ctypes.create_string_buffer(struct.pack("=HH4s8x", 2, 0x3500, bytes([192, 0, 2, 1])))
query = ctypes.create_string_buffer(b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7example\\3org\\0\\0\\1\\0\\1")
vector = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(query), len(query)))
message = struct.pack("=QI4xQQQQi4x", ctypes.addressof(server), 16, ctypes.addressof(vector), 1, 0, 0, 0)
"""
_PROBES = {
    "a name look-up through libc": "socket.getaddrinfo('example.org', 443)",
    "a name look-up in a child": "subprocess.run(['getent', 'hosts', 'example.org'])",
    "a name server on this machine": "socket.socket(type=2).sendto(b'x', ('127.0.0.53', 53))",
    "a connection": "socket.socket().connect(('192.0.2.1', 443))",
    "a connection over IPv6": "socket.socket(10).connect(('2001:db8::1', 443))",
    "a mapped address": "socket.socket(10).connect(('::ffff:192.0.2.1', 443))",
    "a raw packet": "socket.socket(17, 3, 0)",
    "native code that sends": (
        f"exec({_NATIVE!r}); libc.sendto(udp, query, len(query), 0, server, 16)"
    ),
    "native code that sends a message": f"exec({_NATIVE!r}); libc.sendmsg(udp, message, 0)",
    "native code that sends messages": (
        f"exec({_NATIVE!r}); libc.sendmmsg(udp, message + bytes(8), 1, 0)"
    ),
}
_LOOPBACK = """
import socket
for host, family in (("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)):
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:  # a machine without IPv6
        continue
    socket.create_connection(server.getsockname()[:2]).send(b"x")
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return worlds.make(tmp_path / "user")


def _silent(world: World, *commands: tuple[Sequence[str], str], **environment: str) -> list[Done]:
    """Run programs in the world's project; none may reach beyond the machine."""
    done, accesses = guard.run(commands, world.environment(**environment), world.project)
    assert accesses == []
    return done


def _assert_untouched(world: World) -> None:
    """The user's folder holds only what Gieok and an installed agent are asked to write."""
    assert {path.name for path in world.user.iterdir()} <= {
        "gieok",
        "gieok-backups",
        "card.json",
        "chat.json",
        "maru.png",
        "notes",
        "shop",
        "synced",
        ".claude",
        ".claude.json",
    }


@pytest.mark.parametrize("code", _PROBES.values(), ids=_PROBES)
def test_the_guard_sees(code: str, tmp_path: Path) -> None:
    program = f"import contextlib, socket, subprocess\nwith contextlib.suppress(OSError): {code}"
    (done,), accesses = guard.run(
        [([sys.executable, "-c", program], "")], {"PATH": "/usr/bin:/bin"}, tmp_path
    )
    assert done == (0, "", "")
    assert accesses


def test_the_guard_lets_loopback_be_used(tmp_path: Path) -> None:
    assert guard.run(
        [([sys.executable, "-c", _LOOPBACK], "")], {"PATH": "/usr/bin:/bin"}, tmp_path
    ) == (
        [(0, "", "")],
        [],
    )


def test_every_operation_is_called() -> None:
    assert set(worlds.CALLS) == set(NAMES)


def test_no_operation_reaches_beyond_this_machine_or_leaves_anything_with_the_user(
    world: World,
) -> None:
    """In a new home, with the embedder, whose model is converted first, and with the daemon while
    it embeds.
    """
    around = world.environment()
    server = (*forked.SERVER, "numpy", "onnxruntime")  # which a dozen of them load
    with guard.guarded(server, around, world.project) as (process, accesses):
        commands = forked.Commands(process)
        done = {
            name: commands.run(world.words(name), around, world.project) for name in worlds.CALLS
        }
    assert accesses == []
    failed = {name: run.err for name, run in done.items() if run.status not in (0, 1)}
    without = (
        set() if find_spec("pyrage") else {"encryption on", "encryption rotate", "encryption off"}
    )
    without |= set() if find_spec("fastapi") else {"open"}
    assert set(failed) <= worlds.NEEDING | without, failed
    assert "Traceback" not in str(done)
    _assert_untouched(world)


@pytest.fixture(scope="module")
def kept_world(tmp_path_factory: pytest.TempPathFactory, models: Path) -> tuple[World, Path]:
    """Return a world whose notes and code are indexed, with a model that is made already, and a
    copy of its files.
    """
    folder = tmp_path_factory.mktemp("indexed")
    world = worlds.make(folder / "user")
    world.home.mkdir()
    (world.home / "models").symlink_to(models)
    _silent(world, *((world.command(name), "") for name in ("index", "remember", "code init")))
    copy = shutil.copytree(world.user, folder / "copy", symlinks=True)
    return world, copy


@pytest.fixture
def indexed(kept_world: tuple[World, Path]) -> World:
    """Return the indexed world as it was before any test changed it."""
    world, copy = kept_world
    shutil.rmtree(world.user)
    shutil.copytree(copy, world.user, symlinks=True)
    return world


def test_no_hook_of_any_agent_reaches_beyond_this_machine(indexed: World) -> None:
    payload = {"session_id": "s", "cwd": str(indexed.project), "prompt": "어떤 린터를 쓰기로 했지?"}
    calls = [
        (
            ["hook", event, "--agent", row.name],
            json.dumps(payload | {"hook_event_name": native}),
        )
        for row in HOOKED.values()
        for event, native in row.events.items()
    ]
    assert {event for row in HOOKED.values() for event in row.events} == set(EVENTS)
    around = indexed.environment()
    with guard.guarded(forked.SERVER, around, indexed.project) as (process, accesses):
        commands = forked.Commands(process)
        done = [commands.run(words, around, indexed.project, given=given) for words, given in calls]
    assert accesses == []
    assert {(run.status, run.err) for run in done} == {(0, "")}
    assert sum("ruff" in run.out for run in done) >= len(HOOKED)
    _assert_untouched(indexed)


def test_no_tool_over_mcp_reaches_beyond_this_machine(indexed: World) -> None:
    words = {
        "query": "결제는 언제?",
        "path": "MEMORY.md",
        "text": "We deploy on Fridays.",
        "symbol": "total",
    }
    with guard.guarded([*GIEOK, "mcp"], indexed.environment(), indexed.project) as (
        server,
        accesses,
    ):
        says = Conversation(server)
        says.begin()
        for name, found in tool_table.load_tool_operations().items():
            schema = request_schema(found, Surface.MCP)
            wanted = schema["required"] or schema["properties"].keys() & words.keys()
            answer = says.ask(
                "tools/call",
                {"name": name, "arguments": {field: words.get(field, "total") for field in wanted}},
            )
            assert "result" in answer, (name, answer)
        says.end()
    assert accesses == []
    _assert_untouched(indexed)


def test_openclaw_s_own_command_does_not_reach_beyond_this_machine(world: World) -> None:
    cache = {"XDG_CACHE_HOME": str(world.home / "qmd"), "GIEOK_EMBEDDER": "none"}
    calls = (
        "collection add {notes} --name n",
        "collection list --json",
        "update",
        "embed",
        "status",
        "query VLAN --json",
    )
    done = _silent(
        world, *(([*QMD, *call.format(notes=world.notes).split()], "") for call in calls), **cache
    )
    assert {run.status for run in done} == {0}, done
    assert "VLAN" in done[-1].out


@pytest.mark.parametrize("store", ["lancedb", "chroma"])
def test_no_library_that_keeps_vectors_reaches_beyond_this_machine(
    indexed: World, store: str
) -> None:
    calls = [
        ["store", "switch", store],
        *(indexed.words(name) for name in ("index", "search", "status", "doctor")),
    ]
    around = indexed.environment()
    server = (*forked.SERVER, f"gieok.storage.index.{store}.store")
    with guard.guarded(server, around, indexed.project) as (process, accesses):
        commands = forked.Commands(process)
        done = [commands.run(words, around, indexed.project) for words in calls]
    assert accesses == []
    assert {run.status for run in done} == {0}, done
    _assert_untouched(indexed)


@pytest.mark.parametrize(
    "module",
    [
        "mcp.server.stdio",
        "pydantic_ai",
        "genai_prices",
        "google.genai",
        "anthropic",
        "openai",
        "apsw",
    ],
)
def test_no_library_that_may_speak_does_so_when_it_is_loaded(world: World, module: str) -> None:
    _silent(world, ([sys.executable, "-c", f"import gieok, {module}"], ""))
    _assert_untouched(world)


def test_a_program_that_uses_gieok_as_a_library_is_silent_too(indexed: World) -> None:
    code = (
        "import gieok; h = gieok.open_call({}).home; "
        "print(len(h.open_embedder().embed_query('x')), len(h.store.scopes()))"
    )
    (done,) = _silent(indexed, ([sys.executable, "-c", code], ""), ORT_DISABLE_TELEMETRY="0")
    assert done == (0, "1536 2\n", "")
    _assert_untouched(indexed)
