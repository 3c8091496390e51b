"""Loopback server that speaks the protocols of embedding and reranking services.

The caller supplies the vectors and scores.
"""

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from gieok.testing.prompt_answers import LoopbackServer, PromptAnswers

Row = dict[str, Any]
Embed = Callable[[str], Sequence[float]]
Rerank = Callable[[str, str], float]


class EmbeddingServer(LoopbackServer):
    """Server that answers as Ollama, OpenAI, Gemini, Cohere, Voyage or Jina, chosen by the path.

    The entries of `failures` are answered first. `embed` gets each text with its prompt; a task
    type of Gemini is put before the text, as `RETRIEVAL_QUERY: `.
    """

    def __init__(
        self, embed: Embed = lambda text: [1.0, float(len(text))], rerank: Rerank = lambda q, t: 0.5
    ) -> None:
        super().__init__(("127.0.0.1", 0), _EmbeddingHandler)
        self.embed = embed
        self.rerank = rerank
        #: (status, body) of failures that are answered first; None closes the connection without an
        #: answer.
        self.failures: list[tuple[int, bytes] | None] = []
        self.requests: list[tuple[str, Row]] = []
        self.headers: list[dict[str, str]] = []
        threading.Thread(
            target=self.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}
        ).start()

    @property
    def url(self) -> str:
        """Return the base URL of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, path: str, body: Row) -> Row:
        """Return the answer of the service to which a path belongs."""
        if path.endswith("/api/embed"):
            size = body.get("dimensions")
            vectors = [list(self.embed(text))[:size] for text in body["input"]]
            return {
                "model": body["model"],
                "embeddings": vectors,
                "prompt_eval_count": 3 * len(vectors),
            }
        if path.endswith("/embeddings"):
            size = body.get("dimensions")
            data = [
                {"index": i, "embedding": list(self.embed(t))[:size]}
                for i, t in enumerate(body["input"])
            ]
            return {"object": "list", "data": data[::-1], "usage": {"prompt_tokens": 5 * len(data)}}
        if path.endswith(":batchEmbedContents"):
            return {
                "embeddings": [
                    {"values": list(self.embed(_gemini_text(row)))} for row in body["requests"]
                ]
            }
        scored = [(i, self.rerank(body["query"], text)) for i, text in enumerate(body["documents"])]
        rows = [
            {"index": i, "relevance_score": s} for i, s in sorted(scored, key=lambda one: -one[1])
        ]
        return {
            "data" if "truncation" in body else "results": rows,
            "usage": {"total_tokens": 7 * len(rows)},
        }


class _EmbeddingHandler(PromptAnswers, BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        self.server.requests.append((self.path, body))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.server.failures:
            failure = self.server.failures.pop(0)
            if failure is None:
                self.close_connection = True
                return
            self._send(*failure)
        else:
            self._send(200, json.dumps(self.server.answer(self.path, body)).encode())

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _gemini_text(row: Row) -> str:
    task = f"{row['taskType']}: " if "taskType" in row else ""
    return task + "".join(part["text"] for part in row["content"]["parts"])
