"""What a service for characters is made of. Surfaces and commands reach everything from here."""

from dataclasses import dataclass

from gieok.capabilities.character.canon import Canon
from gieok.capabilities.character.roster import Roster
from gieok.capabilities.character.service import Characters
from gieok.ports.accounts import Accounts


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The memory of characters, their canon, and the users, characters, keys and points of the service."""

    memory: Characters
    accounts: Accounts
    roster: Roster
    canon: Canon
