"""The managed store: documents, passages and keywords in SQLite, and a copy at Gemini File Search for semantic search.

Extra: `gieok[gemini]`. `put` and `forget` write here only; `push` brings the service in line. What the service quotes is
mapped back to passages here, so that a citation names lines of the file on disk. Without the network, keyword search answers.
"""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self, Unpack

from gieok import fs
from gieok.backends.opening import Opening
from gieok.backends.stores.gemini.ground import locate, overlapped
from gieok.backends.stores.gemini.manifest import UploadManifest
from gieok.backends.stores.gemini.service import Access, GeminiService, GroundedChunk
from gieok.backends.stores.gemini.sync import ID, KIND, OWNER, SCOPE, TIME, Sync, UploadPlan, alone, uploaded
from gieok.backends.stores.sqlite.store import SqliteDocuments, SqliteOptions
from gieok.errors import BadConfig, StoreUnreachable
from gieok.model.memory import PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, Ranking
from gieok.ports.system import Clock
from gieok.text.redact import redact

#: Stores that one search may name.
_MOST_STORES = 5
#: Smallest and largest chunk that the service accepts, in tokens.
_CHUNK_TOKENS = (21, 512)


class Terms(NamedTuple):
    """Limits and prices of searches: chunks per search, calls per day (0: unlimited), dollars per million tokens."""

    top_k: int
    daily_calls: int
    price_input: float
    price_output: float


class _SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def _owner(file: Path) -> str:
    """Return the owner label of this home's documents, which other machines may share a key with; it outlives the manifest."""
    if not file.is_file():
        fs.make_private(file.parent)
        fs.create(file, secrets.token_hex(8))  # of two processes, the slower one takes the word of the faster
    return file.read_text(encoding="ascii").strip()


