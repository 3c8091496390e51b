"""Reads a source file into its facts, its symbols, and the passages for search."""

import json
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from gieok.code.index import chunks
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import Builder, Facts, SymbolFact, SymbolKind, parse_facts
from gieok.code.model.tuning import Chunking
from gieok.model.code import Symbol
from gieok.model.memory import Passage
from gieok.text.redact import redact, redact_source

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

_MARKER = re.compile(r"(?:#|//|/\*|\*|<!--|--)\s*(TODO|FIXME|XXX|HACK)\b[:\s(]*(.{0,160})")
_SIGNATURE_LINES = 8
_SIGNATURE_CHARS = 240
_DOC_CHARS = 400
_NOTE_CHARS = 200
#: A text in JSON, as it is escaped.
_TEXT = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_ESCAPED = re.compile(r"\\u[0d]", re.IGNORECASE)


_CHUNKING = Chunking()
#: Status of a file with what it holds beside its scripts, and statuses of files that need no mend.
_SCRIPTS = "scripts"
READ_WHOLE = ("parsed", _SCRIPTS)


class CodeSource(NamedTuple):
    """Source file that was read.

    `status` is `parsed`, `scripts` (all scripts of a file that holds more), `partly` or `text`.
    `note` says what is missing: the parser's error where the file was parsed partly, or indexed as
    text only.
    """

    path: str
    language: str
    facts: Facts
    symbols: tuple[Symbol, ...]
    status: str
    note: str
    #: The facts as JSON.
    dumped: str

    def passages(self, text: str, chunking: Chunking = _CHUNKING) -> tuple[Passage, ...]:
        """Return the passages of the file; none for a language that is not searched.

        `text` may be redacted, as long as its lines are kept.
        """
        return (
            chunks.cut(text, self.path, self.facts.symbols, chunking)
            if LANGUAGES[self.language].is_searched
            else ()
        )


def read_source_file(path: str, language: str, text: str, parser: "TreeSitterParser") -> CodeSource:
    """Read a file into facts and symbols.

    A file that does not parse is indexed as text, with a note that gives the reason.
    """
    status, note = "parsed", ""
    try:
        facts = LANGUAGES[language].read(text, parser)
        if facts.error:
            status = _SCRIPTS if facts.error == LANGUAGES[language].beside_code else "partly"
            note = facts.error
    # A file that the parser fails on must not stop the indexing of other files: it is indexed as
    # text, and the note says why.
    except Exception as error:  # noqa: BLE001
        status, note = "text", f"not parsed: {type(error).__name__}: {error}"[:_NOTE_CHARS]
        facts = Builder(language, text.count("\n") + 1).finish()
    facts = facts._replace(symbols=(*facts.symbols, *_find_todo_markers(text)))
    dumped = facts.dump()
    symbols = symbols_of(path, facts, text)
    if _holds_secret("\n".join((*_list_texts(dumped), *(s.signature for s in symbols)))):
        facts = _redact_facts(dumped)
        dumped = facts.dump()
        symbols = _redact_symbols(symbols_of(path, facts, text))
    if _ESCAPED.search(text):
        facts = _drop_lone_surrogates(dumped)
        dumped = facts.dump()
        symbols = _redact_symbols(symbols_of(path, facts, text))
    return CodeSource(
        path=path,
        language=language,
        facts=facts,
        symbols=symbols,
        status=status,
        note=note,
        dumped=dumped,
    )


def _drop_lone_surrogates(dumped: str) -> Facts:
    """Return facts, given as JSON, without lone surrogates, which no store accepts.

    Escapes in Python strings may produce them.
    """
    return parse_facts(dumped.encode("utf-8", "replace").decode("utf-8"))


def symbols_of(path: str, facts: Facts, text: str) -> tuple[Symbol, ...]:
    """Return the symbols of a file.

    Several symbols may have one name; the graph then keeps the last.
    """
    lines = text.split("\n")
    return tuple(_build_source_symbol(path, fact, facts, lines) for fact in facts.symbols)


