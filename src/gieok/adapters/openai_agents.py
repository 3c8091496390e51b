"""OpenAI Agents SDK: a session whose conversation becomes memory.

What a person or the model says becomes a message of the journal, as a message of an agent's
transcript does. The items of the session hold only the structure around the texts, and none of the
text: what is forgotten is gone from both.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from gieok.adapters import build_missing_framework
from gieok.commands.memory.records import follow_meaning
from gieok.home import withholding
from gieok.home.calls import rescope_call
from gieok.model.conversation import Message, Retraction, Role
from gieok.model.memory import Scope
from gieok.surfaces.python import Memory
from gieok.text.redact.sense import redact_said

try:
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import SessionSettings, resolve_session_limit
except ModuleNotFoundError as error:
    raise build_missing_framework(error, "openai-agents") from error

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

AGENT = "openai-agents"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_TEXTS = ("input_text", "output_text", "text")
#: Fields that hold no text of a person or a model.
_NAMES = (
    "id",
    "call_id",
    "type",
    "role",
    "status",
    "name",
    "encrypted_content",
    "approval_request_id",
    "server_label",
)
#: Stands in an item for a text that a message of the journal holds; its value is the number of that
#: message among the messages of the item.
_SAID = "$said"
_LAST, _SCOPE = "last", "scope"


class GieokSession(SessionABC):
    """Session for `Runner.run(agent, text, session=GieokSession("talk-1"))`.

    What was said is found from other sessions too.

    An id names one session of the home, or of the scope that the memory was opened with: give each
    program a scope of its own. Items come back as they were added, without the secrets in them.
    `clear_session` empties the session, but what was said stays remembered (`gieok forget` removes
    it). `pop_item` removes the item from memory too.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Open the session `session_id`; `memory` defaults to `gieok.open()`."""
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory or Memory()

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """Return the items, or the last `limit` of them, oldest first."""
        most = resolve_session_limit(limit, self.session_settings)
        return cast("list[TResponseInputItem]", await asyncio.to_thread(self._items, most))

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add items; they are durable, and a search finds them, when this returns."""
        if items:
            await asyncio.to_thread(
                self._add, [dict(cast("Mapping[str, Any]", item)) for item in items]
            )

    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove the last item, from memory too, and return it; None where there is none."""
        return cast("TResponseInputItem | None", await asyncio.to_thread(self._pop))

    async def clear_session(self) -> None:
        """Empty the session; its messages stay remembered."""
        await asyncio.to_thread(
            lambda: self._journal.keep(self._realm, {}, _list_item_names(self._kept()))
        )

    @property
    def _journal(self) -> Any:  # noqa: ANN401 - the full journal
        return self._memory.call.home.journal

    @property
    def _realm(self) -> str:
        call = self._memory.call
        return f"{AGENT}:{call.scope if call.is_scope_named else ''}:{self.session_id}"

    def _kept(self) -> dict[str, str]:
        entries: dict[str, str] = self._journal.kept(self._realm)
        return entries

    def _add(self, items: list[dict[str, Any]]) -> None:
        call = self._memory.call
        withholding.check_caller_withheld(call)
        # All items use the scope of the session's first item: the first record turns a folder into
        # a project, whose scope is a different one.
        scope = Scope(
            self._journal.update_kept(
                self._realm, _SCOPE, lambda raw: raw or rescope_call(call).scope.path
            )
        )
        last = self._journal.update_kept(
            self._realm, _LAST, lambda raw: str(int(raw or 0) + len(items))
        )
        messages, entries = list[Message](), dict[str, str]()
        for number, item in enumerate(items, start=int(last) - len(items) + 1):
            name, (around, texts) = f"{number:012d}", _taken_apart(_redact_session_item(item))
            messages += [
                Message(
                    id=f"{self._id(name)}#{n}",
                    role=role,
                    text=text,
                    at=call.clock.now(),
                    session=self.session_id,
                    agent=AGENT,
                )
                for n, (role, text) in enumerate(texts)
            ]
            entries[name] = json.dumps([len(texts), around], ensure_ascii=False)
        self._journal.say(scope, messages)
        self._journal.keep(self._realm, entries)
        call.home.sidecar.derive_turns()
        follow_meaning(call)

    def _id(self, name: str) -> str:
        """Return the id that an item's messages share, without the number of each message."""
        # The session id is hashed, because `#` and `~` have a meaning in an id.
        return f"{AGENT}/{hashlib.sha256(self.session_id.encode()).hexdigest()[:16]}/{name}"

    def _items(self, most: int | None) -> list[Any]:
        entries = self._kept()
        names = _list_item_names(entries)
        names = names[max(len(names) - most, 0) :] if most is not None else names
        rows = {name: json.loads(entries[name]) for name in names}
        ids = [f"{self._id(name)}#{n}" for name, (count, _) in rows.items() for n in range(count)]
        text_by_id = (
            {
                journalled.message.id: journalled.message.text
                for journalled in self._journal.messages(Scope(entries[_SCOPE]), ids)
            }
            if names
            else {}
        )
        items = []
        for name, (count, around) in rows.items():
            texts = [text_by_id.get(f"{self._id(name)}#{n}", "") for n in range(count)]
            if all(map(str.strip, texts)):  # else it was forgotten
                items.append(_put_together(around, texts))
        return items

    def _pop(self) -> Any:  # noqa: ANN401 - an item
        with self._journal.exclusive(self._realm):  # else two at once take the same one
            return self._taken()

    def _taken(self) -> Any:  # noqa: ANN401 - an item
        while names := _list_item_names(entries := self._kept()):
            items = self._items(1)
            self._journal.say(
                Scope(entries[_SCOPE]), [Retraction(self.session_id, self._id(names[-1]))]
            )
            self._journal.keep(self._realm, {}, [names[-1]])
            self._memory.call.home.sidecar.derive_turns()
            if items:
                return items[0]
        return None


