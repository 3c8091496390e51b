"""Parts of a character service; surfaces and commands reach every part from here."""

from dataclasses import dataclass

from gieok.character.accounts.erasure import Erasing
from gieok.character.accounts.identity import Identity
from gieok.character.accounts.inactivity import Inactivity
from gieok.character.accounts.points import PointsDesk
from gieok.character.accounts.takeout import Takeout
from gieok.character.cards.roster import Roster
from gieok.character.memory.control import Control
from gieok.character.memory.service import CharacterService
from gieok.character.turn.completion import Completions
from gieok.character.turn.turn import Turns
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
