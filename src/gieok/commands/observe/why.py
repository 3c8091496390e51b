"""`gieok why`: the origin of a memory.

The origin is the messages behind the memory, what it replaced, and how often it was shown.
"""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated, NamedTuple

from gieok.commands.command import (
    STATUSES,
    Parameter,
    Style,
    Surface,
    command,
    tier_words,
)
from gieok.commands.encode import Hidden, mark_encoded_getter
from gieok.commands.memory import handles, origin
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.origin import Origin, Replacement
from gieok.commands.prompt.last import LastResult, find_last_injection
from gieok.commands.prompt.last import render_last_injection as present_last
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook.validity import SAID_LATER
from gieok.memory.talk.turns import KIND as TURN
from gieok.model.conversation import Message, Role
from gieok.model.memory import Document, Provenance, Tier
from gieok.ranking import timeline
from gieok.text.messages import Words
from gieok.text.own_marks import SPEAKERS
from gieok.text.turns import ASSISTANT, USER

_ROLE_WORDS = {Role.USER: SPEAKERS[USER], Role.ASSISTANT: SPEAKERS[ASSISTANT]}


class SourceMessage(NamedTuple):
    """Message behind a memory, and the message's place in its transcript."""

    id: str
    role: Role
    at: datetime
    text: str
    source: str
    line: int
    agent: str
    session: str


@dataclass(frozen=True, slots=True)
class WhyResult:
    """A memory, and the messages that it came from."""

    memory: Hidden[NamedMemory]
    said: Hidden[tuple[Message, ...]]
    origin: Hidden[Origin]
    zone: Hidden[tzinfo]
    #: File of an archived memory, by its path in the archive.
    archived_in: str | None = None

    @property
    def document(self) -> Document:
        """Return the memory's document."""
        return self.memory.document

    @property
    def found(self) -> bool:
        """Return whether source messages or the place of a file are known."""
        return bool(self.said or self.document.provenance)

    @property
    @mark_encoded_getter
    def id(self) -> str:
        """Return the key of the memory."""
        return self.document.key

    @property
    @mark_encoded_getter
    def handle(self) -> str:
        """Return the memory's handle."""
        return self.memory.handle

    @property
    @mark_encoded_getter
    def status(self) -> str:
        """Return the memory's status.

        The status is `stands`, `replaced`, `ended`, `done`, `corrected` or `retired`.
        """
        return self.origin.status

    @property
    @mark_encoded_getter
    def tier(self) -> Tier:
        """Return the memory's tier: `hot`, or archived: `warm`, `cold`."""
        return self.document.tier

    @property
    @mark_encoded_getter
    def text(self) -> str:
        """Return the memory's text."""
        return self.memory.text

    @property
    @mark_encoded_getter
    def sources(self) -> tuple[Provenance, ...]:
        """Return the memory's sources."""
        return self.document.provenance

    @property
    @mark_encoded_getter
    def messages(self) -> tuple[SourceMessage, ...]:
        """Return the messages behind the memory."""
        return tuple(
            SourceMessage(
                id=m.id,
                role=m.role,
                at=m.at,
                text=m.text,
                source=m.source,
                line=m.line,
                agent=m.agent,
                session=m.session,
            )
            for m in self.said
        )

    @property
    @mark_encoded_getter
    def replaced(self) -> tuple[Replacement, ...]:
        """Return the earlier versions of this memory, then the memories that it replaced."""
        return self.origin.replaced

    @property
    @mark_encoded_getter
    def replaced_by(self) -> tuple[Replacement, ...]:
        """Return the memories that replaced this memory."""
        return self.origin.replaced_by

    @property
    @mark_encoded_getter
    def said_later(self) -> tuple[Replacement, ...]:
        """Return what was said later on the subject of this memory, and may change it."""
        return self.origin.said_later

    @property
    @mark_encoded_getter
    def shown_in(self) -> int:
        """Return in how many of the last sessions a hook showed the memory to an agent."""
        return self.origin.shown_in


