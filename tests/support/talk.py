"""Blocks of turns of a project, and the vectors of their words."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore

SHOP = Scope("project:shop-0badf00d")
#: Day 0 of the turns.
AT = datetime(2026, 3, 1, tzinfo=UTC)


def build_key(session: str) -> str:
    """Return the key of the first block of a session."""
    return f"sessions/codex/{session}#1"


def build_turns(session: str, day: int, *said: str, scope: Scope = SHOP) -> Entry:
    """Return a block of turns; what begins with the label of the agent is the agent's."""
    lines = [one if one.startswith("Assistant: ") else f"User: {one}" for one in said]
    metadata = {"agent": "codex", "session": session}
    return build_block(
        scope, build_key(session), *lines, at=AT + timedelta(days=day), metadata=metadata
    )


def build_block(
    scope: Scope,
    key: str,
    *lines: str,
    at: datetime = AT,
    metadata: Mapping[str, str] | None = None,
) -> Entry:
    """Return a block of turns with a passage for each of its lines."""
    text = "\n".join(lines)
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    passages = tuple(
        Passage(start, start + len(line), n, n)
        for n, (start, line) in enumerate(zip(starts, lines, strict=True), 1)
    )
    document = Document(
        scope=scope,
        key=key,
        kind="turn",
        text=text,
        content_hash=sha256(text.encode()).hexdigest(),
        created_at=at,
        updated_at=at,
        valid_from=at,
        metadata=metadata or {},
    )
    return Entry(document, passages)


def embed_missing(store: MemoryStore) -> None:
    """Give every text of a store its vector."""
    embedder = HashEmbedder(128)
    store.use_model(embedder.model, embedder.dimension)
    while missing := store.missing(100):
        vectors = embedder.embed_passages([text for _, text in missing])
        store.put_vectors(
            embedder.model, dict(zip((id_ for id_, _ in missing), vectors, strict=True))
        )