def _redact_facts(dumped: str) -> Facts:
    """Return facts, given as JSON, without secrets in any text.

    A quoted key is a name, an attribute, an operand.
    """
    return parse_facts(json.dumps(_redact_texts(json.loads(dumped), {})))


def _list_texts(dumped: str) -> list[str]:
    """Return the texts in JSON, names of fields included, each once.

    A pattern finds them in a third of the time that walking through the facts takes.
    """
    texts = dict.fromkeys(_TEXT.findall(dumped))
    return [json.loads(f'"{text}"') if "\\" in text else text for text in texts]


def _redact_texts(value: object, known: dict[str, str]) -> object:
    """Return a value of JSON with each text in it redacted; `known` are those that were so far."""
    if isinstance(value, str):
        clean = known.get(value)
        if clean is None:
            clean = known[value] = redact_source(value)
        return clean
    if isinstance(value, list):
        return [_redact_texts(part, known) for part in value]
    if isinstance(value, dict):
        return {redact_source(name): _redact_texts(part, known) for name, part in value.items()}
    return value


def _redact_symbols(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Return symbols without secrets in their signatures, which may be lines of the file."""
    return tuple(symbol._replace(signature=redact_source(symbol.signature)) for symbol in symbols)


def _holds_secret(text: str) -> bool:
    return redact_source(text) != text


def dialect(language: str) -> Callable[[str], str]:
    """Return the redaction function for a language: for source code or for prose.

    Manifests and prose are searched for other forms of secrets than code.
    """
    return redact_source if LANGUAGES[language].is_source else redact


def _build_source_symbol(path: str, fact: SymbolFact, facts: Facts, lines: Sequence[str]) -> Symbol:
    parent = f"{path}::{facts.symbols[fact.parent].qualified}" if fact.parent >= 0 else ""
    body = "\n".join(lines[fact.start - 1 : fact.end])
    return Symbol(
        key=f"{path}::{fact.qualified}",
        path=path,
        name=fact.name if fact.kind != SymbolKind.MODULE else path,
        kind=fact.kind,
        start_line=fact.start,
        end_line=fact.end,
        parent=parent,
        signature=fact.signature or _format_symbol_head(fact, lines),
        doc=" ".join(fact.doc[: 4 * _DOC_CHARS].split())[:_DOC_CHARS],
        complexity=fact.complexity,
        traits=" ".join(fact.traits),
        status=fact.status,
        code_hash=sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    )


def _format_symbol_head(fact: SymbolFact, lines: Sequence[str]) -> str:
    """Return the head of a definition on one line; '' for a module or a lambda.

    The head reaches from the line that names the definition to the line that opens its body.
    """
    if fact.kind in (SymbolKind.MODULE, SymbolKind.LAMBDA):
        return ""
    span = lines[fact.start - 1 : fact.end]
    first = next(
        (
            n
            for n, line in enumerate(span[:40])
            if fact.name in line and not line.lstrip().startswith("@")
        ),
        0,
    )
    head = ""
    for line in span[first : first + _SIGNATURE_LINES]:
        head += " " + line.strip()
        if line.rstrip().endswith((":", "{", ";")):
            break
    return " ".join(head.split()).rstrip("{:").strip()[:_SIGNATURE_CHARS]


def _find_todo_markers(text: str) -> list[SymbolFact]:
    """Return the TODO, FIXME, XXX and HACK comments as symbols."""
    if "TODO" not in text and "FIXME" not in text and "XXX" not in text and "HACK" not in text:
        return []
    markers = []
    line, position = 1, 0
    for match in _MARKER.finditer(text):
        line, position = line + text.count("\n", position, match.start()), match.start()
        name = match[1]
        markers.append(
            SymbolFact(
                name=name,
                qualified=f"<{name}:{line}>",
                kind=SymbolKind.MARKER,
                start=line,
                end=line,
                parent=0,
                signature=match[2].strip().rstrip("*/->"),
            )
        )
    return markers
