"""The chapters of "OC-Memory: observational memory for OpenClaw", each by what it specifies.

A scripted model stands in for the provider and a loopback gateway for OpenClaw's: what is walked is
what Gieok does with their answers. Dropbox is walked by tests/memory/tiers/test_cold_dropbox.py.
"""

import gzip
import json
import re
import stat
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gateway import Gateway
from walk import Walk

from gieok.testing.model_server import ModelServer
from gieok.text.tokens import estimate_tokens

_COMPRESSION = "what is kept without a model is 5 to 40 times shorter than what was said"
KNOWN: dict[str, str] = {
    _COMPRESSION: "rules keep the user's own words: 3.2 to 3.7 times on told_dev "
    "(docs/decisions.md says why)"
}
_LEAKED = "sk-proj-4f9Qm2Lx8Vt7Zr1Kp6Wd3Hs5Jb0Nc"
#: Days ago, role, text: what was said to OpenClaw, over more than a year.
_TALK = (
    (420, "user", "우리 팀은 배포를 화요일 오전에 하기로 했어. 금요일 장애가 두 번 있었거든."),
    (
        420,
        "assistant",
        "알겠습니다. 화요일 오전 배포로 적어 두겠습니다. " + "자세한 일정은 달력에. " * 40,
    ),
    (120, "user", "나는 커밋 메시지를 한국어로 쓰는 게 좋아. 영어로 쓰지 마."),
    (120, "assistant", "네, 앞으로 한국어로 쓰겠습니다. " + "예시를 보여 드릴까요? " * 40),
    (1, "user", f"결제 서버를 도쿄에서 서울로 옮기는 중이야. 키는 {_LEAKED} 이야."),
    (1, "assistant", "옮기는 순서를 정리했습니다. " + "1. 복제 2. 전환 3. 확인. " * 60),
    (0, "user", "인증서 갱신은 내일까지 해야 해. 로드밸런서 설정은 끝났어."),
    (0, "assistant", "인증서 갱신을 다음 일로 두었습니다. " + "확인할 것을 적었습니다. " * 40),
)
#: The document's configuration, each value another than Gieok's default. Caps of a run are apart.
_CONFIG = """\
memory:
  hot: {ttl_days: 80, max_size_mb: 20}
  warm: {ttl_days: 350}
observer:
  message_threshold: 28000
  temperature: 0.4
  async_buffering: {buffer_tokens: 0.3, buffer_activation: 0.7, block_after: 1.3}
reflector: {temperature: 0.1, reflection_threshold: 30000, compression_ratio: 0.4}
ttl_manager:
  schedule:
    hot_to_warm: {frequency: daily, time: "05:30"}
    warm_to_cold: {frequency: weekly, day: friday, time: "01:00", require_approval: true}
    cold_sync: {frequency: daily, time: "06:00"}
obsidian: {enabled: false, folder_structure: flat}
error_notification: {retry_count: 3, retry_delays: [0, 0, 0]}
logging: {max_size_mb: 10, backup_count: 3}
"""
_ASKS = {
    "archive.hot_days": "80",
    "archive.hot_mb": "20",
    "archive.warm_days": "350",
    "observe.run_tokens": "28000",
    "observe.temperature": "0.4",
    "observe.activation": "0.7",
    "observe.chunk_tokens": "8400",
    "observe.hard_stop_tokens": "36400",
    "archive.schedule_warm": "30 5 * * *",
    "archive.schedule_cold": "0 1 * * 5",
    "archive.schedule_sync": "0 6 * * *",
    "reflect.temperature": "0.1",
    "reflect.tokens": "30000",
    "reflect.ratio": "0.4",
    "archive.folder_structure": "flat",
    "observe.retry_delays_s": "0, 0, 0",
    "logs.max_mb": "10.0",
    "logs.keep": "3",
}
#: The document's caps of a run → the setting that is named in their place.
_CAPS = {
    "max_observations_per_run": "observe.most_observations",
    "max_output_tokens": "observe.output_tokens",
}
#: The rest of its file (8.2.1): names that no setting has the meaning of, each with a part of what is
#: named instead.
_WITHOUT_COUNTERPART = """\
logs: {poll_interval: 1.0, encoding: utf-8}
memory:
  hot: {chromadb_path: ~/.openclaw/memory_db}
  warm: {archive_path: ~/.openclaw/memory_archive, max_size_mb: 85}
  cold: {dropbox_folder: /Apps/OC-Memory}
ttl_manager: {schedule: {hot_to_warm: {batch_size: 1000}}}
obsidian: {cli_path: obsidian-cli, vault_name: Main}
dropbox:
  access_token_env: DROPBOX_ACCESS_TOKEN
  app_folder: /Apps/OC-Memory
  sync_direction: bidirectional
logging: {level: INFO, file: ~/.openclaw/logs/oc-memory.log}
performance: {worker_threads: 2, batch_size: 100, cache_ttl_seconds: 300}
"""
_INSTEAD = (
    "watch.rescan_s",
    "archive.warm_days",
    "archive.subfolder",
    "archive.folder",
    "DROPBOX_REFRESH_TOKEN",
    "gieok logs",
    "threads",
)

