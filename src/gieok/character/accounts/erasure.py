"""Removes a user from every place.

These are memories, messages, characters, account, points, keys, and the records kept beside them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from gieok.character.accounts import return_visits
from gieok.character.accounts.takeout import is_scope_below, list_user_scopes
from gieok.character.facts import scope_of
from gieok.character.memory import decisions
from gieok.character.memory.control import UNTIL
from gieok.character.memory.said_words import is_said_scope, said_scope
from gieok.character.memory.service import CharacterService
from gieok.errors import StoreError
from gieok.model.memory import Scope
from gieok.ports.accounts import Accounts
from gieok.ports.store import ManagedStore, ScopeDropping, Scrubbing, Store

#: Realm of users whose erasure began; the next run completes it.
_BEGUN = "character-erasing"


class UserErased(NamedTuple):
    """What an erasure removed.

    The fields count documents and messages of how many scopes, and rows of the accounts by kind,
    and name what is left and why.
    """

    user: str
    scopes: int
    documents: int
    messages: int
    rows: dict[str, int]
    still: tuple[str, ...] = ()


class CharacterForgotten(NamedTuple):
    """What was removed of a character's memory of a user.

    The fields count documents and messages, and name what is left and why.
    """

    character: str
    documents: int
    messages: int
    still: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """Erasure of users. A run that was killed can be repeated; `finish` does so."""

    memory: CharacterService
    accounts: Accounts

    def erase(self, user: str, *, scrub: bool = True) -> UserErased:
        """Erase a user; with `scrub`, removed data is overwritten in the files too.

        Raises StoreError.
        """
        journal, store = self.memory.journal, self.memory.store
        journal.keep(_BEGUN, {user: "begun"})
        scopes = {
            *list_user_scopes(self.memory, user),
            *(scope for scope in store.scopes() if is_scope_below(scope, f"user:{user}")),
        }
        messages = sum(journal.stats(scope).messages for scope in scopes)
        documents = sum(self._drop(scope) for scope in sorted(scopes))
        self._drop_kept(f"user:{user}")
        rows = self.accounts.erase_account(user)
        still = self._scrub(sorted(scopes)) if scrub else []
        if isinstance(store, ManagedStore):
            try:
                store.push()
            except StoreError as error:
                still.append(f"{store.location}: {error}")
        journal.keep(_BEGUN, {}, [user])
        still += [*journal.scrub(), *self.accounts.scrub()] if scrub else []
        return UserErased(
            user=user,
            scopes=sum(not is_said_scope(scope) for scope in scopes),
            documents=documents,
            messages=messages,
            rows=rows,
            still=tuple(dict.fromkeys(still)),
        )

    def finish(self) -> list[UserErased]:
        """Complete erasures that were killed."""
        return [self.erase(user) for user in sorted(self.memory.journal.kept(_BEGUN))]

    def forget(self, user: str, character: str) -> CharacterForgotten:
        """Remove all messages and memories between a user and a character. Safe to run again."""
        scope, journal = scope_of(user, character), self.memory.journal
        messages = journal.stats(scope).messages
        documents = self._drop(scope)
        self._drop(said_scope(scope))
        self._drop_kept(scope.path)
        still = [*self._scrub([scope, said_scope(scope)]), *journal.scrub()]
        return CharacterForgotten(character, documents, messages, tuple(dict.fromkeys(still)))

    def _drop(self, scope: Scope) -> int:
        """Remove a scope from journal, store and cache; return how many documents it had."""
        journal, store = self.memory.journal, self.memory.store
        keys = [entry.document.key for entry in journal.made(scope)]
        journal.drop(scope)
        for realm in (
            decisions.format_refusal_realm(scope),
            return_visits.format_faded_realm(scope),
            f"corrections:{scope}",
        ):
            journal.keep(realm, {}, list(journal.kept(realm)))
        held = _drop_stored(store, scope)
        if self.memory.cache:
            self.memory.cache.drop(scope)
        return max(len(keys), held)

    def _drop_kept(self, path: str) -> None:
        """Remove the records of undoable deletions, for scopes below a path."""
        journal = self.memory.journal
        for realm in journal.realms(UNTIL):
            names = [
                name
                for name in journal.kept(realm)
                if is_scope_below(Scope(name.partition(" ")[0]), path)
            ]
            if names:
                journal.keep(realm, {}, names)

    def _scrub(self, scopes: Iterable[Scope]) -> list[str]:
        journal, store = self.memory.journal, self.memory.store
        still = list(journal.scrub())
        for scope in scopes:
            journal.drop(scope)  # files of its talk are gone now, and with them its name
        return still + (list(store.scrub()) if isinstance(store, Scrubbing) else [])


def _drop_stored(store: Store, scope: Scope) -> int:
    if isinstance(store, ScopeDropping):
        return store.drop_scope(scope)
    return store.forget(scope, sorted(store.hashes(scope)))
