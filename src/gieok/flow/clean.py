"""Redacts documents of any origin."""

from collections.abc import Callable
from dataclasses import replace

from gieok.model.memory import Document
from gieok.text.redact import redact, redact_source, user_rules
from gieok.text.redact.names import redact_path_names
from gieok.text.redact.rule import Rule

#: Short fields that hold no secret, with the user's own rules that say so: fields repeat from
#: document to document.
_CLEAN_FIELDS: set[tuple[str, str, tuple[Rule, ...]]] = set()
_MOST_REMEMBERED = 256
_SHORT_CHARS = 40


def cleaned(document: Document, dialect: Callable[[str], str] = redact) -> Document:
    """Return a document without secrets in its text, title, metadata and sources.

    `dialect` redacts the text, and the title unless it is that of source code.
    """
    redact_title = redact if dialect is redact_source else dialect
    return replace(
        document,
        text=dialect(document.text),
        title=redact_title(document.title),
        metadata=dict(_redact_field(*field) for field in document.metadata.items()),
        provenance=tuple(
            origin._replace(source=redact_path_names(origin.source))
            for origin in document.provenance
        ),
    )


def _redact_field(name: str, value: str) -> tuple[str, str]:
    field = (name, value, user_rules.list_own_rules())
    if field in _CLEAN_FIELDS:
        return name, value
    clean = _redact_line(name, value)
    if clean == (name, value) and len(name) + len(value) <= _SHORT_CHARS:
        if len(_CLEAN_FIELDS) >= _MOST_REMEMBERED:
            _CLEAN_FIELDS.clear()
        _CLEAN_FIELDS.add(field)
    return clean


def _redact_line(name: str, value: str) -> tuple[str, str]:
    """Redact a field as one line: only the name shows that the value of `password: …` is a
    secret.
    """
    line = f"{name}: {value}"
    clean = redact(line)
    if clean == line:
        return name, redact(value)
    clean_name, _, clean_value = clean.partition(": ")
    return clean_name, redact(clean_value)
