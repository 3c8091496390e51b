"""Unasked recall: prompts whose answer depends on what was told in an earlier session, which they
do not mention.

    python benchmarks/memaware.py --data DIR [--board CHECKOUT] [--json] [--keep FOLDER]

DIR holds `sessions.jsonl.gz`, `memaware.json`, `longmemeval.json` and `unasked_ko*.json`; parts
whose file is missing are left out. CHECKOUT is one of github.com/kevin-hs-sohn/memaware (MIT):
sessions and all 900 prompts are then read from its `data`, `memaware.json` names the prompts that
were looked at while Gieok was made (`known`), and the others are `unseen`. Its sessions are those
of LongMemEval's questions (MIT). Nothing is fetched. The sessions are laid out as Claude Code's own transcripts in a
fresh home and captured by `gieok observe run --once` without an embedder; then all passages get
their vectors. What follows runs in this process, by the code that the commands run, because a
process for each of thousands of questions would measure Python's start:

- search: the operation `search`; hit@k: a gold session is among the first k sessions that it names.
- fts5, vectors: the same from SQLite's FTS5 over the turns, and from cosine alone.
- hook: the operation `recall`, which is what the prompt's hook asks the daemon; at most 600 tokens.
  `hit`: a turn of a gold session stands in the text, by its handle.
- silence: the gold of every second prompt is withheld (all those sessions are forgotten, with what
  was made of them), and these prompts are asked again. `absent_silent` is the share that gets
  nothing. unasked_ko has prompts of its own for it.

Questions of a set are asked a day after its last session. `--keep` keeps the vectors of texts, so
that a second run embeds only what is new. `--assistant-chars 800` takes in one passage of each
assistant's turn: half of the vectors.
"""

import argparse
import gzip
import json
import os
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from gieok.commands.run import run_operation
from gieok.flow.lifecycle import fill_vectors
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.home import Home as GieokHome
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, VectorQuery
from gieok.ports.models import Embedder
from gieok.ports.store import VectorSearch
from gieok.testing import ManualClock
from gieok.text.handles import build_handle
from retrieval import PlainFts5
from transcripts import Home, Session, session_uuid, write

_AGENT = "claude-code"
_DEPTHS = (1, 5, 20)
#: Hits asked for, so that twenty sessions are among them.
_HITS = 80
_BUDGET_TOKENS = 600
_AFTER = timedelta(days=1)
_NINE = timedelta(hours=9)
#: How the board writes a session, and who speaks.
_SESSION_HEAD = re.compile(r"(?m)^## Session (\S+)\nSession Date: (\S+)\n")
_SPEAKER = re.compile(r"(?m)^(User|Assistant): ")
_HANDLE = re.compile(r"(?<![0-9a-f])([0-9a-f]{6,8})(?:\.\d+)?(?![0-9a-f])")

Row = Mapping[str, Any]


