"""`gieok why`: the raw messages behind a memory."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import NamedTuple

from gieok.errors import BadRequest
from gieok.model.conversation import Journalled, Role
from gieok.model.memory import Document, Provenance
from gieok.ops.context import Context
from gieok.ops.encode import Hidden, shown
from gieok.ops.operation import Operation, Style, Words, argument, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyRequest:
    """Parameters of `gieok why`."""

    id: str = argument(
        Words("the memory's id, as `observe show` and `search` print it", "기억의 id"),
        "",
        positional=True,
        needed="gieok why ID",
    )


class SourceMessage(NamedTuple):
    """A message behind a memory, and where it stands."""

    id: str
    role: Role
    at: datetime
    text: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class WhyResult:
    """A memory, and the messages that it came from."""

    document: Hidden[Document]
    journalled: Hidden[tuple[Journalled, ...]]
    zone: Hidden[tzinfo]

    @property
    def found(self) -> bool:
        """True where messages are known, or the place of a file."""
        return bool(self.journalled or self.document.provenance)

    @property
    @shown
    def id(self) -> str:
        """Return the key of the memory."""
        return self.document.key

    @property
    @shown
    def text(self) -> str:
        """Return what is remembered."""
        return self.document.text

    @property
    @shown
    def sources(self) -> tuple[Provenance, ...]:
        """Return where it comes from."""
        return self.document.provenance

    @property
    @shown
    def messages(self) -> tuple[SourceMessage, ...]:
        """Return the messages behind it."""
        found = (one.message for one in self.journalled)
        return tuple(SourceMessage(m.id, m.role, m.at, m.text, m.source, m.line) for m in found)


def run(context: Context, request: WhyRequest) -> WhyResult:
    """Follow a memory back."""
    store, journal = context.memory.store(), context.memory.journal()
    wanted = request.id.partition("#")[0]  # as a citation has it
    for scope in (context.scope, *context.also):
        found = store.get(scope, [wanted])
        found = found or [d for d in journal.history(scope, 1 << 30) if d.key == wanted]
        if found:
            ids = [identity for origin in found[0].provenance for identity in origin.message_ids]
            return WhyResult(found[0], tuple(journal.messages(scope, ids)), context.zone)
    raise BadRequest(f"no memory has the id {request.id!r} in {context.scope}", hint="`gieok observe show` prints ids")


def present(result: WhyResult, style: Style) -> str:
    """Show the memory, then each message with its place."""
    lines = [style.bold(printable(result.document.text))]
    for _, m in result.journalled:
        at = m.at.astimezone(result.zone)
        lines.append(style.dim(f"  {at:%Y-%m-%d %H:%M} {m.role}  {m.source}:{m.line}"))
        lines += [f"    {printable(line)}" for line in m.text.splitlines()]
    if not result.journalled:
        lines += [f"  {p.source}:{p.start_line}-{p.end_line}" for p in result.document.provenance if p.start_line]
    return "\n".join(lines)


OPERATION = Operation(
    name="why",
    handler=run,
    present=present,
    doc=Words("Show the raw messages behind a memory", "기억의 바탕이 된 원래 메시지를 보여 줍니다"),
)
