"""Two who talk: a user and a character, a minute a line, in a journal of their own."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from gieok.character.memory.service import Bond, CharacterService
from gieok.flow.notices import Notices
from gieok.testing.clock import ManualClock

BOND = Bond("kim", "maru", "마루는 책방 주인이다.", ZoneInfo("Asia/Seoul"))


class SilentNotifier(Notices):
    """`Notices` that tell nobody."""

    def __init__(self) -> None:
        """Open no channel."""

    def notify(self, title: str, text: str) -> None:
        pass


class CharacterTalk:
    """A line that begins with `c: ` is the character's."""

    def __init__(self, characters: CharacterService, clock: ManualClock) -> None:
        self.characters, self.clock = characters, clock

    def say(self, *lines: str, bond: Bond = BOND) -> None:
        for line in lines:
            self.clock.advance(timedelta(minutes=1))
            self.characters.hear(bond, line.removeprefix("c: "), is_user=not line.startswith("c: "))

    def later(self, days: int) -> None:
        self.clock.advance(timedelta(days=days))

    def told(self, ask: str = "", bond: Bond = BOND) -> str:
        return self.characters.context(bond, ask).narrative.text
