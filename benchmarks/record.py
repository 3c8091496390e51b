"""How much shorter observations are than the conversations, and what that binds they still hold.

    python benchmarks/record.py [--data FILE …] [--observer rules|ideal] [--fill-tokens N]
                                [--show] [--json]

FILE has the form of data/told (each of its projects is a transcript), of memaware's
`unasked_ko_dev.json`, or is a transcript of our own (`data/record/*.txt`, if none is given). The sessions of each are
laid out as transcripts of Claude Code in a home of their own, and observed once. Two ways to count:

- `ratio` is what `gieok observe stats` calls compression: the tokens of all messages, output of
  tools included, over the tokens of all observations that were written, those included that a later
  one replaced. `without_tools` counts the messages of the user and the agent alone.
- The document that asked for the sidecar counts what is read afterwards: the messages over the whole
  of `active_memory.md`, headings and dates with it (`active`). Below it stand the day files of the
  warm tier, where all is once its ninety days are over (`warm`: what a person reads of them, without
  the fields at their end), and the notes of the cold tier (`cold`).

No ratio says anything without what is lost for it. `binding` is the number of decisions, rules,
values and open tasks that the transcript leaves behind, listed by hand before it was observed: in
FILE (facts that hold, and what an answer needs) and in `data/record/binding.json`. `held` counts
those whose words stand in each of the places (rules stay in hot at any age: they count for warm and
cold, too). What was said is searched itself, whatever the record leaves out.

The document counts a transcript of some 50,000 tokens, ours have 2,000 to 16,000. With
`--fill-tokens`, sessions of somebody else's talk (`memaware/sessions.jsonl.gz` beside FILE's
folder), drawn by chance and spread over the same weeks, make each as long as that. Nothing of them
counts as binding, and what is kept of them takes room.

With `--observer ideal`, an observer that knows the answers writes down just what FILE says was told
(`ideal.py`): the ceiling of what a model can do. Of our own transcripts it takes those whose rows
in `binding.json` say in which session and turn each statement was made.
"""

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import observer
import told
from gieok.text.tokens import estimate_tokens
from ideal import IdealObserver
from transcripts import Home, Session, write

_AGENT = "claude-code"
_OWN = Path(__file__).parent / "data/record"
_BINDING = _OWN / "binding.json"
_FILL = "memaware/sessions.jsonl.gz"
#: When all that was observed has left hot, and may leave warm.
_WARM_AFTER, _COLD_AFTER = timedelta(days=100), timedelta(days=500)
#: What stands at the end of a day's file for Gieok alone, and behind each of its lines.
_FIELDS = re.compile(r"\n<!-- gieok\n.*?-->\n?| <!-- [0-9a-f]{8} -->", re.DOTALL)


class Transcript(NamedTuple):
    """Conversations of one project, and what of them binds: each a question with its `want`."""

    sessions: Sequence[Mapping[str, Any]]
    binding: Sequence[Mapping[str, Any]]
    #: What an observer that knows the answers is asked to write down: `facts`, and `sessions`
    #: whose turns name the facts that they tell. None: nobody noted where these are told.
    told: Mapping[str, Any] | None = None


