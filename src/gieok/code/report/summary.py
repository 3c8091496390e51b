"""Summaries of symbols in a line or two.

A summary is made from signature, documentation and callees, or written once by a model.
"""

import re
from collections.abc import Sequence

from gieok.code.index.graph import CALLS, Certainty
from gieok.code.index.project import Project
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, parse_facts
from gieok.model.code import Symbol, key_name
from gieok.text.keywords import query_tokens

_SENTENCE = re.compile(r"^(.+?[.!?。])(\s|$)")
_MOST_CALLEES = 8
_MOST_KEYWORDS = 12
#: A name, or a word in any writing; no part of a pattern (`<0>`).
_IS_WORD = re.compile(r"[\w$]+")
#: Names of the object or class that a method is called on.
_RECEIVERS = frozenset(("self", "cls", "this"))


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


def find_keywords(project: Project, symbol: Symbol) -> list[str]:
    """Return the keywords of a symbol: its name and the words of it, its parameters, its calls."""
    names = [symbol.name] if symbol.kind in DEFINITIONS else []
    names += query_tokens(symbol.name) if names else ()
    names += _read_parameter_names(project, symbol) if symbol.kind in FUNCTIONS else ()
    names += (name.rpartition(".")[2] for name in callees(project, symbol.key))
    first: dict[str, str] = {}
    for name in filter(_IS_WORD.fullmatch, names):
        first.setdefault(name.lower(), name)
    return list(first.values())[:_MOST_KEYWORDS]


def _read_parameter_names(project: Project, symbol: Symbol) -> list[str]:
    """Return the names of a function's parameters, without that of its object."""
    for _, text in project.store.facts([symbol.path]):
        facts = parse_facts(text)
        for function in facts.functions:
            if facts.symbols[function.symbol].qualified == symbol.qualified:
                names = (*function.names, *function.keyword_only)
                return [name for name in names if name not in _RECEIVERS]
    return []
