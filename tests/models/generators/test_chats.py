"""Models that talk, each through its library against a loopback server."""

import subprocess
import sys

import pytest

from gieok import registry
from gieok.errors import GeneratorFailed
from gieok.ports.models import ChatMessage, ChatModel, ReplyPart, Sampling
from gieok.testing.model_server import Broken, ModelServer, TruncatedAnswer, read_request_text

_TALK = (
    ChatMessage("system", "You are Mina."),
    ChatMessage("assistant", "hello"),
    ChatMessage("user", "나 이사했어"),
    ChatMessage("system", "Be short."),
)
_SAMPLING = Sampling(0.5, 300, ("END",), {"top_p": 0.9, "top_k": 40, "seed": 7})
_NAMES = ("openai", "compatible", "anthropic", "gemini", "ollama")


def _opened(name: str, server: ModelServer) -> ChatModel:
    address = f"{server.url}/v1" if name in ("openai", "compatible") else server.url
    made: ChatModel = registry.load_backend(registry.CHATS, name)(f"{name}:m", "key", address)
    return made


@pytest.mark.parametrize("name", _NAMES)
def test_a_reply_comes_in_pieces_and_says_how_it_ended(name: str, server: ModelServer) -> None:
    server.script = ["그래 어디로 갔어?", TruncatedAnswer("너무 긴 답")]
    model = _opened(name, server)
    *pieces, end = model.stream(_TALK, _SAMPLING)
    assert [one.text for one in pieces] == ["그래 ", "어디로 ", "갔어?"]
    assert end == ReplyPart("", "stop", 11, 7)
    *_, end = model.stream(_TALK, _SAMPLING)
    assert end.finish == "length"
    _, body = server.requests[0]
    asked = read_request_text(body)
    assert all(one.text in asked for one in _TALK)
    assert "0.5" in asked
    assert "END" in asked
    if name == "compatible":
        assert (body["max_tokens"], body["top_k"], body["seed"]) == (300, 40, 7)
    if name == "openai":
        assert (body["max_completion_tokens"], body.get("top_k")) == (300, None)


def test_openai_finds_httpx_imported_to_its_end(server: ModelServer) -> None:
    """Its library takes httpx from `sys.modules`, where another thread may still import it."""
    program = f"""
import sys
from gieok import registry
from gieok.ports.models import ChatMessage, Sampling
assert "httpx" not in sys.modules
model = registry.load_backend(registry.CHATS, "compatible")("compatible:m", "k", "{server.url}/v1")
list(model.stream((ChatMessage("user", "hi"),), Sampling(0.5, 300, (), {{}})))
print(hasattr(sys.modules["httpx"], "Timeout"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("name", _NAMES)
def test_what_fails_or_breaks_off_is_said(name: str, server: ModelServer) -> None:
    server.script = [(429, b"{}"), Broken("one two three four five six"), None]
    model = _opened(name, server)
    with pytest.raises(GeneratorFailed, match="429") as refused:
        list(model.stream(_TALK, _SAMPLING))
    assert refused.value.worth_retrying
    with pytest.raises(GeneratorFailed):
        list(model.stream(_TALK, _SAMPLING))
    with pytest.raises(GeneratorFailed):
        list(model.stream(_TALK, _SAMPLING))
    assert len(server.requests) == 3, "nothing is asked twice"


@pytest.mark.parametrize("name", _NAMES)
def test_a_reply_may_be_closed_before_its_end(name: str, server: ModelServer) -> None:
    server.script = ["one two three"]
    reply = _opened(name, server).stream(_TALK, _SAMPLING)
    assert next(reply).text == "one "
    reply.close()


def test_without_a_model_there_is_a_reply_in_the_language_of_the_message() -> None:
    model: ChatModel = registry.load_backend(registry.CHATS, "scripted")("scripted", "", "")
    for said, letters in (("잘 지내?", "가힣"), ("how are you?", "az")):
        *pieces, end = model.stream([ChatMessage("user", said)], Sampling())
        assert any(
            letters[0] <= letter <= letters[1] for letter in "".join(one.text for one in pieces)
        )
        assert end.finish == "stop"