class RememberedTexts:
    """An embedder that keeps what it embedded in a file."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self.model, self.dimension = inner.model, inner.dimension
        self.embedded, self.cpu_s = 0, 0.0
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, vector BLOB)")

    def embed_query(self, text: str) -> bytes:
        return self._kept("q", text, lambda: self._inner.embed_query(text))

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        return [self._kept("p", text, partial(self._embed_passage, text)) for text in texts]

    def _embed_passage(self, text: str) -> bytes:
        return self._inner.embed_passages([text])[0]

    def _kept(self, form: str, text: str, made: Callable[[], bytes]) -> bytes:
        name = f"{self.model}\0{form}\0{text}"
        row = self._db.execute("SELECT vector FROM kept WHERE name = ?", (name,)).fetchone()
        if row is not None:
            return bytes(row[0])
        began = time.process_time()
        vector = made()
        self.cpu_s += time.process_time() - began
        self.embedded += 1
        self._db.execute("INSERT INTO kept VALUES (?, ?)", (name, vector))
        return vector


def use_embedder(home: GieokHome, embedder: Embedder) -> None:
    """Let a home embed with another embedder than its settings name."""
    # Commands ask for no more than `Embedder` has: what follows a switch of models, they look for.
    home.open_embedder = lambda: embedder  # type: ignore[method-assign,assignment,return-value]


@dataclass(frozen=True)
class Memory:
    """A home in which sessions were taken in, and the context of a person who works there."""

    call: Call
    embedder: RememberedTexts
    #: Session id of the data by the session id of the transcript.
    sessions: Mapping[str, str]
    captured_cpu_s: float

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return tuple(self.call.home.store.scopes())

    def ask(self, operation: str, **values: object) -> Any:
        answer = run_operation(operation, values, lambda _: self.call)
        if answer.failure:
            raise SystemExit(f"{operation}: {answer.failure.message}\n{answer.failure.hint}")
        return answer.data

    def session_of(self, key: str) -> str | None:
        """Return the session of the data whose turns a document holds; None for another
        document.
        """
        head, _, name = key.partition(f"{_AGENT}/")
        return self.sessions.get(name.partition("#")[0]) if head.endswith("sessions/") else None

    def rank_by_cosine(self, question: str, passages: int) -> list[str]:
        """Return the sessions of the nearest passages by their vectors alone, best first."""
        store = self.call.home.store
        assert isinstance(store, VectorSearch)
        query = VectorQuery(self.embedder.embed_query(question))
        ranked = [
            (-score, scope, passage)
            for scope in self.scopes
            for passage, score in store.nearest(scope, query, Filter(), passages).ranked
        ]
        nearest = store.passages([passage for _, _, passage in sorted(ranked)[:passages]])
        sessions = (self.session_of(passage.key) for passage in nearest)
        return list(dict.fromkeys(session for session in sessions if session))

    def documents(self) -> Iterator[tuple[Scope, str, str]]:
        """Yield scope, key and session of the documents of turns."""
        store = self.call.home.store
        for scope in self.scopes:
            for key in store.hashes(scope):
                if session := self.session_of(key):
                    yield scope, key, session

    def forget(self, sessions: set[str]) -> None:
        """Forget what was said in sessions, and what was made of it."""
        store = self.call.home.store
        names = {own for own, session in self.sessions.items() if session in sessions}
        for scope in self.scopes:
            found = store.get(scope, list(store.hashes(scope)))
            gone = [
                d.key
                for d in found
                if any(n in f"{d.key} {d.metadata} {d.provenance}" for n in names)
            ]
            store.forget(scope, gone)


def loaded(
    folder: Path, home_folder: Path, rows: Sequence[Row], given: argparse.Namespace
) -> Memory:
    """Take sessions in as transcripts, and embed all passages."""
    home = Home(home_folder.resolve(), {"GIEOK_EMBEDDER": "none"})
    work = home.path / "talks"
    work.mkdir(parents=True)
    home.memory.mkdir(mode=0o700)
    (home.memory / "models").symlink_to(given.models.resolve())
    sessions = [
        Session(
            row["id"],
            _moment(row["at"]),
            work,
            [(t["role"], _cut(t, given.assistant_chars)) for t in row["turns"]],
        )
        for row in rows
    ]
    for session in sessions:
        write(home, _AGENT, session)
    end = max(session.end for session in sessions) + _AFTER
    home.set_clock(end)
    home.gieok("install", _AGENT, folder=work)
    before = _children_s()
    home.gieok("observe", "run", "--once", folder=work)
    captured = _children_s() - before
    flags = {"hook.budget_tokens": str(_BUDGET_TOKENS)}
    environment = Home(home.path).environment()
    os.environ["HOME"] = str(home.path)  # the one variable that is the process's own
    call = open_call(flags, environment=environment, folder=work, clock=ManualClock(end), zone=UTC)
    inner = call.home.open_embedder()
    assert inner is not None
    embedder = RememberedTexts(inner, folder / "vectors.sqlite")
    use_embedder(call.home, embedder)
    store = call.home.store
    assert isinstance(store, VectorSearch)
    fill_vectors(store, embedder, _progress)
    return Memory(
        call, embedder, {session_uuid(session): session.id for session in sessions}, captured
    )


def _cut(turn: Row, most: int) -> str:
    """Return what was said; of an assistant, not more than so many characters."""
    text = " ".join(turn["text"].split())
    return (
        text[: text.rfind(" ", 1, most + 1)]
        if turn["role"] == "assistant" and 0 < most < len(text)
        else turn["text"]
    )


def _progress(done: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} passages", end="", file=sys.stderr)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC) + _NINE


def found_sessions(memory: Memory, question: str) -> list[str]:
    """Return the sessions that search names, best first, each once."""
    hits = memory.ask("search", query=[question], limit=_HITS)["results"]
    keys = (hit["path"] for hit in hits)
    return list(dict.fromkeys(session for key in keys if (session := memory.session_of(key))))


@dataclass
class Found:
    """At which place a gold session came for each question; 0: not at all."""

    places: list[tuple[str, int]]

    def hit(self, depth: int, kind: str = "") -> float:
        return _share(0 < place <= depth for of, place in self.places if not kind or of == kind)

    def row(self, depths: Sequence[int]) -> dict[str, float]:
        return {f"hit@{depth}": self.hit(depth) for depth in depths}

    def by_kind(self, depths: Sequence[int]) -> dict[str, dict[str, float]]:
        kinds = dict.fromkeys(kind for kind, _ in self.places)
        return {kind: {f"hit@{depth}": self.hit(depth, kind) for depth in depths} for kind in kinds}


def place_gold(
    rank: Callable[[str], Sequence[str]], rows: Sequence[Row], text: str, kind: str
) -> Found:
    """Return at which place a way to rank sessions has the first gold one of each row."""
    places = []
    for row in rows:
        gold = set(row["gold"])
        ranked = enumerate(rank(row[text]), 1)
        places.append((row[kind], next((n for n, session in ranked if session in gold), 0)))
    return Found(places)


def searched(memory: Memory, rows: Sequence[Row], text: str, kind: str) -> Found:
    return place_gold(partial(found_sessions, memory), rows, text, kind)


def rank_by_words(plain: PlainFts5, question: str) -> list[str]:
    """Return the sessions of the turns that SQLite's FTS5 ranks, best first."""
    ranked = (name.partition("\0")[0] for name in plain.rank(question, 10_000))
    return list(dict.fromkeys(ranked))


