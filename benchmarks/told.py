"""From told to known: what users told their agents, and what of it is before an agent when it is
asked for later.

    python benchmarks/told.py --data FILE [--agent NAME] [--daemon on|off] [--observer
    rules|ideal|none]
                              [--noise N --noise-data DIR] [--json]

FILE's sessions are laid out as the agent's own transcripts in a fresh home, session by session
under their own dates, and captured after each. Every question is asked through the hooks that
`gieok install` wrote, each in a fresh process, at the date
of the question: `hook` is what the prompt's hook injects into a session of its own; `before` is
that of a session which began with the session start's hook, or what that one injected. `search` is
`gieok search`. `--noise` adds N sessions of DIR's `sessions.jsonl.gz`, a hundred to a project,
spread over the ten weeks before the first session and the weeks of the sessions.

`--observer ideal` is the ceiling: a model that writes down just what FILE says was told, through
the product's own prompt, handles and parser (`ideal.py`); with `none`, nothing is observed, and
what was said is all that memory has.

A question is recalled where a string of its `want` stands in the text (all of them where `match` is
`all`). It is stale first where a line holds one of its `not` strings, no `want` and no mark of
being replaced, and no line before it holds a `want`. `session_start.holds` is the share of current
facts (asked for by some question) of a project and of the user that stand in what a session start
there injects.
"""

import argparse
import gzip
import json
import random
import re
import resource
import shlex
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean, median
from typing import Any

from gieok.text.tokens import estimate_tokens
from ideal import IdealObserver
from transcripts import AGENTS, Home, Session, write

_NOISE_BEFORE = timedelta(weeks=10)
_ONE_PROJECTS_NOISE = 100
_VECTORS_S = 1_800.0
#: Looks half a second apart at which nothing has changed.
_SETTLED = 8
#: How the product marks a value that another one has replaced, in both languages of its interface.
_REPLACED = re.compile(r"replaced|superseded|corrected|바뀜|대체|정정")
#: Personal, and no credentials: data/told/README.md.
_MAY_STAY = frozenset(("phone",))
#: Kind of the questions that ask for what a later statement did not replace
#: (benchmarks/data/changes.json).
_STANDS = "stands"
_EVENTS = {"start": "SessionStart", "prompt": "UserPromptSubmit"}
_SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}


