"""Memories of others on the Korean benchmark, each in its own environment, all with one model of
vectors: multilingual-e5-small as it was published, served on loopback.

    python3 -m venv DIR/mem0 && DIR/mem0/bin/pip install mem0ai          (mem0, memsearch, mempalace)
    python benchmarks/korean/peers.py mem0 DIR/mem0/bin/python FOLDER < questions > answers

Nothing here needs a key. What a peer would ask a language model for is left out, so its figure is
that of its storage and search, not of what it makes of talk with a model. `peers/ask_NAME.py` is what
runs in the peer's environment; it reads `EMBEDDINGS_URL`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from systems import MODELS

from gieok.models.local.releases import EARLIER
from gieok.models.local.runtime import E5Embedder

_PEERS = Path(__file__).parent / "peers"


def _build_handler(embedder: E5Embedder) -> type[BaseHTTPRequestHandler]:
    """Return a handler of `POST /v1/embeddings` as OpenAI's API has it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            given = json.loads(self.rfile.read(size))["input"]
            texts = [given] if isinstance(given, str) else given
            vectors = [np.frombuffer(vector, "<f4") for vector in embedder.embed_passages(texts)]
            rows = [
                {"object": "embedding", "index": number, "embedding": vector.tolist()}
                for number, vector in enumerate(vectors)
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            answer = {"object": "list", "data": rows, "model": "e5", "usage": usage}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing of requests."""

    return Handler


@contextmanager
def serve_embeddings(models: Path) -> Iterator[str]:
    """Serve vectors on loopback; yield the base address of the API."""
    embedder = E5Embedder(models, release=EARLIER[-1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _build_handler(embedder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


def main() -> int:
    names = sorted(file.stem.removeprefix("ask_") for file in _PEERS.glob("ask_*.py"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("name", choices=names)
    parser.add_argument("python", help="the interpreter of the peer's environment")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path, default=MODELS)
    arguments = parser.parse_args()
    with (
        serve_embeddings(arguments.models) as url,
        tempfile.TemporaryDirectory(prefix="korean-peer-") as home,
    ):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "EMBEDDINGS_URL": url,
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "OMP_NUM_THREADS": "1",
        }
        done = subprocess.run(
            [arguments.python, str(_PEERS / f"ask_{arguments.name}.py"), str(arguments.folder)],
            env=environment,
            cwd=home,
            check=False,
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