#: A piece of development: (role, text). A quarter of it is output of tools, as of the conversations
#: that docs/figures.md measures: more of it would make any record look short.
_DEVELOPMENT = (
    ("user", "the refund endpoint still answers 500, have a look"),
    ("tool", "$ pytest -q\nE   KeyError: 'currency'\n1 failed"),
    (
        "assistant",
        "The payload has no currency where the order is old. I'll default it and run again.",
    ),
    ("user", "btw we decided to keep amounts in minor units everywhere, never floats"),
    (
        "assistant",
        "Noted. I changed refund() to read minor units, and the two callers with it.",
    ),
    ("tool", "$ git diff --stat\n src/pay/refund.py | 14 ++++---\n src/pay/api.py | 6 +--"),
    ("user", "그리고 배포는 화요일 오전에만 하자, 금요일엔 절대 하지 마"),
    ("assistant", "화요일 오전에만 배포하는 것으로 적어 두었습니다. 금요일 배포는 막겠습니다."),
    ("tool", "$ make deploy --dry-run\nwould upload 41 files (1.3 MB)"),
    ("user", "Nadia from finance signs every refund above 500 euros, so leave that check in"),
    ("assistant", "The check stays: above 500 euros a refund waits for a signature."),
    ("user", "we still have to renew the certificate before March 3"),
    ("assistant", "I'll remind you of it. It is valid until then, and renewing takes a minute."),
    ("user", "ok, run the tests once more and push"),
    ("tool", "$ pytest -q\n20 passed in 4.02s"),
    (
        "assistant",
        "All twenty pass, and the branch is pushed. The refund endpoint answers 200 now.",
    ),
)
#: What binds of it: values, and the words that say in which way they bind.
_BINDING = (
    "minor units",
    "never floats",
    "화요일 오전에만",
    "금요일엔 절대 하지 마",
    "Nadia",
    "above 500 euros",
    "leave that check in",
    "before March 3",
)


def walk(w: Walk) -> None:
    """Walk through the chapters, in the document's order."""
    model, gateway = ModelServer(), Gateway()
    try:
        w.environment |= {
            "GIEOK_EMBEDDER": "none",
            "GIEOK_LANG": "ko",
            "OPENAI_API_KEY": "sk-test",
            "GIEOK_OBSERVE_MODEL": "compatible:observer",
            "GIEOK_OBSERVE_BASE_URL": f"{model.url}/v1",
            "GIEOK_OBSERVE_KEY_VARIABLE": "OPENAI_API_KEY",
        }
        gateway.configure(w.user)
        config = w.write(".gieok/config.yaml", _CONFIG)
        config.chmod(0o600)
        _settings(w)
        session = _talk(w)
        _observe(w, model, session)
        _compression(w)
        _active_memory(w)
        _tiers(w)
        _notes(w)
        _security(w)
        _failure(w, model, gateway, session)
    finally:
        model.shutdown()
        gateway.close()


