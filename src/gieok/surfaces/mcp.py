"""MCP over stdio: `mcp_protocol`, one message per line. stdout belongs to the protocol."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from functools import partial

from gieok.errors import STATUS, BadRequest, OutputLost, find_os_reason
from gieok.surfaces import jsonrpc, mcp_protocol, streams, tools
from gieok.surfaces.mcp_person import AskedPerson, CallPerson
from gieok.surfaces.mcp_protocol import Request
from gieok.surfaces.mcp_roots import ProjectRoots
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
        self._person = AskedPerson(write, self._cancelled)
        self._roots = ProjectRoots(write, os.environ)
        #: Whether the client lets this server ask the person.
        self._may_ask = False

    def receive(self, line: bytes) -> None:
        """Answer a line, unless it is a message that needs no answer."""
        if self._has_batches and line.lstrip()[:1] == b"[":
            if (answers := mcp_protocol.of_batch(line, partial(self._call, None))) is not None:
                self._write(
                    list(map(self._roots.add_argument, answers))
                    if isinstance(answers, list)
                    else answers
                )
            return
        if wrong := jsonrpc.refusal(line):
            self._write(jsonrpc.build_rpc_error(wrong.id, wrong.code, wrong.message))
            return
        message = json.loads(line)
        if "method" not in message:
            self._person.take_answer(message)
            self._roots.take_answer(message)
            return
        self._roots.notice(message["method"])
        if message["method"] == "notifications/cancelled":
            identity = (message.get("params") or {}).get("requestId")
            if isinstance(identity, str | int):
                self._cancelled.add(identity)
                self._person.withdraw(identity)
        if (request := mcp_protocol.request(message)) is not None:
            self._receive_request(request)

    def _receive_request(self, request: Request) -> None:
        if request.method == "initialize":
            self._roots.greet(request.params)
            self._has_batches = request.params.get("protocolVersion") == mcp_protocol.BATCHING
            # an answer within a batch would come too late: the version with batches asks nobody
            self._may_ask = not self._has_batches and mcp_protocol.offers_questions(request.params)
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
        self._person.leave()
        for thread in list(self._running.values()):
            thread.join()

    def _answer(self, request: Request) -> None:
        person = CallPerson(self._person, request.id, self._free) if self._may_ask else None
        row = mcp_protocol.answer_mcp_request(request, partial(self._call, person))
        row = self._roots.add_argument(row)
        self._running.pop(request.id, None)
        if request.id in self._cancelled:
            self._cancelled.discard(request.id)
        else:
            self._write(row)

    def _call(
        self, person: CallPerson | None, name: str, arguments: Mapping[str, object]
    ) -> ToolAnswer:
        with self._free:
            try:
                folder, given = self._roots.find_place(arguments)
            except BadRequest as error:
                return ToolAnswer(f"{error}. {error.hint}", is_refused=True)
            return tools.answer_tool_call(name, given, folder=folder, person=person)
