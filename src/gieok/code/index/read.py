"""Reads a source file into its facts, its symbols, and the passages for search."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    symbols = (*facts.symbols, *_find_todo_markers(text))
    facts = _redact_facts(facts._replace(symbols=symbols))
    if _ESCAPED.search(text):
        facts = _drop_lone_surrogates(facts)
    return CodeSource(
        path=path,
        language=language,
        facts=facts,
        symbols=symbols_of(path, facts, text),
        status=status,
        note=note,
    )


def _drop_lone_surrogates(facts: Facts) -> Facts:
    """Return facts without lone surrogates, which no store accepts.

    Escapes in Python strings may produce them.
    """
    return parse_facts(facts.dump().encode("utf-8", "replace").decode("utf-8"))


def symbols_of(path: str, facts: Facts, text: str) -> tuple[Symbol, ...]:
    """Return the symbols of a file, without secrets.

    Several symbols may have one name; the graph then keeps the last.
    """
    lines = text.split("\n")
    return _redact_symbols(
        tuple(_build_source_symbol(path, fact, facts, lines) for fact in facts.symbols)
    )


def _redact_facts(facts: Facts) -> Facts:
    """Return facts without secrets in any text: a quoted key is a name, an attribute, an operand.

    Nearly no file has a secret, so all texts are first examined as one.
    """
    if not _holds_secret("\n".join(dict.fromkeys(_iter_texts(facts)))):
        return facts
    return parse_facts(json.dumps(_redact_texts(json.loads(facts.dump()))))


def _iter_texts(value: object) -> Iterator[str]:
    """Yield the texts in a value of lists and mappings, however deep.

    Most parts of facts are numbers and lists. They are told apart first, because asking whether
    each is a mapping or iterable, which looks at registered types, took most of the time.
    """
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, int):
            continue
        elif isinstance(part, (tuple, list)):
            stack += part
        elif isinstance(part, Mapping):
            stack += [*part, *part.values()]
        elif isinstance(part, Iterable):
            stack += part


def _redact_texts(value: object) -> object:
    """Return a value of JSON with each text in it redacted."""
    if isinstance(value, str):
        return redact_source(value)
    if isinstance(value, list):
        return [_redact_texts(part) for part in value]
    if isinstance(value, dict):
        return {redact_source(name): _redact_texts(part) for name, part in value.items()}
    return value


def _redact_symbols(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Return symbols without secrets in their signatures, which may be lines of the file."""
    if not _holds_secret("\n".join(symbol.signature for symbol in symbols if symbol.signature)):
        return symbols
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
