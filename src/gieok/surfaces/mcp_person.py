"""Person behind a client of MCP that lets a server ask them: questions, answers, withdrawals."""

import itertools
import queue
import threading
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple


class PersonAnswer(Enum):
    """Answer of a person to a question: yes, or why not."""

    YES = ""
    NO = "the user did not agree; nothing was changed"
    BUSY = "the user is being asked about another call; nothing was changed"
    WITHDRAWN = "the call was cancelled; nothing was changed"


class AskedPerson:
    """Person whom the client asks for a server (`elicitation/create`), one question at a time."""

    def __init__(self, write: Callable[[object], None], cancelled: set[str | int]) -> None:
        self._write = write
        #: Calls that the client cancelled; the session adds to it, then calls `withdraw`.
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self._questions = itertools.count(1)
        self._open: _OpenQuestion | None = None
        self._has_left = False

    def ask(self, question: str, call_id: str | int) -> PersonAnswer:
        """Ask for a call, and wait for the answer."""
        with self._lock:
            if call_id in self._cancelled:
                return PersonAnswer.WITHDRAWN
            if self._has_left:
                return PersonAnswer.NO
            if self._open is not None:
                return PersonAnswer.BUSY
            identity = f"gieok-{next(self._questions)}"
            asked = self._open = _OpenQuestion(identity, call_id, queue.SimpleQueue())
            self._write(_build_question(identity, question))
        return asked.answers.get()

    def take_answer(self, message: Mapping[str, Any]) -> None:
        """Give the answer in a message to the call that asked; others are ignored."""
        with self._lock:
            if self._open is not None and self._open.id == message.get("id"):
                is_agreed = _is_agreement(message)
                self._close(PersonAnswer.YES if is_agreed else PersonAnswer.NO)

    def withdraw(self, call_id: str | int) -> None:
        """Answer the question of a cancelled call with no, and tell the client that it is none."""
        with self._lock:
            if self._open is not None and self._open.call_id == call_id:
                identity = self._open.id
                self._close(PersonAnswer.WITHDRAWN)
                self._write(_build_withdrawal(identity))

    def is_cancelled(self, call_id: str | int) -> bool:
        """Return whether a call was cancelled."""
        return call_id in self._cancelled

    def leave(self) -> None:
        """Answer the open question with no, and every later one."""
        with self._lock:
            self._has_left = True
            self._close(PersonAnswer.NO)

    def _close(self, answer: PersonAnswer) -> None:
        if self._open is not None:
            self._open.answers.put(answer)
            self._open = None


class _OpenQuestion(NamedTuple):
    """Question that waits for its answer: its id, the call that asked, and where that waits."""

    id: str
    call_id: str | int
    answers: "queue.SimpleQueue[PersonAnswer]"


class CallPerson:
    """Person behind one call. While they think, the call leaves its place to another."""

    def __init__(
        self, asked: AskedPerson, call_id: str | int, places: threading.BoundedSemaphore
    ) -> None:
        self._asked = asked
        self._call_id = call_id
        self._places = places

    def answer(self, question: str) -> PersonAnswer:
        """Ask, wait, and return the answer."""
        self._places.release()
        try:
            return self._asked.ask(question, self._call_id)
        finally:
            self._places.acquire()

    @property
    def is_withdrawn(self) -> bool:
        """Return whether the call was cancelled."""
        return self._asked.is_cancelled(self._call_id)


def _build_question(identity: str, question: str) -> dict[str, object]:
    """Return the request that puts a question before the person, who agrees or does not."""
    form = {"type": "object", "properties": {}}
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "method": "elicitation/create",
        "params": {"message": question, "requestedSchema": form},
    }


def _build_withdrawal(identity: str) -> dict[str, object]:
    """Return the notification that a question needs no answer any more."""
    params = {"requestId": identity, "reason": "the call that asked was cancelled"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def _is_agreement(message: Mapping[str, Any]) -> bool:
    """Return whether the answer to a question is that the person agrees."""
    result = message.get("result")
    return isinstance(result, dict) and result.get("action") == "accept"
