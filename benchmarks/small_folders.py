"""A folder of a person's notes, small and large: what is found, which line, and what stays silent.

    python benchmarks/small_folders.py [--data DIR] [--half fit|held] [--sizes 20 75 200 1000]
    [--json] [--keep FOLDER]

Two vaults of our own (`benchmarks/data/small_folders`, Korean and English): notes as people keep
them, many of them lists of facts; questions in other words than the notes'; near misses, whose
subject is there and whose attribute is nowhere; questions on nothing that is there; and remembered
sentences, which are records of one line. Every vault is searched alone and among other notes up to
each size, with and without the eight records. The other notes are of the sets in DIR (form of
retrieval.py, and KorQuAD's own): five sentences, or a paragraph, are one note.

A question is right where the first hit is of its note, and its line where the line named is the one
that answers. Even questions are the half to fit on, odd ones are held out.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from gieok.flow.lifecycle import fill_lines, fill_vectors
from gieok.memory.files.profile import FILES
from gieok.model.memory import Document, Entry, Scope
from gieok.model.retrieval import Hit
from gieok.models.local.runtime import E5Embedder
from gieok.ports.models import Embedder
from gieok.ranking import likelihood
from gieok.ranking.recall import Question, recall
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import ManualClock
from gieok.text.chunk import chunk
from gieok.text.marks import count_question_words
from retrieval import RememberedQueries

OWN = Path(__file__).parent / "data" / "small_folders"
SIZES = (20, 75, 200, 1000)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_SEED = 5
#: Sentences of a set of sentences that are one note.
_SENTENCES = 5
#: Share of what has no answer that may get a result, at which the share of right first hits is
#: told.
_FALSE = 0.2


class Case(NamedTuple):
    """A question: what kind, the note and the fragment of the line that answer ('' where nothing
    does).
    """

    kind: str
    text: str
    note: str = ""
    fragment: str = ""


@dataclass
class Vault:
    """Notes by path, one-line records, and what is asked."""

    name: str
    notes: dict[str, str] = field(default_factory=dict)
    records: list[str] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


class Asked(NamedTuple):
    """A question as it was answered: the score of the first hit whatever it is, and what a person
    gets of it.
    """

    case: Case
    score: float
    is_right: bool
    is_line: bool
    is_record: bool
    is_shown: bool


def read_vault(file: Path) -> Vault:
    """Read `@ path` with its lines, `?? question => note | fragment`, `?-` a near miss, `?0`
    unrelated, `!!` a record.
    """
    vault, path = Vault(file.stem), ""
    for line in file.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "@":
            path, vault.notes[rest] = rest, ""
        elif mark == "!!":
            vault.records.append(rest)
        elif mark in ("??", "?-", "?0"):
            text, _, where = rest.partition(" => ")
            note, _, fragment = where.partition(" | ")
            kind = {"??": "answered", "?-": "near", "?0": "unrelated"}[mark]
            vault.cases.append(Case(kind, text, note, fragment))
        else:
            vault.notes[path] += f"{line}\n"
    return vault


def other_notes(folder: Path | None) -> Iterator[tuple[str, str]]:
    """Yield key and text of notes of other people, of every set in turn."""
    sources = [list(_of_sets(file)) for file in sorted(folder.glob("*.json"))] if folder else []
    sources += (
        [list(_of_korquad(file)) for file in sorted(folder.glob("original/KorQuAD*.json"))]
        if folder
        else []
    )
    rng = random.Random(_SEED)
    for source in sources:
        rng.shuffle(source)
    for place in range(max(map(len, sources), default=0)):
        yield from (source[place] for source in sources if place < len(source))


def _of_sets(file: Path) -> Iterator[tuple[str, str]]:
    if file.stem != "xquad_en_sent":  # LoCoMo is talk, and no note
        return
    for group in json.loads(file.read_text(encoding="utf-8"))["groups"]:
        texts = [item["text"] for item in group["items"]]
        for place in range(0, len(texts), _SENTENCES):
            yield f"{file.stem}/{group['gid']}/{place}", " ".join(texts[place : place + _SENTENCES])


def _of_korquad(file: Path) -> Iterator[tuple[str, str]]:
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        for place, paragraph in enumerate(article["paragraphs"]):
            yield f"korquad/{number}-{place}", f"# {article['title']}\n\n{paragraph['context']}\n"


def entry(scope: Scope, key: str, text: str) -> Entry:
    """Return a note as `gieok index` cuts it."""
    document = Document(
        scope=scope,
        key=key,
        kind="memory",
        text=text,
        content_hash=sha256(text.encode()).hexdigest(),
        created_at=_LONG_AGO,
        updated_at=_LONG_AGO,
        title=Path(key).stem,
    )
    return Entry(document, chunk(text, context=Path(key).stem))


def fill_scope(
    store: SqliteStore,
    scope: Scope,
    vault: Vault,
    others: Sequence[tuple[str, str]],
    records: list[str],
) -> None:
    """Make a scope hold a vault, records and other notes."""
    texts = {
        **vault.notes,
        **dict(others),
        **{f"record/{n}.md": text for n, text in enumerate(records)},
    }
    wanted = [entry(scope, key, text) for key, text in texts.items()]
    known = store.hashes(scope)
    store.put([one for one in wanted if known.get(one.document.key) != one.document.content_hash])
    store.forget(scope, sorted(known.keys() - texts.keys()))


def ask(store: SqliteStore, embedder: Embedder, scope: Scope, case: Case) -> Asked:
    """Ask one question, at shipped defaults and without the gate."""
    question = Question(case.text, (scope,))
    shown = recall(store, embedder, question, FILES, ManualClock()).hits
    hits = recall(store, embedder, question, FILES.with_least_score(0.0), ManualClock()).hits
    if not hits:
        return Asked(case, 0.0, is_right=False, is_line=False, is_record=False, is_shown=False)
    first = hits[0]
    is_right = case.kind == "answered" and first.passage.key == case.note
    return Asked(
        case,
        first.score,
        is_right=is_right,
        is_line=is_right and case.fragment in line_of(first, case.text),
        is_record=first.passage.key.startswith("record/"),
        is_shown=bool(shown),
    )


def line_of(hit: Hit, question: str) -> str:
    """Return the line that a hit names, else the one with most words of the question, as search
    points to.
    """
    named = getattr(hit, "line", None)
    if named is not None:
        return str(named.text)
    lines = hit.passage.text.split("\n")
    held = [count_question_words(line, question) for line in lines]
    return lines[held.index(max(held))]


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures of one folder."""
    by_kind = {
        kind: [one for one in asked if one.case.kind == kind]
        for kind in ("answered", "near", "unrelated")
    }
    answered = by_kind["answered"]
    silent = by_kind["near"] + by_kind["unrelated"]
    right = [one.score for one in answered if one.is_right]
    cut = sorted((one.score for one in silent), reverse=True)[int(_FALSE * len(silent))]
    wins = sum((a > b.score) + 0.5 * (a == b.score) for a in right for b in silent)
    sure = likelihood.SURE
    return {
        "n": len(answered),
        "right": sum(one.is_right and one.is_shown for one in answered),
        "ungated": sum(one.is_right for one in answered),
        "line": sum(one.is_line for one in answered),
        "empty": sum(not one.is_shown for one in answered),
        "sure_wrong": sum(one.score >= sure and not one.is_right for one in answered),
        "sure_right": sum(one.score >= sure and one.is_right for one in answered),
        "record_first": sum(one.is_record for one in answered),
        **{
            f"{kind}_silent": _share(not one.is_shown for one in by_kind[kind])
            for kind in ("near", "unrelated")
        },
        **{
            f"{kind}_high": _share(one.score >= sure for one in by_kind[kind])
            for kind in ("near", "unrelated")
        },
        "auroc": round(wins / max(len(right) * len(silent), 1), 3),
        "kept_at_20": sum(score > cut for score in right),
    }


