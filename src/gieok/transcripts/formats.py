"""The table of formats, and which of them a file is in. A new agent is a file beside this one and a row."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from gieok.model import Message, Turn
from gieok.transcripts import claude_code, codex, gemini_cli, openclaw, plain
from gieok.transcripts.session import Format, Line, Session

#: In the order in which they are tried: `plain` takes whatever has a role.
FORMATS = (openclaw.FORMAT, codex.FORMAT, gemini_cli.FORMAT, claude_code.FORMAT, plain.FORMAT)

#: Beside transcripts stand files that are none: OpenClaw's own records, checkpoints and backups of what was read before.
_OTHER_FILES = (".trajectory.jsonl", ".checkpoint.", ".bak.", ".trajectory-path.json")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file whose format is known."""

    format: Format
    session: Session

    def turns(self, line: Line, fallback_id: str) -> list[Turn]:
        """Return what a line comes to; nothing where the whole session is none of memory's business."""
        return [] if self.session.ignored else list(self.format.turns(self.session, line, fallback_id))


def begin(name: str, first: Line) -> Transcript | None:
    """Return the transcript that a file of this name with this first line is; None where no format knows it."""
    for found in FORMATS:
        session = found.begin(PurePath(name).name, first)
        if session is not None:
            return Transcript(found, session)
    return None


def is_transcript(name: str) -> bool:
    """Say whether a file's name is one that transcripts have, rotated ones (`a.jsonl.reset.2026-…`) included."""
    return (
        ".jsonl" in name
        and not name.endswith((".lock", ".tmp", ".zst", ".gz"))
        and not any(other in name for other in _OTHER_FILES)
    )


def replay(turns: Iterable[Turn]) -> Iterator[Message]:
    """Yield the messages that hold after all turns, in order: the last version of each, without what was taken back."""
    held: dict[str, Message] = {}
    for turn in turns:
        if isinstance(turn, Message):
            held[turn.id] = turn
        else:
            _take_back(held, turn.id, turn.session, after=turn.after)
    yield from held.values()


def _take_back(held: dict[str, Message], first: str, session: str, *, after: bool) -> None:
    ids = [identity for identity, message in held.items() if message.session == session]
    if first:
        base = next((n for n, i in enumerate(ids) if i.partition("#")[0] == first), len(ids))
        ids = ids[base:] if after else [i for i in ids if i.partition("#")[0] == first]
    for identity in ids:
        del held[identity]
