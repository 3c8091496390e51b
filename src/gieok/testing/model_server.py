"""Loopback server that speaks the protocols of model providers, with scripted answers."""

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from gieok.testing.prompt_answers import LoopbackServer, PromptAnswers

#: Paths of requests that only count tokens.
_COUNTS = ("/count_tokens", ":countTokens")


class TruncatedAnswer(str):
    """An answer that was cut at the length limit."""

    __slots__ = ()


class Broken(str):
    """A streamed answer that breaks off before its end."""

    __slots__ = ()


Answer = str | tuple[int, bytes] | tuple[int, bytes, str] | None


class ModelServer(LoopbackServer):
    """Server that answers each request with the next entry of `script`.

    The last entry is repeated. An entry is a text (streamed word by word), a status with a body,
    None (the connection is closed without an answer), or a function of the request's body that
    returns one of these.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _ModelHandler)
        self.script: list[Answer | Callable[[dict[str, Any]], Answer]] = ["hello"]
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        threading.Thread(
            target=self.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}
        ).start()

    @property
    def url(self) -> str:
        """Return the base URL of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def next(self, body: dict[str, Any]) -> Answer:
        """Return the next scripted answer to a request."""
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return answer(body) if callable(answer) else answer


class _ModelHandler(PromptAnswers, BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        """Answer as a provider without a list of models: agents ask for the list first."""
        self._send(200, b'{"data": [], "models": []}')

    def do_HEAD(self) -> None:
        """Answer as to a GET request, without the body."""
        self.do_GET()

    def do_POST(self) -> None:
        """Answer as the provider to which the path belongs."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if self.path.partition("?")[0].endswith(_COUNTS):
            self._send(200, b'{"input_tokens": 10, "totalTokens": 10}')
            return
        self.server.requests.append((self.path, body))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        answer = self.server.next(body)
        if answer is None:
            self.close_connection = True
        elif isinstance(answer, tuple):
            self._send(*answer)
        elif self.path.endswith("/api/chat") and body.get("stream"):
            lines = [
                {"message": {"role": "assistant", "content": word}, "done": False}
                for word in _split_answer_words(answer)
            ]
            parts = (
                lines[:1]
                if isinstance(answer, Broken)
                else [*lines, {**_build_ollama_answer(answer), "message": {"content": ""}}]
            )
            self._send(
                200,
                "".join(f"{json.dumps(line)}\n" for line in parts).encode(),
                "application/x-ndjson",
            )
        elif events := _build_answer_stream(self.path, body, answer):
            parts = events[: len(events) // 2] if isinstance(answer, Broken) else events
            self._send(200, "".join(map(_format_stream_event, parts)).encode(), "text/event-stream")
        elif self.path.endswith("/api/chat"):
            self._send(200, json.dumps(_build_ollama_answer(answer)).encode())
        elif "/messages" in self.path:
            self._send(200, json.dumps(_build_anthropic_events(answer)[-1]).encode())
        else:
            reply = (
                _build_gemini_answer(answer)
                if "enerateContent" in self.path
                else _build_openai_answer(answer)
            )
            self._send(200, json.dumps(reply).encode())

    def _send(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _build_answer_stream(path: str, body: dict[str, Any], answer: str) -> list[dict[str, Any]]:
    """Return the events of a streamed answer; an empty list where the request asks for no
    stream.
    """
    if "streamGenerateContent" in path:
        *words, last = _split_answer_words(answer)
        end = _build_gemini_answer(
            type(answer)(last) if isinstance(answer, TruncatedAnswer) else last
        )
        return [
            *(
                {
                    "candidates": [
                        {"content": {"role": "model", "parts": [{"text": word}]}, "index": 0}
                    ]
                }
                for word in words
            ),
            end,
        ]
    if not body.get("stream"):
        return []
    if "/messages" in path:
        return _build_anthropic_events(answer)[:-1]
    return (
        _build_responses_events(answer)
        if path.partition("?")[0].endswith("/responses")
        else _build_chat_chunks(answer)
    )


def _format_stream_event(event: dict[str, Any]) -> str:
    """Return one server-sent event.

    Providers whose events have no type end the stream with the event `[DONE]`, or by closing the
    connection.
    """
    name = f"event: {event['type']}\n" if "type" in event else ""
    end = "data: [DONE]\n\n" if event.get("usage") and "choices" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n{end}"


def _build_chat_chunks(text: str) -> list[dict[str, Any]]:
    whole = _build_openai_answer(text)
    chunk = {**whole, "object": "chat.completion.chunk"}
    del chunk["usage"]
    deltas = [
        {"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}
        for word in _split_answer_words(text)
    ]
    end = {"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}
    return [
        *({**chunk, "choices": [delta]} for delta in deltas),
        {**chunk, "choices": [end], "usage": whole["usage"]},
    ]


def _split_answer_words(text: str) -> list[str]:
    """Return the words of an answer, one for each event, with the spaces behind them."""
    return re.findall(r"\S+\s*|\s+", text) or [""]


def _build_responses_events(text: str) -> list[dict[str, Any]]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "status": "completed",
        "content": content,
    }
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    whole: dict[str, Any] = {"id": "r1", "output": [item], "usage": usage}
    end = "response.completed"
    if isinstance(text, TruncatedAnswer):
        end, whole["incomplete_details"] = "response.incomplete", {"reason": "max_output_tokens"}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": end, "response": whole},
    ]


def _build_openai_answer(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "length" if isinstance(text, TruncatedAnswer) else "stop",
                "message": message,
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _build_gemini_answer(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [
            {
                "content": content,
                "finishReason": "MAX_TOKENS" if isinstance(text, TruncatedAnswer) else "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
        "modelVersion": "m",
        "responseId": "r",
    }


def _build_anthropic_events(text: str) -> list[dict[str, Any]]:
    """Return the events of a stream, and the whole message as the last item."""
    usage = {"input_tokens": 11, "output_tokens": 7}
    message: dict[str, Any] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    why = "max_tokens" if isinstance(text, TruncatedAnswer) else "end_turn"
    end = {"stop_reason": why, "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": word},
            }
            for word in _split_answer_words(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
        {**message, "content": [{"type": "text", "text": text}], "stop_reason": why},
    ]


def _build_ollama_answer(text: str) -> dict[str, Any]:
    return {
        "model": "m",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "length" if isinstance(text, TruncatedAnswer) else "stop",
        "prompt_eval_count": 11,
        "eval_count": 7,
    }


def read_request_text(body: dict[str, Any]) -> str:
    """Return all text in a request, whichever provider the request is for."""
    return json.dumps(body, ensure_ascii=False)
