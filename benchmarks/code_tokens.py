"""What ten questions of an agent's day cost in tokens, and whether what was shown holds the facts.

By Gieok's tools, by searching and reading by hand, and by codegraph (npm) where `--codegraph` names
its program.

    python benchmarks/code_tokens.py --tree DIR [--codegraph PROGRAM] [--json]

`DIR/P` holds the source of project P at the revision in `data/code_tokens.json`, which holds the
questions too. By hand is: `grep -rnE` for the words of the question over the files that git lists,
its first hundred lines; then the two files with most matches, product code before tests, each whole
where it has at most 400 lines, else 40 lines around each of the first three matches, with line
numbers. Every tool is asked what its own documents say for such a question, once. Tokens are
Gieok's own count, of all that would stand before the model. Definitions of tools, which stand in
every prompt, are counted beside.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gieok.text.tokens import estimate_tokens

_DATA = Path(__file__).parent / "data" / "code_tokens.json"
_GREP_LINES, _FILES_READ, _WHOLE_LINES, _AROUND, _MATCHES = 100, 2, 400, 40, 3
_TEST = re.compile(r"(^|/)tests?/|[._]test\.|_test\.|(^|/)docs?/|\.(md|rst)$", re.IGNORECASE)


def main() -> None:
    """Print a line for each question and way, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument(
        "--codegraph", default="", help="path of the program of @colbymchenry/codegraph"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    data = json.loads(_DATA.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "HOME": folder,
            "GIEOK_HOME": f"{folder}/home",
            "GIEOK_EMBEDDER": "none",
            "GIEOK_LANG": "en",
        }
        roots = {
            name: _made(given.tree / name, Path(folder) / name, given.codegraph)
            for name in data["projects"]
        }
        rows = [
            row
            for asked in data["questions"]
            for row in _rows(asked, roots[asked["project"]], given.codegraph)
        ]
    sums = {
        way: _sum([row for row in rows if row["way"] == way])
        for way in dict.fromkeys(row["way"] for row in rows)
    }
    sums["gieok"]["tools"] = _definitions()
    if given.json:
        print(json.dumps({"questions": rows, "sums": sums}, ensure_ascii=False, indent=1))
        return
    for row in rows:
        print(
            f"{row['id']:10} {row['way']:10} {row['tokens']:6} tokens  {row['hit']} of "
            f"{row['gold']} facts"
        )
    for way, found in sums.items():
        print(way, found)


def _made(tree: Path, root: Path, codegraph: str) -> Path:
    """Copy a project, commit it, and index it by both tools."""
    shutil.copytree(tree, root, ignore=shutil.ignore_patterns(".git", ".gieok", ".codegraph"))
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"],
    ):
        _run(["git", *command], root)
    _run([sys.executable, "-m", "gieok", "code", "init"], root)
    if codegraph:
        _run([codegraph, "init"], root)
    return root


def _rows(asked: dict[str, Any], root: Path, codegraph: str) -> list[dict[str, Any]]:
    if "edit" in asked:
        path, old, new = asked["edit"]
        text = (root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} is another revision"
        (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        _run([sys.executable, "-m", "gieok", "code", "sync"], root)
        if codegraph:
            _run([codegraph, "sync"], root)
    ways: dict[str, Callable[[], str]] = {
        "by hand": lambda: _by_hand(root, asked["grep"]),
        "gieok": lambda: "\n".join(_tool(root, *call) for call in asked["gieok"]),
    }
    if codegraph:
        ways["codegraph"] = lambda: "\n".join(
            _run([codegraph, *call], root) for call in asked["codegraph"]
        )
    return [
        {"id": asked["id"], "way": way, **_scored(answer(), asked["gold"])}
        for way, answer in ways.items()
    ]


def _scored(text: str, gold: list[list[str]]) -> dict[str, int]:
    hit = sum(
        path in text and re.search(pattern, text, re.MULTILINE) is not None
        for path, pattern in gold
    )
    return {"tokens": estimate_tokens(text), "characters": len(text), "hit": hit, "gold": len(gold)}


def _sum(rows: list[dict[str, Any]]) -> dict[str, Any]:
    found = {
        name: sum(row[name] for row in rows) for name in ("tokens", "characters", "hit", "gold")
    }
    return found | {
        "answered": sum(row["hit"] == row["gold"] for row in rows),
        "questions": len(rows),
    }


def _by_hand(root: Path, pattern: str) -> str:
    found: dict[str, list[int]] = {}
    lines = []
    for path in sorted(_run(["git", "ls-files"], root).splitlines()):
        for number, line in enumerate(_lines(root / path), 1):
            if re.search(pattern, line):
                found.setdefault(path, []).append(number)
                lines.append(f"{path}:{number}:{line}")
    best = sorted(found, key=lambda path: (bool(_TEST.search(path)), -len(found[path]), path))[
        :_FILES_READ
    ]
    return "\n".join(
        [*lines[:_GREP_LINES], *(_read(_lines(root / path), found[path]) for path in best)]
    )


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, OSError):
        return []


def _read(lines: list[str], matches: list[int]) -> str:
    wanted = set(range(1, len(lines) + 1))
    if len(lines) > _WHOLE_LINES:
        wanted = {
            n for match in matches[:_MATCHES] for n in range(match - _AROUND, match + _AROUND + 1)
        } & wanted
    return "\n".join(f"{number}\t{lines[number - 1]}" for number in sorted(wanted))


def _tool(root: Path, name: str, arguments: dict[str, object]) -> str:
    """Return what a client of MCP puts before its model."""
    rows = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25"},
        },
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        },
    ]
    out = _run(
        [sys.executable, "-m", "gieok", "mcp"],
        root,
        "".join(json.dumps(row) + "\n" for row in rows),
    )
    result = next(row["result"] for row in map(json.loads, out.splitlines()) if row["id"] == 2)
    return "".join(part["text"] for part in result["content"])


def _definitions() -> int:
    from gieok.surfaces import tools

    shown = [
        {key: row[key] for key in ("name", "description", "inputSchema")}
        for row in tools.list_tool_definitions()
    ]
    return estimate_tokens(json.dumps(shown))


def _run(command: list[str], root: Path, given: str = "") -> str:
    done = subprocess.run(
        command, cwd=root, input=given, capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout


if __name__ == "__main__":
    main()
