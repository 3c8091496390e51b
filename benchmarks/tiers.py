"""Tiers: how long moves take, how fast what is archived is found, and two years of it.

    python benchmarks/tiers.py move [--memories 1000]
    python benchmarks/tiers.py search [--memories 100000] [--models DIR]
    python benchmarks/tiers.py years [--days 730]
                               each with [--json] [--data DIR]

`move`: observations from hot to warm, spread over few or many days, with the store told and the
files read back. `search`: all of `gieok search` over warm in a process that lives long, and cold
ones. `years`: each day some observations, each night what is due; at the end each is in one tier,
in the file of its day where it is archived, and found. Wall and CPU seconds: where the machine is
shared, CPU tells.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles

from gieok.commands.memory.hits import SearchResult
from gieok.commands.memory.search import search_memory
from gieok.flow.distil import deliver
from gieok.flow.lifecycle import fill_vectors
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.memory import observation, scope_memory
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import sweep
from gieok.model.memory import Entry, Scope
from gieok.ports.store import VectorSearch
from gieok.testing import ManualClock
from gieok.text.binding import has_binding_rule
from memaware import use_embedder
from speed import FakeVectors, read_texts

_SCOPE = Scope("agent:main")
_START = datetime(2024, 1, 1, 9, tzinfo=UTC)
_QUESTIONS = 100
_CATEGORIES = list(Category)
_PRIORITIES = [Priority.HIGH, *[Priority.MEDIUM] * 3, *[Priority.LOW] * 4]


@dataclass
class Spent:
    """What some work cost."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += time.process_time() - cpu

    def row(self, name: str) -> dict[str, float]:
        return {f"{name}_wall_s": round(self.wall_s, 3), f"{name}_cpu_s": round(self.cpu_s, 3)}


def spent(work: Callable[[], object]) -> Spent:
    done = Spent()
    with done.measured():
        work()
    return done


