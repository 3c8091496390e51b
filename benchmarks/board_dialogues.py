"""LoCoMo and BEAM: which messages of a long dialogue hold the answer of a question.

    python benchmarks/board_dialogues.py locomo --data DIR [--json]
    python benchmarks/board_dialogues.py beam --data DIR [--json]

DIR is a checkout of github.com/snap-research/LoCoMo (CC BY-NC 4.0, arXiv 2402.17753), with
`data/locomo10.json`; or of github.com/mohammadtavakoli78/BEAM (arXiv 2510.27246), with
`chats/100K/NUMBER/chat.json` and its `probing_questions`. Nothing is fetched.

Both boards score answers, which need a model. Both also name the messages that hold the answer
(`evidence`, `source_chat_ids`), and the paper of LoCoMo reports their recall. That alone is
measured here, by retrieval.py: each dialogue is a scope, each message an item, and SQLite's FTS5,
vectors alone and both fused are asked the same in the same run. Recall is the share of the
evidence that is among the first k.

Questions whose answer is nowhere (LoCoMo's category 5, BEAM's abstention) are asked too:
`answerless` is the share of them that gets a result at the default threshold.

Gieok was developed on five conversations of LoCoMo (`_KNOWN`). So `known` and `unseen` are given
beside the whole. Nothing of BEAM was looked at before.
"""

import argparse
import json
import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gieok.flow.lifecycle import fill_vectors
from gieok.model.memory import Scope
from gieok.models.local.reader import LocalReader
from gieok.models.local.runtime import E5Embedder
from gieok.storage.index.sqlite.store import SqliteStore
from retrieval import (
    METHODS,
    UNSCORED,
    Asked,
    Group,
    RememberedQueries,
    SetQuestion,
    ask,
    found_by_gieok,
    index,
    least_of,
    mean,
    measure,
    profile_for,
)

#: The conversations on which Gieok was measured while it was made.
_KNOWN = frozenset(("conv-26", "conv-30", "conv-41", "conv-42", "conv-43"))
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
#: Some evidence is written `D:11:26`, or several in one string.
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_\d+")
_ANSWERLESS = "adversarial"

Row = Mapping[str, Any]


def read_locomo(folder: Path) -> Iterator[Group]:
    """Yield a group for each conversation; a picture is its caption behind the text."""
    for row in json.loads((folder / "data" / "locomo10.json").read_text(encoding="utf-8")):
        items = [
            {"id": turn["dia_id"], "session": session, "text": _write_turn(turn)}
            for session, turns in row["conversation"].items()
            if _SESSION.fullmatch(session)
            for turn in turns
        ]
        questions: list[SetQuestion] = [
            {
                "type": _ANSWERLESS if "answer" not in one else _CATEGORIES[one["category"]],
                "q": one["question"],
                "gold": _list_evidence(one["evidence"]),
            }
            for one in row["qa"]
        ]
        yield _build_group("locomo", row["sample_id"], items, questions)


def _write_turn(turn: Row) -> str:
    said = f"{turn['speaker']}: {turn['text']}"
    caption = turn.get("blip_caption")
    return f"{said} [shared image: {caption}]" if caption else said


def _list_evidence(evidence: Sequence[str]) -> list[str]:
    return [
        f"D{session}:{number}" for one in evidence for session, number in _EVIDENCE.findall(one)
    ]


