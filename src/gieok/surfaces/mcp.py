"""MCP over stdio: `mcp_protocol`, one message per line. stdout belongs to the protocol."""

import itertools
import json
import os
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from gieok.errors import STATUS, OutputLost, find_os_reason
from gieok.surfaces import jsonrpc, mcp_protocol, streams, tools
from gieok.surfaces.mcp_protocol import Request
from gieok.surfaces.tools import ToolAnswer

#: Tools that run at the same time; more wait. Each holds a thread.
_MOST_CALLS = 16


def main() -> int:
    """Serve on stdin and stdout; return the exit status.

    Serving ends with stdin, or where nobody reads the answers any more.
    """
    # The input is moved away from file descriptor 0, so that no child process reads the protocol's
    # input.
    lines = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    output = _Output()
    session = McpSession(output.write)
    for line in lines:
        session.receive(line)
        if output.error:
            break
    session.finish()
    if output.error and not isinstance(output.error, BrokenPipeError):
        lost = OutputLost(
            "an answer could not be written: {reason}", reason=find_os_reason(output.error)
        )
        streams.print_error(str(lost), lost.hint)
        return STATUS[lost.code][0]
    return 0


class _Output:
    """Stdout, written one line at a time until a write fails."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self._lock = threading.Lock()

    def write(self, row: object) -> None:
        data = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError as error:
                self.error = error


class McpSession:
    """MCP session of one client: its requests come in as lines, its answers go to `write`.

    Each tool call runs in a thread of its own, so that a search does not hold up a ping.
    """

    def __init__(self, write: Callable[[object], None]) -> None:
        self._write = write
        self._free = threading.BoundedSemaphore(_MOST_CALLS)
        self._running: dict[str | int, threading.Thread] = {}
        self._cancelled: set[str | int] = set()
        self._has_batches = False
        #: Person whom the client lets this server ask; None where it does not.
        self.person: AskedPerson | None = None

    def receive(self, line: bytes) -> None:
        """Answer a line, unless it is a message that needs no answer."""
        if self._has_batches and line.lstrip()[:1] == b"[":
            if (answers := mcp_protocol.of_batch(line, self._call)) is not None:
                self._write(answers)
            return
        if wrong := jsonrpc.refusal(line):
            self._write(jsonrpc.build_rpc_error(wrong.id, wrong.code, wrong.message))
            return
        message = json.loads(line)
        if "method" not in message:
            if self.person is not None:
                self.person.take_answer(message)
            return
        if message["method"] == "notifications/cancelled":
            identity = (message.get("params") or {}).get("requestId")
            if isinstance(identity, str | int):
                self._cancelled.add(identity)
        if (request := mcp_protocol.request(message)) is not None:
            self._receive_request(request)

    def _receive_request(self, request: Request) -> None:
        if request.method == "initialize":
            if mcp_protocol.offers_questions(request.params):
                self.person = AskedPerson(self._write)
            self._has_batches = request.params.get("protocolVersion") == mcp_protocol.BATCHING
        if request.method == "tools/call":
            thread = threading.Thread(target=self._answer, args=(request,))
            self._running[request.id] = thread
            thread.start()
        else:
            self._answer(request)

    def finish(self) -> None:
        """Wait for running tools, so that their writes are not cut off.

        A person who has not answered yet does not agree.
        """
        if self.person is not None:
            self.person.leave()
        for thread in list(self._running.values()):
            thread.join()

    def _answer(self, request: Request) -> None:
        row = mcp_protocol.answer_mcp_request(request, self._call)
        self._running.pop(request.id, None)
        if request.id in self._cancelled:
            self._cancelled.discard(request.id)
        else:
            self._write(row)

    def _call(self, name: str, arguments: Mapping[str, object]) -> ToolAnswer:
        with self._free:
            return tools.answer_tool_call(name, arguments, person=self.person)


class AskedPerson:
    """Person whom the client asks for a server (`elicitation/create`)."""

    def __init__(self, write: Callable[[object], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._questions = itertools.count(1)
        self._waiting: dict[object, queue.SimpleQueue[bool]] = {}
        self._has_left = False

    @property
    def is_asking(self) -> bool:
        """Return whether a question waits for its answer."""
        return bool(self._waiting)

    def agrees(self, question: str) -> bool:
        """Ask, and wait for the answer."""
        answer = queue.SimpleQueue[bool]()
        with self._lock:
            if self._has_left:
                return False
            identity = f"gieok-{next(self._questions)}"
            self._waiting[identity] = answer
        self._write(mcp_protocol.build_question(identity, question))
        return answer.get()

    def take_answer(self, message: Mapping[str, Any]) -> None:
        """Give the answer in a message to the call that asked; others are ignored."""
        with self._lock:
            waiting = self._waiting.pop(message.get("id"), None)
        if waiting is not None:
            waiting.put(mcp_protocol.is_agreement(message))

    def leave(self) -> None:
        """Answer every open question with no."""
        with self._lock:
            self._has_left = True
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for answer in waiting:
            answer.put(False)