@contextmanager
def home(clock: ManualClock, models: Path | None = None) -> Iterator[Call]:
    """Give the context of a process that lives long, in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "GIEOK_HOME": str(Path(folder) / "home"),
            "GIEOK_OBSERVE_AGENTS": "none",
            "GIEOK_LANG": "en",
        }
        os.environ["GIEOK_SCOPE"] = str(_SCOPE)
        if models:
            (Path(folder) / "home").mkdir()
            (Path(folder) / "home" / "models").symlink_to(models.resolve())
        yield open_call({}, resident=Resident(), clock=clock, zone=UTC)


def observations(texts: Sequence[str], count: int, days: int, rng: random.Random) -> list[Entry]:
    """Return `count` observations over `days`, spliced from halves of real texts."""
    made = []
    for number in range(count):
        a, b = rng.choice(texts), rng.choice(texts)
        text = f"{a[: len(a) // 2]} {b[len(b) // 2 :]} #{number}"
        at = _START + timedelta(days=number * days // count, minutes=number % 600)
        category, priority = rng.choice(_CATEGORIES), rng.choice(_PRIORITIES)
        made.append(Observation(text, at, priority, category, message_ids=(f"s/{number}",)))
    return observation.build_observed_entries(_SCOPE, Observed(tuple(made)), _START)


def put(call: Call, entries: Sequence[Entry]) -> None:
    journal, store = call.home.journal, call.home.store
    for start in range(0, len(entries), 1000):
        journal.hand_over(entries[start : start + 1000])
        deliver(journal, store)
    assert isinstance(store, VectorSearch)
    fill_vectors(store, FakeVectors())


def move(texts: Sequence[str], count: int) -> dict[str, object]:
    rows: dict[str, object] = {"memories": count}
    for days in (1, 30, 365):
        clock = ManualClock(_START + timedelta(days=days + 100))
        with home(clock) as call:
            entries = observations(texts, count, days, random.Random(days))
            put(call, entries)
            done = spent(lambda: sweep.tier_due_memories(call.home.tiers))
            again = spent(lambda: sweep.tier_due_memories(call.home.tiers))
            stats = call.home.store.stats()
            assert stats.vectors == stats.passages == count, "a move costs no embedding"
            staying = sum(has_binding_rule(entry.document.text) for entry in entries)
            assert sum(one.memories for one in call.home.journal.places()) == count - staying
            rows |= done.row(f"over_{days}_days") | again.row(f"over_{days}_days_nothing_due")
    return rows


class _Given:
    """An embedder whose questions are embedded already: embedding is not what is measured."""

    def __init__(self, questions: Sequence[str]) -> None:
        self._fake = FakeVectors()
        self.model, self.dimension = self._fake.model, self._fake.dimension
        self._vectors = {text: self._fake.embed_query(text) for text in questions}

    def embed_query(self, text: str) -> bytes:
        return self._vectors.get(text) or self._fake.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return self._fake.embed_passages(texts)


def search(
    texts: Sequence[str], questions: Sequence[str], count: int, models: Path
) -> dict[str, object]:
    rng = random.Random(7)
    asked = rng.sample(list(dict.fromkeys(questions)), min(_QUESTIONS, len(set(questions))))
    clock = ManualClock(_START + timedelta(days=900))
    with home(clock, models if models.exists() else None) as call:
        filled = spent(lambda: put(call, observations(texts, count, 700, rng)))
        moved = spent(lambda: sweep.tier_due_memories(call.home.tiers))
        held = call.home.journal.places()
        rows: dict[str, object] = {
            "archived": sum(one.memories for one in held),
            "files": len(held),
        }
        rows |= filled.row("filled") | moved.row("moved")
        given = _Given(asked)
        use_embedder(call.home, given)
        for name, keyword_only in (("keyword", True), ("hybrid", False)):
            rows |= _asked(call, asked, name, keyword_only=keyword_only)
        loads = [spent(lambda: _load(call)).cpu_s * 1000 for _ in range(5)]
        rows["session_memory_cpu_ms"] = round(sorted(loads)[2], 1)
        rows |= _cold(asked[0], has_models=models.exists())
    return rows


def _load(call: Call) -> object:
    told = scope_memory.standing(call.home.journal, _SCOPE)
    return scope_memory.load_scope_memory(call.home.store, _SCOPE, hashes=told)


def _asked(call: Call, asked: Sequence[str], name: str, *, keyword_only: bool) -> dict[str, float]:
    walls, cpus, tiers = [], [], Counter[str]()
    for text in (*asked[:5], *asked):
        results = list[SearchResult]()
        done = spent(
            lambda: results.append(search_memory(call, query=[text], keyword_only=keyword_only))  # noqa: B023
        )
        walls.append(done.wall_s * 1000)
        cpus.append(done.cpu_s * 1000)
        tiers.update(hit.tier for hit in results[0].results)
    cut, of_cpu = quantiles(walls[5:], n=20), quantiles(cpus[5:], n=20)
    return {
        f"{name}_p50_ms": round(cut[9], 1),
        f"{name}_p95_ms": round(cut[18], 1),
        f"{name}_cpu_p50_ms": round(of_cpu[9], 1),
        f"{name}_cpu_p95_ms": round(of_cpu[18], 1),
        f"{name}_hits_in_warm": tiers["warm"],
    }


def _cold(text: str, *, has_models: bool) -> dict[str, float]:
    """Return the wall milliseconds of whole processes, medians of seven."""
    rows = {}
    command = [sys.executable, "-m", "gieok", "search", text, "--json", "--min-score", "0"]
    for name, more in {
        "keyword": ["--keyword-only"],
        **({"hybrid": []} if has_models else {}),
    }.items():
        times = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run([*command, *more], check=False, capture_output=True)
            times.append((time.perf_counter() - began) * 1000)
        rows[f"cold_{name}_ms"] = round(sorted(times)[3], 1)
    return rows


def years(texts: Sequence[str], days: int) -> dict[str, object]:
    rng, clock = random.Random(3), ManualClock(_START)
    nights, put_in = Spent(), dict[str, Entry]()
    with home(clock) as call:
        journal, store, tiers = (
            call.home.journal,
            call.home.store,
            call.home.tiers,
        )
        longest = 0.0
        for day in range(days):
            made = []
            for number, category in enumerate(Category):
                text = f"{rng.choice(texts)[:160]} #{day}.{number}"
                made.append(Observation(text, clock.now(), rng.choice(_PRIORITIES), category))
            entries = observation.build_observed_entries(
                _SCOPE, Observed(tuple(made), f"task {day}", (f"pattern {day}",)), clock.now()
            )
            put_in |= {entry.document.key: entry for entry in entries}
            journal.hand_over(entries)
            deliver(journal, store)
            clock.advance(timedelta(days=1))
            before = nights.wall_s
            with nights.measured():
                done = sweep.tier_due_memories(tiers)
            assert not done.wrong, done.wrong
            longest = max(longest, nights.wall_s - before)
        hot = {entry.document.key: entry for entry in journal.made(_SCOPE)}
        warm = {
            entry.document.key: entry
            for some, _ in sweep.iter_filed_entries(tiers, lambda *_: [])
            for entry in some
        }
        assert not hot.keys() & warm.keys()
        assert hot.keys() | warm.keys() == put_in.keys()
        texts_of = {key: entry.document.text for key, entry in (hot | warm).items()}
        assert texts_of == {key: entry.document.text for key, entry in put_in.items()}
        found = sum(_is_found(call, entry) for entry in rng.sample(list(put_in.values()), 100))
        folder = Path(os.environ["GIEOK_HOME"]) / "archive"
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        return {
            "days": days,
            "memories": len(put_in),
            "hot": len(hot),
            "warm": len(warm),
            "files": len(journal.places()),
            "archive_bytes": size,
            "found_of_100": found,
            "longest_night_s": round(longest, 3),
            **nights.row("all_nights"),
        }


def _is_found(call: Call, entry: Entry) -> bool:
    hits = search_memory(call, query=[entry.document.text], keyword_only=True, limit=20).results
    return any(hit.snippet in entry.document.text for hit in hits)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("move", "search", "years"))
    parser.add_argument("--memories", type=int, default=0)
    parser.add_argument("--days", type=int, default=730)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--data", type=Path, default=Path("none"))
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    given = parser.parse_args()
    texts, questions = read_texts(given.data)
    if given.what == "move":
        rows = move(texts, given.memories or 1000)
    elif given.what == "search":
        rows = search(texts, questions, given.memories or 100_000, given.models)
    else:
        rows = years(texts, given.days)
    print(
        json.dumps(rows, indent=1)
        if given.json
        else "\n".join(f"{name:36} {value}" for name, value in rows.items())
    )


if __name__ == "__main__":
    main()
