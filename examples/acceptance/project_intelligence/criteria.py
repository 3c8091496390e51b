"""The success criteria of "Project intelligence by local RAG" (chapter 11), and its commands.

The project is a copy of a part of Gieok itself, some eighty Python files.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml
from walk import ROOT, Walk

from gieok.code.model.tuning import parse_tuning

_RIGHT_ESCALATIONS = "escalations are right in more than 90 % of the cases"
KNOWN: dict[str, str] = {
    _RIGHT_ESCALATIONS: "39 of 41 changes of a real project (benchmarks/code_escalations.py), of which "
    "six are worth a look: too few to say so"
}


class _Change(NamedTuple):
    """What somebody changes in one go, and whether the rules ask for a strong model's look.

    The labels follow from the rules: they say what the rules do, not whether that is right.
    """

    what: str
    #: File → its new text; None: deleted.
    files: Mapping[str, str | None]
    is_escalated: bool


_ORDER = "from app import money\n\n\nclass Order:\n    def total(self):\n        return 1\n\n\ndef tax(order):\n    return 2\n"
_CHAIN = {f"app/step_{n}.py": f"from app import step_{n + 1}\n" for n in range(4)}
_STEPS = {"app/step_4.py": "LAST = 1\n"}
_PLAIN = {f"app/plain_{n}.py": f"VALUE = {n}\n" for n in range(12)}
_BEGINNING: Mapping[str, str] = {
    "app/__init__.py": "",
    "app/main.py": "from app import order\n\n\ndef main():\n    return order.tax(3)\n",
    "app/order.py": _ORDER,
    "app/money.py": "RATE = 3\n\n\ndef convert(sum_):\n    return sum_ * RATE\n",
    "tests/test_order.py": "def test_total():\n    assert True\n",
    **dict.fromkeys(_CHAIN, "VALUE = 0\n"),
    **_STEPS,
    **_PLAIN,
}
#: In this order, each after the one before it.
_CHANGES = (
    _Change("a comment", {"app/order.py": f"# orders\n{_ORDER}"}, is_escalated=False),
    _Change(
        "a constant",
        {"app/money.py": _BEGINNING["app/money.py"].replace("3", "4")},
        is_escalated=False,
    ),
    _Change(
        "a mended line",
        {"app/order.py": _ORDER.replace("return 1", "return 7")},
        is_escalated=False,
    ),
    _Change("a docstring", {"app/order.py": _ORDER.replace("2", '"""Tax."""')}, is_escalated=False),
    _Change(
        "a small function",
        {"app/order.py": f"{_ORDER}\n\ndef net():\n    return 3\n"},
        is_escalated=False,
    ),
    _Change(
        "a function renamed", {"app/order.py": _ORDER.replace("tax", "vat")}, is_escalated=False
    ),
    _Change(
        "a new test",
        {"tests/test_money.py": "def test_rate():\n    assert True\n"},
        is_escalated=False,
    ),
    _Change(
        "a class for tests",
        {"tests/fakes.py": "class FakeBank:\n    def pay(self):\n        return 1\n"},
        is_escalated=False,
    ),
    _Change("a text", {"README.md": "# Shop\n"}, is_escalated=False),
    _Change(
        "a class moved to another file",
        {
            "app/order.py": "from app.money import Order\n",
            "app/money.py": _ORDER.partition("\n\n\n")[2],
        },
        is_escalated=False,
    ),
    _Change(
        "a module moved to a folder",
        {"app/plain_0.py": None, "app/old/plain_0.py": "VALUE = 0\n"},
        is_escalated=False,
    ),
    _Change(
        "a new module",
        {"app/refund.py": "def refund(order):\n    return order\n"},
        is_escalated=True,
    ),
    _Change("a new class", {"app/refund.py": "class Refund:\n    pass\n"}, is_escalated=True),
    _Change(
        "two modules and a class",
        {"app/mail.py": "class Mail:\n    pass\n", "app/send.py": "from app import mail\n"},
        is_escalated=True,
    ),
    _Change(
        "a value in twelve files",
        dict.fromkeys(list(_PLAIN)[1:], "VALUE = 99\n") | {"app/step_4.py": "LAST = 2\n"},
        is_escalated=True,
    ),
    _Change("imports that go three deeper", _CHAIN, is_escalated=True),
    _Change("a module deleted", {"app/send.py": None}, is_escalated=False),
    _Change(
        "two lines in three files",
        dict.fromkeys(list(_PLAIN)[1:4], "VALUE = 5\n"),
        is_escalated=False,
    ),
    _Change(
        "a new package",
        {"app/ship/__init__.py": "", "app/ship/parcel.py": "class Parcel:\n    pass\n"},
        is_escalated=True,
    ),
    _Change(
        "a caller added",
        {"app/mail.py": "class Mail:\n    def to(self):\n        return 1\n"},
        is_escalated=False,
    ),
)
#: The document's own file (8.2), with other numbers than Gieok's.
_CONFIG = """\
version: "2.0"
embedding: {model: text-embedding-004, batch_size: 100, cache_enabled: true}
chunking:
  supported_extensions: [.py, .js]
  ignore_patterns: ["**/loud_*.py"]
  max_chunk_lines: 100
