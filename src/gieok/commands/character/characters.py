"""`gieok character create | list | delete`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from gieok.character.cards.card import new_card
from gieok.commands.character.arguments import (
    CHARACTER,
    OWNER,
    CharacterRow,
    CharacterSheet,
    build_character_row,
    build_character_sheet,
    check_character_owner,
    require_single_word,
)
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Omitted
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class CharacterCreateResult:
    """The character that was made."""

    character: CharacterSheet
    found: bool = True


@dataclass(frozen=True, slots=True)
class CharacterListResult:
    """Characters as rows, or the sheet of one character."""

    total: int
    characters: tuple[CharacterRow, ...]
    character: Omitted[CharacterSheet] = None

    @property
    def found(self) -> bool:
        """False where there is no character."""
        return self.total > 0


@dataclass(frozen=True, slots=True)
class CharacterDeleteResult:
    """Deleted parts of a character, and how many memories its owner keeps of it."""

    id: str
    lorebook_entries: int
    memories_kept: int
    found: bool = True


def render_created_character(result: CharacterCreateResult, style: Style) -> str:
    """Show the new character, and the next steps."""
    created_word, identity = style.say("made"), result.character.id
    chat = style.say("talk")
    return (
        f"{created_word}: {result.character.text(style)}\n{chat}: `gieok character chat "
        f"{printable(identity)}`"
    )


@command(
    "character create",
    Words("Make a character to talk to"),
    present=render_created_character,
    effect=Effect.WRITE,
    examples=(
        (
            'gieok character create "Mina" --description "Keeps a bookshop by the harbour." '
            '--greeting "Come in."'
        ),
    ),
)
def create_character(
    call: Call,
    *,
    name: Annotated[
        Sequence[str],
        Parameter(
            Words("the character's name"), positional=True, needed='gieok character create "Mina"'
        ),
    ] = (),
    id: Annotated[
        str, Parameter(Words("how it is called in commands (default: from the name)"))
    ] = "",
    description: Annotated[str, Parameter(Words("who it is, as a model is told"))] = "",
    greeting: Annotated[
        Sequence[str], Parameter(Words("what it says first; repeat for others"))
    ] = (),
    model: Annotated[
        str, Parameter(Words("model that answers for it (default: character.model)"))
    ] = "",
    user: Annotated[str, Parameter(OWNER)] = "",
) -> CharacterCreateResult:
    """Create a character from a few words."""
    card = new_card(
        {"name": require_single_word(name, "name"), "description": description},
        tuple(greeting),
    )
    stored = call.home.house.roster.create(check_character_owner(user), card, id, model=model)
    return CharacterCreateResult(build_character_sheet(stored))


def render_house_characters(result: CharacterListResult, style: Style) -> str:
    """Show a line for each character, or the sheet of one."""
    if result.character:
        return result.character.text(style)
    if not result.characters:
        return style.say(
            "There is no character: `gieok character create NAME`, `gieok character import FILE`"
        )
    return "\n".join(character.line(style) for character in result.characters)


@command(
    "character list",
    Words("List characters, or show one whole"),
    present=render_house_characters,
    examples=("gieok character list", "gieok character list mina"),
)
def list_house_characters(
    call: Call,
    *,
    id: Annotated[Sequence[str], Parameter(Words("show this one whole"), positional=True)] = (),
    user: Annotated[
        str, Parameter(Words("those that this user can talk to (default: the service's)"))
    ] = "",
) -> CharacterListResult:
    """Return the characters of the service that a user can talk to."""
    roster = call.home.house.roster
    if id:
        stored = roster.find(
            check_character_owner(user),
            require_single_word(id, "id"),
            with_file=True,
        )
        return CharacterListResult(1, (), build_character_sheet(stored))
    page = roster.page(check_character_owner(user), limit=_MOST)
    return CharacterListResult(page.total, tuple(map(build_character_row, page.characters)))


def render_deleted_character(result: CharacterDeleteResult, style: Style) -> str:
    """Show the deleted parts and the memories that stay."""
    entries, kept_memories = result.lorebook_entries, result.memories_kept
    gone = style.say("deleted, with {entries} lorebook entries", entries=entries)
    stays = style.say(
        (
            "what users remember with it stays ({kept_memories} of its owner's memories); a "
            "character of this id has it again"
        ),
        kept_memories=kept_memories,
    )
    return f"{printable(result.id)}: {gone}; {stays}"


@command(
    "character delete",
    Words("Delete a character; what users remember with it stays"),
    present=render_deleted_character,
    examples=("gieok character delete maru",),
    effect=Effect.DESTROY,
)
def delete_character(
    call: Call,
    *,
    id: Annotated[
        Sequence[str], Parameter(CHARACTER, positional=True, needed="gieok character delete mina")
    ] = (),
    user: Annotated[str, Parameter(OWNER)] = "",
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
) -> CharacterDeleteResult:
    """Delete a character, and report the memories that stay."""
    roster, owner, identity = (
        call.home.house.roster,
        check_character_owner(user),
        require_single_word(id, "id"),
    )
    stored = roster.own(owner, identity)
    character_line = build_character_row(stored).line(Style(call.lang, colour=False))
    question = call.words("Delete it? What users remember with it is kept. [y/N] ")
    if not yes and not call.agrees(
        [character_line], question, f"`gieok character delete {identity} --yes`"
    ):
        raise BadRequest("nothing was deleted", hint="answer y, or give --yes")
    gone = roster.delete(owner, identity)
    return CharacterDeleteResult(gone.id, gone.canon, gone.memories_kept)
