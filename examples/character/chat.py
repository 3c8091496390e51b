"""A chat in the terminal over HTTP, with the memory behind each reply shown. Standard library
alone: copy what you need.

    python examples/character/chat.py                       # a server and a home of its own, and no
    model GIEOK_KEY=gk_… python examples/character/chat.py --url http://127.0.0.1:8377 --character
    mina

Which model answers is the server's setting: `gieok config set character.model openai:gpt-5-mini`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple

_CARD = Path(__file__).with_name("mina.json")


class Server(NamedTuple):
    """Where a server is, and the key that says who talks."""

    url: str
    key: str

    def open(
        self, path: str, body: object = None, accept: str = "application/json"
    ) -> HTTPResponse:
        """Send a request (POST with a body, else GET) and return the response."""
        data = None if body is None else json.dumps(body).encode()
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": accept,
        }
        # The address is the caller's.
        request = urllib.request.Request(f"{self.url}{path}", data, headers)  # noqa: S310
        found: HTTPResponse = urllib.request.urlopen(request, timeout=300)  # noqa: S310 - as above
        return found

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON at a path."""
        with self.open(path) as response:
            found: dict[str, Any] = json.load(response)
        return found


def events(server: Server, character: str, text: str) -> Iterator[tuple[str, Any]]:
    """Say something; yield the events of the reply: `start` with what is remembered, `delta` with
    text, `done`.
    """
    name = ""
    with server.open(
        f"/api/characters/{quoted(character)}/messages", {"text": text}, "text/event-stream"
    ) as response:
        for line in response:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                yield name, json.loads(value)


def talk(server: Server, character: str) -> None:
    """Talk until the end of the input."""
    print("(/memory shows what is remembered; an empty line ends)")
    while line := _line():
        try:
            if line == "/memory":
                for layer in ("semantic", "emotional", "episodic"):
                    for item in server.get(f"/api/memories/{quoted(character)}?layer={layer}")[
                        "items"
                    ]:
                        print(f"  {layer}: {item['text']}")
            else:
                reply(server, character, line)
        except urllib.error.HTTPError as error:
            print(f"  ({json.load(error)['detail']})")


def reply(server: Server, character: str, line: str) -> None:
    """Say a line, print the reply as it comes, and what it was made with."""
    for name, data in events(server, character, line):
        if name == "start":
            print(
                f"  (remembers: "
                f"{'; '.join(one['text'] for one in data['recalled']) or 'nothing of this'})"
            )
        elif name == "delta":
            print(data["text"], end="", flush=True)
        elif name == "done":
            print(f"\n  ({data['balance']} points left)")
        else:
            print(f"\n  ({data['detail']})")


def quoted(character: str) -> str:
    """Return an id as it stands in a path."""
    return urllib.parse.quote(character, safe="")


def _line() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""


@contextmanager
def own_server() -> Iterator[Server]:
    """Run a server with Mina in a home that is gone afterwards, on a port that is free."""
    with tempfile.TemporaryDirectory(prefix="gieok-example-") as home:
        environment = {
            **os.environ,
            "GIEOK_HOME": home,
            "GIEOK_EMBEDDER": "none",
            "GIEOK_DAEMON_AUTOSTART": "off",
        }
        gieok = [sys.executable, "-m", "gieok", "--lang", "en"]

        def run(*arguments: str) -> dict[str, Any]:
            command = [*gieok, "character", *arguments, "--json"]
            done = subprocess.run(command, env=environment, check=True, capture_output=True)
            found: dict[str, Any] = json.loads(done.stdout)
            return found

        run("import", str(_CARD))
        key = run("key", "create", "--user", "you")["key"]
        process = subprocess.Popen(
            [*gieok, "serve", "--port", "0"], env=environment, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if "http://" in line:
                    server = Server("http://" + line.partition("http://")[2].split()[0], key)
                    server.open("/api/points/check-in", {}).close()
                    yield server
                    break
        finally:
            process.terminate()
            process.wait()
            process.stderr.close()


def main() -> None:
    """Talk with a server that runs, or with one of this script's own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="", help="a server that runs; its key stands in GIEOK_KEY")
    parser.add_argument("--character", default="mina")
    asked = parser.parse_args()
    if asked.url:
        talk(Server(asked.url.rstrip("/"), os.environ.get("GIEOK_KEY", "")), asked.character)
        return
    with own_server() as server:
        talk(server, asked.character)


if __name__ == "__main__":
    main()
