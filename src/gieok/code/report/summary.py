"""Summaries of symbols in a line or two.

A summary is made from signature, documentation and callees, or written once by a model.
"""

import re
from collections.abc import Sequence

from gieok.code.index.graph import CALLS, Certainty
from gieok.code.index.project import Project
from gieok.code.model.facts import FUNCTIONS
from gieok.model.code import Symbol, key_name
from gieok.text.keywords import query_tokens

_SENTENCE = re.compile(r"^(.+?[.!?。])(\s|$)")
_MOST_CALLEES = 8
_MOST_KEYWORDS = 12


def find_summaries(project: Project, symbols: Sequence[Symbol]) -> list[tuple[str, str]]:
    """Return (summary, model) of each symbol.

    The summary is the model's of this exact code, or one made without a model (then the model is
    '').
    """
    stored = project.store.summaries([symbol.code_hash for symbol in symbols])
    rows = [stored.get(symbol.code_hash) for symbol in symbols]
    return [
        (row.text, row.model)
        if row and row.text
        else (build_plain_summary(symbol, callees(project, symbol.key)), "")
        for symbol, row in zip(symbols, rows, strict=True)
    ]


def build_plain_summary(symbol: Symbol, callees: Sequence[str] = ()) -> str:
    """Return a summary without a model."""
    parts = [first_sentence(symbol.doc)] if symbol.doc else []
    if not parts and symbol.kind in FUNCTIONS:
        parts.append(" ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", symbol.name)).lower())
    if callees:
        names = ", ".join(callees[:_MOST_CALLEES])
        parts.append(f"Calls {names}" + (" …" if len(callees) > _MOST_CALLEES else "") + ".")
    return " ".join(filter(None, parts))


def first_sentence(doc: str) -> str:
    """Return the first sentence of a docstring."""
    match = _SENTENCE.match(doc)
    return match[1] if match else doc[:160]


def callees(project: Project, key: str) -> list[str]:
    """Return the names of the symbols that a symbol calls, surest first."""
    edges = [
        e
        for e in project.store.edges_out_of([key])
        if e.kind == CALLS and e.tier <= Certainty.UNIQUE_NAME
    ]
    return list(
        dict.fromkeys(key_name(e.target) for e in sorted(edges, key=lambda e: (e.line, e.target)))
    )


def keywords(symbol: Symbol) -> list[str]:
    """Return the keywords of a symbol."""
    text = f"{symbol.qualified} {symbol.signature} {symbol.doc}"
    return list(query_tokens(text))[:_MOST_KEYWORDS]
