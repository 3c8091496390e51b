"""`gieok character memories | forget`: a character's memories of a user, and their sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from gieok.character import facts
from gieok.character.facts import digest
from gieok.character.house import House
from gieok.character.memory.control import EditOutcome
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.memory_pages import MOST_LIMIT, Layer, RememberedItem, of_memory
from gieok.character.memory.service import Bond
from gieok.character.predicates import PREDICATES
from gieok.commands.character.arguments import (
    CHARACTER,
    USER,
    check_character_owner,
    require_single_word,
)
from gieok.commands.character.wording import MemoryWording, read_memory_wording
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest, NotFound
from gieok.home.call import Call
from gieok.places.scope import ME
from gieok.text.messages import Words

_HANDLE = 6
#: Value of a day that takes the day of a plan away.
_NO_DAY = "none"
_LAYERS = {
    Layer.SEMANTIC: Words("facts"),
    Layer.IDEAS: Words("ideas"),
    Layer.EMOTIONAL: Words("moments"),
    Layer.EPISODIC: Words("episodes"),
}


class CharacterMemoryRow(NamedTuple):
    """Memory as a line; `score` is 0 without a search, `until` is '' where the memory holds.

    `confidence` is from 0 to 1; `is_sure`: it is told as known. `by` names the model that found it,
    or `person`; '' for rules. `source` are the words that it came from, `felt` the feelings and
    topics.
    """

    handle: str
    id: str
    layer: str
    text: str
    at: str
    until: str
    is_important: bool
    mentions: int
    score: float = 0.0
    subject: str = ""
    confidence: float = 1.0
    is_sure: bool = True
    by: str = ""
    source: str = ""
    felt: tuple[str, ...] = ()
    #: The memory as a sentence, its days, and how surely it is known, in the reader's language.
    statement: str = ""
    days: str = ""
    sureness: str = ""


class SaidRow(NamedTuple):
    """Message that a memory was made from."""

    role: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class CharacterMemoriesResult:
    """Memories, the source messages of one of them, and the number of all messages."""

    character: str
    user: str
    memories: tuple[CharacterMemoryRow, ...]
    messages: tuple[SaidRow, ...] = ()
    #: Words of the search of which nothing is kept: the memories are only near them.
    unknown: tuple[str, ...] = ()
    #: Whether the search words or the layer filter left memories out.
    is_part: Hidden[bool] = False

    @property
    def found(self) -> bool:
        """False where nothing is remembered."""
        return bool(self.memories)


@dataclass(frozen=True, slots=True)
class CharacterForgetResult:
    """Forgotten memories; `undo` restores them until `until`, '' where they cannot be restored.

    `holds_again` are statements that the forgotten fact had replaced.
    """

    text: str
    undo: str
    until: str
    holds_again: tuple[str, ...]
    is_back: bool = False
    #: False where there is no such memory.
    found: bool = True
    character: str = ""


def build_memory_handle(key: str) -> str:
    """Return the handle of a memory."""
    return digest(key)[:_HANDLE]


def find_character_bond(house: House, user: str, identity: str) -> Bond:
    """Return the bond of a user and a character. Raises NotFound, BadRequest."""
    user = check_character_owner(user)
    house.roster.find(user, identity)
    return house.bond(user, identity)


def render_character_memories(result: CharacterMemoriesResult, style: Style) -> str:
    """Show memories by layer, and their source messages."""
    if not result.memories:
        if result.is_part:
            return style.say(
                "Nothing that fits is remembered; without words and --layer everything is shown."
            )
        return style.say("Nothing is remembered yet.")
    lines = render_memory_rows(result.memories, style)
    if result.unknown:
        words = ", ".join(f"“{printable(word)}”" for word in result.unknown)
        lines.insert(0, style.say("No memory names {words}. The nearest:", words=words))
    return "\n".join(
        [
            *lines,
            *(
                f"    {message.at}  {message.role}: {printable(message.text)}"
                for message in result.messages
            ),
        ]
    )


@command(
    "character memories",
    Words("Show or search what a character remembers of a user"),
    present=render_character_memories,
    examples=("gieok character memories mina", 'gieok character memories mina "생일" --user kim'),
)
def list_character_memories(
    call: Call,
    *,
    what: Annotated[
        Sequence[str],
        Parameter(
            Words("the character, and words to search for"),
            positional=True,
            needed="gieok character memories mina",
        ),
    ] = (),
    user: Annotated[str, Parameter(USER)] = ME,
    layer: Annotated[str, Parameter(Words("this layer alone"), choices=("", *Layer))] = "",
    why: Annotated[str, Parameter(Words("show what one of them came from, by its handle"))] = "",
    limit: Annotated[int, Parameter(Words("how many of a layer"))] = 50,
) -> CharacterMemoriesResult:
    """List or search memories, or show the source messages of one memory."""
    house, (identity, *words) = call.home.house, what
    bond = find_character_bond(house, user, identity)
    wording = read_memory_wording(house, bond, call.lang)
    if why:
        story = house.control.read(bond, find_memory_key(house, bond, why))
        said_rows = tuple(
            SaidRow(one.role, one.text, _format_bond_time(one.at, bond)) for one in story.messages
        )
        before = (_build_memory_row(one, wording) for one in story.before)
        return CharacterMemoriesResult(
            identity, bond.user, (_build_memory_row(story.memory, wording), *before), said_rows
        )
    layers = [Layer(layer)] if layer else list(Layer)
    if words:
        hits = house.control.search(bond, " ".join(words), min(limit, MOST_LIMIT), layers)
        rows = tuple(
            _build_memory_row(one.memory, wording)._replace(score=round(one.score, 3))
            for one in hits.items
        )
        return CharacterMemoriesResult(
            identity, bond.user, rows, unknown=hits.unknown, is_part=True
        )
    pages = (house.control.memories(bond, one_layer, limit=limit) for one_layer in layers)
    rows = tuple(_build_memory_row(one, wording) for page in pages for one in page.items)
    return CharacterMemoriesResult(identity, bond.user, rows, is_part=bool(layer))


@dataclass(frozen=True, slots=True)
class CharacterFactResult:
    """Fact that was set; `undo` takes that back until `until`. `holds_again`: former facts."""

    character: str
    memory: CharacterMemoryRow
    undo: str
    until: str
    holds_again: tuple[str, ...] = ()
    found: bool = True


def render_character_fact(result: CharacterFactResult, style: Style) -> str:
    """Show the fact, and how to take it back."""
    lines = render_memory_rows([result.memory], style)
    lines += [_render_holding_fact(statement, style) for statement in result.holds_again]
    return "\n".join([*lines, _render_undo(result, style)])


@command(
    "character fact",
    Words("Add a fact to what a character remembers of a user, or change one"),
    present=render_character_fact,
    effect=Effect.WRITE,
    examples=(
        "gieok character fact mina --predicate job --value 제빵사",
        "gieok character fact mina --memory 3fa9c0 --value 3월 16일",
        "gieok character fact mina --memory 3fa9c0 --about 남자친구",
    ),
)
def set_character_fact(
    call: Call,
    *,
    id: Annotated[
        Sequence[str],
        Parameter(
            CHARACTER,
            positional=True,
            needed="gieok character fact mina --predicate job --value 제빵사",
        ),
    ] = (),
    memory: Annotated[
        str, Parameter(Words("handle of the fact to change (default: add one)"))
    ] = "",
    about: Annotated[
        str, Parameter(Words("who it is about: user, character, or a name (default: user)"))
    ] = "",
    predicate: Annotated[
        str, Parameter(Words("what kind of fact it is"), choices=("", *PREDICATES))
    ] = "",
    value: Annotated[str, Parameter(Words("what is so"))] = "",
    day: Annotated[str, Parameter(Words("day of a plan, such as 2026-04-17; none: no day"))] = "",
    important: Annotated[bool, Parameter(Words("mark it as important"))] = False,
    user: Annotated[str, Parameter(USER)] = ME,
) -> CharacterFactResult:
    """Add a fact, or change the parts of one that are given; both outrank what is detected."""
    house = call.home.house
    bond = find_character_bond(house, user, require_single_word(id, "character"))
    change = MemoryEdit(
        object=value or None,
        day={"": None, _NO_DAY: ""}.get(day, day),
        is_important=important or None,
        subject=about or None,
        predicate=predicate or None,
    )
    if memory:
        outcome = house.control.edit(bond, find_memory_key(house, bond, memory), change)
    else:
        outcome = house.control.add(bond, change)
    if outcome.memory is None or outcome.until is None:
        raise NotFound("the fact is gone already", hint="`gieok character memories` shows what is")
    wording = read_memory_wording(house, bond, call.lang)
    return CharacterFactResult(
        character=bond.character,
        memory=_build_memory_row(outcome.memory, wording),
        undo=outcome.undo,
        until=_format_bond_time(outcome.until, bond),
        holds_again=_list_holding_again(house, wording, outcome),
    )


def _list_holding_again(
    house: House, wording: MemoryWording, outcome: EditOutcome
) -> tuple[str, ...]:
    """Return the statements of the facts that hold again after a change."""
    held = {fact.key: fact for fact in house.memory.memories(wording.bond).facts}
    return tuple(wording.state_memory(of_memory(held[key])) for key in outcome.holds_again)


def _render_holding_fact(statement: str, style: Style) -> str:
    return f"  {style.say('holds again')}: {printable(statement)}"


def render_character_forgetting(result: CharacterForgetResult, style: Style) -> str:
    """Show the forgotten memories, and how to restore them."""
    if not result.found:
        return style.say("there is no memory {text!r}", text=result.text)
    if result.is_back:
        return style.say("it is remembered again")
    lines = [f"{style.say('forgotten')}: {printable(result.text)}"]
    lines += [_render_holding_fact(statement, style) for statement in result.holds_again]
    if result.undo:
        lines.append(_render_undo(result, style))
    return "\n".join(lines)


def _render_undo(result: CharacterFactResult | CharacterForgetResult, style: Style) -> str:
    """Return the line that says until when, and by which command, a change is taken back."""
    return style.say(
        "  until {until}: `gieok character forget {character} --undo {undo}`",
        until=result.until,
        character=printable(result.character),
        undo=result.undo,
    )


@command(
    "character forget",
    Words("Have a character forget one memory of a user"),
    present=render_character_forgetting,
    effect=Effect.DESTROY,
    examples=("gieok character forget mina --memory 3fa9c0",),
)
def forget_character_memory(
    call: Call,
    *,
    id: Annotated[
        Sequence[str],
        Parameter(CHARACTER, positional=True, needed="gieok character forget mina --memory 3fa9c0"),
    ] = (),
    memory: Annotated[str, Parameter(Words("handle of the memory"))] = "",
    user: Annotated[str, Parameter(USER)] = ME,
    for_good: Annotated[bool, Parameter(Words("it cannot be taken back"))] = False,
    undo: Annotated[str, Parameter(Words("take this deletion back"))] = "",
) -> CharacterForgetResult:
    """Forget a memory, or restore a forgotten one."""
    house = call.home.house
    identity = require_single_word(id, "character")
    bond = find_character_bond(house, user, identity)
    if undo:
        house.control.undo(bond, undo)
        return CharacterForgetResult("", undo, "", (), is_back=True)
    if not memory:
        raise BadRequest(
            "which memory?",
            identity=identity,
            hint="`gieok character memories {identity}` shows their handles",
        )
    try:
        key = find_memory_key(house, bond, memory)
    except NotFound:
        return CharacterForgetResult(memory, "", "", (), found=False)
    text = house.control.read(bond, key).memory.text
    deletion = house.control.delete(bond, key, for_good=for_good)
    until = _format_bond_time(deletion.until, bond) if deletion.until else ""
    wording = read_memory_wording(house, bond, call.lang)
    again = _list_holding_again(house, wording, deletion)
    return CharacterForgetResult(text, deletion.undo, until, again, character=identity)


def find_memory_key(house: House, bond: Bond, handle: str) -> str:
    """Return the key of a memory by its handle or its id. Raises NotFound, BadRequest."""
    keys = [memory.key for memory in house.memory.memories(bond).every]
    matching_keys = [key for key in keys if handle in (key, build_memory_handle(key))]
    if not matching_keys:
        raise NotFound(
            "there is no memory {handle!r}",
            handle=handle,
            hint="`gieok character memories ID` shows their handles",
        )
    if len(set(matching_keys)) > 1:
        raise BadRequest(
            "{handle!r} means several memories",
            handle=handle,
            hint="give the whole id: `--json` shows it",
        )
    return matching_keys[0]


def _build_memory_row(item: RememberedItem, wording: MemoryWording) -> CharacterMemoryRow:
    until = (
        _format_bond_time(item.until, wording.bond)
        if item.until and item.layer is not Layer.EPISODIC
        else ""
    )
    statement = f"{item.predicate}: {item.object}" if item.predicate else item.text
    whose = "" if item.subject in ("", facts.USER) else f"{item.subject}, "
    text = f"{whose}{statement} ({item.day})" if item.day else f"{whose}{statement}"
    return CharacterMemoryRow(
        handle=build_memory_handle(item.id),
        id=item.id,
        layer=item.layer.value,
        text=text,
        at=_format_bond_time(item.at, wording.bond),
        until=until,
        is_important=item.is_important,
        mentions=item.mentions,
        subject=item.subject,
        confidence=item.confidence,
        is_sure=item.is_sure,
        by=item.by,
        source=wording.quote_source(item),
        felt=(*item.emotions, *item.topics),
        statement=wording.state_memory(item),
        days=wording.format_days(item),
        sureness=wording.rate_sureness(item),
    )


def _format_bond_time(at: datetime, bond: Bond) -> str:
    return f"{at.astimezone(bond.zone):%Y-%m-%d %H:%M}"


def render_memory_rows(rows: Iterable[CharacterMemoryRow], style: Style) -> list[str]:
    """Return memories as lines, by layer."""
    lines, layer = list[str](), ""
    for row in rows:
        if row.layer != layer:
            layer = row.layer
            lines.append(style.bold(_LAYERS[Layer(layer)].say(style.lang)))
        marks = [row.days, *(["★"] if row.is_important else [])]
        marks += [f"×{row.mentions}"] if row.mentions > 1 else []
        marks += [f"{row.score:.2f}"] if row.score else []
        marks += [printable(row.text)] if row.text != row.statement else []
        marks += [printable(row.sureness)] if row.sureness else []
        lines.append(f"  {row.handle}  {printable(row.statement)}  {style.dim(' '.join(marks))}")
        if row.source:
            lines.append(f"          {style.dim(f'“{printable(row.source)}”')}")
        if row.felt:
            lines.append(f"          {style.dim(printable(', '.join(row.felt)))}")
    return lines