def _list_item_names(kept: Mapping[str, str]) -> list[str]:
    """Return the names of items, in order."""
    return sorted(kept.keys() - {_LAST, _SCOPE})


def _redact_session_item(value: Any, key: str = "") -> Any:  # noqa: ANN401 - JSON
    """Return JSON with the secrets in its texts replaced.

    Fields that name things of the protocol (ids, types, roles) stay, whatever they look like.
    """
    if isinstance(value, dict):
        return {name: _redact_session_item(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_redact_session_item(part, key) for part in value]
    return redact_said(value) if isinstance(value, str) and key not in _NAMES else value


def _taken_apart(item: dict[str, Any]) -> tuple[Any, list[tuple[Role, str]]]:
    """Return an item with numbers in the place of its texts, and those texts.

    The texts are those that a person or the model said; of other items, the whole item is one text.
    """
    role = _ROLES.get(str(item.get("role")))
    texts: list[tuple[Role, str]] = []

    def said(text: object) -> Any:  # noqa: ANN401 - a part of JSON
        if role is None or not isinstance(text, str) or not text.strip():
            return text
        texts.append((role, text))
        return {_SAID: len(texts) - 1}

    content = item.get("content")
    if isinstance(content, str):
        item = item | {"content": said(content)}
    elif isinstance(content, list):
        item = item | {
            "content": [
                part | {"text": said(part.get("text"))} if _is_text(part) else part
                for part in content
            ]
        }
    return (
        (item, texts)
        if texts
        else ({_SAID: 0, "whole": True}, [(Role.TOOL, json.dumps(item, ensure_ascii=False))])
    )


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _TEXTS


def _put_together(around: Any, texts: list[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(around, dict) and _SAID in around:
        text = texts[around[_SAID]]
        return json.loads(text) if around.get("whole") else text
    if isinstance(around, dict):
        return {key: _put_together(value, texts) for key, value in around.items()}
    return [_put_together(part, texts) for part in around] if isinstance(around, list) else around
