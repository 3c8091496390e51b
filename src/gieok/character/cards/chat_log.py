"""Imports a chat log of SillyTavern (JSON lines) into memory, as if it had been said here.

A line that cannot be read is reported, and the import goes on. Ids are made from values that do not
change when a log grows or a message is edited, so that reading a log twice adds nothing, and an
edited line replaces its former message.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from typing import NamedTuple

from gieok.character.cards.bounded_json import Json, parsed
from gieok.character.facts import digest
from gieok.character.memory.service import Bond, CharacterService
from gieok.character.messages import build_talk_message
from gieok.errors import BadRequest
from gieok.model.conversation import Message, Role
from gieok.text.months import month_number
from gieok.text.redact.sense import redact_said

#: A longer line is not read; a longer message is refused.
LONGEST_LINE, _LONGEST_TEXT = 4 << 20, 200_000
#: How many messages are learned from at once: the window stays as short as in a live conversation.
_AT_ONCE = 40
_MOST_SHOWN = 20
_HUMAN = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(?:(\d{1,2})s)?")
_PROSE = re.compile(
    r"([A-Z][a-z]{2,8}) (\d{1,2}), (\d{4}),? (?:at )?(\d{1,2}):(\d{2})\s*([ap]m)?", re.IGNORECASE
)
#: Larger numbers are milliseconds, smaller ones seconds.
_MOST_SECONDS = 1e11


class LogLine(NamedTuple):
    """Message of a log: its id, speaker and time, and whether the log hides it from the model."""

    id: str
    name: str
    is_user: bool
    text: str
    at: datetime
    is_hidden: bool = False


class LogFault(NamedTuple):
    """Line that was not imported, and the reason."""

    line: int
    reason: str


class LogTaken(NamedTuple):
    """Result of an import.

    The fields count messages that are new, changed, known already, or hidden, and lines refused;
    and give the first refused lines.
    """

    added: int = 0
    changed: int = 0
    known: int = 0
    hidden: int = 0
    refused: int = 0
    faults: tuple[LogFault, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


def read_chat_log(
    lines: Iterable[bytes], zone: tzinfo, begins: datetime
) -> Iterator[LogLine | LogFault]:
    """Yield the messages of a log.

    Times without a zone are in `zone`; `begins` is the time of messages before the first stated
    time.
    """
    id_counts, at = Counter[str](), begins
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = parsed(line, "the line")
            if number == 1 and "mes" not in row:
                at = parse_log_time(row.get("create_date"), zone) or at
                continue
            at = parse_log_time(row.get("send_date"), zone) or at + timedelta(seconds=1)
            message = _parse_log_message(row, at)
        except BadRequest as error:
            yield LogFault(number, str(error))
            continue
        id_counts[message.id] += 1
        yield message._replace(id=f"st-{message.id}-{id_counts[message.id]}")


def speakers(found: Iterable[LogLine | LogFault]) -> Counter[str]:
    """Count the messages of each speaker other than the user. Raises BadRequest for no message."""
    names, messages = Counter[str](), 0
    for row in found:
        if isinstance(row, LogLine):
            messages += 1
            names.update([row.name] if not row.is_user and not row.is_hidden else [])
    if not messages:
        hint = "give a `.jsonl` of its chats"
        raise BadRequest(
            "that is no chat log of SillyTavern: no line of it is a message", hint=hint
        )
    return names


def own_name(names: Mapping[str, int], wanted: Iterable[str]) -> str:
    """Return the character's name in a log: a wanted name, or the only name. Raises BadRequest."""
    held = {name.casefold(): name for name in names}
    for name in wanted:
        if name.casefold() in held:
            return held[name.casefold()]
    if len(names) > 1:
        shown = ", ".join(sorted(names, key=lambda name: -names[name])[:8])
        raise BadRequest(
            "several speak in this log: {shown}",
            shown=shown,
            hint="say who of them is the character with --name",
        )
    return next(iter(names), "")