def _share(these: Iterator[bool]) -> float:
    values = list(these)
    return round(sum(values) / max(len(values), 1), 3)


def measure(
    store: SqliteStore,
    embedder: Embedder,
    vaults: Sequence[Vault],
    others: Sequence[tuple[str, str]],
    sizes: Sequence[int],
) -> Iterator[tuple[int, bool, list[Asked]]]:
    """Yield size, whether the records are there, and every question of both vaults."""
    everybody = [record for vault in vaults for record in vault.records]
    for size in sizes:
        for records in ([], everybody):
            asked = []
            for vault in vaults:
                scope = Scope(f"bench:{vault.name}-{size}-{len(records)}")
                fill_scope(store, scope, vault, others[: max(size - len(vault.notes), 0)], records)
                fill_vectors(store, embedder)
                fill_lines(store, embedder)
                asked += [ask(store, embedder, scope, case) for case in vault.cases]
            yield size, bool(records), asked


def halved(asked: Sequence[Asked], half: str) -> list[Asked]:
    """Return every second question, or all."""
    return list(asked if not half else asked[0 if half == "fit" else 1 :: 2])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--own", type=Path, default=OWN)
    parser.add_argument("--half", choices=("fit", "held"), default="")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    args = parser.parse_args()
    vaults = [read_vault(file) for file in sorted(args.own.glob("*.txt"))]
    others = list(other_notes(args.data))
    with tempfile.TemporaryDirectory() as temporary:
        keep = args.keep or Path(temporary)
        keep.mkdir(parents=True, exist_ok=True)
        store = SqliteStore(keep / "small.sqlite", resident=True)
        embedder = RememberedQueries(E5Embedder(args.models), keep / "queries.sqlite")
        rows = []
        for size, with_records, asked in measure(store, embedder, vaults, others, args.sizes):
            rows.append(
                {"size": size, "records": with_records, **figures(halved(asked, args.half))}
            )
            if not args.json:
                print("  ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
        store.close()
    if args.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
