"""Sources → documents → store.

A rib offers items with a hash each; only changed ones are built and put. A failing item does not
stop the others, and an unreadable one keeps its stored document. Safe to kill and to run
concurrently: every batch is one transaction, and another run converges to the same store as a fresh
one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from gieok.errors import StoreError
from gieok.flow.clean import cleaned
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.ports.store import Documents
from gieok.text.redact.sense import redact_document

#: Characters per transaction, so that the write lock is held briefly.
_BATCH_CHARS = 1_000_000
_BATCH_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class SourceItem:
    """Item of a source: key, content hash, and functions that build and cut its document.

    The functions are called on demand. `dialect` redacts the text of the item.
    """

    key: str
    content_hash: str
    build: Callable[[], Document]
    cut: Callable[[Document], tuple[Passage, ...]]
    warning: str = ""
    dialect: Callable[[str], str] = redact_document


@dataclass(frozen=True, slots=True)
class Failed:
    """Unreadable item of a source, and the reason.

    The stored document of the item stays if the item may become readable again (`keeps`), and is
    removed if the item is not for indexing. An item that is left out on purpose has not failed
    (`is_left_out`).
    """

    key: str
    reason: str
    keeps: bool = True
    is_left_out: bool = False


@dataclass(slots=True)
class Report:
    """The outcome of an ingest, by key."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    failed: list[Failed] = field(default_factory=list)
    #: Documents that a person forgot and that a file still holds unchanged.
    forgotten: list[str] = field(default_factory=list)
    warnings: list[Failed] = field(default_factory=list)
    #: Copies of notes, and files that other programs keep for themselves.
    left_out: list[Failed] = field(default_factory=list)

    @property
    def seen(self) -> int:
        """Return how many items there were."""
        return len(self.added) + len(self.changed) + self.unchanged + len(self.failed)

    def merge(self, other: "Report") -> None:
        """Add the outcome of another ingest."""
        self.added += other.added
        self.changed += other.changed
        self.removed += other.removed
        self.unchanged += other.unchanged
        self.failed += other.failed
        self.forgotten += other.forgotten
        self.warnings += other.warnings
        self.left_out += other.left_out


def ingest(
    store: Documents,
    scope: Scope,
    items: Iterable[SourceItem | Failed],
    *,
    owns: Callable[[str], bool],
    force: bool = False,
    forgotten: Mapping[str, str] = MappingProxyType({}),
    progress: Callable[[int], None] = lambda done: None,
) -> Report:
    """Make the store hold exactly `items` among the keys that `owns` claims.

    With `force`, unchanged items are put again too. Items with a content hash of `forgotten` (key →
    hash) are left out until they change. `progress` receives the number of items done.
    """
    report = Report()
    known = store.hashes(scope)
    seen: set[str] = set()
    skipped = frozenset(forgotten.values())
    for batch in _batch_entries(
        _sift_source_items(items, known, seen, report, force=force, forgotten=skipped)
    ):
        store.put(batch)
        for entry in batch:
            (report.changed if entry.document.key in known else report.added).append(
                entry.document.key
            )
        progress(len(seen))
    report.removed = gone(
        known, seen, [failed.key for failed in report.failed if failed.keeps], owns
    )
    if report.removed:
        store.forget(scope, report.removed)
    return report


def gone(
    known: Iterable[str], seen: Collection[str], unread: Sequence[str], owns: Callable[[str], bool]
) -> list[str]:
    """Return the known keys that the source no longer holds.

    Keys in an `unread` folder are not gone.
    """
    inside_unread = tuple(f"{folder}/" for folder in unread)
    return sorted(
        key for key in known if key not in seen and owns(key) and not key.startswith(inside_unread)
    )


def _sift_source_items(
    items: Iterable[SourceItem | Failed],
    known: Mapping[str, str],
    seen: set[str],
    report: Report,
    *,
    force: bool,
    forgotten: frozenset[str],
) -> Iterator[Entry]:
    """Yield the documents of new and changed items.

    Every other outcome is noted in `report`; the key of every existing item is added to `seen`.
    """
    for item in items:
        if isinstance(item, Failed):
            (report.left_out if item.is_left_out else report.failed).append(item)
            if item.keeps:
                seen.add(item.key)
            continue
        # By content hash, which stays the same when a file is renamed or found under another root.
        if item.content_hash in forgotten:
            report.forgotten.append(item.key)
            continue
        seen.add(item.key)
        if item.warning:
            report.warnings.append(Failed(item.key, item.warning))
        if known.get(item.key) == item.content_hash and not force:
            report.unchanged += 1
            continue
        try:
            yield _build_source_entry(item)
        except StoreError:
            raise
        # One bad item must not stop the others; it is reported.
        except Exception as error:  # noqa: BLE001
            report.failed.append(Failed(item.key, f"{type(error).__name__}: {error}"))


def _batch_entries(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    chars = 0
    for entry in entries:
        batch.append(entry)
        chars += len(entry.document.text)
        if chars >= _BATCH_CHARS or len(batch) >= _BATCH_ENTRIES:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _build_source_entry(item: SourceItem) -> Entry:
    """Build the document of an item, redact it, then cut it into passages.

    Cutting comes last so that offsets and token counts are those of the stored text.
    """
    clean = cleaned(item.build(), item.dialect)
    return Entry(clean, item.cut(clean))