def index_plainly(rows: Sequence[Row]) -> PlainFts5:
    """Index the turns of sessions with SQLite's FTS5 alone."""
    return PlainFts5(
        [
            {"id": f"{row['id']}\0{number}", "text": turn["text"]}
            for row in rows
            for number, turn in enumerate(row["turns"])
        ]
    )


def injected(memory: Memory, prompt: str) -> tuple[str, int]:
    """Return what the prompt's hook puts before the model, and its tokens."""
    answer = memory.ask("recall", prompt=[prompt], agent=_AGENT)
    return answer["text"], answer["tokens"]


def hooked(memory: Memory, rows: Sequence[Row]) -> dict[str, Any]:
    """Return how often a turn of a gold session is injected, by difficulty, and the tokens."""
    by_handle = defaultdict[str, set[str]](set)
    for scope, key, session in memory.documents():
        by_handle[build_handle(str(scope), key)].add(session)
    hits, tokens = defaultdict[str, list[bool]](list), []
    for row in rows:
        text, used = injected(memory, row["prompt"])
        shown = {
            session for handle in _HANDLE.findall(text) for session in by_handle.get(handle, ())
        }
        hits[row["difficulty"]].append(bool(shown & set(row["gold"])))
        tokens.append(used)
    return {
        "hit": _share(hit for found in hits.values() for hit in found),
        "by_difficulty": {kind: _share(found) for kind, found in hits.items()},
        "spoke": _share(used > 0 for used in tokens),
        "tokens_mean": round(mean(tokens), 1),
    }


def silent(memory: Memory, prompts: Sequence[str]) -> float:
    return _share(not injected(memory, prompt)[0] for prompt in prompts)


def _share(found: Any) -> float:
    values = list(found)
    return round(sum(values) / len(values), 3) if values else 0.0


def read_board(checkout: Path) -> tuple[list[Row], list[Row]]:
    """Return the sessions and the prompts of a checkout, as our own files hold them."""
    sessions = list[Row]()
    for file in sorted((checkout / "data" / "sessions").glob("*.md")):
        parts = _SESSION_HEAD.split(file.read_text(encoding="utf-8"))
        for name, day, said in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            turns = _SPEAKER.split(said)
            sessions.append(
                {
                    "id": name,
                    "at": day,
                    "turns": [
                        {"role": role.lower(), "text": text.strip()}
                        for role, text in zip(turns[1::2], turns[2::2], strict=True)
                    ],
                }
            )
    prompts: list[Row] = [
        {
            "id": row["question_id"],
            "difficulty": row["difficulty"],
            "prompt": row["question"],
            "gold": row["answer_session_ids"],
        }
        for row in _rows(checkout / "data" / "questions.json")
    ]
    return sessions, prompts


