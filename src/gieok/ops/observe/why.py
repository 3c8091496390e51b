"""`gieok why`: the raw messages behind a memory."""

from dataclasses import dataclass
from datetime import tzinfo

from gieok.errors import BadRequest
from gieok.model.conversation import Journalled
from gieok.model.memory import Document
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Words, argument, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyRequest:
    """Parameters of `gieok why`."""

    id: str = argument(
        Words("the memory's id, as `observe show` and `search` print it", "기억의 id"), "", positional=True
    )


@dataclass(frozen=True, slots=True)
class WhyResult:
    """A memory, and the messages that it came from."""

    document: Document
    messages: tuple[Journalled, ...]
    zone: tzinfo

    @property
    def found(self) -> bool:
        """True where messages are known, or the place of a file."""
        return bool(self.messages or self.document.provenance)

    def to_json(self) -> object:
        """Return the documented shape."""
        d = self.document
        return {
            "id": d.key,
            "text": d.text,
            "sources": [p._asdict() for p in d.provenance],
            "messages": [
                {
                    "id": m.id,
                    "role": m.role.value,
                    "at": m.at.isoformat(),
                    "text": m.text,
                    "source": m.source,
                    "line": m.line,
                }
                for _, m in self.messages
            ],
        }


def run(context: Context, request: WhyRequest) -> WhyResult:
    """Follow a memory back."""
    if not request.id:
        raise BadRequest("which memory?", hint="`gieok observe show` prints the id of each")
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
    for _, m in result.messages:
        at = m.at.astimezone(result.zone)
        lines.append(style.dim(f"  {at:%Y-%m-%d %H:%M} {m.role}  {m.source}:{m.line}"))
        lines += [f"    {printable(line)}" for line in m.text.splitlines()]
    if not result.messages:
        lines += [f"  {p.source}:{p.start_line}-{p.end_line}" for p in result.document.provenance if p.start_line]
    return "\n".join(lines)


OPERATION = Operation(
    name="why",
    request=WhyRequest,
    handler=run,
    present=present,
    doc=Words("Show the raw messages behind a memory", "기억의 바탕이 된 원래 메시지를 보여 줍니다"),
)
