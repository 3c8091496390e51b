"""The prompt hook: what it costs, beside the least that Python can do, and how well it decides what
to inject.

    python benchmarks/hook.py speed [--sizes 100 1000 10000 100000] [--runs 20] [--json]
    python benchmarks/hook.py quality --data DIR [--questions 100] [--json]

speed: the CPU and wall time of the whole process of `gieok hook prompt` with that many memories, in
turn with `python -c "import sqlite3, json"`, by the same interpreter. The memories are made of a
seeded vocabulary with Zipf's law.

quality: `DIR/NAME.json` as in retrieval.py; each item is a memory. A set's questions are answerable
in their own group. Questions of another set in the same language are unanswerable there: they
should get silence. Shown as a table over floors, as the setting `hook.floor` takes them (-1: the
calibrated ones, which grow with the corpus).
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import retrieval
from gieok.hook import levels, matches, question
from gieok.hook.measure import Label, LabelDecision, measured
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.settings.hook import HookSettings
from gieok.storage.index.sqlite.index_reader import IndexReader, Late
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.text.language import detect_text_language

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_SEED = 7
_SYLLABLES = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호구누두루무부수우주추쿠투푸후기니디리미비시이지치키티피히"
_PROMPTS = (
    "which storage engine did we choose for {a} and why did {b} not work?",
    "{a} 모듈의 {b} 설정은 어떻게 하기로 했지?",
    "please add a retry to the {a} upload and write tests for it",
)
_FLOORS = (-1.0, 0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
_SIZES = (10, 100, 1000)


def vocabulary(rng: random.Random, size: int) -> list[str]:
    """Return made-up words, half of them English-like, half Korean."""
    latin = (
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 9)))
        for _ in range(size // 2)
    )
    hangul = (
        "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(size - size // 2)
    )
    words = [*latin, *hangul]
    rng.shuffle(words)
    return words


def memories(count: int) -> Iterator[str]:
    """Yield texts of about thirty words; the frequency of words follows Zipf's law."""
    rng = random.Random(_SEED)
    words = vocabulary(rng, 20_000)
    weights = [1 / (rank + 10) for rank in range(len(words))]
    for _ in range(count):
        yield " ".join(rng.choices(words, weights, k=rng.randint(15, 45)))


def fill(store: SqliteStore, scope: Scope, texts: Iterator[tuple[str, str]]) -> None:
    """Put (key, text) as one document of one passage each."""
    batch: list[Entry] = []
    for key, text in texts:
        document = Document(
            scope=scope,
            key=key,
            kind="memory",
            title="",
            text=text,
            content_hash=key,
            created_at=_MOMENT,
            updated_at=_MOMENT,
        )
        batch.append(Entry(document, (Passage(0, len(text), 1, text.count("\n") + 1),)))
        if len(batch) == 1000:
            store.put(batch)
            batch = []
    store.put(batch)


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command: Sequence[str], given: bytes, environment: dict[str, str]) -> tuple[float, float]:
    """Return the CPU and wall milliseconds of one process."""
    cpu, wall = children_cpu_s(), time.perf_counter()
    subprocess.run(command, input=given, env=environment, capture_output=True, check=True)
    return 1000 * (children_cpu_s() - cpu), 1000 * (time.perf_counter() - wall)


def speed(sizes: Sequence[int], runs: int) -> dict[str, dict[str, float]]:
    """Return figures by the number of memories."""
    found = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "memory.sqlite")
            fill(
                store,
                Scope("agent:main"),
                ((f"{n}.md", text) for n, text in enumerate(memories(size))),
            )
            store.close()
            found[str(size)] = one_speed(folder, runs)
    return found


