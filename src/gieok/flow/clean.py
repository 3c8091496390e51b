"""Redacts documents of any origin."""

from collections.abc import Callable
from dataclasses import replace

from gieok.model.memory import Document
from gieok.text.redact import redact, redact_source
from gieok.text.redact.names import redact_path_names


def cleaned(document: Document, dialect: Callable[[str], str] = redact) -> Document:
    """Return a document without secrets in its text, title, metadata and sources.

    `dialect` redacts the text, and the title unless it is that of source code.
    """
    redact_title = redact if dialect is redact_source else dialect
    return replace(
        document,
        text=dialect(document.text),
        title=redact_title(document.title),
        metadata=dict(_redact_field(name, value) for name, value in document.metadata.items()),
        provenance=tuple(
            origin._replace(source=redact_path_names(origin.source))
            for origin in document.provenance
        ),
    )


def _redact_field(name: str, value: str) -> tuple[str, str]:
    """Redact a field as one line: only the name shows that the value of `password: …` is a
    secret.
    """
    line = f"{name}: {value}"
    clean = redact(line)
    if clean == line:
        return name, redact(value)
    clean_name, _, clean_value = clean.partition(": ")
    return clean_name, redact(clean_value)