def english(memory: Memory, plain: PlainFts5, sets: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Ask the sets that are about `sessions.jsonl.gz`: `questions`, `prompts`, of which `known`."""
    parts = dict[str, Any]()
    ways: dict[str, Callable[[str], Sequence[str]]] = {
        "search": partial(found_sessions, memory),
        "fts5": partial(rank_by_words, plain),
        "vectors": lambda question: memory.rank_by_cosine(question, _HITS),
    }
    questions, prompts = sets["questions"], sets["prompts"]
    if questions:
        parts["longmemeval"] = {"questions": len(questions)}
        for way, rank in ways.items():
            found = place_gold(rank, questions, "question", "type")
            parts["longmemeval"][way] = {**found.row((1, 5)), "by_type": found.by_kind((1, 5))}
    if prompts:
        known = {row["id"] for row in sets["known"]}
        parts["prompts"] = {"all": len(prompts)}
        for way, rank in ways.items():
            found = place_gold(rank, prompts, "prompt", "difficulty")
            parts[way] = {**found.row(_DEPTHS), "by_difficulty": found.by_kind(_DEPTHS)}
            unseen = [
                place
                for row, place in zip(prompts, found.places, strict=True)
                if row["id"] not in known
            ]
            if 0 < len(unseen) < len(prompts):
                parts["prompts"]["unseen"] = len(unseen)
                parts[way]["unseen"] = Found(unseen).row(_DEPTHS)
        parts["hook"] = hooked(memory, prompts)
        withheld = prompts[::2]
        memory.forget({session for row in withheld for session in row["gold"]})
        parts["hook"]["absent_silent"] = silent(memory, [row["prompt"] for row in withheld])
    return parts


def korean(memory: Memory, rows: Row) -> dict[str, Any]:
    found, hook = (
        searched(memory, rows["prompts"], "prompt", "difficulty"),
        hooked(memory, rows["prompts"]),
    )
    return {
        **found.row((1, 5)),
        "by_difficulty": found.by_kind((1, 5)),
        "hook": hook.pop("hit"),
        "hook_more": hook,
        "absent_silent": silent(memory, [row["prompt"] for row in rows["absent"]]),
    }


def _rows(file: Path) -> list[Row]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def _read_own(data: Path) -> tuple[list[Row], list[Row]]:
    """Return the sessions and the prompts of our own files."""
    pool = data / "sessions.jsonl.gz"
    if not pool.exists():
        return [], []
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines], _rows(data / "memaware.json")


def measured(given: argparse.Namespace, kept: Path, homes: Path) -> dict[str, Any]:
    result = dict[str, Any]()
    sessions, prompts = read_board(given.board) if given.board else _read_own(given.data)
    if sessions:
        memory = loaded(kept, homes / "english", sessions, given)
        plain = index_plainly(sessions)
        sets = {
            "questions": _rows(given.data / "longmemeval.json")[:: given.every],
            "prompts": prompts[:: given.every],
            "known": _rows(given.data / "memaware.json"),
        }
        result |= english(memory, plain, sets)
        plain.close()
        embedder = memory.embedder
        result["taking_in"] = {
            "captured_cpu_s": round(memory.captured_cpu_s, 1),
            "embedded": embedder.embedded,
            "embedding_cpu_s": round(embedder.cpu_s, 1),
        }
    for file in () if given.board else sorted(given.data.glob("unasked_ko*.json")):
        rows = json.loads(file.read_text(encoding="utf-8"))
        memory = loaded(kept, homes / file.stem, rows["sessions"], given)
        result["unasked_ko" if "unasked_ko" not in result else file.stem] = korean(memory, rows)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--board", type=Path, help="read sessions and prompts from this checkout")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="keep the vectors of texts there")
    parser.add_argument(
        "--assistant-chars",
        type=int,
        default=0,
        help="take in no more of an assistant's turn; 0: all",
    )
    parser.add_argument(
        "--every", type=int, default=1, help="ask every Nth question of the English sets only"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memaware-") as temporary:
        kept = given.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        result = measured(given, kept, Path(temporary))
    if given.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for part, row in result.items():
        print(part)
        for name, value in row.items():
            print(f"  {name:16}", json.dumps(value, ensure_ascii=False))


if __name__ == "__main__":
    main()
