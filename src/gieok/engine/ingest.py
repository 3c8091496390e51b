"""Sources → documents → store.

A rib offers what it found, with a hash each; only what changed is built and put. Whatever happens to one item, the
rest goes on, and an item that cannot be read keeps what is stored of it. Safe to kill and to run twice at once:
every batch is one transaction, and running again converges to the same store as a fresh run.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from gieok.engine.clean import cleaned
from gieok.errors import StoreError
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.ports.store import Documents
from gieok.text.redact import redact

#: Text per transaction, in characters, so that the write lock is short: other processes wait for it.
_BATCH_CHARS = 1_000_000
_BATCH_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class SourceItem:
    """Something a source holds: its key, the hash of its content, and how to make and cut the document if it is needed.

    `dialect` takes the secrets out of its text.
    """

    key: str
    content_hash: str
    build: Callable[[], Document]
    cut: Callable[[Document], tuple[Passage, ...]]
    warning: str = ""
    dialect: Callable[[str], str] = redact


@dataclass(frozen=True, slots=True)
class Failed:
    """Something a source holds but that cannot be read, and why.

    What is stored of it stays where it may be readable again (`keeps`), and goes where it is not for indexing at all.
    """

    key: str
    reason: str
    keeps: bool = True


@dataclass(slots=True)
class Report:
    """What an ingest did, by key."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    failed: list[Failed] = field(default_factory=list)
    #: What a person forgot, and a file still holds as it was then.
    forgotten: list[str] = field(default_factory=list)
    warnings: list[Failed] = field(default_factory=list)

    def merge(self, other: "Report") -> None:
        """Add what another ingest did."""
        self.added += other.added
        self.changed += other.changed
        self.removed += other.removed
        self.unchanged += other.unchanged
        self.failed += other.failed
        self.forgotten += other.forgotten
        self.warnings += other.warnings


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
    """Make the store hold what `items` are, and nothing else among the keys that `owns` claims.

    With `force`, unchanged items are put again too. What has the content hash of `forgotten` (key → hash) is left out until
    it changes. `progress` is told how many items are done.
    """
    report = Report()
    known = store.hashes(scope)
    seen: set[str] = set()
    gone_for_good = frozenset(forgotten.values())
    wanted = (item for item in items if not _is_forgotten(item, gone_for_good, report))
    for batch in _batches(_sift(wanted, known, seen, report, force)):
        store.put(batch)
        for entry in batch:
            (report.changed if entry.document.key in known else report.added).append(entry.document.key)
        progress(len(seen))
    report.removed = gone(known, seen, [failed.key for failed in report.failed if failed.keeps], owns)
    if report.removed:
        store.forget(scope, report.removed)
    return report


def gone(known: Iterable[str], seen: Collection[str], unread: Sequence[str], owns: Callable[[str], bool]) -> list[str]:
    """Return the known keys that the source holds no longer; what lies in an `unread` folder is not gone."""
    return sorted(key for key in known if key not in seen and owns(key) and not _below(key, unread))


def _below(key: str, folders: Sequence[str]) -> bool:
    """Say whether a key lies in a folder that could not be read: what is stored of it stays."""
    return any(key.startswith(f"{folder}/") for folder in folders)


def _is_forgotten(item: SourceItem | Failed, forgotten: frozenset[str], report: Report) -> bool:
    """Go by the content: a file that was renamed, or is found under another root, holds the same."""
    is_it = isinstance(item, SourceItem) and item.content_hash in forgotten
    if is_it:
        report.forgotten.append(item.key)
    return is_it


def _sift(
    items: Iterable[SourceItem | Failed], known: dict[str, str], seen: set[str], report: Report, force: bool
) -> Iterator[Entry]:
    for item in items:
        if isinstance(item, Failed):
            report.failed.append(item)
            if item.keeps:
                seen.add(item.key)
            continue
        seen.add(item.key)
        if item.warning:
            report.warnings.append(Failed(item.key, item.warning))
        if known.get(item.key) == item.content_hash and not force:
            report.unchanged += 1
            continue
        try:
            yield _entry(item)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one strange item must not stop the others; it is reported
            report.failed.append(Failed(item.key, f"{type(error).__name__}: {error}"))


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
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


def _entry(item: SourceItem) -> Entry:
    """Build the document, redact it, and only then cut it: offsets and tokens are those of what is stored."""
    clean = cleaned(item.build(), item.dialect)
    return Entry(clean, item.cut(clean))
