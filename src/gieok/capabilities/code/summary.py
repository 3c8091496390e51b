"""What a symbol does, in a line or two: made from its signature, its documentation and what it calls; or by a model, once."""

import re
from collections.abc import Sequence

from gieok.capabilities.code.facts import Kind
from gieok.capabilities.code.graph import CALLS, Tier
from gieok.capabilities.code.project import SCOPE, Project
from gieok.model import Symbol
from gieok.text.keywords import query_tokens

_SENTENCE = re.compile(r"^(.+?[.!?。])(\s|$)")
_MOST_CALLEES = 8
_MOST_KEYWORDS = 12
_NOTE = "code.summary."


def cached(project: Project, symbol: Symbol) -> str:
    """Return what a model said of this very code; '' where none was asked."""
    return project.store.notes(SCOPE).get(_NOTE + symbol.code_hash, "")


def keep(project: Project, symbol: Symbol, text: str) -> None:
    """Keep what a model said, by the hash of the code: nothing is paid for twice."""
    project.store.write_note(SCOPE, _NOTE + symbol.code_hash, text)


def count(project: Project) -> int:
    """Count the summaries that a model wrote."""
    return sum(1 for name in project.store.notes(SCOPE) if name.startswith(_NOTE))


def summary(symbol: Symbol, callees: Sequence[str] = ()) -> str:
    """Return a summary without a model."""
    parts = [first_sentence(symbol.doc)] if symbol.doc else []
    if not parts and symbol.kind in (Kind.FUNCTION, Kind.METHOD):
        parts.append(" ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", symbol.name)).lower())
    if callees:
        shown = ", ".join(callees[:_MOST_CALLEES])
        parts.append(f"Calls {shown}" + (" …" if len(callees) > _MOST_CALLEES else "") + ".")
    return " ".join(filter(None, parts))


def first_sentence(doc: str) -> str:
    """Return the first sentence of a documentation."""
    match = _SENTENCE.match(doc)
    return match[1] if match else doc[:160]


def callees(project: Project, key: str) -> list[str]:
    """Return the names of what a symbol calls, surest first."""
    edges = [e for e in project.store.edges_out_of([key]) if e.kind == CALLS and e.tier <= Tier.UNIQUE_NAME]
    return list(dict.fromkeys(e.target.partition("::")[2] for e in sorted(edges, key=lambda e: (e.line, e.target))))


def keywords(symbol: Symbol) -> list[str]:
    """Return the words by which a symbol is found."""
    text = f"{symbol.key.partition('::')[2]} {symbol.signature} {symbol.doc}"
    return list(query_tokens(text))[:_MOST_KEYWORDS]