search: {default_top_k: 5, expand_related: true, max_expansion_depth: 2}
agents:
  validator: {enabled: true, interval_hours: 1, model: haiku}
escalation: {max_files_changed: 40, min_quality_score: 70, new_module_triggers: false}
"""
#: The longest that a sync behind a commit may take, on a machine that others use too.
_SOON_S = 60
_ASKED = {
    "estimate the number of tokens of a text": "estimate_tokens",
    "detect whether a text is Korean or English": "detect_text_language",
    "a legal name of a file": "legal",
    "fold a word for search": "fold_for_search",
    "format a size in bytes": "format_size",
    "handle of a memory": "build_handle",
    "read the front matter of a note": "front_matter",
}


def walk(w: Walk) -> None:
    """Walk through the workflow of chapter 6, then chapters 7 to 11."""
    w.environment["GIEOK_EMBEDDER"] = "none"
    project = w.user / "shop"
    shutil.copytree(
        ROOT / "src" / "gieok" / "text",
        project / "gieok" / "text",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (project / "gieok" / "__init__.py").touch()
    subprocess.run(["git", "init", "-q", str(project)], check=True)  # noqa: S607
    files = sum(1 for _ in project.rglob("*.py"))

    w.chapter("6.1 first analysis")
    bare_s = w.run_bare_python().cpu_s
    before_s = w.used_cpu_s
    first = w.run_program("code", "init", ".", "--json", folder=project)
    took_s = w.used_cpu_s - before_s
    w.holds_in_time(
        "11",
        "the first analysis of a project takes less than five minutes",
        took_s=took_s,
        limit_s=300,
        bare_s=bare_s,
        met=first.status == 0,
        figure=f"{took_s:.1f} s of CPU for {files} files",
    )
    told = w.gieok("code", "status", "--json", folder=project).json
    w.holds(
        "3.1, 3.2",
        "functions, classes, methods and modules are known, with what calls what",
        met={"class", "function", "method", "module"} <= set(told.get("kinds", {}))
        and told["edges"].get("calls", 0) > 100,
        figure=f"{sum(told['kinds'].values())} symbols, {told['edges'].get('calls')} calls",
    )

    w.chapter("6.2 a question")
    before_s, found = w.used_cpu_s, 0
    for question, symbol in _ASKED.items():
        answer = w.run_program("code", "query", question, "--json", folder=project)
        hits = answer.json.get("results", [])
        found += any(hit["symbol"] == symbol for hit in hits[:5])
    each_s = (w.used_cpu_s - before_s) / len(_ASKED)
    w.holds_in_time(
        "11",
        "a question is answered within three seconds",
        took_s=each_s,
        limit_s=3,
        bare_s=bare_s,
        figure=f"{each_s:.1f} s of CPU with the start of the program",
    )
    w.holds("11", "questions find their symbol among the first five (85 % at least)",
            met=found >= 0.85 * len(_ASKED), figure=f"{found} of {len(_ASKED)}")  # fmt: skip
    hit = w.gieok("code", "query", "estimate_tokens", "--json", folder=project).json["results"][0]
    asked = {"path", "start_line", "end_line", "summary", "score", "callers"}
    lines = (project / hit["path"]).read_text(encoding="utf-8").splitlines()
    first_line = lines[hit["start_line"] - 1]
    w.holds(
        "5.1",
        "a result has file, lines, summary, score and how many call it",
        met=asked <= set(hit)
        and first_line.startswith("def estimate_tokens(")
        and bool(hit["summary"])
        and hit["score"] > 0,
        figure=f"{hit['path']}:{hit['start_line']}: {first_line}",
    )
    impact = w.gieok("code", "impact", "normalise", "--json", folder=project).json
    callers = impact.get("counts", {}).get("symbols", 0)
    w.holds("4.4", "what breaks if a function changes is named", met=callers > 0,
            figure=f"{callers} symbols")  # fmt: skip

    w.chapter("6.3 what changes")
    file = project / "gieok" / "text" / "language.py"
    file.write_text(
        file.read_text(encoding="utf-8") + "\n\ndef shout(text):\n    return text.upper()\n"
    )
    before_s = w.used_cpu_s
    words = ("code", "sync", "gieok/text/language.py", "--json")
    changed = w.run_program(*words, folder=project).json
    took_s = w.used_cpu_s - before_s
    w.holds_in_time(
        "11",
        "a changed file is brought in line within ten seconds",
        took_s=took_s,
        limit_s=10,
        bare_s=bare_s,
        met=changed.get("changed") == 1,
        figure=f"{took_s:.1f} s of CPU",
    )
    new = w.gieok("code", "query", "shout", "--json", folder=project).json.get("results", [])
    w.holds("6.3", "what was added is found at once", met=bool(new) and new[0]["symbol"] == "shout")
    w.gieok("code", "install-hook", folder=project)
    file.write_text(
        file.read_text(encoding="utf-8") + "\n\ndef whisper(text):\n    return text.lower()\n"
    )
    early = w.gieok("code", "query", "whisper", "--json", folder=project).json.get("results", [])
    was_known = any(hit["symbol"] == "whisper" for hit in early)
    began = time.monotonic()
    _commit(w, project)
    w.holds(
        "8.2",
        "a commit brings the index in line (git hook)",
        met=not was_known and _is_found_soon(w, project, "whisper"),
        figure=f"{time.monotonic() - began:.1f} s after the commit",
    )

    w.chapter("7 escalation, 8 settings, 9 cost, 11 quality")
    for number in range(12):
        (project / "gieok" / f"new_{number}.py").write_text(f"class New{number}:\n    pass\n")
    w.gieok("code", "sync", folder=project)
    reasons = w.gieok("code", "status", "--json", folder=project).out.partition('"reasons": ')[2]
    w.holds("7.1", "new modules and many changed files escalate",
            met="new module" in reasons and "12 files changed at once" in reasons, figure=reasons[:60])  # fmt: skip
    quality = w.gieok("code", "validate", "--json", folder=project).json
    score = quality.get("quality", 0)
    w.holds("11", "the quality score is above 85 %", met=85 < score <= 100,
            figure=score)  # fmt: skip
    _escalations(w)
    estimate = w.gieok("code", "estimate", "--json", folder=project).json
    priced = w.gieok(
        "code", "estimate", "--model", "gemini:gemini-2.5-flash", "--json", folder=project
    ).json
    w.holds(
        "9",
        "what a model would cost is said before it is asked",
        met=estimate["full"]["tokens"] > estimate["escalate"]["tokens"] > 0
        and priced["full"]["dollars"] > 0,
        figure=f"${priced['full']['dollars']}, {priced['full']['tokens']} tokens for everything; "
        f"{priced['escalate']['tokens']} tokens for what waits",
    )
    w.gieok("install", "claude-code", "--user", "--commands")
    commands = {file.stem for file in (w.user / ".claude" / "commands").glob("*.md")}
    w.holds("4.1", "slash commands for index, query and sync are installed",
            met={"gieok-index", "gieok-query", "gieok-sync"} <= commands,
            figure=", ".join(sorted(commands)))  # fmt: skip
    index = project / ".gieok" / "code" / "index.sqlite"
    w.holds(
        "8.1",
        "the index lies in the project, and Git ignores it",
        met=index.is_file() and _git(w, project, "check-ignore", "-q", str(index)) == 0,
    )
    config = project / ".gieok" / "code" / "config.yaml"
    config.write_text("escalation: {new_modules: 0, new_classes: 0, files: 50}\n")
    (project / "gieok" / "quiet.py").write_text("class Quiet:\n    pass\n")
    changed = w.gieok("code", "sync", "--json", folder=project).json
    w.holds(
        "7.1, 8.2",
        "thresholds of an escalation are settings of the project",
        met=changed.get("added") == 1 and changed.get("escalation") == [],
        figure="escalation, chunking and search in .gieok/code/config.yaml",
    )
    config.write_text(_CONFIG)
    for name in ("loud_one.py", "plain.py"):
        (project / "gieok" / name).write_text("VOLUME = 11\n")
    named = w.gieok("code", "sync", "--json", folder=project).json
    note = str(named.get("note"))
    tuning = parse_tuning(yaml.safe_load(_CONFIG), config)
    w.holds(
        "8.2",
        "a file of settings written after the document is understood",
        met=named.get("added") == 1
        and named.get("escalation") == []
        and all(name in note for name in ("embedding", "agents", "search.max_expansion_depth"))
        and "min_quality_score" not in note
        and "chunk_lines" not in note
        and (tuning.escalation.files, tuning.escalation.quality) == (41, 70)
        and (tuning.chunking.largest, tuning.search.answers) == (4_000, 5),
        figure=note,
    )


def _git(w: Walk, project: Path, *words: str) -> int:
    """Run git in the project as the user does, and return its exit status."""
    done = subprocess.run(
        ["git", *words],  # noqa: S607
        cwd=project,
        env=w.environment,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode


def _commit(w: Walk, project: Path) -> None:
    """Commit everything, where `gieok` is a program that the hook finds."""
    program = w.write("bin/gieok", f'#!/bin/sh\nexec "{sys.executable}" -P -m gieok "$@"\n')
    program.chmod(0o755)
    w.environment["PATH"] = f"{program.parent}:{w.environment['PATH']}"
    _git(w, project, "add", "-A")
    who = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    _git(w, project, *who, "commit", "-q", "-m", "Add whisper")


def _is_found_soon(w: Walk, project: Path, symbol: str) -> bool:
    """Wait until a question finds a symbol first: the hook works in the background."""
    end = time.monotonic() + _SOON_S
    while time.monotonic() < end:
        found = w.gieok("code", "query", symbol, "--json", folder=project).json.get("results", [])
        if found and found[0]["symbol"] == symbol:
            return True
        time.sleep(0.2)
    return False


def _escalations(w: Walk) -> None:
    """Make labelled changes in a small project, and compare what is escalated."""
    project = w.user / "labelled"
    _write_files(project, _BEGINNING)
    subprocess.run(["git", "init", "-q", str(project)], check=True)  # noqa: S607
    w.gieok("code", "init", ".", folder=project)
    wrong = []
    for change in _CHANGES:
        _write_files(project, change.files)
        reasons = w.gieok("code", "sync", "--json", folder=project).json.get("escalation")
        if bool(reasons) != change.is_escalated:
            wrong.append(f"{change.what}: {reasons}")
    w.holds("7.1", "the example's changes are escalated as its rules say", met=not wrong,
            figure=f"{len(_CHANGES) - len(wrong)} of {len(_CHANGES)}; {'; '.join(wrong)}")  # fmt: skip
    w.holds("11", _RIGHT_ESCALATIONS, met=False, figure="39 of 41, measured apart")


def _write_files(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        file = folder / name
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
