"""`gieok get`: the file on disk, or some of its lines."""

import re
from dataclasses import dataclass, replace
from typing import Annotated

from gieok.commands.command import TRUST_HINT, Parameter, Style, Surface, command, tier_words
from gieok.commands.encode import Hidden, Omitted, mark_encoded_getter
from gieok.commands.memory import handles, newest
from gieok.errors import BadRequest, find_os_reason
from gieok.home.call import Call
from gieok.memory.files import roots
from gieok.memory.files.read import Unfit, Untrusted, read_contained
from gieok.memory.talk import turn_reader
from gieok.model.memory import Document, Scope, Tier
from gieok.places.scope import SEEDS, SESSIONS
from gieok.ports.store import Documents
from gieok.ranking.recall import first_answer
from gieok.text.encoding import convert_line_ends
from gieok.text.messages import Words

_LINES = re.compile(r"(.+?)(?:#L|:)(\d+)(?:-(?:L)?(\d+))?")


@dataclass(frozen=True, slots=True)
class GetResult:
    """Text from line `from_` on; empty where the file does not exist."""

    path: str
    text: str
    from_: int
    found: Hidden[bool]
    tier: Tier = Tier.HOT
    #: Of a memory that was named by its handle: the full handle, and its scope.
    handle: Omitted[str] = None
    scope: Omitted[Scope] = None

    @property
    @mark_encoded_getter
    def lines(self) -> int:
        """Return the number of lines."""
        return self.text.removesuffix("\n").count("\n") + 1 if self.text else 0

    @property
    @mark_encoded_getter
    def status(self) -> str:
        """Return `ok` or `not_found`."""
        return "ok" if self.found else "not_found"


def render_memory_text(result: GetResult, style: Style) -> str:
    """Return the text unchanged."""
    del style
    return result.text


@command(
    "get",
    Words("Print a memory by its handle, or a memory file as it is on disk, or some of its lines"),
    present=render_memory_text,
    examples=("gieok get 3fa9c01e", "gieok get notes/a.md", "gieok get notes/a.md:12"),
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def get_memory_text(
    call: Call,
    *,
    path: Annotated[
        str,
        Parameter(
            Words(
                "a handle, or a path as search shows it, with lines if wanted: 3fa9c01e, "
                "notes/a.md, notes/a.md#L3-L9"
            ),
            positional=True,
            needed="gieok get notes/a.md",
        ),
    ] = "",
) -> GetResult:
    """Return the text of a handle, or of a file inside the known roots."""
    if named := handles.find_only_memory(call, path, history=True):
        return replace(
            _read_handle_text(call, named), handle=named.handle, scope=named.document.scope
        )
    if path.startswith((f"{SESSIONS}/", f"{SEEDS}/")) and (
        talk := _read_conversation_lines(call, path)
    ):
        return talk
    known, _ = first_answer(
        call.home.stores.all(),
        lambda store: [r for s in call.scopes for r in roots.load_roots(store, s)],
    )
    return _read_known_file(call, known, path)


def _read_handle_text(call: Call, memory: handles.NamedMemory) -> GetResult:
    """Return the text of a handle: a file as it is on disk, other memories as they are stored."""
    if (ended := handles.find_memory_end(memory, newest.open_standing(call))) is not None:
        call.tell(ended.status)
    known, _ = first_answer(
        call.home.stores.all(), lambda store: roots.load_roots(store, memory.document.scope)
    )
    path = roots.display(known, memory.document.key)
    if (
        memory.line
        or memory.was_replaced
        or not any(root.owns(memory.document.key) for root in known)
    ):
        tier = memory.document.tier
        if words := tier_words(tier, Style(call.lang, colour=False)):
            call.tell(words[0])
        return GetResult(path, memory.text, max(memory.line, 1), found=True, tier=tier)
    return _read_known_file(call, known, _format_document_path(memory.document))


def _format_document_path(document: Document) -> str:
    """Return the path of a document's file, with lines where the document is a part of the file."""
    file, source = roots.file_key(document.key), document.provenance[0]
    return document.key if file == document.key else f"{file}:{source.start_line}-{source.end_line}"


def _read_known_file(call: Call, known: list[roots.Root], path: str) -> GetResult:
    name, first, last = _parse_line_range(path)
    root, file = roots.resolve_root_file(known, name, call.caller.path(name, may_be_name=True))
    if first and not file.is_file():  # a file may well be called `a:3`
        whole = roots.resolve_root_file(known, path, call.caller.path(path, may_be_name=True))
        if whole[1].is_file():
            name, (root, file), first, last = path, whole, 0, 0
    _check_line_range(first, last)
    if file.is_dir():
        return _report_missing_text(call, name, first)
    try:
        text = convert_line_ends(read_contained(root, file)[1].text)
    except (FileNotFoundError, NotADirectoryError):
        return _report_missing_text(call, name, first)
    except Untrusted as error:
        raise BadRequest(
            "cannot read {name!r}: {error}", name=name, error=error, hint=TRUST_HINT
        ) from error
    except Unfit as error:
        raise BadRequest("cannot read {name!r}: {error}", name=name, error=error) from error
    except OSError as error:
        raise BadRequest(
            "cannot read {name!r}: {reason}", name=name, reason=find_os_reason(error)
        ) from error
    return _select_text_lines(call, name, text, first, last)


def _select_text_lines(call: Call, name: str, text: str, first: int, last: int) -> GetResult:
    """Return lines `first` to `last` of a text (0: all of it; `first` alone)."""
    if not first:
        return GetResult(name, text, 1, found=True)
    chosen = text.removesuffix("\n").split("\n")[first - 1 : last or first]
    return (
        GetResult(name, "\n".join(chosen), first, found=True)
        if chosen
        else _report_missing_text(call, name, first)
    )


def _read_conversation_lines(call: Call, path: str) -> GetResult | None:
    """Return lines of a conversation, which only the store holds; None for an unknown name."""
    name, first, last = _parse_line_range(path)
    _check_line_range(first, last)

    def held(store: Documents) -> list[Document]:
        return [document for scope in call.searched for document in store.get(scope, [name])]

    documents, _ = first_answer(call.home.stores.all(), held)
    if documents:
        return _select_text_lines(call, name, documents[0].text, first, last)
    text, _ = first_answer(
        call.home.stores.all(),
        lambda store: turn_reader.read_conversation(store, call.scopes, name),
    )
    return _select_text_lines(call, name, text, first, last) if text else None


def _report_missing_text(call: Call, name: str, first: int) -> GetResult:
    """Return an empty result for a missing text, and tell a person that the text is missing."""
    what = f"{name}:{first}" if first else name
    call.tell(call.words("{what} is not there", what=what))
    return GetResult(name, "", max(first, 1), found=False)


def _check_line_range(first: int, last: int) -> None:
    if last and last < first:
        raise BadRequest("lines {first}-{last} end before they begin", first=first, last=last)


def _parse_line_range(path: str) -> tuple[str, int, int]:
    """Return name, first and last line; 0 where not given."""
    line_match = _LINES.fullmatch(path)
    return (
        (line_match[1], int(line_match[2]), int(line_match[3] or 0)) if line_match else (path, 0, 0)
    )
