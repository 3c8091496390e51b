"""A key goes out once, in the way that its service asks for, and nowhere else of a request: whoever
sends it.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai")

from gieok import registry
from gieok.errors import GieokError
from gieok.hook.inject import InjectedMemory
from gieok.opening import ModelOpening
from gieok.ports.models import ChatMessage, Prompt, Sampling
from gieok.settings.hook import HookSettings
from gieok.surfaces.hook.judge import judge_memories
from gieok.testing.prompt_answers import PromptAnswers

KEY = "key-of-the-test-0123456789"
#: Another key of the same person's, which the environment has for other programs.
OTHER = "key-of-another-program-42"
BEARER, ANTHROPIC, GOOGLE = (
    ("authorization", f"Bearer {KEY}"),
    ("x-api-key", KEY),
    ("x-goog-api-key", KEY),
)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Recorder(ThreadingHTTPServer):
    """Refuses every request, and keeps its head."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, list[tuple[str, str]], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(PromptAnswers, BaseHTTPRequestHandler):
    server: Recorder

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.seen.append(
            (self.path, [(name.lower(), value) for name, value in self.headers.items()], body)
        )
        self.send_response(400)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = answer  # noqa: N815 - what http.server calls


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    for name in (
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
    ):
        monkeypatch.setenv(name, OTHER)
    server = Recorder()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _generator(name: str, url: str) -> None:
    made = registry.load_backend(registry.GENERATORS, name)(f"{name}:m", KEY, url)
    made.generate(Prompt("be short", "hello", 0.0, 10))


def _chat(name: str, url: str) -> None:
    made = registry.load_backend(registry.CHATS, name)(f"{name}:m", KEY, url)
    list(made.stream([ChatMessage("user", "hello")], Sampling()))


def _opening(name: str, url: str) -> ModelOpening:
    return ModelOpening(name, "m", Path("/nowhere"), url, KEY, timeout_s=5.0)


def _embedder(name: str, url: str) -> None:
    registry.load_backend(registry.EMBEDDERS, name)(_opening(name, url)).embed(
        ["hello"], is_query=True
    )


def _reranker(name: str, url: str) -> None:
    registry.load_backend(registry.RERANKERS, name)(_opening(name, url)).rerank("hello", ["a", "b"])


def _probe(name: str, url: str) -> None:
    registry.load_backend(registry.KEY_PROBES, name)(KEY, url, "m", 5.0)


def _judge(name: str, url: str) -> None:
    memory = InjectedMemory(title="a", text="b", citation="c")
    settings = HookSettings(
        {"judge.api": name, "judge.model": "m", "judge.base_url": url, "judge.key_variable": "MINE"}
    )
    os.environ["MINE"] = KEY
    try:
        judge_memories("hello", [memory], settings, lambda line: None)
    finally:
        del os.environ["MINE"]


def _file_search(name: str, url: str) -> None:
    from gieok.storage.index.gemini.service import Access, GeminiService

    del name
    service = GeminiService(Access(KEY, url, 5.0, "m", ""), lambda *_: None, lambda _: None)
    list(service.stores())


_WAYS = {"anthropic": ANTHROPIC, "gemini": GOOGLE}
_GENERATORS = [name for name, row in registry.GENERATORS.items() if row.key_variable]
_CHATS = [name for name, row in registry.CHATS.items() if row.key_variable]
_EMBEDDERS = [name for name, row in registry.EMBEDDERS.items() if row.is_service]
_RERANKERS = [name for name, row in registry.RERANKERS.items() if row.is_service]
_SENDERS: list[tuple[str, Callable[[str, str], None], str, tuple[str, str]]] = [
    *(
        ("generator", _generator, name, _WAYS.get(name, BEARER))
        for name in (*_GENERATORS, "compatible")
    ),
    *(("chat", _chat, name, _WAYS.get(name, BEARER)) for name in (*_CHATS, "compatible")),
    *(("embedder", _embedder, name, _WAYS.get(name, BEARER)) for name in _EMBEDDERS),
    *(("reranker", _reranker, name, BEARER) for name in _RERANKERS),
    *(("probe", _probe, name, _WAYS.get(name, BEARER)) for name in registry.KEY_PROBES),
    ("judge", _judge, "openai", BEARER),
    ("judge", _judge, "anthropic", ANTHROPIC),
    ("store", _file_search, "gemini", GOOGLE),
]


@pytest.mark.parametrize(
    ("kind", "send", "name", "way"),
    _SENDERS,
    ids=[f"{kind} {name}" for kind, _, name, _ in _SENDERS],
)
def test_a_key_is_sent_once_in_the_services_own_way(
    recorder: Recorder, kind: str, send: Callable[[str, str], None], name: str, way: tuple[str, str]
) -> None:
    del kind
    with suppress(GieokError):  # the recorder refuses
        send(name, recorder.url)
    assert recorder.seen
    for path, headers, body in recorder.seen:
        holding = [(header, value) for header, value in headers if KEY in value]
        # Anthropic takes either, and releases of its library differ in which they send.
        assert holding in ([way], [BEARER] if name == "anthropic" else [way])
        assert KEY not in path
        assert KEY.encode() not in body
        assert OTHER not in repr(headers) + path, "nor the key of another program"


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_without_a_key_the_judge_sends_no_header_for_one(recorder: Recorder, api: str) -> None:
    settings = HookSettings(
        {
            "judge.api": api,
            "judge.model": "m",
            "judge.base_url": recorder.url,
            "judge.key_variable": "NO",
        }
    )
    judge_memories(
        "hello", [InjectedMemory(title="a", text="b", citation="c")], settings, lambda line: None
    )
    ((_, headers, _),) = recorder.seen
    assert not {"authorization", "x-api-key"} & {name for name, _ in headers}
