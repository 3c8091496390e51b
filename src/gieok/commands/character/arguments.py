"""Shared parts of the commands for characters: owner, user and character arguments, and rows."""

from collections.abc import Sequence
from typing import NamedTuple

from gieok.character.accounts.identity import checked_user
from gieok.character.cards.card import Card, card_of
from gieok.commands.command import Style, printable
from gieok.errors import BadRequest, Phrase
from gieok.model.accounts import StoredCharacter
from gieok.text.messages import Words

_MOST_SHOWN = 300


OWNER = Words("of this user alone (default: of the service, for everybody)")
USER = Words("who talks with it")
CHARACTER = Words("id of the character")


def require_single_word(words: Sequence[str], what: str) -> str:
    """Return the only word of `words`. Raises BadRequest."""
    if len(words) != 1:
        raise BadRequest(
            "give one {what}", what=Phrase(what), hint="names with spaces stand in quotes"
        )
    return words[0]


def check_character_owner(user: str) -> str:
    """Return the owner of a character: a user, or '' for the service. Raises BadRequest."""
    return checked_user(user) if user else ""


class CharacterRow(NamedTuple):
    """Character as a line; `user` is the owner, '' for the service."""

    id: str
    name: str
    user: str
    greeting: str
    entries: int

    def line(self, style: Style) -> str:
        """Return the row as text."""
        whose = style.say("everybody's") if not self.user else self.user
        lore = (
            style.say(", {entries} lorebook entries", entries=self.entries) if self.entries else ""
        )
        greeting = printable(" ".join(self.greeting.split())[:80])
        return (
            f"{style.bold(printable(self.id))}  {printable(self.name)} ({printable(whose)}{lore}) "
            f" {style.dim(greeting)}"
        )


def build_character_row(stored: StoredCharacter) -> CharacterRow:
    """Return a character as a row."""
    card = card_of(stored.card)
    return CharacterRow(
        id=stored.id,
        name=stored.name,
        user=stored.owner,
        greeting=card.greeting,
        entries=len(card.book.entries),
    )


class CharacterSheet(NamedTuple):
    """Main fields of a character's card, and the lengths of the other fields."""

    id: str
    name: str
    user: str
    nickname: str
    description: str
    personality: str
    scenario: str
    greetings: tuple[str, ...]
    system_prompt: str
    post_history_instructions: str
    creator: str
    tags: tuple[str, ...]
    model: str
    entries: int
    file: str

    def text(self, style: Style) -> str:
        """Return the sheet as text for a person."""
        rows = (
            (style.say("description"), self.description),
            (style.say("personality"), self.personality),
            (style.say("scenario"), self.scenario),
            *(
                (style.say("greeting {n}", n=n), greeting)
                for n, greeting in enumerate(self.greetings)
            ),
            (style.say("system prompt"), self.system_prompt),
            (style.say("after the history"), self.post_history_instructions),
            (style.say("made by"), self.creator),
            (style.say("tags"), ", ".join(self.tags)),
            (style.say("model"), self.model),
            (style.say("lorebook entries"), str(self.entries or "")),
            (style.say("imported from"), self.file),
        )
        named = f" ({printable(self.nickname)})" if self.nickname else ""
        lines = [f"{style.bold(printable(self.id))}  {printable(self.name)}{named}"]
        lines += [
            f"  {name}: {printable(_shorten_sheet_text(text))}"
            for name, text in rows
            if text.strip()
        ]
        return "\n".join(lines)


def build_character_sheet(stored: StoredCharacter) -> CharacterSheet:
    """Return the sheet of a character."""
    card: Card = card_of(stored.card)
    return CharacterSheet(
        id=stored.id,
        name=stored.name,
        user=stored.owner,
        nickname=card.nickname,
        description=card.description,
        personality=card.personality,
        scenario=card.scenario,
        greetings=card.greetings,
        system_prompt=card.system_prompt,
        post_history_instructions=card.post_history_instructions,
        creator=card.creator,
        tags=card.tags,
        model=stored.model,
        entries=len(card.book.entries),
        file=f"{stored.package_type}, {len(stored.package):,} B" if stored.package else "",
    )


def _shorten_sheet_text(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"