def render_memory_origin(result: WhyResult | LastResult, style: Style) -> str:
    """Show the memory, its messages with places, and what it replaced; or the last injection."""
    if isinstance(result, LastResult):
        return present_last(result, style)
    lines = [
        style.bold(style.memory(result.text, is_spoken=result.document.kind == TURN)),
        style.dim(f"  {_format_origin_facts(result, style)}"),
    ]
    for m in result.said:
        at = m.at.astimezone(result.zone)
        lines.append(
            style.dim(
                f"  {at:%Y-%m-%d %H:%M} {_name_role(m.role, style)}  {m.agent}  {m.source}:{m.line}"
            )
        )
        lines += [f"    {line}" for line in style.memory(m.text).splitlines()]
    if not result.said:
        lines += [
            f"  {p.source}{_format_source_lines(p)}"
            for p in result.document.provenance
            if p.source != "journal"
        ]
    lines += [
        f"  {style.say('instead of')}: {style.memory(memory.text, is_spoken=True)}"
        for memory in result.replaced
    ]
    lines += [
        f"  {style.say('replaced by')} {memory.handle}: {style.memory(memory.text, is_spoken=True)}"
        for memory in result.replaced_by
    ]
    lines += [
        f"  {style.say(SAID_LATER)}, {memory.handle}: {style.memory(memory.text, is_spoken=True)}"
        for memory in result.said_later
    ]
    return "\n".join(lines)


def _name_role(role: Role, style: Style) -> str:
    """Return who said a message, for a person; a role without a name of its own as it is."""
    words = _ROLE_WORDS.get(role)
    return words.say(style.lang) if words else str(role)


def _format_source_lines(source: Provenance) -> str:
    return f":{source.start_line}-{source.end_line}" if source.start_line else ""


def _format_origin_facts(result: WhyResult, style: Style) -> str:
    day = timeline.day_of_moment(
        result.document.valid_from, result.document.updated_at, result.zone
    )
    facts = [
        result.handle,
        str(day),
        STATUSES[result.status].say(style.lang),
        str(result.document.scope),
    ]
    count = result.shown_in
    if result.archived_in:
        facts += [f"{word} {result.archived_in}" for word in tier_words(result.tier, style)]
    if count:
        said = Words.of("shown in {count} session", plural="shown in {count} sessions", count=count)
        facts.append(said.say(style.lang))
    return "  ".join(facts)


@command(
    "why",
    Words("Show where a memory comes from: the raw messages, and what it replaced"),
    present=render_memory_origin,
    examples=("gieok why 3fa9c01e", "gieok why --last"),
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def explain_memory_origin(
    call: Call,
    *,
    id: Annotated[
        str,
        Parameter(
            Words("the memory's handle or id, as `list`, `search` and `observe show` print them"),
            positional=True,
        ),
    ] = "",
    last: Annotated[
        bool,
        Parameter(Words("what an agent was given last, with scores and cost"), cli_only=True),
    ] = False,
    session: Annotated[str, Parameter(Words("of this session of an agent"), cli_only=True)] = "",
) -> WhyResult | LastResult:
    """Return the origin of a memory, or the last injection."""
    if last or (session and not id):
        return find_last_injection(call, session)
    if not id:
        raise BadRequest("id is missing", hint="such as `gieok why HANDLE`, or `gieok why --last`")
    return explain_named_memory(call, id)


def explain_named_memory(call: Call, name: str, *, with_replaced: bool = True) -> WhyResult:
    """Return the origin of the memory with a handle or id. Raises BadRequest.

    Without `with_replaced`, what the memory replaced is not looked up.
    """
    memory = handles.find_only_memory(call, name, history=True) or _by_id(
        call, name.partition("#L")[0]
    )
    if memory is None and handles.is_handle(name):
        memory = handles.require_memory(call, name)  # says where else it is
    if memory is None:
        raise BadRequest(
            "no memory has the handle or id {id!r} in {scope}",
            id=name,
            scope=name_scope(call.scope),
            hint="`gieok list` and `gieok observe show` show them",
        )
    archived = call.home.journal.archived(memory.document.scope, keys=[memory.document.key])
    place = archived[0].place.path if archived and not memory.was_replaced else None
    return WhyResult(
        memory=memory,
        said=origin.messages_of(call, memory),
        origin=origin.find_memory_origin(call, memory, with_replaced=with_replaced),
        zone=call.zone,
        archived_in=place,
    )


def _by_id(call: Call, wanted: str) -> NamedMemory | None:
    store, journal = call.home.store, call.home.journal
    for scope in call.scopes:
        if documents := store.get(scope, [wanted]):
            return NamedMemory(documents[0])
        if old := [d for d in journal.history(scope, 1 << 30) if d.key == wanted]:
            return NamedMemory(old[0], was_replaced=True)
    return None