def list_told_facts(
    sessions: Sequence[Mapping[str, Any]], stated: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return what is stated as the facts and sessions of data/told, if its turns are known."""
    if not all("turn" in row for row in stated):
        return None
    facts = [
        {
            "id": row["what"],
            "statement": row["what"],
            "type": "decision",
            "replaces": row.get("replaces"),
        }
        for row in stated
    ]
    told_in = defaultdict[tuple[str, int], list[str]](list)
    for row in stated:
        told_in[row["session"], row["turn"]].append(row["what"])
    rows = [
        {
            "turns": [
                {**turn, "facts": told_in[session["id"], number]}
                for number, turn in enumerate(session["turns"])
            ]
        }
        for session in sessions
    ]
    return {"facts": facts, "sessions": rows}


def read_transcripts(file: Path) -> dict[str, Transcript]:
    """Return name → transcript of a file, in any of the three forms."""
    extra = json.loads(_BINDING.read_text(encoding="utf-8"))
    if file.suffix == ".txt":
        rows = [
            {
                "id": talk.id,
                "at": talk.at.isoformat(),
                "turns": [{"role": role.value, "text": text} for role, text in talk.turns],
            }
            for talk in observer.written(file)
        ]
        stated = extra.get(file.stem, ())
        binding = [row for row in stated if not row.get("ended")]
        return {file.stem: Transcript(rows, _complete(binding), list_told_facts(rows, stated))}
    data = json.loads(file.read_text(encoding="utf-8"))
    if "projects" not in data:
        wanted = {(row["answer"], *row["variants"]) for row in data["prompts"]}
        rows = [session | {"at": f"{session['at']}T00:00:00+00:00"} for session in data["sessions"]]
        binding = [{"what": want[0], "want": list(want)} for want in sorted(wanted)]
        return {file.stem: Transcript(rows, _complete(binding))}
    return {
        project: Transcript(
            _sessions_of(data, project),
            [*_facts_told_in(data, project), *_complete(extra.get(project, ()))],
            data,
        )
        for project in data["projects"]
    }


def fill_transcript(transcript: Transcript, file: Path, tokens: int) -> Transcript:
    """Return a transcript with sessions of other talk between its own, until it has the tokens."""
    own = sorted(transcript.sessions, key=lambda row: row["at"])
    first, last = (datetime.fromisoformat(own[end]["at"]) for end in (0, -1))
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        others = [json.loads(line) for line in lines]
    chance = random.Random(12)
    chance.shuffle(others)
    missing = tokens - sum(map(_count_session_tokens, own))
    added = []
    for other in others:
        if missing <= 0:
            break
        missing -= _count_session_tokens(other)
        at = first + (last - first) * chance.random()
        added.append({"id": f"fill-{other['id']}", "at": at.isoformat(), "turns": other["turns"]})
    return transcript._replace(sessions=[*own, *added])


def _count_session_tokens(session: Mapping[str, Any]) -> int:
    return sum(estimate_tokens(turn["text"]) for turn in session["turns"])


def _complete(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [{"match": "any", **row} for row in rows]


class Record(NamedTuple):
    """What a transcript became: its observations, and the texts of the places that are read."""

    rows: Sequence[Mapping[str, Any]]
    read_tokens: int
    written_tokens: int
    active: str
    #: Tier → its files once all that may has moved there, with active memory of that time: rules
    #: stay in hot at any age. `days` are the files of warm alone.
    aged: Mapping[str, str]

    @property
    def standing(self) -> list[str]:
        """Return the observations that no later one replaced."""
        return [row["text"] for row in self.rows if row["status"] != "replaced"]


def measure_transcript(
    name: str,
    transcript: Transcript,
    settings: Mapping[str, str],
    models: Path,
    *,
    ages: bool = True,
) -> dict[str, Any]:
    """Observe the sessions of a transcript; return the figures of its record.

    With `ages`, also of the tiers that it moves to.
    """
    record = observe_transcript(name, transcript, settings, models, ages=ages)
    by_role = Counter[str]()
    for session in transcript.sessions:
        for turn in session["turns"]:
            by_role[turn["role"]] += estimate_tokens(turn["text"])
    standing = "\n".join(record.standing)
    places = {
        "observations": standing,
        "active": record.active,
        **{tier: text for tier, text in record.aged.items() if tier != "days"},
    }
    read, written = record.read_tokens, record.written_tokens
    days = {}
    if record.aged:
        count = estimate_tokens(record.aged["days"])
        days = {"warm_tokens": count, "warm": _divide(read, count)}
    tokens = {place: estimate_tokens(text) for place, text in places.items()}
    return {
        "by_role": dict(by_role),
        "messages": read,
        "observations": len(record.rows),
        "replaced": len(record.rows) - len(record.standing),
        "tokens": written,
        "ratio": _divide(read, written),
        "without_tools": _divide(by_role.total() - by_role["tool"], written),
        "active_tokens": tokens["active"],
        "active": _divide(read, tokens["active"]),
        **days,
        "binding": len(transcript.binding),
        "held": {
            place: sum(told.is_recalled(row, text) for row in transcript.binding)
            for place, text in places.items()
        },
        "missed": [
            row.get("what") or row["ask"]
            for row in transcript.binding
            if not told.is_recalled(row, standing)
        ],
        "texts": record.standing,
        "gone": [row["text"] for row in record.rows if row["status"] == "replaced"],
        "file": record.active,
    }


def observe_transcript(
    name: str,
    transcript: Transcript,
    settings: Mapping[str, str],
    models: Path,
    *,
    ages: bool,
) -> Record:
    """Lay a transcript out in a home of its own, observe it, and let it grow old if it `ages`."""
    with tempfile.TemporaryDirectory(prefix="record-") as place:
        root = Path(place).resolve()
        home = Home(root, {**settings, **_cold_settings(root)})
        folder = root / "work" / name
        folder.mkdir(parents=True)
        home.run("git init -q", folder)
        cold = root / "cold"
        cold.mkdir()
        (cold / "own.txt").write_text("An empty folder may be a disk that is not mounted.\n")
        home.memory.mkdir(mode=0o700)
        if models.is_dir():
            (home.memory / "models").symlink_to(models.resolve())
        end = _write_sessions(home, folder, transcript)
        home.set_clock(end + timedelta(hours=1))
        home.gieok("observe", "run", "--once")
        rows = _list_observations(home, folder)
        days = list(_list_days(home, {row["scope"] for row in rows}))
        active = _read_files(home.memory, "active_memory*.md")
        aged = _let_age(home, folder, end) if ages else {}
        return Record(
            rows=rows,
            read_tokens=sum(day["tokens_in"] for day in days),
            written_tokens=sum(day["tokens_out"] for day in days),
            active=active,
            aged=aged,
        )


def _let_age(home: Home, folder: Path, end: datetime) -> dict[str, str]:
    """Let all leave hot, then warm; return tier → what is read of it, with what stays in hot."""
    home.set_clock(end + _WARM_AFTER)
    home.gieok("archive", "run", folder=folder)
    lasting = _read_files(home.memory, "active_memory*.md")
    warm = _FIELDS.sub("", _read_files(home.memory / "archive" / "warm", "*.md"))
    home.set_clock(end + _COLD_AFTER)
    home.gieok("archive", "approve", "all", folder=folder)
    return {
        "days": warm,
        "warm": f"{warm}\n{lasting}",
        "cold": f"{_read_files(home.path / 'cold', '*.md')}\n{lasting}",
    }


def _write_sessions(home: Home, folder: Path, transcript: Transcript) -> datetime:
    """Write the sessions where the agent keeps its transcripts; return when the last one ends."""
    sessions = [
        Session(
            row["id"],
            datetime.fromisoformat(row["at"]),
            folder,
            [(turn["role"], turn["text"]) for turn in row["turns"]],
        )
        for row in transcript.sessions
    ]
    sessions.sort(key=lambda session: session.at)
    for session in sessions:
        write(home, _AGENT, session)
    return sessions[-1].end


def _cold_settings(place: Path) -> dict[str, str]:
    """Return the settings of a cold tier that needs nobody's word, as variables."""
    return {
        "GIEOK_ARCHIVE_COLD": "folder",
        "GIEOK_ARCHIVE_FOLDER": str(place / "cold"),
        "GIEOK_ARCHIVE_AUTO_APPROVE": "true",
    }


def _divide(tokens: int, by: int) -> float:
    return round(tokens / max(by, 1), 2)


def _read_files(folder: Path, pattern: str) -> str:
    """Return the text of all files below a folder whose names have a form."""
    files = sorted(file for file in folder.rglob(pattern) if file.is_file())
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


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
    parser.add_argument("--data", type=Path, nargs="+", default=sorted(_OWN.glob("*.txt")))
    parser.add_argument("--fill-tokens", type=int, default=0)
    parser.add_argument("--observer", choices=("rules", "ideal"), default="rules")
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--show", action="store_true", help="print the lines of the record too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {}
    for file in given.data:
        for name, transcript in read_transcripts(file).items():
            settings = dict[str, str]()
            if given.observer == "ideal":
                if transcript.told is None:
                    continue
                settings = told.observing(given.observer, IdealObserver(transcript.told))
            whole = (
                fill_transcript(transcript, file.parents[1] / _FILL, given.fill_tokens)
                if given.fill_tokens
                else transcript
            )
            found[name] = measure_transcript(
                name, whole, settings, given.models, ages=not given.fill_tokens
            )
    for figures in found.values():
        if not given.show:
            del figures["texts"], figures["gone"], figures["file"]
    print(json.dumps(found, ensure_ascii=False, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