def import_chat_log(
    memory: CharacterService,
    bond: Bond,
    found: Iterable[LogLine | LogFault],
    own: str,
    *,
    with_hidden: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> LogTaken:
    """Journal the messages of a log and form memory from them, some at a time.

    `own` is the character's name in the log. What other speakers of a group say is the scene around
    the character: it is told with their names.
    """
    taken, rest = LogTaken(), iter(found)
    while some := list(islice(rest, _AT_ONCE)):
        faults = [row for row in some if isinstance(row, LogFault)]
        lines = [row for row in some if isinstance(row, LogLine)]
        shown = [row for row in lines if with_hidden or not row.is_hidden]
        taken = taken._replace(
            refused=taken.refused + len(faults),
            faults=(*taken.faults, *faults)[:_MOST_SHOWN],
            hidden=taken.hidden + len(lines) - len(shown),
        )
        taken = _store_log_messages(
            memory, bond, [_build_log_message(bond, row, own) for row in shown], taken
        )
        progress(taken.added + taken.changed + taken.known)
    _form_log_memory(memory, bond)  # of what was journalled when an import was killed, too
    return taken


def parse_log_time(value: Json, zone: tzinfo) -> datetime | None:
    """Return a time in any form that logs use; None for other values."""
    try:
        if isinstance(value, int | float) or (
            isinstance(value, str) and re.fullmatch(r"\d{9,14}(\.\d+)?", value)
        ):
            number = float(value)
            return datetime.fromtimestamp(number / 1000 if number > _MOST_SECONDS else number, UTC)
        return _parse_written_time(value.strip(), zone) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _parse_written_time(text: str, zone: tzinfo) -> datetime | None:
    if time_match := _HUMAN.match(text):
        return datetime(*(int(part or 0) for part in time_match.groups()), tzinfo=zone)  # type: ignore[arg-type, misc]
    if (time_match := _PROSE.match(text)) and (month := month_number(time_match[1])):
        hour = (
            int(time_match[4])
            if not time_match[6]
            else int(time_match[4]) % 12 + 12 * (time_match[6].lower() == "pm")
        )
        return datetime(
            int(time_match[3]), month, int(time_match[2]), hour, int(time_match[5]), tzinfo=zone
        )
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=zone)


def _parse_log_message(row: Mapping[str, Json], at: datetime) -> LogLine:
    """Return the message of a line; its id is made from its identifying fields. Raises
    BadRequest.
    """
    text = _read_log_text(row.get("mes"))
    swipes, chosen = row.get("swipes"), row.get("swipe_id")
    if (
        not text
        and isinstance(swipes, list)
        and isinstance(chosen, int)
        and 0 <= chosen < len(swipes)
    ):
        text = _read_log_text(swipes[chosen])
    name, is_user = row.get("name"), row.get("is_user") is True
    if not text.strip():
        raise BadRequest("the line has no message")
    if len(text) > _LONGEST_TEXT:
        raise BadRequest(
            "the message has {count:,} characters: at most {most:,} are read",
            count=len(text),
            most=_LONGEST_TEXT,
        )
    name = name if isinstance(name, str) else ""
    sent = row.get("send_date")
    identity = digest(f"{sent if sent is not None else text}\0{name}\0{is_user}")
    return LogLine(
        id=identity,
        name=name,
        is_user=is_user,
        text=text,
        at=at,
        is_hidden=row.get("is_system") is True,
    )


def _read_log_text(value: Json) -> str:
    """Return a text, or the text inside a message as Chub nests it."""
    value = value.get("message") if isinstance(value, dict) else value
    return value if isinstance(value, str) else ""


def _build_log_message(bond: Bond, line: LogLine, own: str) -> Message:
    is_other = not line.is_user and bool(own) and line.name != own
    text = redact_said(f"{line.name}: {line.text}" if is_other and line.name else line.text)
    role = Role.USER if line.is_user else Role.ASSISTANT
    return build_talk_message(identity=line.id, role=role, text=text, at=line.at, session=bond.user)


def _store_log_messages(
    memory: CharacterService, bond: Bond, messages: list[Message], taken: LogTaken
) -> LogTaken:
    held = {
        one.message.id: one.message.text
        for one in memory.journal.messages(bond.scope, [one.id for one in messages])
    }
    fresh = [one for one in messages if one.id not in held]
    changed = [one for one in messages if held.get(one.id, one.text) != one.text]
    if fresh:
        memory.journal.say(bond.scope, fresh)
    if changed:
        memory.replace(bond, changed)
    if fresh or changed:
        _form_log_memory(memory, bond)
    times = [one.at for one in messages]
    return taken._replace(
        added=taken.added + len(fresh),
        changed=taken.changed + len(changed),
        known=taken.known + len(messages) - len(fresh) - len(changed),
        first=min([*times, taken.first] if taken.first else times, default=taken.first),
        last=max([*times, taken.last] if taken.last else times, default=taken.last),
    )


def _form_log_memory(memory: CharacterService, bond: Bond) -> None:
    memory.learn(bond)
    while memory.summarise(bond):
        pass