def read_beam(folder: Path) -> Iterator[Group]:
    """Yield a group for each chat of 100,000 tokens."""
    files = (folder / "chats" / "100K").glob("*/chat.json")
    for file in sorted(files, key=lambda place: int(place.parent.name)):
        chat = file.parent
        batches = json.loads(file.read_text(encoding="utf-8"))
        items = [
            {
                "id": str(message["id"]),
                "session": f"{batch['batch_number']}-{number}",
                "text": f"{message['role'].capitalize()}: {message['content']}",
            }
            for batch in batches
            for number, messages in enumerate(batch["turns"])
            for message in messages
        ]
        asked = json.loads(
            (chat / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8")
        )
        questions: list[SetQuestion] = [
            {
                "type": _ANSWERLESS if kind == "abstention" else kind,
                "q": one["question"],
                "gold": list(_list_sources(one.get("source_chat_ids"))),
            }
            for kind, rows in asked.items()
            for one in rows
        ]
        yield _build_group("beam", chat.name, items, questions)


def _list_sources(sources: Any) -> Iterator[str]:
    """Yield the ids of messages, however deep they stand."""
    if isinstance(sources, int):
        yield str(sources)
        return
    for one in sources.values() if isinstance(sources, Mapping) else sources or ():
        yield from _list_sources(one)


def _build_group(
    board: str, name: str, items: list[dict[str, str]], questions: list[SetQuestion]
) -> Group:
    return Group(Scope(f"bench:{board}/group:{name}"), items, questions, profile_for(items))


READERS = {"locomo": read_locomo, "beam": read_beam}


def measure_board(
    store: SqliteStore, embedder: RememberedQueries, groups: Sequence[Group]
) -> dict[str, Any]:
    """Return the figures of each method over all questions, and over known and unseen dialogues."""
    asked = list[tuple[bool, Asked]]()
    answerless = list[bool]()
    for group in groups:
        index(store, group)
        fill_vectors(store, embedder)
        is_known = str(group.scope).rpartition(":")[2] in _KNOWN
        asked += [(is_known, one) for one in ask(store, embedder, group)]
        answerless += [
            found_by_gieok(store, embedder, group, one["q"])[1] >= least_of(group)
            for one in group.questions
            if one["type"] in UNSCORED
        ]
    parts = {"all": [one for _, one in asked]}
    if len({is_known for is_known, _ in asked}) == 2:
        parts["known"] = [one for is_known, one in asked if is_known]
        parts["unseen"] = [one for is_known, one in asked if not is_known]
    return {
        **{name: _summarise(rows) for name, rows in parts.items()},
        "dialogues": len(groups),
        "messages": sum(len(group.items) for group in groups),
        "answerless": {
            "questions": len(answerless),
            "found": round(math.fsum(answerless) / max(len(answerless), 1), 4),
        },
    }


def _summarise(asked: Sequence[Asked]) -> dict[str, Any]:
    figures: dict[str, Any] = {"questions": len(asked)}
    for method in METHODS:
        rows = [(one.kind, measure(one.rankings[method], one.gold)) for one in asked]
        figures[method] = {
            **mean([row for _, row in rows]),
            "by_type": {
                kind: mean([row for of, row in rows if of == kind])
                for kind in sorted({kind for kind, _ in rows})
            },
        }
    return figures


def _print_table(name: str, figures: Row) -> None:
    columns = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10")
    print(f"\n{name} ({figures['questions']})" + "".join(f"{column:>11}" for column in columns))
    for method in METHODS:
        values = "".join(f"{figures[method][column]:>11}" for column in columns)
        print(f"  {method:14}{values}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", choices=sorted(READERS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dialogues", type=int, default=0, help="ask the first few alone; 0: all")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="keep index and vectors there")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    groups = list(READERS[given.board](given.data))[: given.dialogues or None]
    with tempfile.TemporaryDirectory(prefix="dialogues-") as temporary:
        kept = given.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        store = SqliteStore(kept / f"{given.board}.sqlite", resident=True)
        embedder = RememberedQueries(
            E5Embedder(given.models), kept / "queries.sqlite", LocalReader(given.models)
        )
        result = measure_board(store, embedder, groups)
        store.close()
    if given.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for name in ("all", "known", "unseen"):
        if name in result:
            _print_table(name, result[name])
    print(f"\nwithout an answer: {result['answerless']}")


if __name__ == "__main__":
    main()