def _settings(w: Walk) -> None:
    w.chapter("8.2 config.yaml, 2.1 to 2.2: names and values")
    shown = w.gieok("config", "show", "--json")
    values = {name: row["value"] for name, row in shown.json.items()}
    wrong = {name: values.get(name) for name, value in _ASKS.items() if values.get(name) != value}
    as_shipped = w.gieok("config", "show", "--json", GIEOK_HOME=str(w.folder / "other")).json
    same = [name for name, value in _ASKS.items() if as_shipped[name]["value"] == value]
    w.holds(
        "8.2",
        "the document's configuration is understood under its own names",
        met=shown.status == 0 and not wrong and not same,
        figure=f"{len(_ASKS)} values, none as shipped" if not wrong else str(wrong),
    )
    config = w.home / "config.yaml"
    caps = {}
    for name, setting in _CAPS.items():
        config.write_text(f"observer: {{{name}: 20}}\n", encoding="utf-8")
        shown_lines = w.gieok("config", "show").out.partition(f"'observer.{name}'")[2]
        caps[name] = setting in shown_lines
    config.write_text(_WITHOUT_COUNTERPART, encoding="utf-8")
    shown = w.gieok("config", "show", GIEOK_LANG="en")
    searched = w.gieok("search", "anything", GIEOK_LANG="en")
    config.write_text(_CONFIG, encoding="utf-8")
    w.holds(
        "8.2",
        "of every other name the document's file has, what there is instead is said",
        met=shown.out.count("no setting has the meaning") == 17
        and "unknown setting" not in shown.out
        and all(name in shown.out for name in _INSTEAD)
        and "16 more settings" in searched.err,
        figure=f"{shown.out.count('no setting has the meaning')} names",
    )
    w.differs(
        "8.2",
        "most observations and output tokens of a run are set",
        met=all(caps.values()),
        decision="Caps of the observer count by 6,000 tokens",
        figure=", ".join(f"{name} names {setting}" for name, setting in _CAPS.items()),
    )
    w.chapter("1.3 wizard")
    setup = w.gieok("setup", "--yes")
    w.holds(
        "1.3",
        "one command asks six steps, with defaults that fit this machine",
        met=setup.status == 0,
        figure=f"{len(setup.out.splitlines())} lines",
    )
    w.gieok("keys", "set", "gemini", typed="sk-test\n")
    mode = stat.S_IMODE((w.home / ".env").stat().st_mode)
    w.holds("1.3", "keys are in .env with 0600, never in config.yaml",
            met=mode == 0o600 and "sk-test" not in (w.home / "config.yaml").read_text(),
            figure=f"{mode:o}")  # fmt: skip


def _talk(w: Walk) -> Path:
    """Write what was said, as OpenClaw does."""
    now = datetime.now(UTC)
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": "s1", "timestamp": _iso(now), "cwd": str(w.user)}
    ]
    for number, (days, role, text) in enumerate(_TALK):
        at = now - timedelta(days=days, minutes=len(_TALK) - number)
        message = {"role": role, "content": text}
        lines.append(
            {"type": "message", "id": f"e{number}", "timestamp": _iso(at), "message": message}
        )
    file = w.user / ".openclaw" / "agents" / "main" / "sessions" / "s1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return file


def _say(session: Path, name: str, text: str) -> None:
    """Add what the user says now."""
    message = {"role": "user", "content": text}
    line = {"type": "message", "id": name, "timestamp": _iso(datetime.now(UTC)), "message": message}
    with session.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line, ensure_ascii=False) + "\n")


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _failure(w: Walk, model: ModelServer, gateway: Gateway, session: Path) -> None:
    w.chapter("3.5 errors: retries, no fallback, an alert")
    _say(session, "e100", "로그 보관은 30일로 정했어.")
    before = w.gieok("observe", "show", "--limit", "50", "--json").json.get("observations", [])
    model.requests.clear()
    model.script = [(500, b'{"error": {"message": "overloaded"}}')]
    w.gieok("observe", "run", "--once", GIEOK_NOTIFY_TO="log,openclaw")
    tries = len(model.requests)
    w.holds(
        "3.5.2",
        "a call that fails is tried three times more, after delays that can be set",
        met=tries == 4,
        figure=f"{tries} calls; 2, 4, 8 s as shipped",
    )
    shown = w.gieok("observe", "show", "--limit", "50", "--json").json
    waiting = w.gieok("observe", "stats", "--json").json
    w.holds(
        "3.5.1",
        "nothing worse takes its place: the work waits",
        met=[one["text"] for one in shown.get("observations", ())]
        == [one["text"] for one in before]
        and waiting.get("backlog_tokens", 0) > 0,
        figure=f"{waiting.get('backlog_tokens')} tokens wait",
    )
    told = json.dumps(gateway.took, ensure_ascii=False)
    w.holds(
        "3.5.4",
        "OpenClaw is told by its webhook, with what failed and why",
        met=len(gateway.took) == 1 and "observer" in told and "500" in told,
        figure=told[:90],
    )
    w.holds(
        "3.5.3",
        "the gateway's address and token are found in OpenClaw's own configuration",
        met=len(gateway.took) == 1
        and not w.gieok("config", "show", "notify.openclaw_url", "--json").out.count("127.0.0.1"),
    )


