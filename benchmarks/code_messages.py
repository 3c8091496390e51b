"""Whether `gieok code query` finds the code that says a message.

`python benchmarks/code_messages.py TREE… [--most 25]` draws messages of four words and more from
the string literals of each tree, tests and examples left out, writes a value where a literal has a
placeholder, and asks for each as somebody who met it would. A project must be indexed
(`gieok code init`). Counted are the messages whose literal stands in the first answer, and the
first answers that are called sure, with those of them that are right.
"""

import argparse
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_LITERAL = re.compile(r"""["']([^"'\\\n]{18,140})["']""")
_SENTENCE = re.compile(r"[A-Z]?[a-z]+ ")
_WORD = re.compile(r"[A-Za-z]{2,}")
_PLACEHOLDER = re.compile(r"\$?\{[^}]*\}|%[sdvqr]")
_ASIDE = re.compile(r"test|spec|example|docs")
_SUFFIXES = frozenset((".rs", ".py", ".js", ".ts", ".go", ".java"))
_LEAST_WORDS = 4
_SURE = 0.6
_SEED = 5


class Message(NamedTuple):
    """Literal of a file, and the line in which it stands."""

    path: str
    line: int
    text: str

    @property
    def question(self) -> str:
        """Return the message as it is met, with a value in each placeholder."""
        return _PLACEHOLDER.sub("zorb", self.text)


def draw_messages(tree: Path, most: int) -> list[Message]:
    """Return messages of a tree, drawn with a fixed seed; each text once."""
    by_text = {message.text: message for message in _iter_messages(tree)}
    messages = sorted(by_text.values())
    random.Random(_SEED).shuffle(messages)
    return messages[:most]


def _iter_messages(tree: Path) -> Iterator[Message]:
    for file in sorted(tree.rglob("*")):
        path = file.relative_to(tree).as_posix()
        if file.suffix not in _SUFFIXES or _ASIDE.search(path) or not file.is_file():
            continue
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            for match in _LITERAL.finditer(line):
                words = _WORD.findall(match[1])
                if _SENTENCE.match(match[1]) and len(words) >= _LEAST_WORDS:
                    yield Message(path, number, match[1])


def ask(tree: Path, question: str) -> list[dict[str, Any]]:
    """Return the answers of `gieok code query`, best first."""
    done = subprocess.run(
        [sys.executable, "-m", "gieok", "code", "query", question, "--json"],
        cwd=tree,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout)["results"])


def holds_message(tree: Path, answer: dict[str, Any], text: str) -> bool:
    """Return whether a message's literal stands in an answer's lines."""
    lines = (tree / answer["path"]).read_text(encoding="utf-8", errors="replace").splitlines()
    return text in "\n".join(lines[answer["start_line"] - 1 : answer["end_line"]])


def main() -> None:
    """Ask for the messages of each tree; print the counts as JSON, one tree a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=25)
    options = parser.parse_args()
    for tree in options.trees:
        messages = draw_messages(tree, options.most)
        right = sure = sure_right = 0
        for message in messages:
            answers = ask(tree, message.question)
            is_right = bool(answers) and holds_message(tree, answers[0], message.text)
            is_sure = bool(answers) and answers[0]["score"] >= _SURE
            right += is_right
            sure += is_sure
            sure_right += is_right and is_sure
        row = {"tree": tree.name, "messages": len(messages), "first": right}
        print(json.dumps(row | {"sure": sure, "sure_right": sure_right}), flush=True)


if __name__ == "__main__":
    main()