@dataclass
class Scores:
    """Whether each question was recalled, stale first, and what it cost."""

    recalled: dict[str, bool] = field(default_factory=dict)
    stale: list[bool] = field(default_factory=list)
    #: Of lines that show a replaced value alone, whether each is marked; and of what stands,
    #: whether it is marked all the same.
    old_marked: list[bool] = field(default_factory=list)
    wrongly_marked: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def add(self, question: Mapping[str, Any], text: str) -> None:
        self.recalled[question["id"]] = is_recalled(question, text)
        self.tokens.append(estimate_tokens(text) if text else 0)
        if question["not"] and question["kind"] != "history":
            self.stale.append(is_stale_first(question, text))
        if question.get("change"):
            shown = [
                line
                for line in lines_holding(text, question["not"])
                if not lines_holding(line, question["want"])
            ]
            self.old_marked += [_REPLACED.search(line) is not None for line in shown]
        if question["kind"] == _STANDS:
            shown = lines_holding(text, question["want"])
            self.wrongly_marked.append(any(_REPLACED.search(line) is not None for line in shown))

    def row(self, questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        by_kind, by_lang = defaultdict[str, list[bool]](list), defaultdict[str, list[bool]](list)
        for question in questions:
            found = self.recalled[question["id"]]
            by_kind[question["kind"]].append(found)
            by_lang[question["lang"]].append(found)
            if question.get("change"):
                by_kind["changed value"].append(found)
        return {
            "recalled": _share(self.recalled.values()),
            "by_kind": {kind: _share(found) for kind, found in sorted(by_kind.items())},
            "by_lang": {lang: _share(found) for lang, found in sorted(by_lang.items())},
            "stale_first": _share(self.stale),
            "old_marked": _share(self.old_marked),
        } | ({"wrongly_marked": _share(self.wrongly_marked)} if self.wrongly_marked else {})


def holds(text: str, wanted: str) -> bool:
    """Say whether a wanted string stands in a text, not as a part of a longer number or Latin
    word.
    """
    before = (
        r"(?<![0-9])"
        if wanted[0].isdigit()
        else r"(?<![A-Za-z])"
        if wanted[0].isascii() and wanted[0].isalpha()
        else ""
    )
    after = r"(?![0-9])" if wanted[-1].isdigit() else ""
    return bool(re.search(before + re.escape(wanted) + after, text, re.IGNORECASE))


def lines_holding(text: str, wanted: Sequence[str]) -> list[str]:
    return [line for line in text.splitlines() if any(holds(line, one) for one in wanted)]


def is_recalled(question: Mapping[str, Any], text: str) -> bool:
    found = [holds(text, wanted) for wanted in question["want"]]
    return all(found) if question["match"] == "all" else any(found)


def is_stale_first(question: Mapping[str, Any], text: str) -> bool:
    for line in text.splitlines():
        if any(holds(line, wanted) for wanted in question["want"]):
            return False
        if any(holds(line, old) for old in question["not"]) and not _REPLACED.search(line):
            return True
    return False


def _share(found: Any) -> float:
    values = list(found)
    return round(sum(values) / len(values), 3) if values else 0.0


class Asked:
    """The installed hooks of an agent, run as the agent runs them."""

    def __init__(self, home: Home, agent: str) -> None:
        self._home = home
        settings = json.loads((home.path / _SETTINGS[agent]).read_text(encoding="utf-8"))
        self._commands = {
            event: list(_commands(settings["hooks"][native])) for event, native in _EVENTS.items()
        }
        self._sessions = 0
        self.cpu_ms: list[float] = []

    def session(self) -> str:
        self._sessions += 1
        return f"5e550000-0000-4000-8000-{self._sessions:012d}"

    def inject(self, event: str, folder: Path, session: str, prompt: str = "") -> str:
        """Return what the hooks of an event put before the model."""
        payload = {
            "session_id": session,
            "transcript_path": "",
            "cwd": str(folder),
            "hook_event_name": _EVENTS[event],
        }
        payload |= {"prompt": prompt} if event == "prompt" else {"source": "startup"}
        texts = []
        for command in self._commands[event]:
            began = _children_s()
            done = self._home.run(command, folder, json.dumps(payload))
            if event == "prompt":
                self.cpu_ms.append((_children_s() - began) * 1000)
            if done.stdout.strip():
                texts.append(
                    json.loads(done.stdout)
                    .get("hookSpecificOutput", {})
                    .get("additionalContext", "")
                )
        return "\n".join(texts)


def _commands(groups: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for group in groups:
        for hook in group["hooks"]:
            yield (
                shlex.join([hook["command"], *hook["args"]])
                if hook.get("args")
                else hook["command"]
            )


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told_sessions(data: Mapping[str, Any], folders: Mapping[str, Path]) -> list[Session]:
    rows = (
        Session(
            s["id"],
            _at(s["at"]),
            folders[s["project"]],
            [(t["role"], t["text"]) for t in s["turns"]],
        )
        for s in data["sessions"]
    )
    return sorted(rows, key=lambda s: s.at)


def noise_sessions(
    file: Path, count: int, folders: Sequence[Path], told: Sequence[Session]
) -> list[Session]:
    """Return sessions about other things, seeded."""
    chance = random.Random(12)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = chance.sample([json.loads(line) for line in lines], count)
    first, last = told[0].at - _NOISE_BEFORE, told[-1].at
    return sorted(
        (
            Session(
                f"noise-{row['id']}",
                first + (last - first) * chance.random(),
                folders[number // _ONE_PROJECTS_NOISE % len(folders)],
                [(turn["role"], turn["text"]) for turn in row["turns"]],
            )
            for number, row in enumerate(rows)
        ),
        key=lambda s: s.at,
    )


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def lay_out(home: Home, agent: str, told: Sequence[Session], noise: Sequence[Session]) -> None:
    """Write and capture session by session, as time goes by."""
    waiting = list(noise)
    for session in told:
        while waiting and waiting[0].at < session.at:
            write(home, agent, waiting.pop(0))
        write(home, agent, session)
        home.set_clock(session.end + timedelta(hours=1))
        home.gieok("observe", "run", "--once")
    for session in waiting:
        write(home, agent, session)


def start_daemon(home: Home, folders: Sequence[Path]) -> None:
    """Start the daemon and wait until it has nothing left to do: what is kept and its vectors stay
    as they are.
    """
    home.gieok("up")
    deadline, before, same = time.monotonic() + _VECTORS_S, None, 0
    while same < _SETTLED:
        if time.monotonic() > deadline:
            raise SystemExit("the daemon does not come to an end with the vectors")
        time.sleep(0.5)
        found = [kept for folder in folders for kept in _kept(home, folder)]
        same = (
            same + 1
            if found == before and all(passages == vectors for passages, vectors in found)
            else 0
        )
        before = found


def _kept(home: Home, folder: Path) -> list[tuple[int, int]]:
    """Return passages and vectors of each scope that is read in a folder."""
    rows = [json.loads(home.gieok("status", "--json", folder=folder))]
    rows += [
        json.loads(home.gieok("status", "--json", "--scope", scope, folder=folder))
        for scope in rows[0]["also"]
    ]
    return [(int(row["passages"]), int(row["vectors"])) for row in rows]


def secrets_kept(home: Home, data: Mapping[str, Any], folders: Sequence[Path]) -> list[str]:
    """Return the secrets that stand in any file of Gieok's, as UTF-8."""
    places = [home.memory, *(folder / ".gieok" for folder in folders)]
    files = [
        f
        for place in places
        for f in place.rglob("*")
        if f.is_file() and "models" not in f.relative_to(place).parts
    ]
    held = [file.read_bytes() for file in files]
    wanted = [s["text"] for s in data["secrets"] if s["kind"] not in _MAY_STAY]
    return [text for text in wanted if any(text.encode() in content for content in held)]


def current_facts(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return fact → a question that asks for it, for facts that nothing replaced."""
    replaced = {fact["replaces"] for fact in data["facts"] if fact["replaces"]}
    asked = {q["fact"]: q for q in data["questions"] if q["kind"] not in ("history", "period")}
    return {
        f["id"]: {**asked[f["id"]], "of": f["project"]}
        for f in data["facts"]
        if f["id"] in asked and f["id"] not in replaced
    }


def measure(
    home: Home, agent: str, data: Mapping[str, Any], folders: Mapping[str, Path]
) -> dict[str, Any]:
    asked, questions = Asked(home, agent), data["questions"]
    hook, before, search = Scores(), Scores(), Scores()
    for question in questions:
        folder, ask = folders[question["project"]], question["ask"]
        home.set_clock(_at(question["at"]))
        hook.add(question, asked.inject("prompt", folder, asked.session(), ask))
        session = asked.session()
        begun = asked.inject("start", folder, session)
        before.add(question, f"{begun}\n{asked.inject('prompt', folder, session, ask)}")
        found = json.loads(home.gieok("search", "--json", "--limit", "5", ask, folder=folder))
        search.add(question, "\n".join(_seen(hit) for hit in found["results"][:5]))
    silent = [
        not asked.inject("prompt", folders[s["project"]], asked.session(), s["ask"])
        for s in data["silent"]
    ]
    starts = {
        name: asked.inject("start", folder, asked.session()) for name, folder in folders.items()
    }
    held = [
        is_recalled(fact, text)
        for name, text in starts.items()
        for fact in current_facts(data).values()
        if fact["of"] in (None, name)
    ]
    found_by = search.row(questions)
    return {
        "before": before.row(questions),
        "hook": hook.row(questions)
        | {
            "silent": _share(silent),
            "tokens_mean": round(mean(hook.tokens), 1),
            "tokens_p95": sorted(hook.tokens)[int(0.95 * len(hook.tokens))],
        },
        "session_start": {
            "holds": _share(held),
            "tokens": round(mean(estimate_tokens(text) if text else 0 for text in starts.values())),
        },
        "search": {"recalled@5": found_by.pop("recalled"), **found_by},
        "secrets_kept": secrets_kept(home, data, list(folders.values())),
        "cpu_ms_p50": round(median(asked.cpu_ms), 1),
        "missed": [q["id"] for q in questions if not before.recalled[q["id"]]],
    }


def _seen(hit: Mapping[str, Any]) -> str:
    """Return what a person sees of a hit, in a line."""
    status = hit.get("status") or ""
    return " ".join(f"{hit['date']} {status} {hit['heading']} {hit['snippet']}".split())


def observing(observer: str, ideal: IdealObserver) -> dict[str, str]:
    """Return the settings of an observer, as variables."""
    if observer == "ideal":
        return {
            "GIEOK_OBSERVE_MODEL": "compatible:ideal",
            "GIEOK_OBSERVE_BASE_URL": f"{ideal.url}/v1",
        }
    never = {
        "IDLE_MINUTES": "100000000",
        "CHUNK_TOKENS": "100000000",
        "RUN_TOKENS": "100000000",
        "HARD_STOP_TOKENS": "200000000",
    }
    return (
        {f"GIEOK_OBSERVE_{name}": value for name, value in never.items()}
        if observer == "none"
        else {}
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    data = json.loads(arguments.data.read_text(encoding="utf-8"))
    kept = (
        nullcontext(arguments.keep)
        if arguments.keep
        else tempfile.TemporaryDirectory(prefix="told-")
    )
    ideal = IdealObserver(data)
    with kept as place:
        home = Home(Path(place).resolve(), observing(arguments.observer, ideal))
        folders = {name: home.path / "work" / name for name in data["projects"]}
        for folder in folders.values():
            folder.mkdir(parents=True)
            home.run("git init -q", folder)
        told = told_sessions(data, folders)
        noise = []
        if arguments.noise:
            noise = noise_sessions(
                arguments.noise_data / "sessions.jsonl.gz",
                arguments.noise,
                list(folders.values()),
                told,
            )
        home.memory.mkdir(mode=0o700)
        if arguments.models.is_dir():
            (home.memory / "models").symlink_to(arguments.models.resolve())
        home.set_clock(told[0].at - timedelta(days=1))
        home.gieok("install", arguments.agent, folder=folders[data["projects"][0]])
        try:
            lay_out(home, arguments.agent, told, noise)
            home.set_clock(max(told[-1].end, _at(data["questions"][0]["at"]) - timedelta(hours=1)))
            if arguments.daemon == "on":
                start_daemon(home, [home.path, *folders.values()])
            else:
                home.gieok("observe", "run", "--once")
            row = measure(home, arguments.agent, data, folders)
            if arguments.observer == "ideal":
                row["observer"] = {
                    "facts": len(ideal.given),
                    "of": len(data["facts"]),
                    "replaced": len(ideal.linked),
                }
            return row
        finally:
            home.run(["gieok", "down"], home.path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--agent", choices=AGENTS, default="claude-code")
    parser.add_argument("--daemon", choices=("on", "off"), default="on")
    parser.add_argument("--observer", choices=("rules", "ideal", "none"), default="rules")
    parser.add_argument("--noise", type=int, default=0)
    parser.add_argument("--noise-data", type=Path)
    parser.add_argument(
        "--models", type=Path, default=Path(__file__).parents[1] / ".cache" / "models"
    )
    parser.add_argument("--keep", type=Path, help="a new folder for the home, which stays")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.noise and not arguments.noise_data:
        parser.error("--noise needs --noise-data DIR, which holds sessions.jsonl.gz")
    row = run(arguments)
    if arguments.json:
        print(json.dumps(row, ensure_ascii=False))
        return
    for part in ("before", "hook", "search"):
        print(f"{part:14}", json.dumps(row[part], ensure_ascii=False))
    print("session start ", row["session_start"])
    if "observer" in row:
        print("ideal observer", row["observer"])
    print("secrets kept  ", row["secrets_kept"], " hook CPU ms p50", row["cpu_ms_p50"])


if __name__ == "__main__":
    main()
