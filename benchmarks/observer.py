"""What the observer without a model keeps: how much of it is worth keeping, and how much of what
was told stands in it.

    python benchmarks/observer.py [--told FILE] [--sessions FILE --name NAME] [--worth X]
                                  [--show] [--json]

`data/observer/*.txt`: transcripts written for this (`U` user, `A` agent, `T` tool; coding, Korean,
errands), and `verdicts.jsonl`: every observation that was made of them, judged one by one by a
person's measure: would this help in a later session, and is it intelligible alone. An observation
that nobody judged yet is counted as such, and shown by `--show`. `--sessions`: another transcript,
JSON lines of {"id", "at", "turns": [{"role", "text"}]}; of verdicts on what may not be published
only the sums are kept. `--told`: a file in the form of data/told; which of its current facts stand
in observations. `ratio`: the tokens of all messages over those of the observations' lines;
`user_share`: how much of the messages is the user's. `--worth`: what is less likely worth keeping
is left out, too: what a shorter record costs.
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import told as told_way
from gieok.flow.distil import MessageSpan
from gieok.memory.observation import Observation
from gieok.memory.observer import repeats
from gieok.memory.observer.rules import (
    GivenContext,
    RulesObserver,
    StatementJudge,
    StatementJudgement,
)
from gieok.memory.observer.standalone import UserStatement
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.models.local.reader import LocalReader
from gieok.text.tokens import estimate_tokens

_DATA = Path(__file__).parent / "data/observer"
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL}


class Talk(NamedTuple):
    """A session: its id, when it began, who said what."""

    id: str
    at: datetime
    turns: list[tuple[Role, str]]


def written(file: Path) -> list[Talk]:
    """Read a transcript of our own."""
    talks: list[Talk] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            _, name, at = line.split()
            talks.append(Talk(name, datetime.fromisoformat(at), []))
        elif line[:2] in ("U ", "A ", "T "):
            talks[-1].turns.append((_ROLES[line[0]], line[2:]))
        elif line:
            role, text = talks[-1].turns.pop()
            talks[-1].turns.append((role, f"{text}\n{line}"))
    return talks


def sessions(rows: Sequence[Mapping[str, Any]]) -> list[Talk]:
    """Return sessions of JSON, the first one first."""
    found = (
        Talk(
            row["id"],
            datetime.fromisoformat(row["at"]).astimezone(UTC),
            [(Role(turn["role"]), turn["text"]) for turn in row["turns"]],
        )
        for row in rows
    )
    return sorted(found, key=lambda talk: talk.at)


class StrictJudge(StatementJudge):
    """Judge to whom what is less likely worth keeping than `least` is worth nothing."""

    def __init__(self, models: Path, least: float) -> None:
        reader = LocalReader(models)
        super().__init__(lambda: reader)
        self._least = least

    def judge_statements(self, statements: Sequence[UserStatement]) -> list[StatementJudgement]:
        """Return a judgement for each statement."""
        return [
            judgement if judgement.worth >= self._least else StatementJudgement(0.0, 0.0)
            for judgement in super().judge_statements(statements)
        ]


def observed(talks: Sequence[Talk], judge: StatementJudge) -> list[Observation]:
    """Return what is kept of sessions, one after the other."""
    kept: list[Observation] = []
    statements: list[str] = []
    observer = RulesObserver(UTC, judge, GivenContext(statements=statements))
    for talk in talks:
        messages = tuple(
            Journalled(
                n,
                Message(
                    f"{talk.id}/{n}",
                    role,
                    text,
                    talk.at + timedelta(minutes=n),
                    talk.id,
                    "benchmark",
                ),
            )
            for n, (role, text) in enumerate(talk.turns, start=1)
        )
        span = MessageSpan(Scope("agent:main"), 0, len(messages), messages)
        kept += observer.observe(span).observations
        statements += [o.text for o in kept[len(statements) :]]
    return kept


def compression(talks: Sequence[Talk], kept: Sequence[Observation]) -> dict[str, float]:
    """Return how much shorter the observations are, and the user's share of what was said."""
    said = Counter[Role]()
    for talk in talks:
        for role, text in talk.turns:
            said[role] += estimate_tokens(text)
    return {
        "ratio": round(said.total() / max(sum(o.tokens for o in kept), 1), 2),
        "user_share": round(said[Role.USER] / said.total(), 2),
    }


def sum_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def verdicts(name: str) -> dict[str, bool]:
    """Return sum → whether it is worth keeping, of the observations of a transcript that were
    judged.
    """
    rows = map(json.loads, (_DATA / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())
    return {
        row.get("sum") or sum_of(row["text"]): row["worth"] for row in rows if row["of"] == name
    }


def row(name: str, talks: Sequence[Talk], judge: StatementJudge) -> dict[str, Any]:
    """Return the figures of a transcript."""
    observations, judged = observed(talks, judge), verdicts(name)
    kept = [o.text for o in observations]
    said = sum(role is Role.USER for talk in talks for role, _ in talk.turns)
    known = [judged[sum_of(text)] for text in kept if sum_of(text) in judged]
    worth = sum(judged.values())
    return {
        "kept": len(kept),
        "kept_per_1000_turns": round(1000 * len(kept) / said),
        "judged": len(known),
        "precision": round(sum(known) / len(known), 3) if known else None,
        "of_worth_still_kept": round(sum(known) / worth, 3) if worth else None,
        "doubled": sum(1 for _ in doubled(kept)),
        **compression(talks, observations),
        "unjudged": [text for text in kept if sum_of(text) not in judged],
    }


def doubled(kept: Sequence[str]) -> Iterator[str]:
    """Yield observations that say what one before them says, and no other value in between."""
    before = repeats.HeldStatements()
    for text in kept:
        own = repeats.content(text)
        if before.is_repeated_by(own):
            yield text
        before.add(own)


def told_share(file: Path, judge: StatementJudge) -> dict[str, Any]:
    """Return which current facts of a told file stand in an observation of their project."""
    data = json.loads(file.read_text(encoding="utf-8"))
    kept: list[Observation] = []
    for project in data["projects"]:
        talks = sessions([s for s in data["sessions"] if s["project"] == project])
        kept += observed(talks, judge)
    facts = told_way.current_facts(data)
    texts = "\n".join(o.text for o in kept)
    held = {name: told_way.is_recalled(fact, texts) for name, fact in facts.items()}
    return {
        "facts": len(held),
        "stand": round(sum(held.values()) / len(held), 3),
        "kept": len(kept),
        **compression(sessions(data["sessions"]), kept),
        "missed": sorted(name for name, stands in held.items() if not stands),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--told", type=Path)
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--name", default="")
    parser.add_argument("--worth", type=float, default=0.0)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    judge = StrictJudge(given.models, given.worth)
    found = {
        file.stem: row(file.stem, written(file), judge) for file in sorted(_DATA.glob("*.txt"))
    }
    if given.sessions:
        with given.sessions.open(encoding="utf-8") as lines:  # a text may hold other line ends
            talks = sessions([json.loads(line) for line in lines])
        name = given.name or given.sessions.stem
        found[name] = row(name, talks, judge)
    if given.told:
        found["told"] = told_share(given.told, judge)
    if not given.show:
        for figures in found.values():
            figures["unjudged"] = len(figures.get("unjudged", ()))
    print(json.dumps(found, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
