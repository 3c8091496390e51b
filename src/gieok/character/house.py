"""Parts of a character service; surfaces and commands reach every part from here."""

from dataclasses import dataclass

from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.identity import Identity
from gieok.character.accounts.inactivity import Inactivity
from gieok.character.accounts.points import (
    CheckedIn,
    PointsDesk,
    find_account_zone,
    zone_named,
)
from gieok.character.accounts.takeout import Takeout
from gieok.character.cards.roster import Roster
from gieok.character.memory.control import Control
from gieok.character.memory.service import Bond, CharacterService
from gieok.character.turn.completion import Completions
from gieok.character.turn.turn import Turns
from gieok.model.accounts import Account
from gieok.ports.accounts import Accounts


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The memory of characters, and the users, characters, keys and points of the service."""

    memory: CharacterService
    accounts: Accounts
    identity: Identity
    roster: Roster
    points: PointsDesk
    control: Control
    inactivity: Inactivity
    takeout: Takeout
    erasing: Erasing
    turns: Turns
    completions: Completions

    def bond(self, user: str, character: str) -> Bond:
        """Return the bond of a user and a character, by the user's own days."""
        zone = find_account_zone(self.accounts.account(user), self.memory.zone)
        return Bond(user, character, zone=zone)

    def keep_first_zone(self, user: str, name: str) -> None:
        """Keep the time zone that a user's client names, where the user set none.

        Raises BadRequest for an unknown zone.
        """
        zone_named(name)
        account = self.accounts.account(user) or Account(user)
        if not account.zone:
            self.accounts.fill_account(user, name, account.lang, self.memory.clock.now())

    def welcome(self, user: str, lang: str) -> CheckedIn:
        """Add a user who is new, and give them the points of the day."""
        if self.accounts.account(user) is None:
            self.accounts.fill_account(user, "", lang, self.memory.clock.now())
        return self.points.check_in(user)
