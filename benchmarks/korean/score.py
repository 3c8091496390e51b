"""Scores a memory on the Korean benchmark: what six people told their assistants, and what of it is
there when a later prompt needs it.

    python benchmarks/korean/score.py [--data DIR] [--system NAME=COMMAND …] [--json]

COMMAND is any program. It is run once for each of the six people, as `COMMAND FOLDER`. FOLDER holds
one file for each session, `SESSION.jsonl`: a first line `{"session", "at", "project"}`, then a line
`{"role", "text"}` for each turn. On its standard input are the questions, a JSON line each: `{"id",
"ask", "at", "project"}`. For each it writes a JSON line `{"id", "text"}`: what it would put before
the model, best first, a line for each memory; an empty text where it would say nothing. Only the
first 1,000 characters of a text are scored.

A person's sessions all lie before their questions. How each kind of question is scored stands in
README.md. Standard library alone.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
KINDS = ("asked", "unasked", "dialect", "changed", "ended", "parallel", "absent")
#: Kinds whose question passes where what is wanted is there and nothing wrong stands before it.
_VALUES = ("asked", "unasked", "dialect", "changed", "parallel")
_SCORED_CHARACTERS = 1_000
#: How a memory says that a line no longer holds, in words of its own.
_OVER = re.compile(
    r"replaced|superseded|corrected|ended|expired|no longer|바뀜|대체|정정|끝남|지남"
)


@dataclass(frozen=True)
class Question:
    """A prompt of a later day.

    `want` are words of the right answer, one of which is enough; `wrong` are words of what no
    longer holds, or holds of something else.
    """

    id: str
    kind: str
    ask: str
    at: str
    project: str | None
    want: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Person:
    """What one of the six writers wrote: sessions as they were told, and questions."""

    name: str
    sessions: Sequence[Mapping[str, Any]]
    questions: Sequence[Question]


def read_people(folder: Path = DATA) -> list[Person]:
    """Read the data, a file for each person, in the order of their names."""
    people = []
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        questions = [
            Question(
                row["id"],
                row["kind"],
                row["ask"],
                row["at"],
                row["project"],
                tuple(row["want"]),
                tuple(row["not"]),
            )
            for row in data["questions"]
        ]
        people.append(Person(data["hand"], data["sessions"], questions))
    return people


def write_sessions(person: Person, folder: Path) -> None:
    """Write a person's sessions as the files that a system is given."""
    for session in person.sessions:
        head = {
            "session": session["id"],
            "at": session["at"],
            "project": session["project"],
        }
        lines = [head, *session["turns"]]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{session['id']}.jsonl").write_text(text, encoding="utf-8")


def ask_system(command: str, person: Person) -> dict[str, str]:
    """Run a system on a person's sessions and questions.

    :return: Question id → what the system would put before the model.
    :raise SystemExit: The command failed, or left a question out.
    """
    asked = "".join(
        json.dumps(
            {
                "id": question.id,
                "ask": question.ask,
                "at": question.at,
                "project": question.project,
            },
            ensure_ascii=False,
        )
        + "\n"
        for question in person.questions
    )
    with tempfile.TemporaryDirectory(prefix="korean-") as folder:
        write_sessions(person, Path(folder))
        done = subprocess.run(
            [*shlex.split(command), folder],
            input=asked,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{command}: exit {done.returncode} on {person.name}")
    answers = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        answers[row["id"]] = row["text"]
    missing = [question.id for question in person.questions if question.id not in answers]
    if missing:
        raise SystemExit(f"{command}: no answer to {', '.join(missing[:5])}")
    return answers


def holds(line: str, words: str) -> bool:
    """Say whether words stand in a line, not as a part of a longer number or Latin word."""
    before = after = ""
    if words[0].isdigit():
        before = r"(?<![0-9])"
    elif words[0].isascii() and words[0].isalpha():
        before = r"(?<![A-Za-z])"
    if words[-1].isdigit():
        after = r"(?![0-9])"
    return re.search(before + re.escape(words) + after, line, re.IGNORECASE) is not None


def holds_any(line: str, words: Sequence[str]) -> bool:
    return any(holds(line, one) for one in words)


def is_recalled(question: Question, text: str) -> bool:
    """Say whether what is wanted stands anywhere in a text."""
    return holds_any(text[:_SCORED_CHARACTERS], question.want)


def misleads(question: Question, text: str) -> bool:
    """Say whether a line with what is wrong comes first, and nothing says that it is over."""
    for line in text[:_SCORED_CHARACTERS].splitlines():
        if holds_any(line, question.want):
            return False
        if holds_any(line, question.wrong):
            return _OVER.search(line) is None
    return False


def passes(question: Question, text: str) -> bool:
    """Say whether a text is right for a question, by its kind."""
    if question.kind == "absent":
        return not text.strip()
    if not question.want:  # it ended by its date: nothing was said of the end
        return not misleads(question, text)
    return is_recalled(question, text) and not misleads(question, text)


@dataclass
class Score:
    """How a system did: by kind whether each question passed, and what was told at all."""

    passed: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    recalled: list[bool] = field(default_factory=list)
    misled: list[bool] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)

    def add(self, question: Question, text: str) -> None:
        self.passed[question.kind].append(passes(question, text))
        self.characters.append(len(text[:_SCORED_CHARACTERS]))
        if question.kind in _VALUES:
            self.recalled.append(is_recalled(question, text))
        if question.wrong:
            self.misled.append(misleads(question, text))

    def figures(self) -> dict[str, float]:
        """Return shares of 1 by kind, their mean, and characters a question."""
        by_kind = {kind: _mean(self.passed[kind]) for kind in KINDS if self.passed[kind]}
        return {
            **by_kind,
            "all": _mean(by_kind.values()),
            "recalled": _mean(self.recalled),
            "misled": _mean(self.misled),
            "characters": _mean(self.characters),
        }


def _mean(values: Any) -> float:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 3) if numbers else 0.0


def score_system(command: str, people: Sequence[Person]) -> dict[str, dict[str, float]]:
    """Score a command on everybody.

    :return: `"all"` and each person's name → figures.
    """
    everybody, rows = Score(), {}
    for person in people:
        answers, own = ask_system(command, person), Score()
        for question in person.questions:
            own.add(question, answers[question.id])
            everybody.add(question, answers[question.id])
        rows[person.name] = own.figures()
    return {"all": everybody.figures(), **rows}


def format_table(rows: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Lay figures out as a table in Markdown, a row for each system."""
    columns = (*KINDS, "all", "recalled", "misled", "characters")
    yield "| system | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for name, figures in rows.items():
        cells = [
            f"{figures.get(column, 0):.0f}"
            if column == "characters"
            else f"{figures.get(column, 0):.2f}".replace("0.", ".", 1)
            for column in columns
        ]
        yield f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the six files")
    parser.add_argument(
        "--system",
        action="append",
        required=True,
        metavar="NAME=COMMAND",
        help="a system to score; may be given more than once",
    )
    parser.add_argument("--json", action="store_true", help="print figures by person as JSON")
    arguments = parser.parse_args()
    people, rows = read_people(arguments.data), {}
    for entry in arguments.system:
        name, _, command = entry.partition("=")
        rows[name] = score_system(command, people)
        print(name, rows[name]["all"], file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        print("\n".join(format_table({name: row["all"] for name, row in rows.items()})))


if __name__ == "__main__":
    main()