class GeminiStore(SqliteDocuments):
    """`Store`, `KeywordSearch`, `ManagedSearch`, `ManagedCopy` and `Described`."""

    service_name = "gemini-file-search"

    def __init__(
        self,
        file: Path,
        plan: UploadPlan,
        access: Access,
        terms: Terms,
        *,
        clock: Clock | None = None,
        pause: Callable[[float], None] = time.sleep,
        **options: Unpack[SqliteOptions],
    ) -> None:
        super().__init__(file, **options)
        self._lock = file.with_suffix(".lock")
        self._manifest = UploadManifest(self._reading, self._writing)
        self._clock = clock or _SystemClock()
        self._pause = pause
        self._plan = plan
        self._terms = terms
        self._service = GeminiService(access, self._count, pause)

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Open the store of a home folder. Raises BadConfig."""
        names = tuple(filter(None, (name.strip() for name in opening.setting("gemini.stores").split(","))))
        if not 0 < len(names) <= _MOST_STORES:
            raise BadConfig(
                f"gemini.stores names {len(names)} stores", hint=f"name 1 to {_MOST_STORES}, with commas between"
            )
        least, most = _CHUNK_TOKENS
        chunk = min(max(int(opening.setting("index.passage_tokens")), least), most)
        plan = UploadPlan(
            _owner(opening.home / "gemini.owner"),
            names,
            chunk,
            min(int(opening.setting("index.overlap_tokens")), chunk // 2),
            float(opening.setting("gemini.upload_timeout_s")),
        )
        access = Access(
            opening.secret("GEMINI_API_KEY") or opening.secret("GOOGLE_API_KEY"),
            opening.setting("gemini.url"),
            float(opening.setting("gemini.timeout_s")),
            opening.setting("gemini.model"),
            opening.setting("gemini.embedding_model"),
        )
        terms = Terms(
            int(opening.setting("gemini.top_k")),
            int(opening.setting("gemini.daily_calls")),
            float(opening.setting("gemini.price_input")),
            float(opening.setting("gemini.price_output")),
        )
        return cls(opening.file, plan, access, terms, resident=opening.is_resident, say=opening.say)

    @property
    def location(self) -> str:
        """Return the stores' names at the service, and the file here."""
        names = self._manifest.store_names()
        return ", ".join([*(names.get(name, name) for name in self._plan.stores), str(self._file)])

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count what is here; a passage has a vector where its document is at the service as it is here."""
        return super().stats(scope)._replace(vectors=self._manifest.uploaded_passages(scope), cached_vectors=0)

    def close(self) -> None:
        """Release the file and the connections."""
        self._service.close()
        super().close()

    # ManagedSearch, ManagedCopy, Described

    def managed(self, scope: Scope, text: str, where: Filter, limit: int) -> Ranking:
        """Rank as the service does. Quotations of documents that are gone here are left out."""
        uploads = self._manifest.uploads()
        stores = sorted({upload.store for upload in uploads.values() if upload.scope == scope.path})[:_MOST_STORES]
        if not stores and uploaded(self.hashes(scope)):
            raise StoreUnreachable(f"nothing of {scope} is at gemini yet", hint="run `gieok index`")
        if not stores:
            return Ranking("managed", ())
        self._verify_budget()
        asked = min(limit, self._terms.top_k)
        chunks = self._service.search(stores, redact(text), self._condition(scope, where), asked)
        ids: dict[PassageId, None] = {}
        for chunk in chunks:
            upload = uploads.get(chunk.labels.get(ID, ""))
            if upload is not None and upload.scope == scope.path:
                ids.update(dict.fromkeys(self._passages_of(scope, upload.key, chunk)))
        allowed = [p.id for p in self.passages(list(ids), scope) if where.admits(p.kind, p.valid_from or p.updated_at)][
            :limit
        ]
        return Ranking("managed", tuple((i, 1 - place / limit) for place, i in enumerate(allowed)))

    def push(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Synchronise the service with what is here; return how many documents were uploaded or deleted."""
        with alone(self._lock):
            sync = Sync(self, self._manifest, self._service, self._plan, self._clock, self._pause, progress)
            return sync.push()

    def describe(self) -> list[str]:
        """Tell what is at the service, and what this month's calls took."""
        now = self._clock.now()
        month, today = self._manifest.usage(f"{now:%Y-%m-01}"), self._manifest.usage(f"{now:%Y-%m-%d}")
        dollars = (
            month.input_tokens * self._terms.price_input + month.output_tokens * self._terms.price_output
        ) / 1_000_000
        kinds = ", ".join(f"{count:,} {what}" for what, count in sorted(month.calls.items())) or "none"
        end = f" of {self._terms.daily_calls:,}" if self._terms.daily_calls else ""
        return [
            f"{self.service_name}: {len(self._manifest.uploads()):,} documents in {', '.join(self._store_names())}",
            f"calls this month: {kinds}; {month.input_tokens:,} tokens in, {month.output_tokens:,} out, about ${dollars:.2f}",
            f"searches today: {today.calls.get('search', 0):,}{end}",
        ]

    def _store_names(self) -> list[str]:
        names = self._manifest.store_names()
        return [names.get(name, f"{name} (not made yet)") for name in self._plan.stores]

    def _passages_of(self, scope: Scope, key: str, chunk: GroundedChunk) -> list[PassageId]:
        """Return the passages that a chunk is in."""
        entry = next(iter(self.entries(scope, [key])), None)
        span = locate(entry.document.text, chunk.text) if entry else None
        if entry is None or span is None:
            return []
        with self._reading() as db:
            row = db.execute(
                "SELECT first_passage FROM documents WHERE key = ? AND scope_id = (SELECT id FROM scopes WHERE path = ?)",
                (key, scope.path),
            ).fetchone()
        return [row[0] + place for place in overlapped(entry.passages, span)] if row else []

    def _condition(self, scope: Scope, where: Filter) -> str:
        terms = [f"{OWNER}={_quoted(self._plan.owner)}", f"{SCOPE}={_quoted(scope.path)}"]
        if where.kinds:
            terms.append("(" + " OR ".join(f"{KIND}={_quoted(kind)}" for kind in sorted(where.kinds)) + ")")
        terms += [f"{TIME}>={round(where.since.timestamp())}"] if where.since else []
        terms += [f"{TIME}<{round(where.until.timestamp())}"] if where.until else []
        return " AND ".join(terms)

    def _verify_budget(self) -> None:
        used = self._manifest.usage(f"{self._clock.now():%Y-%m-%d}").calls.get("search", 0)
        if 0 < self._terms.daily_calls <= used:
            raise StoreUnreachable(
                f"gemini not asked: today's {self._terms.daily_calls:,} searches are used up",
                hint="raise gemini.daily_calls, or wait until tomorrow (UTC)",
            )

    def _count(self, what: str, input_tokens: int, output_tokens: int) -> None:
        self._manifest.count(f"{self._clock.now():%Y-%m-%d}", what, input_tokens, output_tokens)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
