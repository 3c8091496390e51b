"""A character's memories in a reader's words: what is known, how surely, from which words and day.

The command and the pages say them with these functions.
"""

from typing import NamedTuple

from gieok.character.facts import CHARACTER, PERSON, USER
from gieok.character.house import House
from gieok.character.memory import narrative
from gieok.character.memory.memory_pages import Layer, RememberedItem
from gieok.character.memory.service import Bond
from gieok.character.predicates import PREDICATES
from gieok.character.turn.reply_prompt import read_card_name
from gieok.errors import GieokError
from gieok.places.scope import ME
from gieok.text.josa import fill_particles
from gieok.text.messages import translate


class MemoryWording(NamedTuple):
    """Language of a reader, and the names by which memories of a bond are told."""

    lang: str
    bond: Bond
    user: str
    character: str

    def state_memory(self, item: RememberedItem) -> str:
        """Return a memory as a sentence; one that holds no longer is told in the past."""
        row = PREDICATES.get(item.predicate)
        if row is None:
            return item.text
        who = {USER: self.user, CHARACTER: self.character}.get(item.subject, item.subject)
        telling = row.ko if self.lang == "ko" else row.en
        sentence = telling.now if item.is_current else telling.past
        return fill_particles(sentence, who=who, o=item.object)

    def rate_sureness(self, item: RememberedItem) -> str:
        """Return how surely a fact is known, and who found it; '' for another memory.

        In words: a model's confidence is not measured, and that of rules is one share for them all.
        """
        if not item.predicate:
            return ""
        if item.by == PERSON:
            return translate("set by a person", self.lang, {})
        values = {"finder": item.by or translate("rules", self.lang, {})}
        if item.is_sure:
            return translate("known; found by {finder}", self.lang, values)
        return translate("may have been said; found by {finder}", self.lang, values)

    def format_days(self, item: RememberedItem) -> str:
        """Return the day of a memory in the user's zone, and the day until which it held."""
        days = [item.at]
        days += [item.until] if item.until and item.layer is not Layer.EPISODIC else []
        return " – ".join(f"{one.astimezone(self.bond.zone):%Y-%m-%d}" for one in days)

    def quote_source(self, item: RememberedItem) -> str:
        """Return the words that a memory came from; '' where it is these words."""
        return "" if item.source == item.text else item.source


def read_memory_wording(house: House, bond: Bond, lang: str) -> MemoryWording:
    """Return the wording of what a character remembers of a user."""
    facts = house.memory.memories(bond).facts
    unnamed = translate("the user", lang, {}) if bond.user == ME else bond.user
    return MemoryWording(
        lang=lang,
        bond=bond,
        user=narrative.called(facts) or unnamed,
        character=find_character_name(house, bond.user, bond.character),
    )


def find_character_name(house: House, user: str, character: str) -> str:
    """Return the name on a character's card; its id where the card is gone."""
    try:
        return read_card_name(house.roster.find(user, character).card)
    except GieokError:
        return character
