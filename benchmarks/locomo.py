"""LoCoMo as transcripts: what of two people's talk the prompt's hook brings when it is asked for.

    python benchmarks/locomo.py --data FILE [--every N] [--keep FOLDER] [--json]

FILE is `locomo.json` of shared/data/memory: dialogues of turns (`id`, `session`, `text`, `date`),
and questions with the turns that hold the answer. A dialogue becomes the sessions of one project,
the first speaker as the user; every Nth question is asked as a prompt, a day after the last
session, by what the hook asks the daemon for, at most 600 tokens. `hook`: a turn that holds the
answer is injected. `adversarial` questions have no answer: `injected` gets something, `high`
something that is not marked as unsure. LoCoMo is for measuring (CC BY-NC): nothing is fitted on it.
"""

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

from gieok.text.handles import build_handle
from memaware import Memory, loaded

_NO_WORD = re.compile(r"[\W_]+")
_COMPARED_CHARS = 160
_ADVERSARIAL = "adversarial"


def sessions(dialogue: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the sessions of a dialogue as `memaware.loaded` takes them."""
    found = defaultdict[str, list[Mapping[str, Any]]](list)
    for item in dialogue["items"]:
        found[item["session"]].append(item)
    first = _speaker(dialogue["items"][0])
    return [
        {
            "id": f"{dialogue['gid']}-{name}",
            "at": datetime.strptime(items[0]["date"], "%I:%M %p on %d %B, %Y")
            .replace(tzinfo=UTC)
            .isoformat(),
            "turns": [
                {"role": "user" if _speaker(item) == first else "assistant", "text": item["text"]}
                for item in items
            ],
        }
        for name, items in found.items()
    ]


def _speaker(item: Mapping[str, Any]) -> str:
    return str(item["text"].partition(":")[0])


def said(memory: Memory) -> dict[str, str]:
    """Return what each line says, by its handle."""
    store = memory.call.home.store
    return {
        build_handle(str(scope), document.key, number): _letters(line)
        for scope in memory.scopes
        for document in store.get(scope, list(store.hashes(scope)))
        for number, line in enumerate(document.text.split("\n"), start=1)
    }


def _letters(text: str) -> str:
    return _NO_WORD.sub("", text).casefold()


def asked(
    memory: Memory, dialogue: Mapping[str, Any], every: int
) -> Iterator[tuple[str, bool, bool, int]]:
    """Yield of each question: its type, whether the answer's turn is injected, whether anything
    sure is, tokens.
    """
    lines = said(memory)
    turns = {item["id"]: _letters(item["text"])[:_COMPARED_CHARS] for item in dialogue["items"]}
    for question in dialogue["questions"][::every]:
        answer = memory.ask("recall", prompt=[question["q"]], agent="claude-code")
        shown = " ".join(lines.get(found["handle"], "") for found in answer["memories"])
        is_held = any(turns[gold] in shown for gold in question["gold"] if turns.get(gold))
        yield (
            question["type"],
            is_held,
            any(found["is_sure"] for found in answer["memories"]),
            answer["tokens"],
        )


def measured(given: argparse.Namespace, kept: Path, homes: Path) -> dict[str, Any]:
    rows = []
    for dialogue in json.loads(given.data.read_text(encoding="utf-8"))["groups"]:
        memory = loaded(kept, homes / dialogue["gid"], sessions(dialogue), given)
        rows += list(asked(memory, dialogue, given.every))
    kinds = sorted({kind for kind, *_ in rows} - {_ADVERSARIAL})
    answered = [row for row in rows if row[0] != _ADVERSARIAL]
    adversarial = [row for row in rows if row[0] == _ADVERSARIAL]
    return {
        "hook": _share([held for _, held, _, _ in answered]),
        "by_type": {
            kind: _share([held for of, held, _, _ in answered if of == kind]) for kind in kinds
        },
        "tokens_mean": round(mean(tokens for *_, tokens in answered), 1),
        "adversarial": {
            "injected": _share([tokens > 0 for *_, tokens in adversarial]),
            "high": _share([is_sure for _, _, is_sure, _ in adversarial]),
        },
        "questions": len(rows),
    }


def _share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 3) if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question of a dialogue")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="keep the vectors of texts there")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.assistant_chars = 0
    with tempfile.TemporaryDirectory(prefix="locomo-") as temporary:
        kept = given.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        result = measured(given, kept, Path(temporary))
    print(json.dumps(result, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
