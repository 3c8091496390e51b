"""`gieok character import | export`: cards, and chat logs of SillyTavern."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import fs
from gieok.character.cards.card import card_of
from gieok.character.cards.chat_log import (
    LONGEST_LINE,
    LogFault,
    LogTaken,
    import_chat_log,
    own_name,
    read_chat_log,
    speakers,
)
from gieok.character.cards.package import MOST_BYTES, CardForm
from gieok.character.cards.roster import checked_id
from gieok.character.memory.service import Bond
from gieok.character.zones import zone_named
from gieok.commands.character.arguments import (
    CHARACTER,
    OWNER,
    CharacterSheet,
    build_character_sheet,
    check_character_owner,
    require_single_word,
)
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Omitted
from gieok.errors import BadRequest, find_os_reason
from gieok.home.call import Call
from gieok.places.scope import ME
from gieok.text.messages import Words

_ENDINGS = {
    CardForm.JSON: ".json",
    CardForm.JSON_V2: ".json",
    CardForm.PNG: ".png",
    CardForm.CHARX: ".charx",
}


class LogCounts(NamedTuple):
    """Counts of an imported chat log, and the first lines that were refused."""

    added: int
    changed: int
    known: int
    hidden: int
    refused: int
    faults: tuple[LogFault, ...]
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class CharacterImportResult:
    """Character of a card, or counts of a chat log."""

    id: str
    character: Omitted[CharacterSheet] = None
    log: Omitted[LogCounts] = None
    found: bool = True


@dataclass(frozen=True, slots=True)
class CharacterExportResult:
    """The file that was written."""

    path: Path
    format: str
    bytes: int
    found: bool = True


def render_character_import(result: CharacterImportResult, style: Style) -> str:
    """Show the character, or the counts of the log."""
    if result.character:
        return f"{style.say('imported')}: {result.character.text(style)}"
    log = result.log
    if log is None:
        return printable(result.id)
    lines = [
        style.say(
            (
                "{added} messages imported, {changed} changed, {known} known, {hidden} hidden, "
                "{refused} refused"
            ),
            added=log.added,
            changed=log.changed,
            known=log.known,
            hidden=log.hidden,
            refused=log.refused,
        )
    ]
    lines += [f"  {fault.line}: {printable(style.told(fault.reason))}" for fault in log.faults]
    identity = printable(result.id)
    return "\n".join(
        [
            *lines,
            style.say("what is remembered") + f": `gieok character memories {identity}`",
        ]
    )


@command(
    "character import",
    Words("Import a character card, or a chat log of SillyTavern"),
    present=render_character_import,
    effect=Effect.WRITE,
    takes_in=True,
    examples=(
        "gieok character import mina.png",
        "gieok character import mina.charx --replace",
        "gieok character import harbour.json --id mina --replace",
        'gieok character import "Mina - 2024-07-12.jsonl" --id mina',
    ),
)
def import_character(
    call: Call,
    *,
    file: Annotated[
        Sequence[str],
        Parameter(
            Words("a card (JSON, PNG, CHARX), a lorebook (JSON), or a chat log (.jsonl)"),
            positional=True,
            needed="gieok character import mina.png",
        ),
    ] = (),
    id: Annotated[str, Parameter(Words("the character's id (default: from the card's name)"))] = "",
    user: Annotated[
        str, Parameter(Words("whose card, or who talks in the log (default: the service's; me)"))
    ] = "",
    replace: Annotated[
        bool, Parameter(Words("put the card, or the lorebook, in the place of the one of that id"))
    ] = False,
    name: Annotated[str, Parameter(Words("log: who in it is the character"))] = "",
    zone: Annotated[str, Parameter(Words("log: time zone of its times (default: here)"))] = "",
    hidden: Annotated[bool, Parameter(Words("log: also what was hidden from the model"))] = False,
) -> CharacterImportResult:
    """Import a card or a chat log."""
    import_file = call.caller.path(require_single_word(file, "file"))
    try:
        if import_file.suffix == ".jsonl":
            return _import_chat_log(
                call, import_file, id=id, user=user, name=name, zone=zone, hidden=hidden
            )
        with import_file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadRequest(
            "cannot read {file!r}: {reason}",
            file=import_file,
            reason=find_os_reason(error),
            hint="give a file of yours",
        ) from error
    roster = call.home.house.roster
    stored = roster.import_file(
        check_character_owner(user), data, id, replaces=replace, name=import_file.stem
    )
    return CharacterImportResult(stored.id, build_character_sheet(stored))


def render_character_export(result: CharacterExportResult, style: Style) -> str:
    """Show where the card is."""
    return (
        f"{style.say('written')}: {printable(str(result.path))} ({result.format}, "
        f"{result.bytes:,} B)"
    )


@command(
    "character export",
    Words("Write a character as a card that other programs read"),
    present=render_character_export,
    effect=Effect.WRITE,
    examples=(
        "gieok character export mina",
        "gieok character export mina --format charx --to mina.charx",
    ),
)
def export_character(
    call: Call,
    *,
    id: Annotated[
        Sequence[str], Parameter(CHARACTER, positional=True, needed="gieok character export mina")
    ] = (),
    format: Annotated[
        str,
        Parameter(
            Words("png holds version 2 and 3; json-v2 is for old programs"), choices=tuple(CardForm)
        ),
    ] = "png",
    to: Annotated[str, Parameter(Words("the file, which must be new (default: ID.png here)"))] = "",
    user: Annotated[str, Parameter(OWNER)] = "",
) -> CharacterExportResult:
    """Write a character as a card; an existing file is not overwritten."""
    identity, form = require_single_word(id, "id"), CardForm(format)
    data = call.home.house.roster.export_file(check_character_owner(user), identity, form)
    file = call.caller.path(to or f"{checked_id(identity)}{_ENDINGS[form]}")
    try:
        is_new = fs.create_new_file(file, data, 0o644)
    except OSError as error:
        raise BadRequest(
            "cannot write {file!r}: {reason}",
            file=file,
            reason=find_os_reason(error),
            hint="name another file with --to",
        ) from error
    if not is_new:
        raise BadRequest("{file!r} is there already", file=file, hint="name a new file with --to")
    return CharacterExportResult(file, form.value, len(data))


def _import_chat_log(
    call: Call, file: Path, *, id: str, user: str, name: str, zone: str, hidden: bool
) -> CharacterImportResult:
    if not id:
        raise BadRequest(
            "whose talk is it?",
            name=file.name,
            hint="`gieok character import {name} --id CHARACTER`",
        )
    house, owner = call.home.house, check_character_owner(user or ME)
    stored = house.roster.find(owner, id)
    log_zone = zone_named(zone, call.zone)
    begins = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    card = card_of(stored.card)
    names = [known for known in (name, card.nickname, card.name) if known]
    own = own_name(speakers(read_chat_log(_iter_chat_log_lines(file), log_zone, begins)), names)
    taken = import_chat_log(
        house.memory,
        Bond(owner, stored.id, zone=log_zone),
        read_chat_log(_iter_chat_log_lines(file), log_zone, begins),
        own,
        with_hidden=hidden,
        progress=call.progress(file.name),
    )
    return CharacterImportResult(stored.id, log=_count_log_lines(taken))


def _iter_chat_log_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file; a line over the length bound is split there."""
    with file.open("rb") as opened:
        while line := opened.readline(LONGEST_LINE):
            yield line


def _count_log_lines(taken: LogTaken) -> LogCounts:
    since, until = (moment.isoformat() if moment else "" for moment in (taken.first, taken.last))
    return LogCounts(
        added=taken.added,
        changed=taken.changed,
        known=taken.known,
        hidden=taken.hidden,
        refused=taken.refused,
        faults=taken.faults,
        since=since,
        until=until,
    )