def _observe(w: Walk, model: ModelServer, session: Path) -> None:
    w.chapter("1.4 data flow")
    model.requests.clear()
    model.script = [_answer]
    w.gieok("observe", "run", "--once")
    asked = json.dumps([body for _, body in model.requests], ensure_ascii=False)
    observed = w.gieok("observe", "show", "--limit", "50", "--json").json.get("observations", [])
    kinds = {one["category"] for one in observed}
    w.holds(
        "1.4-4",
        "observations have a category, a priority and a time",
        met=kinds == {"decision", "preference", "state", "task"}
        and {one["priority"] for one in observed} >= {"high", "medium"},
        figure=f"{len(observed)} of {len(_TALK)} messages",
    )
    w.holds(
        "2.2.1",
        "secrets are cut before a model reads them",
        met=_LEAKED not in asked and "서울로 옮기는 중이야. 키는" in asked,
    )
    first = len(model.requests)
    w.gieok("observe", "run", "--once")
    w.holds("1.4-2", "what was read is not read again", met=len(model.requests) == first)
    _say(session, "e99", "모니터링은 그라파나로 정했어.")
    w.gieok("observe", "run", "--once")
    new = json.dumps(model.requests[-1][1], ensure_ascii=False)
    w.holds(
        "1.4-2",
        "lines that are added are read from where the last reading ended",
        met=len(model.requests) == first + 1
        and "그라파나" in new
        and "화요일 오전에 하기로" not in new.rpartition("<conversation>")[2],
    )
    stats = w.gieok(
        "observe", "stats", "--json", GIEOK_OBSERVE_PRICE_IN="1000", GIEOK_OBSERVE_PRICE_OUT="2000"
    ).json
    calls = len(model.requests)
    counted = {
        name: sum(row[name] for row in stats["models"])
        for name in ("calls", "input_tokens", "output_tokens")
    }
    # 11 and 7 tokens are what the scripted model says each call has used.
    asked_for = {"calls": calls, "input_tokens": 11 * calls, "output_tokens": 7 * calls}
    w.holds(
        "1.4-4",
        "what was read and what was made of it is counted, in tokens and money",
        met=counted == asked_for
        and sum(day["tokens_out"] for day in stats["days"].values()) > 0
        and round(sum(stats["dollars"].values()), 6) == round(calls * 0.025, 6),
        figure=f"{counted}, {stats['dollars']}",
    )
    found = w.gieok("search", "배포", "--category", "decision", "--priority", "high", "--json").json
    other = w.gieok("search", "배포", "--category", "preference", "--json").json
    w.holds(
        "2.3.2",
        "a search is filtered by category and priority",
        met=len(found.get("results", [])) == 1 and not other.get("results"),
        figure="--category, --priority",
    )
    before_s = w.used_cpu_s
    w.run_program("search", "결제 서버", "--json")
    took_s = w.used_cpu_s - before_s
    w.holds_in_time(
        "6.1",
        "a search takes less than 500 ms",
        took_s=took_s,
        limit_s=0.5,
        bare_s=w.run_bare_python().cpu_s,
        figure=f"{1000 * took_s:.0f} ms of CPU, with the start of the program",
    )