def one_speed(home: str, runs: int) -> dict[str, float]:
    # Compiled modules are part of an installed program; this image switches them off.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "GIEOK_HOME": home
    }
    rng = random.Random(_SEED)
    words = vocabulary(rng, 20_000)
    floor = [sys.executable, "-c", "import sqlite3, json"]
    hook = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'gieok'; from gieok.__main__ import main; main()",
        "hook",
        "prompt",
    ]
    rows: list[tuple[float, float, float, float]] = []
    for run in range(runs + 2):
        prompt = _PROMPTS[run % len(_PROMPTS)].format(
            a=rng.choice(words[:2000]), b=rng.choice(words[:2000])
        )
        payload = {
            "session_id": "b",
            "cwd": home,
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        floor_times = timed(floor, b"", environment)
        rows.append((*floor_times, *timed(hook, json.dumps(payload).encode(), environment)))
    columns = list(zip(*rows[2:], strict=True))
    floor_cpu, floor_wall, hook_cpu, hook_wall = (statistics.median(column) for column in columns)
    return {
        "floor_cpu_ms": round(floor_cpu, 1),
        "hook_cpu_ms": round(hook_cpu, 1),
        "ratio": round(hook_cpu / floor_cpu, 2),
        "floor_wall_ms": round(floor_wall, 1),
        "hook_wall_ms": round(hook_wall, 1),
        "hook_wall_p95_ms": round(sorted(columns[3])[int(0.95 * len(columns[3]))], 1),
    }


class Corpus:
    """Some items of a group with questions that they answer, and questions that they do not."""

    def __init__(
        self,
        name: str,
        items: list[dict[str, str]],
        answerable: list[Label],
        unanswerable: list[Label],
    ) -> None:
        self.name = name
        self.items = items
        self.labels = answerable + unanswerable


def corpora(data: Path, size: int, count: int) -> Iterator[Corpus]:
    """Yield a corpus of about `size` memories from each set (the whole group where it is
    smaller).
    """
    sets = {file.stem: retrieval.load(file) for file in sorted(data.glob("*.json"))}
    for name, groups in sets.items():
        rng = random.Random(f"{_SEED} {name} {size}")
        group = rng.choice(groups)
        known = {item["id"] for item in group.items}
        questions = [
            q
            for q in group.questions
            if q["type"] not in retrieval.UNSCORED and q["gold"] and {*q["gold"]} <= known
        ]
        questions = rng.sample(questions, min(len(questions), max(1, min(count, size // 2))))
        gold = {i for q in questions for i in q["gold"]}
        rest = [item for item in group.items if item["id"] not in gold]
        kept = [i for i in group.items if i["id"] in gold] + rng.sample(
            rest, max(0, min(len(rest), size - len(gold)))
        )
        language = detect_text_language(questions[0]["q"])
        others = [
            q["q"]
            for other, its in sets.items()
            if not related(other, name)
            for g in its
            for q in g.questions
            if detect_text_language(q["q"]) == language
        ]
        others = sorted(set(others))
        unanswerable = rng.sample(others, min(count, len(others)))
        yield Corpus(
            name,
            kept,
            [Label(q["q"], tuple(q["gold"])) for q in questions],
            [Label(text, ()) for text in unanswerable],
        )


def related(one: str, other: str) -> bool:
    """Say whether two sets may answer each other's questions."""
    return one.partition("_")[0] == other.partition("_")[0]


def quality(data: Path, count: int) -> dict[str, dict[str, dict[str, Any]]]:
    """Return corpus size → floor → figures over all sets."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for size in _SIZES:
        outcomes: dict[float, list[LabelDecision]] = {floor: [] for floor in _FLOORS}
        for corpus in corpora(data, size, count):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "memory.sqlite"
                store = SqliteStore(file)
                fill(
                    store,
                    Scope("agent:main"),
                    ((item["id"], item["text"]) for item in corpus.items),
                )
                store.close()
                reader = IndexReader(str(file))
                for floor in _FLOORS:
                    outcomes[floor] += [outcome(reader, label, floor) for label in corpus.labels]
        found[str(size)] = {
            "calibrated" if f < 0 else f"{f:g}": figures(o) for f, o in outcomes.items()
        }
    return found


def outcome(reader: IndexReader, label: Label, floor: float) -> LabelDecision:
    settings = HookSettings({"hook.floor": floor})
    ask = partial(
        matches.find_matches,
        reader,
        ["agent:main"],
        chosen=settings,
        now_unix_s=0.0,
        cwd="",
        late=Late,
    )
    asked = question.build_prompt_questions(label.prompt)
    shown = ask(asked=asked).found[: int(settings.number("hook.limit"))] if asked else []
    return LabelDecision(
        label, tuple((f.level, f.key in label.expect) for f in shown if f.level != levels.LOW)
    )


def figures(outcomes: Sequence[LabelDecision]) -> dict[str, Any]:
    m = measured(outcomes)
    row: dict[str, Any] = {
        "answerable": m.answerable,
        "unanswerable": m.unanswerable,
        "silence": m.silence,
    }
    for level in m.levels:
        row |= {f"{level.name}_precision": level.precision, f"{level.name}_recall": level.recall}
    return row


def show_quality(found: dict[str, dict[str, dict[str, Any]]]) -> None:
    names = (
        "high_precision",
        "high_recall",
        "medium_precision",
        "medium_recall",
        "either_recall",
        "silence",
    )
    for size, rows in found.items():
        first = next(iter(rows.values()))
        print(
            f"\n{size} memories a set ({first['answerable']} answerable, "
            f"{first['unanswerable']} unanswerable prompts)"
        )
        print(f"{'floor':<12}" + "".join(f"{name:>18}" for name in names))
        for floor, row in rows.items():
            cells = ("–" if row[name] is None else f"{row[name]:.3f}" for name in names)
            print(f"{floor:<12}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("speed", "quality"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.what == "speed":
        costs = speed(chosen.sizes, chosen.runs)
        if chosen.json:
            print(json.dumps(costs))
        else:
            for size, row in costs.items():
                print(
                    f"{size:>8} memories: "
                    + ", ".join(f"{name} {value:g}" for name, value in row.items())
                )
    else:
        if chosen.data is None or not list(chosen.data.glob("*.json")):
            parser.error("quality needs --data DIR with NAME.json files")
        found = quality(chosen.data, chosen.questions)
        if chosen.json:
            print(json.dumps(found))
        else:
            show_quality(found)


if __name__ == "__main__":
    main()
