"""How much shorter observations are than the conversations, and what of them they still hold.

    python benchmarks/record.py --data FILE [--observer rules|ideal] [--show] [--json]

FILE has the form of data/told. The sessions of each project are laid out as transcripts of Claude
Code in a home of their own and observed once. `ratio` is what `gieok observe stats` calls
compression: the tokens of all messages, output of tools included, over the tokens of all
observations that were written, those included that a later one replaced. `without_tools` counts the
messages of the user and the agent alone: real output of tools is longer than that of data/told.
`held` are the facts told there, and replaced by no later one, that a question finds in the
observations that hold.

With `--observer ideal`, an observer that knows the answers writes down just what FILE says was told
(`ideal.py`): the ceiling of what a model can do.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from pathlib import Path
from typing import Any

import told
from gieok.text.tokens import estimate_tokens
from ideal import IdealObserver
from transcripts import Home, write

_AGENT = "claude-code"


def measure_project(
    data: Mapping[str, Any], project: str, observer: str, models: Path
) -> dict[str, Any]:
    """Observe the sessions of a project; return the figures of its record."""
    ideal = IdealObserver(data)
    with tempfile.TemporaryDirectory(prefix="record-") as place:
        home = Home(Path(place).resolve(), told.observing(observer, ideal))
        folder = home.path / "work" / project
        folder.mkdir(parents=True)
        home.run("git init -q", folder)
        home.memory.mkdir(mode=0o700)
        if models.is_dir():
            (home.memory / "models").symlink_to(models.resolve())
        folders = dict.fromkeys(data["projects"], folder)
        mine = {"projects": [project], "sessions": list(_sessions_of(data, project))}
        sessions = told.told_sessions(mine, folders)
        for session in sessions:
            write(home, _AGENT, session)
        home.set_clock(sessions[-1].end + timedelta(hours=1))
        home.gieok("observe", "run", "--once")
        rows = _list_observations(home, folder)
        days = list(_list_days(home, {row["scope"] for row in rows}))
    texts = [row["text"] for row in rows if row["status"] != "replaced"]
    by_role = Counter[str]()
    for session in sessions:
        for role, text in session.turns:
            by_role[role] += estimate_tokens(text)
    read, written = (sum(day[f"tokens_{way}"] for day in days) for way in ("in", "out"))
    facts = _facts_told_in(data, project)
    return {
        "by_role": dict(by_role),
        "observations": len(rows),
        "replaced": len(rows) - len(texts),
        "tokens": written,
        "ratio": round(read / max(written, 1), 2),
        "without_tools": round((by_role.total() - by_role["tool"]) / max(written, 1), 2),
        "facts": len(facts),
        "held": sum(told.is_recalled(fact, "\n".join(texts)) for fact in facts),
        "texts": texts,
        "gone": [row["text"] for row in rows if row["status"] == "replaced"],
    }


def _list_observations(home: Home, folder: Path) -> list[dict[str, Any]]:
    shown = home.gieok("observe", "show", "--limit", "0", "--json", folder=folder)
    return list(json.loads(shown)["observations"])


def _list_days(home: Home, scopes: AbstractSet[str]) -> Iterator[dict[str, Any]]:
    """Yield the days of the observer's runs in the scopes, with the tokens in and out."""
    for scope in sorted(scopes):
        stats = json.loads(home.gieok("observe", "stats", "--scope", scope, "--json"))
        yield from stats["days"].values()


def _sessions_of(data: Mapping[str, Any], project: str) -> Sequence[Mapping[str, Any]]:
    return [session for session in data["sessions"] if session["project"] == project]


def _facts_told_in(data: Mapping[str, Any], project: str) -> list[Mapping[str, Any]]:
    """Return the questions on facts that hold and were told in the sessions of a project."""
    told_here = {
        identity
        for session in _sessions_of(data, project)
        for turn in session["turns"]
        for identity in turn.get("facts", ())
    }
    return [fact for name, fact in told.current_facts(data).items() if name in told_here]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--observer", choices=("rules", "ideal"), default="rules")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--show", action="store_true", help="print the lines of the record too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    data = json.loads(given.data.read_text(encoding="utf-8"))
    found = {
        project: measure_project(data, project, given.observer, given.models)
        for project in data["projects"]
    }
    for figures in found.values():
        if not given.show:
            del figures["texts"], figures["gone"]
    print(json.dumps(found, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