def _compression(w: Walk) -> None:
    """Observe a piece of development by rules, in a home of its own."""
    w.chapter("1.4-5, 2.5.1 compression")
    home = w.folder / "rules"
    home.mkdir(mode=0o700)
    if (w.home / "models").exists():
        (home / "models").symlink_to((w.home / "models").resolve())
    now = datetime.now(UTC) - timedelta(hours=2)
    rows = [
        {"role": role, "content": text, "timestamp": _iso(now + timedelta(minutes=number))}
        for number, (role, text) in enumerate(_DEVELOPMENT)
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    alone = {
        "GIEOK_HOME": str(home),
        "GIEOK_EMBEDDER": "e5",
        "GIEOK_OBSERVE_MODEL": "rules",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(w.write("development/s1.jsonl", lines).parent),
    }
    w.gieok("observe", "run", "--once", **alone)
    ratio = w.gieok("observe", "stats", "--json", **alone).json.get("compression", 0)
    shown = w.gieok("observe", "show", "--limit", "0", "--json", **alone).out
    missing = [words for words in _BINDING if words not in shown]
    tokens = Counter[str]()
    for role, text in _DEVELOPMENT:
        tokens[role] += estimate_tokens(text)
    printed = tokens["tool"] / tokens.total()
    w.holds(
        "2.5.1",
        _COMPRESSION,
        met=ratio >= 5 and not missing,
        figure=f"{ratio} times by rules; {printed:.0%} printed by tools; missing: {missing}",
    )
    w.holds("2.5.1", "without a model, what binds is kept in the user's words", met=not missing,
            figure=f"{len(_BINDING) - len(missing)} of {len(_BINDING)}")  # fmt: skip


def _answer(body: dict[str, object]) -> str:
    """Answer as a model would: one line for each thing that the user states."""
    asked = json.dumps(body, ensure_ascii=False)
    lines = (
        (
            "화요일 오전에 하기로",
            "🔴",
            "decision",
            "배포는 화요일 오전에 하기로 했다(금요일 장애 두 번).",
        ),
        (
            "한국어로 쓰는 게 좋아",
            "🟡",
            "preference",
            "사용자는 커밋 메시지를 한국어로 쓰기를 좋아한다.",
        ),
        ("서울로 옮기는 중", "🔴", "state", "결제 서버를 도쿄에서 서울로 옮기는 중이다."),
        ("갱신은 내일까지", "🔴", "task", "인증서를 내일까지 갱신해야 한다."),
        ("설정은 끝났어", "🟡 ✅", "task", "로드밸런서 설정을 끝냈다."),
        ("그라파나로 정했", "🔴", "decision", "모니터링은 그라파나로 정했다."),
    )
    asked_lines = asked.replace("\\n", "\n").split("\n")
    # The examples in the instructions have numbered messages too.
    start = max((n for n, line in enumerate(asked_lines) if "<conversation>" in line), default=0)
    rows, day = [], f"{datetime.now(UTC):%Y-%m-%d}"
    for line in asked_lines[start:]:
        if date := re.match(r"Date: (\d{4}-\d\d-\d\d)", line):
            day = date[1]
            rows.append(f"Date: {day}")
        match = re.match(r"\[(\d+)\] (\d\d:\d\d) user: ", line)
        rows += [
            f"* {mark} ({match[2]}) [{category}] {text} {{{match[1]}}}"
            for cue, mark, category, text in lines
            if match and cue in line
        ]
    observations = "\n".join(rows)
    return (
        f"<observations>\n{observations}\n</observations>\n"
        "<current-task>\n결제 서버 이전\n상태: 복제를 마침\n다음: 인증서 갱신\n</current-task>\n"
        "<patterns>\n- 배포 전에 점검한다\n</patterns>"
    )


def _active_memory(w: Walk) -> None:
    w.chapter("5.2 active_memory.md")
    file = w.home / "active_memory.md"
    text = file.read_text(encoding="utf-8")
    w.holds(
        "5.2.1",
        "it holds the task, its status and the next step",
        met="지금 하는 일: 결제 서버 이전" in text
        and "상태: 복제를 마침" in text
        and "다음 단계: 인증서" in text,
    )
    asked = ("선호", "결정", "끝난 일", "메모", "통계")
    w.holds(
        "5.2.1",
        "it has sections for preferences, decisions, what is done, notes and counts, in Korean",
        met=all(re.search(rf"^##+ .*{name}", text, re.MULTILINE) for name in asked)
        and not re.search(r"^##+ [A-Za-z]", text, re.MULTILINE),
        figure=f"{len(text)} characters",
    )
    place = w.user / ".openclaw" / "active_memory.md"
    w.gieok("observe", "run", "--once", GIEOK_ACTIVE_MEMORY_PATH=str(place))
    w.holds("1.4-6", "it is written where OpenClaw reads it, if one says where",
            met=place.is_file() and "결제 서버 이전" in place.read_text(encoding="utf-8"))  # fmt: skip
    w.differs(
        "5.2.1",
        "what is done and decided stands in tables, with a stamp and the size of the database",
        met="✅" not in text.partition("## ")[0] and re.search(r"\d\d:\d\d", text) is None,
        decision="Active memory has lines, no tables and no stamp",
        figure="the same bytes for the same memory on a day",
    )


def _tiers(w: Walk) -> None:
    w.chapter("2.1, 2.4 tiers")
    vault = w.user / "Documents" / "Obsidian" / "Main"
    (vault / ".obsidian").mkdir(parents=True)
    cold = {
        "GIEOK_ARCHIVE_COLD": "obsidian",
        "GIEOK_ARCHIVE_FOLDER": str(vault),
        "GIEOK_ARCHIVE_SUBFOLDER": "OC-Memory",
        "GIEOK_ARCHIVE_FOLDER_STRUCTURE": "year_month",
    }
    w.gieok("archive", "run", **cold)
    files = sorted((w.home / "archive" / "warm").rglob("*.md"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    above = "".join(t.partition("\n<!-- gieok\n")[0] for t in text.split("---\ngieok: day"))
    w.holds(
        "2.4.2",
        "what is older than 90 days moves by itself into a file of its day",
        met=len(files) == 2 and all(re.fullmatch(r"\d{4}-\d\d-\d\d\.md", f.name) for f in files),
        figure=", ".join(file.name for file in files),
    )
    w.holds(
        "2.1.2",
        "the file is readable: Korean headings, counts, period, marks, little behind a line",
        met="## 결정" in above and "🗂 기억" in above and not re.search("^## [A-Z]", above, re.MULTILINE)
        and max(map(len, re.findall("<!--.*?-->", above)), default=99) < 20,
    )  # fmt: skip
    pending = w.gieok("archive", "pending", **cold).out
    w.holds("2.4.3", "what is older than a year waits for the person's word",
            met=bool(re.search(r"\d{4}-\d\d-\d\d", pending)) and not list(vault.rglob("*.md")))  # fmt: skip
    w.gieok("archive", "approve", "all", **cold)
    notes = [note.relative_to(vault) for note in vault.rglob("*.md")]
    text = (vault / notes[0]).read_text(encoding="utf-8") if notes else ""
    w.holds(
        "2.1.3",
        "a note in the vault, below year and month, with properties",
        met=len(notes) == 1 and bool(re.match(r"OC-Memory/\d{4}/\d\d/", notes[0].as_posix()))
        and text.startswith("---\n") and "tags:" in text,
        figure=str(notes[0]) if notes else "",
    )  # fmt: skip
    found = w.gieok("search", "배포는 화요일", "--json", **cold).json.get("results", [])
    w.holds("2.1.3", "what is cold is found too", met=any(one["tier"] == "cold" for one in found))


def _notes(w: Walk) -> None:
    w.chapter("4.1 OpenClaw")
    w.write("notes/plan.md", "# 계획\n\n4분기에는 검색을 고친다.\n")
    target = w.user / ".openclaw" / "workspace" / "memory"
    target.mkdir(parents=True)
    w.gieok(
        "observe", "run", "--once",
        GIEOK_OBSERVE_NOTES=str(w.user / "notes"), GIEOK_OBSERVE_NOTES_TARGET=str(target),
    )  # fmt: skip
    w.holds("4.1.2", "notes of the person's own are mirrored where OpenClaw indexes",
            met=(target / "plan.md").is_file())  # fmt: skip


def _security(w: Walk) -> None:
    w.chapter("7 security")
    open_files = [
        path for path in w.home.rglob("*")
        if not path.is_symlink() and "models" not in path.parts and path.stat().st_mode & 0o077
    ]  # fmt: skip
    w.holds("7.2", "files of the home are 0600, folders 0700", met=not open_files,
            figure=f"{len(open_files)} are open to others")  # fmt: skip
    held = b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in w.home.rglob("*")
        if path.is_file() and "models" not in path.parts
    )
    w.holds(
        "7.1",
        "a secret that was said is nowhere in the home, packed talk included",
        met=_LEAKED.encode() not in held and "서울로 옮기는 중이야. 키는".encode() in held,
        figure=f"{len(held):,} bytes read",
    )
