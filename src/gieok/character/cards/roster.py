"""Characters of a service and of its users: created, read, changed, imported and removed."""

import re
import unicodedata
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from gieok.character.cards.canon import Canon, canon_scope
from gieok.character.cards.card import Card, card_of, data_of, with_data
from gieok.character.cards.package import MEDIA, CardForm, build_card_file, read_card_file
from gieok.character.facts import digest, scope_of
from gieok.errors import BadRequest, Conflict, NotFound
from gieok.model.accounts import Account, StoredCharacter
from gieok.ports.accounts import Accounts
from gieok.ports.journal import FullJournal
from gieok.ports.system import Clock

_MOST_ID = 64
_ID = re.compile(rf"\w[\w.-]{{0,{_MOST_ID - 1}}}")


class CharacterPage(NamedTuple):
    """Page of the characters that a user can talk to, without their files, and their total
    number.
    """

    total: int
    characters: tuple[StoredCharacter, ...]


class CharacterDeleted(NamedTuple):
    """Deleted character, with its canon; the memories that its owner has with it are kept."""

    id: str
    canon: int
    memories_kept: int


def checked_id(identity: str) -> str:
    """Return a character's id in its normal form. Raises BadRequest where the id is invalid."""
    identity = unicodedata.normalize("NFC", identity)
    if not _ID.fullmatch(identity):
        raise BadRequest(
            "{identity!r} cannot be the id of a character",
            identity=identity[:_MOST_ID],
            most=_MOST_ID,
            hint="1 to {most} letters, digits and `. _ -`, the first one no sign",
        )
    return identity


def id_of(name: str) -> str:
    """Return an id made from a character's name."""
    plain = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", name).casefold()).strip("-._")[
        :_MOST_ID
    ]
    return plain.strip("-._") or f"character-{digest(name)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """All characters.

    An owner is a user, or '' for the service, whose characters everybody can talk to.
    """

    accounts: Accounts
    canon: Canon
    journal: FullJournal
    clock: Clock

    def find(self, user: str, identity: str, *, with_file: bool = False) -> StoredCharacter:
        """Return a character that a user can talk to: their own, else the service's.

        The character comes without its file unless asked for, because every reply looks the
        character up. Raises NotFound.
        """
        owners = dict.fromkeys((user, ""))
        rows = (self.accounts.character(owner, identity, with_file=with_file) for owner in owners)
        character = next((row for row in rows if row), None)
        if character is None:
            raise _build_missing_character(identity)
        return character

    def find_with_account(self, user: str, identity: str) -> tuple[StoredCharacter, Account | None]:
        """Return a character as `find`, and the user's account, by one read. Raises NotFound."""
        characters, account = self.accounts.talkers(user, identity)
        if not characters:
            raise _build_missing_character(identity)
        return characters[0], account

    def own(self, owner: str, identity: str) -> StoredCharacter:
        """Return a character of this owner, who may change it. Raises NotFound."""
        character = self.accounts.character(owner, identity)
        if character is None:
            raise _build_missing_character(identity)
        return character

    def page(self, user: str, offset: int = 0, limit: int = 20) -> CharacterPage:
        """Return characters that a user can talk to: their own by id, then the service's."""
        if offset < 0 or limit < 1:
            raise BadRequest("a page begins at 0 or later, and has at least one row")
        total, own = self.accounts.characters(user, offset, limit) if user else (0, [])
        of_service, others = self.accounts.characters(
            "", max(offset - total, 0), max(limit - len(own), 1)
        )
        return CharacterPage(total + of_service, tuple([*own, *others][:limit]))

    def create(
        self,
        owner: str,
        card: Card,
        identity: str = "",
        *,
        model: str = "",
        file: bytes = b"",
        form: CardForm = CardForm.JSON,
    ) -> StoredCharacter:
        """Add a character; its id is made from its name where none is given.

        Raises BadRequest, Conflict.
        """
        identity = checked_id(identity or id_of(card.name))
        if owner and self.accounts.character("", identity, with_file=False):
            raise _build_taken_conflict(identity)
        now = self.clock.now()
        stored = StoredCharacter(
            owner=owner,
            id=identity,
            name=card.name,
            card=card.json,
            created_at=now,
            updated_at=now,
            model=model,
            package=file,
            package_type=MEDIA[form] if file else "",
        )
        with self._lock(owner, identity):
            if not self.accounts.keep_character(stored, is_new=True):
                raise _build_taken_conflict(identity)
            self.canon.keep(stored)
        return stored

    def update(
        self, owner: str, identity: str, card: Card, *, model: str | None = None
    ) -> StoredCharacter:
        """Give a character another card, and rebuild what depends on changed parts of the card.

        Raises NotFound.
        """
        with self._lock(owner, identity):
            held = self.own(owner, identity)
            held = held if model is None else held._replace(model=model)
            return self._replace(held._replace(name=card.name, card=card.json))

    def import_file(
        self,
        owner: str,
        data: bytes,
        identity: str = "",
        *,
        replaces: bool = False,
        name: str = "",
    ) -> StoredCharacter:
        """Add the character of a card file, or give the character with that id a new card.

        A lorebook alone gives the character with that id another lorebook, or becomes a character
        that has nothing else. `name` is for a file without a name, as its id is. Raises BadRequest,
        Conflict.
        """
        came = read_card_file(data, name or identity)
        identity = checked_id(identity or id_of(came.card.name))
        with self._lock(owner, identity):
            held = self.accounts.character(owner, identity) if replaces else None
            if held is not None and came.is_book:
                book = data_of(came.card)["character_book"]
                card = with_data(card_of(held.card), {"character_book": book})
                return self._replace(held._replace(card=card.json))
            if held is not None:
                fresh = held._replace(name=came.card.name, card=came.card.json)
                return self._replace(fresh._replace(package=data, package_type=MEDIA[came.form]))
        file = b"" if came.is_book else data  # it is no file of a character
        return self.create(owner, came.card, identity, file=file, form=came.form)

    def export_file(self, user: str, identity: str, form: CardForm) -> bytes:
        """Return a character that a user can talk to as a card file. Raises NotFound."""
        character = self.find(user, identity, with_file=True)
        return build_card_file(character.card, character.package, character.package_type, form)

    def delete(self, owner: str, identity: str) -> CharacterDeleted:
        """Remove a character and its canon; users keep their memories with it. Raises NotFound."""
        with self._lock(owner, identity):
            if not self.accounts.drop_character(owner, identity):
                raise _build_missing_character(identity)
            gone = self.canon.drop(owner, identity)
        memories = len(self.journal.made(scope_of(owner, identity))) if owner else 0
        return CharacterDeleted(identity, gone.forgotten, memories)

    def _lock(self, owner: str, identity: str) -> AbstractContextManager[bool]:
        """Return the lock under which a character and its canon are read and then written."""
        return self.journal.exclusive(
            f"character-card-{digest(canon_scope(owner, identity).path)[:4]}"
        )

    def _replace(self, stored: StoredCharacter) -> StoredCharacter:
        stored = stored._replace(updated_at=self.clock.now())
        if not self.accounts.keep_character(stored, is_new=False):
            raise _build_missing_character(stored.id)
        self.canon.keep(stored)
        return stored


def _build_missing_character(identity: str) -> NotFound:
    return NotFound("there is no character {identity!r}", identity=identity[:_MOST_ID])


def _build_taken_conflict(identity: str) -> Conflict:
    return Conflict(
        "there is a character {identity!r} already",
        identity=identity,
        hint="choose another id, or replace that one",
    )
