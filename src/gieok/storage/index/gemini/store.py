"""Managed store: local SQLite, and a copy at Gemini File Search for semantic search.

Extra: `gieok[gemini]`. SQLite holds documents, passages and keywords. `put` and `forget` write to
SQLite only; `push` synchronises the service. The service's quotations are mapped back to local
passages, so that a citation names lines of the file on disk. Without the network, keyword search
answers.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Self, Unpack

from gieok import fs
from gieok.errors import BadConfig, StoreUnreachable
from gieok.model.memory import PassageId, Scope, StoreStats
from gieok.model.retrieval import Filter, ManagedRankings, Ranking
from gieok.opening import Opening
from gieok.ports.store import RemoteData
from gieok.ports.system import Clock
from gieok.storage.index.gemini.comparison import KIND, OWNER, SCOPE, TIME, RemoteCopy
from gieok.storage.index.gemini.costs import Terms, UploadCosts
from gieok.storage.index.gemini.ground import Placing
from gieok.storage.index.gemini.manifest import UploadManifest
from gieok.storage.index.gemini.service import (
    MOST_OUTPUT_TOKENS,
    Access,
    AnswerLate,
    GeminiService,
    GroundedChunk,
    read_access,
)
from gieok.storage.index.gemini.sync import Sync, UploadPlan, alone, uploaded
from gieok.storage.index.sqlite.store import SqliteDocuments, SqliteOptions
from gieok.text.redact import redact
from gieok.text.tokens import estimate_tokens
from gieok.zone import day_in, find_zone

#: Stores that one search may name.
_MOST_STORES = 5
#: Smallest and largest chunk that the service accepts, in tokens.
_CHUNK_TOKENS = (21, 512)


class _SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def _read_owner_label(file: Path) -> str:
    """Return the label of this home as the owner of documents at the service.

    The label tells this home's documents from those of other machines with the same key; it
    outlives the manifest.
    """
    if not file.is_file():
        fs.make_private(file.parent)
        # Of two processes that start at once, the slower one takes the label of the faster.
        fs.create_new_file(file, secrets.token_hex(8))
    return file.read_text(encoding="ascii").strip()


class GeminiStore(SqliteDocuments):
    """`Store`, `KeywordSearch`, `ManagedStore`, `Droppable` and `Described`."""

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
        was_used: bool = False,
        zone: tzinfo = UTC,
        **options: Unpack[SqliteOptions],
    ) -> None:
        is_new = not file.exists()
        super().__init__(file, **options)
        self._lock = file.with_suffix(".lock")
        self._manifest = UploadManifest(self._reading, self._writing)
        self._clock = clock or _SystemClock()
        #: Time zone in which the days and months of calls are counted.
        self._zone = zone
        if was_used and is_new:
            self._manifest.note_lost(self._clock.now())
        self._pause = pause
        self._plan = plan
        self._address = access.url
        self._terms = terms
        self._costs = UploadCosts(self._manifest, terms, self._clock, zone)
        self._service = GeminiService(access, self._count, pause)
        self._remote = RemoteCopy(
            self._manifest, self._service, plan.owner, plan.stores, self._clock
        )

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Open the store of a home folder. Raises BadConfig."""
        names = tuple(
            filter(None, (name.strip() for name in opening.setting("gemini.stores").split(",")))
        )
        if not 0 < len(names) <= _MOST_STORES:
            raise BadConfig(
                "gemini.stores names {count} stores",
                count=len(names),
                most=_MOST_STORES,
                hint="name 1 to {most}, with commas between",
            )
        least, most = _CHUNK_TOKENS
        chunk_tokens = int(opening.setting("gemini.chunk_tokens"))
        chunk = min(max(chunk_tokens or int(opening.setting("index.passage_tokens")), least), most)
        overlap = int(opening.setting("gemini.chunk_overlap_tokens"))
        overlap = int(opening.setting("index.overlap_tokens")) if overlap < 0 else overlap
        owner = opening.home / "gemini.owner"
        was_used = owner.is_file()
        plan = UploadPlan(
            owner=_read_owner_label(owner),
            stores=names,
            chunk_tokens=chunk,
            overlap_tokens=min(overlap, chunk // 2),
            timeout_s=float(opening.setting("gemini.upload_timeout_s")),
        )
        terms = Terms(
            top_k=int(opening.setting("gemini.top_k")),
            daily_calls=int(opening.setting("gemini.daily_calls")),
            price_input=float(opening.setting("gemini.price_input")),
            price_output=float(opening.setting("gemini.price_output")),
            within_s=float(opening.setting("gemini.search_timeout_s")),
            condition=opening.setting("gemini.metadata_filter").strip(),
            price_index=float(opening.setting("gemini.price_index")),
            monthly_dollars=float(opening.setting("gemini.monthly_dollars")),
        )
        return cls(
            opening.file,
            plan,
            read_access(opening),
            terms,
            was_used=was_used,
            zone=find_zone(opening.setting("zone")),
            resident=opening.is_resident,
            say=opening.say,
        )

    @property
    def location(self) -> str:
        """Return the stores' names at the service, and the path of the local file."""
        names = self._manifest.store_names()
        return ", ".join([*(names.get(name, name) for name in self._plan.stores), str(self._file)])

    def stats(self, scope: Scope | None = None) -> StoreStats:
        """Count local documents and passages.

        A passage counts as having a vector where the service holds the current version of its
        document.
        """
        return (
            super()
            .stats(scope)
            ._replace(
                vectors=self._manifest.uploaded_passages(scope),
                cached_vectors=0,
                unsent=self._manifest.count_unsent_passages(scope),
            )
        )

    def close(self) -> None:
        """Release the file and the connections."""
        self._service.close()
        super().close()

    # ManagedStore, Described

    def managed(
        self, scopes: Sequence[Scope], text: str, where: Filter, limit: int
    ) -> ManagedRankings:
        """Rank passages in the service's order.

        Quotations of documents that were deleted locally are left out.
        """
        uploads = self._manifest.uploads()
        paths = {scope.path for scope in scopes}
        own = [upload for upload in uploads.values() if upload.scope in paths]
        there = {upload.scope for upload in own}
        absent = [
            scope for scope in scopes if scope.path not in there and uploaded(self.hashes(scope))
        ]
        notes = [f"nothing of {scope} is at gemini yet (run `gieok index`)" for scope in absent]
        if not own:
            return ManagedRankings({}, "; ".join(notes))
        self._verify_budget()
        top_k = min(limit, self._terms.top_k)
        stores = sorted({upload.store for upload in own})[:_MOST_STORES]
        condition = self._condition([scope for scope in scopes if scope.path in there], where)
        chunks = self._search_and_count(stores, redact(text), condition, top_k)
        placing = Placing(self, uploads, self._manifest.retired(), scopes)
        placed = [one for chunk in chunks for one in placing.passages(chunk)]
        rankings = {
            scope: self._in_service_order([i for s, i in placed if s == scope], scope, where, limit)
            for scope in scopes
        }
        return ManagedRankings(
            {scope: one for scope, one in rankings.items() if one.ranked},
            "; ".join(notes + placing.notes()),
        )

    def _search_and_count(
        self, stores: list[str], text: str, condition: str, top_k: int
    ) -> list[GroundedChunk]:
        """Return what the service quotes; where its answer is late, count an estimate of its
        tokens, which it then names to nobody.
        """
        try:
            return self._service.search(stores, text, condition, top_k, self._terms.within_s)
        except AnswerLate:
            read = estimate_tokens(text) + top_k * self._plan.chunk_tokens
            self._count("", read, MOST_OUTPUT_TOKENS)
            raise

    def _in_service_order(
        self, ids: Sequence[PassageId], scope: Scope, where: Filter, limit: int
    ) -> Ranking:
        passages = self.passages(list(dict.fromkeys(ids)), scope)
        documents = self.get(scope, list(dict.fromkeys(p.key for p in passages)))
        admitted = {document.key for document in documents if where.admits(document)}
        allowed = [p.id for p in passages if p.key in admitted][:limit]
        return Ranking("managed", tuple((i, 1 - place / limit) for place, i in enumerate(allowed)))

    def first_passages(self, scope: Scope, keys: Sequence[str]) -> dict[str, PassageId]:
        """Return the id of the first passage of documents, by key."""
        marks = ", ".join("?" * len(keys))
        with self._reading() as db:
            rows = db.execute(
                "SELECT key, first_passage FROM documents WHERE scope_id = (SELECT id FROM "
                "scopes WHERE path = ?) "
                f"AND key IN ({marks})",
                (scope.path, *keys),
            ).fetchall()
        return dict(rows)

    def push(
        self,
        progress: Callable[[int], None] = lambda done: None,
        *,
        verify: bool = False,
        anew: bool = False,
    ) -> int:
        """Upload and delete until the service agrees with the local documents.

        With `anew`, every document is uploaded again. Returns how many documents were uploaded or
        deleted.
        """
        with alone(self._lock):
            return self._sync(progress).push(verify=verify, anew=anew)

    def prune(self) -> int:
        """Delete at the service the documents that were deleted or changed here; upload nothing."""
        with alone(self._lock):
            return self._sync(lambda done: None).prune()

    def _sync(self, progress: Callable[[int], None]) -> Sync:
        return Sync(
            self,
            self._manifest,
            self._service,
            self._plan,
            self._clock,
            self._pause,
            progress,
            self._costs,
        )

    def remote_data(self) -> list[RemoteData]:
        """Ask the service for the documents of this home."""
        return self._remote.look()

    def known_remote_data(self) -> list[RemoteData]:
        """Return the manifest's record of the documents at the service, without a request."""
        if self._manifest.is_clear():
            return []
        uploads = list(self._manifest.uploads().values())
        names = self._manifest.store_names() or {
            name: f"the store {name!r}" for name in self._plan.stores
        }
        return [
            RemoteData(
                f"{name} ({display_name})", sum(upload.store == name for upload in uploads), 0
            )
            for display_name, name in names.items()
        ]

    def drop(self, progress: Callable[[int], None] = lambda done: None) -> list[RemoteData]:
        """Delete this home's documents at the service, and verify that they are gone."""
        with alone(self._lock):
            return self._remote.drop(progress)

    @property
    def by_hand(self) -> str:
        """Say how to delete the documents without Gieok.

        A store can be deleted with all its documents, by the key of its project.
        """
        address = self._address.rstrip("/") or "https://generativelanguage.googleapis.com"
        return (
            'curl -X DELETE -H "x-goog-api-key: $GEMINI_API_KEY" '
            f'"{address}/v1beta/NAME?force=true"'
        )

    def describe(self) -> list[str]:
        """Describe the documents at the service, and the cost of this month's calls."""
        month = self._costs.read_month_usage()
        today = self._manifest.usage(str(day_in(self._clock.now(), self._zone)))
        most = f" of ${self._terms.monthly_dollars:.2f}" if self._terms.monthly_dollars else ""
        kinds = (
            ", ".join(f"{count:,} {what}" for what, count in sorted(month.calls.items())) or "none"
        )
        end = f" of {self._terms.daily_calls:,}" if self._terms.daily_calls else ""
        compared = self._manifest.compared()
        counted = (
            f"{compared[1]:,} counted there on {compared[0].astimezone(self._zone):%Y-%m-%d %H:%M}"
            if compared
            else "never counted there: `gieok index --force` does"
        )
        sent = (
            f"{len(self._manifest.uploads()):,} documents sent to {', '.join(self._store_names())}"
        )
        return [
            f"{self.service_name}: {sent}; {counted}",
            (
                f"calls this month: {kinds}; {month.input_tokens:,} tokens in, "
                f"{month.output_tokens:,} out, {month.indexed_tokens:,} indexed, about "
                f"${self._costs.price_usage(month):.2f}{most}"
            ),
            f"searches today: {today.calls.get('search', 0):,}{end}",
        ]

    def _store_names(self) -> list[str]:
        names = self._manifest.store_names()
        return [names.get(name, f"{name} (not made yet)") for name in self._plan.stores]

    def _condition(self, scopes: Sequence[Scope], where: Filter) -> str:
        scope_terms = [f"{SCOPE}={_quote_gemini_value(scope.path)}" for scope in scopes]
        terms = [
            f"{OWNER}={_quote_gemini_value(self._plan.owner)}",
            scope_terms[0] if len(scope_terms) == 1 else f"({' OR '.join(scope_terms)})",
        ]
        if where.kinds:
            terms.append(
                "("
                + " OR ".join(f"{KIND}={_quote_gemini_value(kind)}" for kind in sorted(where.kinds))
                + ")"
            )
        terms += [f"{TIME}>={round(where.since.timestamp())}"] if where.since else []
        terms += [f"{TIME}<{round(where.until.timestamp())}"] if where.until else []
        terms += [f"({self._terms.condition})"] if self._terms.condition else []
        return " AND ".join(terms)

    def _verify_budget(self) -> None:
        self._costs.verify_money()
        used = self._manifest.usage(str(day_in(self._clock.now(), self._zone))).calls.get(
            "search", 0
        )
        if 0 < self._terms.daily_calls <= used:
            raise StoreUnreachable(
                "gemini not asked: today's {most:,} searches are used up",
                most=self._terms.daily_calls,
                hint="raise gemini.daily_calls, or wait until tomorrow",
            )

    def _count(self, what: str, input_tokens: int, output_tokens: int) -> None:
        self._manifest.count(
            str(day_in(self._clock.now(), self._zone)), what, input_tokens, output_tokens
        )


def _quote_gemini_value(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
