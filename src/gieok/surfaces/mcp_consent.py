"""Consent of a person to a tool that changes or removes what they kept: what they are shown.

The client asks them where it can. Where it cannot, a call is a preview first, and its token is what
the second call needs.
"""

import hashlib
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gieok.errors import BadRequest, Phrase
from gieok.surfaces.mcp_person import CallPerson, PersonAnswer
from gieok.text.handles import HANDLE_PATTERN
from gieok.text.inert import revealed

#: Characters of one text that a person is shown; the question says how many more there are.
_MOST_SHOWN = 1_000
_INDENT = "    "
#: Kinds in a plan to forget that are memories; messages are what one was made of.
_MEMORY_KINDS = ("documents", "records", "observations")
_HANDLE_HINT = "`memory_search` and `memory_list` show handles"
_TOKEN_BYTES = 6
#: Previews that wait for an answer, and how long: a user who was shown one answers, or never does.
_MOST_PREVIEWS, _PREVIEW_S = 32, 600.0
#: Parameter of a tool that needs consent: the token of its preview.
CONFIRM = "confirm"


class AskedMemory(NamedTuple):
    """Memory that a person is shown, and the name and text of each thing that goes with it."""

    handle: str
    scope: str
    text: str
    plan: tuple[tuple[str, str], ...] = ()


class OpenPreviews:
    """Previews that wait for an answer, in this process alone: each has a token, which is good for
    one call.

    A token that came back with another call, or that is older than ten minutes, is good for none.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._lock = threading.Lock()
        #: Token → when the preview was shown, and the digest of its change.
        self._open: dict[str, tuple[float, str]] = {}

    def open_preview(self, change: str) -> str:
        """Return the token of a new preview; the oldest of too many is good no more."""
        token = secrets.token_hex(_TOKEN_BYTES)
        with self._lock:
            self._open[token] = (self._now_s(), change)
            while len(self._open) > _MOST_PREVIEWS:
                del self._open[next(iter(self._open))]
        return token

    def use_token(self, token: object, change: str) -> None:
        """Use a token up. Raises BadRequest unless its preview was of this change."""
        with self._lock:
            shown = self._open.pop(token, None) if isinstance(token, str) else None
        if shown is None or shown[1] != change or self._now_s() - shown[0] > _PREVIEW_S:
            raise BadRequest(
                "{confirm} does not fit: it was used or is older than ten minutes, it is of "
                "another call, the memory changed, or the server was started anew; nothing was "
                "changed",
                confirm=Phrase(CONFIRM),
                hint="call without it, and show the user what comes",
            )


def read_call_texts(row: Mapping[str, Any], values: Mapping[str, object]) -> list[str]:
    """Return the texts of a call, the handle first.

    Raises BadRequest unless each parameter of the tool, and nothing else, has one text, which a
    person can be shown whole.
    """
    names = [name for name in row["definition"]["inputSchema"]["properties"] if name != CONFIRM]
    values = {name: value for name, value in values.items() if name != CONFIRM}
    texts = [text for name in names if isinstance(text := values.get(name), str) and text.strip()]
    if values.keys() != set(names) or len(texts) != len(names):
        raise BadRequest(
            "this tool takes one text for each of its parameters, and nothing else",
            names=", ".join(names),
            hint="give each a text: {names}",
        )
    handle = texts[0] = texts[0].strip()
    if not re.fullmatch(HANDLE_PATTERN, handle):
        raise BadRequest("{handle!r} is no handle", handle=handle, hint=_HANDLE_HINT)
    if any(len(text.strip()) > _MOST_SHOWN for text in texts):  # nobody agrees to what is cut off
        raise BadRequest(
            "a correction of more than {most:,} characters is not shown to the user whole, so "
            "nothing was changed",
            most=_MOST_SHOWN,
            handle=handle,
            hint="let the user run `gieok edit {handle}`",
        )
    return texts


def build_change_digest(operation: str, shown: AskedMemory, changed: list[str]) -> str:
    """Return what tells a change of exactly this memory from every other."""
    return hashlib.sha256(json.dumps([operation, shown, changed]).encode()).hexdigest()


def build_preview_text(token: str) -> str:
    """Return what an agent is told in front of a preview: whom to ask, and what to call then."""
    return (
        "Nothing is changed yet. Show the user the lines below, end your turn, and let them answer. "
        "Only where they agree, call again "
        f'with the same arguments and `{CONFIRM}`: "{token}".'
    )


def read_shown_memory(reply: Mapping[str, Any], handle: str) -> AskedMemory:
    """Return the memory in the reply to `get`. Raises BadRequest where there is none."""
    data = reply["data"]
    if not reply["found"] or "handle" not in data:
        raise BadRequest("no memory has the handle {handle!r}", handle=handle, hint=_HANDLE_HINT)
    return AskedMemory(data["handle"], data["scope"], data["text"])


def read_plan(reply: Mapping[str, Any], operation: str, handle: str) -> tuple[tuple[str, str], ...]:
    """Return the name and text of each thing in the reply to a rehearsal.

    Raises BadRequest unless the plan is of one memory, with at most one message that it was made
    of.
    """
    data = reply["data"]
    if sum(data[kind] for kind in _MEMORY_KINDS) > 1 or data["messages"] > 1:
        raise BadRequest(
            "more than one memory goes with {handle!r}, so nothing was changed",
            operation=operation,
            handle=handle,
            hint="let the user run `gieok {operation} {handle}`, which shows all of it",
        )
    if not reply["found"]:
        raise BadRequest("no memory has the handle {handle!r}", handle=handle, hint=_HANDLE_HINT)
    return tuple((item["name"], item["text"]) for item in data["planned"])


def build_question_text(question: str, shown: AskedMemory, changed: list[str]) -> str:
    """Return the question in the person's language with what it is about; texts of memory are
    indented, so that they imitate no part of it.
    """
    from gieok.text.messages import translate

    lang = _find_person_language()
    parts = [
        f"{translate(question, lang, {})} ({shown.handle}, {revealed(shown.scope)})",
        _quote_memory_text(shown.text, lang),
    ]
    for name, text in shown.plan:
        parts.append(f"× {revealed(name)}")
        parts += (
            [_quote_memory_text(text, lang)] if text.strip() not in ("", shown.text.strip()) else []
        )
    for text in changed:
        parts += ["→", _quote_memory_text(text, lang)]
    return "\n".join(parts)


def check_answer(answer: PersonAnswer) -> None:
    """Raise BadRequest unless the person agreed."""
    if answer is not PersonAnswer.YES:
        raise BadRequest(answer.value, hint="")


def check_unchanged(shown: AskedMemory, now: AskedMemory, person: CallPerson) -> None:
    """Raise BadRequest where a call is not of what the person was shown, or was cancelled."""
    if now != shown:
        raise BadRequest(
            "{handle!r} changed while the user was asked; nothing was changed by this call",
            handle=shown.handle,
            hint="call again",
        )
    if person.is_withdrawn:
        check_answer(PersonAnswer.WITHDRAWN)


def _find_person_language() -> str:
    """Return the language in which the person is asked."""
    from gieok.surfaces.language import language

    return language([], os.environ)


def _quote_memory_text(text: str, lang: str) -> str:
    """Return a text of memory for a question: indented, and cut with the number of what is left."""
    from gieok.text.messages import translate

    text = text.strip()
    more = len(text) - _MOST_SHOWN
    lines = [_INDENT + revealed(line) for line in text[:_MOST_SHOWN].splitlines()]
    if more > 0:
        lines.append(translate("… (+{count:,} characters)", lang, {"count": more}))
    return "\n".join(lines)
