"""Takeout of all data of one user as one JSON document, in pieces.

The document holds account, points, keys, characters, memories and messages.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gieok.character.facts import character_of
from gieok.character.memory import decisions, memory_pages
from gieok.character.memory.memory_pages import Layer
from gieok.character.memory.said_words import is_said_scope
from gieok.character.memory.service import SUMMARY, Bond, CharacterService
from gieok.character.memory.unread_talk import ALL
from gieok.errors import NotFound
from gieok.model.memory import Scope
from gieok.ports.accounts import Accounts

FORMAT, VERSION = "gieok-user", 1
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeout:
    """Writer of a user's takeout."""

    memory: CharacterService
    accounts: Accounts

    def written(self, user: str) -> Iterator[str]:
        """Yield the document in pieces, one memory at a time. Raises NotFound for an unknown
        user.
        """
        # Words kept for quotation are copies of messages that are written anyway.
        scopes = [one for one in list_user_scopes(self.memory, user) if not is_said_scope(one)]
        account = self.accounts.account(user)
        if account is None and not scopes and not self.accounts.ledger(user, 0, 1)[0]:
            raise NotFound("no user {user}", user=user)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "exported_at": self.memory.clock.now(),
            "user": user,
            "account": account._asdict() if account else None,
            "points": self._points(user, scopes),
            "keys": [{**key._asdict(), "secret_hash": None} for key in self.accounts.keys(user)],
            "characters": list(self._characters(user)),
        }
        yield _format_takeout_row(head)[:-1] + ', "memories": ['
        for number, scope in enumerate(scopes):
            yield (", " if number else "") + _format_takeout_row(self._remembered(user, scope))
        yield "]}\n"

    def _points(self, user: str, scopes: list[Scope]) -> dict[str, Any]:
        rows, total = list[Any](), 1
        while len(rows) < total:
            total, page = self.accounts.ledger(user, len(rows), _PAGE)
            rows += page
            if not page:
                break
        characters = [name for scope in scopes if (name := character_of(scope, user))]
        last = self.accounts.last_check_in(user)
        return {
            "balance": self.accounts.balance(user),
            "last_check_in": last._asdict() if last else None,
            "slots": {
                name: count for name in characters if (count := self.accounts.slots(user, name))
            },
            "ledger": [
                {
                    "number": row.number,
                    "at": row.at,
                    "balance": row.balance,
                    **row.posting._asdict(),
                }
                for row in rows
            ],
        }

    def _characters(self, user: str) -> Iterator[dict[str, Any]]:
        offset, total = 0, 1
        while offset < total:
            total, page = self.accounts.characters(user, offset, _PAGE)
            for character in page:
                row = {
                    name: value
                    for name, value in character._asdict().items()
                    if not name.startswith("package")
                }
                yield {**row, "card": json.loads(character.card or "null")}
            offset += len(page) or total

    def _remembered(self, user: str, scope: Scope) -> dict[str, Any]:
        """Return the memory of a scope: of the user and a character, or of the user alone."""
        journal = self.memory.journal
        documents = [entry.document for entry in journal.made(scope)]
        name = character_of(scope, user)
        held = self.memory.memories(Bond(user, name)) if name else None
        journalled = journal.read(scope, 0, budget_tokens=ALL, limit=ALL)
        summaries = memory_pages.Summaries.of(
            held.episodes if held else (), journal.position(scope, SUMMARY)
        )
        before = [
            item for _, one in journal.replaced(scope) if (item := memory_pages.of_document(one))
        ]
        layers = (
            {
                layer.value: [one._asdict() for one in memory_pages.of_layer(held, layer)]
                for layer in Layer
            }
            if held
            else {}
        )
        return {
            "scope": scope.path,
            "character": name,
            **layers,
            "history": [one._asdict() for one in before],
            "documents": []
            if held
            else [{"key": one.key, "kind": one.kind, "text": one.text} for one in documents],
            "messages": [
                memory_pages.as_said(one, summaries)._asdict()
                for one in decisions.select_spoken_messages(journalled)
            ],
            "decisions": [
                one.message.text for one in journalled if one.message.agent == decisions.AGENT
            ],
        }


def list_user_scopes(memory: CharacterService, user: str) -> list[Scope]:
    """Return every scope of a user."""
    path = f"user:{user}"
    return [scope for scope in memory.journal.copied_scopes(path) if is_scope_below(scope, path)]


def is_scope_below(scope: Scope, path: str) -> bool:
    """Return whether a scope is a path, or lies below it."""
    return scope.path == path or scope.path.startswith(f"{path}/")


def _format_takeout_row(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, default=_format_json_default)


def _format_json_default(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
