"""Work that the daemon does in a child process: embedding, and syncing a project."""

import json
import os
import sys

from gieok.commands.encode import encode
from gieok.errors import EmbedderFailed, GieokError
from gieok.flow.lifecycle import fill_lines, fill_vectors, follow_release
from gieok.home.calls import open_call
from gieok.ports.models import Embedder
from gieok.ports.store import VectorSearch
from gieok.text.redact import redact
from gieok.text.turns import is_users

#: Low priority, because minutes of embedding must not slow down a prompt.
_NICE = 10


def embed_missing_vectors() -> None:
    """Make the missing vectors, at low priority; print the errors."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    call = open_call({})
    store, embedder = call.home.store, call.home.open_embedder()
    try:
        if embedder is not None and isinstance(store, VectorSearch):
            fill_vectors(store, embedder, is_first=is_users)
            _follow_release(store, embedder)
            fill_lines(store, embedder)
            call.home.settle_statements()
    except GieokError as error:
        print(redact(f"embedding failed: {error}"), flush=True)  # noqa: T201 - for the daemon's log


def _follow_release(store: VectorSearch, embedder: Embedder) -> None:
    """Make the vectors anew for the current release; if that fails, the earlier ones serve on."""
    try:
        follow_release(store, embedder)
    except EmbedderFailed as error:
        said = redact(f"the vectors stay those of the earlier release: {error}")
        print(said, flush=True)  # noqa: T201 - for the daemon's log


def sync_child_project() -> None:
    """Sync the project in the folder that is the first argument; print the result or the error.

    The result is JSON.
    """
    from gieok.commands.code.sync import sync_code_files  # which a child that embeds has no use for

    try:
        os.chdir(sys.argv[1])
        row = encode(sync_code_files(open_call({}), trigger="daemon"))
    except (GieokError, OSError) as error:
        hint = f" ({error.hint})" if isinstance(error, GieokError) and error.hint else ""
        row = {"error": f"{error}{hint}"}
    print(json.dumps(row), flush=True)  # noqa: T201 - for the process that started this one
