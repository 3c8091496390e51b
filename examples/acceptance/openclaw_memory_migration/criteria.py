"""The gates of "OpenClaw memory migration: from a local vector database to Gemini File Search".

Gates 0, 1 and 6 also ask that OpenClaw's own build, lint and tests pass: `make test` is Gieok's, and
nothing of OpenClaw is changed.
"""

import importlib.metadata
import json
import re
import threading
import time
from pathlib import Path

from file_search_server import FakeGemini, serving
from walk import Walk

KNOWN: dict[str, str] = {}
#: Field of each exchange of a recording.
METHOD = '"method"'
_MEMORY = """# Memory

배포는 매주 화요일 오전에 한다. 담당은 지민이다.

The staging database is Postgres 16 on port 5433.
"""
_DAY = (
    "# 2026-02-03\n\nWe chose Caddy as the reverse proxy because it renews certificates itself.\n"
)
#: What a person asks an agent: no statement that is worth an observation.
_QUESTION = "How tall is the Matterhorn?"
#: Fields of a result that OpenClaw's tools read.
_RESULT_FIELDS = {"path", "start_line", "end_line", "score", "snippet", "source"}


def walk(w: Walk) -> None:
    """Walk through the gates, with the service on the loopback."""
    with serving(FakeGemini()) as service:
        w.environment |= {
            "GIEOK_EMBEDDER": "none",
            "GIEOK_GEMINI_URL": service.url,
            # A machine that several tests share is slow; gate 3 sets the shipped limit again.
            "GIEOK_GEMINI_SEARCH_TIMEOUT_S": "20",
        }
        notes = w.write("workspace/MEMORY.md", _MEMORY).parent
        w.write("workspace/memory/2026-02-03.md", _DAY)
        _gate_1_sqlite(w, notes)
        _gate_0(w, service)
        _gate_1_managed(w, service)
        _gate_2(w, service, notes)
        _gate_3(w, service)
        _gate_4(w, service)
        _gate_5(w, service, notes)
        _risks(w, service)
        _gate_6(w, service)


def _gate_1_sqlite(w: Walk, notes: Path) -> None:
    w.chapter("Gate 1, before anything is at a service")
    w.gieok("index", str(notes))
    found = w.gieok("search", "배포 담당", "--json").json.get("results", [])
    w.holds(
        "1.3",
        "`sqlite` works as before, without a service",
        met=bool(found) and found[0]["path"] == "MEMORY.md",
        figure=f"{len(found)} results",
    )
    shown = w.gieok("config", "show", "store", "--json").out
    w.differs(
        "1.3",
        "the managed store is the default",
        met='"sqlite"' in shown,
        decision="The local store is the default",
        figure="sqlite; `gieok store switch gemini` in one step",
    )


def _gate_0(w: Walk, service: FakeGemini) -> None:
    w.chapter("Gate 0: foundation")
    w.gieok("keys", "set", "gemini", typed=f"{service.key}\n")
    key_file = w.home / ".env"
    w.holds(
        "D-5",
        "one Gemini key for everything, in a file of the owner's own",
        met=key_file.is_file() and key_file.stat().st_mode & 0o777 == 0o600,
        figure="~/.gieok/.env, 0600",
    )
    switched = w.gieok("store", "switch", "gemini", "--json")
    w.holds(
        "Gate 0",
        "a store is created and found at the service",
        met=switched.status == 0 and len(service.stores) == 1,
        figure=", ".join(service.stores),
    )


def _gate_1_managed(w: Walk, service: FakeGemini) -> None:
    w.chapter("Gate 1: the managed store")
    found = w.gieok("search", "reverse proxy", "--json", "--explain").json.get("results", [])
    w.holds(
        "Gate 1",
        "a search is answered by the service",
        met=bool(found) and "managed" in found[0].get("signals", {}),
        figure=found[0]["citation"] if found else "nothing",
    )
    named = w.gieok("config", "show", "store", "--json", GIEOK_STORE="gemini-file-search")
    w.holds(
        "1.3",
        "`gemini-file-search` is a name of the store",
        met=named.json.get("store") == {"value": "gemini", "origin": "GIEOK_STORE"},
    )
    answer = w.gieok("index", "--force", GIEOK_GEMINI_CHUNK_TOKENS="500")
    sizes = {document.chunk_tokens for document in service.documents.values()}
    w.holds(
        "1.3",
        "the chunks of the service have sizes of their own (500 tokens, 50 overlap)",
        met=answer.status == 0 and sizes == {500},
        figure=f"{sizes} tokens",
    )
    service.reset_counts()
    w.gieok("search", "proxy", GIEOK_GEMINI_METADATA_FILTER='gieok_kind="file"')
    conditions = [tool.get("metadata_filter", "") for tool in service.searches()]
    w.holds(
        "1.3",
        "a metadata filter of the user's own goes with each search",
        met=len(conditions) == 1 and conditions[0].endswith('AND (gieok_kind="file")'),
        figure=f"{len(conditions)} search",
    )
    w.holds(
        "D-1",
        "one store for all agents, told apart by metadata",
        met=len(service.stores) == 1 and all("gieok_scope=" in one for one in conditions),
    )


def _gate_2(w: Walk, service: FakeGemini, notes: Path) -> None:
    w.chapter("Gate 2: synchronisation")
    new = notes / "memory" / "2026-02-04.md"
    new.write_text("The VLAN of the office is 10.\n", encoding="utf-8")
    w.gieok("index")
    w.holds("Gate 2", "a new file is uploaded", met=any("VLAN" in t for t in service.texts()))
    new.write_text("The VLAN of the office is 20.\n", encoding="utf-8")
    w.gieok("index")
    texts = [text for text in service.texts() if "VLAN" in text]
    w.holds(
        "Gate 2",
        "a changed file replaces its document",
        met=len(texts) == 1 and "20" in texts[0],
        figure=f"{len(texts)} document of it there",
    )
    service.reset_counts()
    w.gieok("index")
    w.holds(
        "Gate 2",
        "a file with the same hash is not uploaded again",
        met=not service.calls["start upload"],
        figure=f"{service.calls['start upload']} uploads",
    )
    new.unlink()
    new.with_name("2026-02-07.md").write_text("The VLAN of the office is 30.\n", encoding="utf-8")
    service.reset_counts()
    service.fail("start upload", 500, "INTERNAL", times=2)
    w.gieok("index")
    w.holds(
        "Gate 2",
        "a call that fails is tried three times, with growing pauses",
        met=service.calls["start upload"] == 3 and any("30" in t for t in service.texts()),
        figure=f"{service.calls['start upload']} tries",
    )
    texts = [text for text in service.texts() if "VLAN" in text]
    w.holds(
        "Gate 2",
        "a deleted file is deleted there",
        met=len(texts) == 1 and "20" not in texts[0],
        figure=f"{len(texts)} document on the subject there",
    )
    talk = {"role": "user", "content": _QUESTION, "timestamp": int(time.time())}
    folder = w.write("talk/session.jsonl", f"{json.dumps(talk)}\n").parent
    told = {"GIEOK_OBSERVE_FOLDERS": str(folder), "GIEOK_OBSERVE_AGENTS": "none"}
    w.gieok("observe", "run", "--once", **told)
    w.gieok("index")
    held = w.gieok("observe", "stats", "--json").json.get("journal", {})
    w.differs(
        "D-2",
        "transcripts of sessions are not uploaded, memory files are",
        met=held.get("messages") == 1 and not any("Matterhorn" in t for t in service.texts()),
        decision="What was said to agents stays on the machine",
        figure=f"{held.get('messages')} message here, none of it there",
    )


def _gate_3(w: Walk, service: FakeGemini) -> None:
    w.chapter("Gate 3: search")
    results = w.gieok("search", "which port has the staging database", "--json").json["results"]
    first = results[0] if results else {}
    w.holds(
        "Gate 3",
        "`memory_search` returns what bears on the question",
        met="5433" in first.get("snippet", ""),
        figure=first.get("citation", ""),
    )
    missing = _RESULT_FIELDS - set(first)
    w.holds(
        "Gate 3",
        "results have path, lines, score, snippet and source",
        met=bool(first) and not missing,
        figure=f"{len(_RESULT_FIELDS)} fields" if not missing else f"without {sorted(missing)}",
    )
    lines = (w.user / "workspace" / "MEMORY.md").read_text(encoding="utf-8").splitlines()
    cited = "\n".join(lines[first.get("start_line", 1) - 1 : first.get("end_line", 1)])
    w.holds("0.3", "lines are those of the file on the disk", met="5433" in cited)
    service.hangs = "generate"
    started = time.monotonic()
    late = w.gieok("search", "배포", "--json", GIEOK_GEMINI_SEARCH_TIMEOUT_S="1").json
    took_s = time.monotonic() - started
    service.released.set()
    service.hangs = ""
    w.holds(
        "Gate 3",
        "no search waits longer than its limit for the service (2 s as shipped, all tries together)",
        met=bool(late.get("results")) and "did not answer" in late.get("degraded", ""),
        figure=f"limit 1 s: answered in {took_s:.1f} s by what is here",
    )
    nothing = w.gieok("search", "quetzalcoatl", "--json")
    w.holds(
        "Gate 3",
        "where nothing is found, an empty list",
        met=nothing.json.get("results") == [] and "Traceback" not in nothing.err,
        figure=f"exit status {nothing.status}",
    )
    read = w.gieok("get", "memory/2026-02-03.md")
    w.holds("D-6", "`memory_get` reads the file on the disk", met="Caddy" in read.out)


def _gate_4(w: Walk, service: FakeGemini) -> None:
    w.chapter("Gate 4: commands")
    deep = w.gieok("status", "--deep")
    told = deep.out
    w.holds(
        "Gate 4",
        "`status` tells the store and how much is there",
        # Three files, and the turn of gate 2, which is here alone.
        met=bool(re.search(r"synced \(gemini, 4 documents", told)) and "fileSearchStores/" in told,
        figure=next((line for line in told.splitlines() if "synced" in line), "").strip(),
    )
    service.reset_counts()
    forced = w.gieok("index", "--force")
    w.holds(
        "Gate 4",
        "`index --force` uploads everything again",
        met=forced.status == 0 and service.calls["start upload"] == 3 == len(service.documents),
        figure=f"{service.calls['start upload']} of {len(service.documents)} documents",
    )
    found = w.gieok("search", "Caddy")
    w.holds(
        "Gate 4",
        "`search` shows results with where they stand",
        met="memory/2026-02-03.md:" in found.out,
    )
    wrong = w.gieok("status", "--deep", GEMINI_API_KEY="wrong-key-000")
    (w.home / ".env").rename(w.home / "env.away")
    none = w.gieok("status", "--deep")
    (w.home / "env.away").rename(w.home / ".env")
    w.holds(
        "4-4",
        "`status --deep` asks the service, and tells a wrong key from a missing one",
        met="as many as were sent" in deep.out
        and "key" in _service_line(wrong.out)
        and "no key for Gemini" in _service_line(none.out)
        and service.key not in deep.out + wrong.out,
        figure=_service_line(wrong.out),
    )
    w.holds(
        "3.2",
        "what a month costs is shown",
        met=bool(re.search(r"about \$\d+\.\d\d", told)),
        figure=next(iter(re.findall(r"about \$\d+\.\d\d", told)), ""),
    )


def _service_line(told: str) -> str:
    return next((line.strip() for line in told.splitlines() if "copy at the service" in line), "")


def _gate_5(w: Walk, service: FakeGemini, notes: Path) -> None:
    w.chapter("Gate 5: files that agents write are there by themselves")
    arrived = threading.Event()
    service.on_upload = arrived.set
    watcher = w.start("index", "--watch", GIEOK_WATCH_DEBOUNCE_MS="50", GIEOK_WATCH_RESCAN_S="2")
    try:
        for name, text in {
            "memory/2026-02-05.md": "memoryFlush: 결제 서버는 도쿄 리전에 있다.",
            "memory/2026-02-06-new.md": "/new: the demo moved to Thursday.",
        }.items():
            arrived.clear()
            (notes / name).write_text(f"{text}\n", encoding="utf-8")
            began = time.monotonic()
            is_there = arrived.wait(40)
            w.holds(
                "Gate 5",
                f"what {text.partition(':')[0]} writes is uploaded without a command",
                met=is_there and any(text in held for held in service.texts()),
                figure=f"{time.monotonic() - began:.1f} s after it was written",
            )
    finally:
        watcher.terminate()
        watcher.wait(20)
        service.on_upload = lambda: None


def _risks(w: Walk, service: FakeGemini) -> None:
    w.chapter("Chapter 3: risks")
    away = w.gieok("search", "Caddy", "--json", GIEOK_GEMINI_URL="http://127.0.0.1:9").json
    w.holds(
        "3.1",
        "without the network the local index answers, and says so",
        met=bool(away.get("results")) and "unreachable" in away.get("degraded", ""),
        figure=away.get("degraded", ""),
    )
    both = w.gieok("search", "5433", "--json", "--explain", GIEOK_HYBRID="true").json["results"]
    w.holds(
        "7.2",
        "words found here and meanings found there are one list",
        met=bool(both) and {"managed", "keyword"} <= set(both[0].get("signals", {})),
        figure=str(sorted(both[0].get("signals", {}))) if both else "",
    )
    w.write("workspace/memory/secret.md", "The key is sk-proj-4f9Qm2Lx8Vt7Zr1Kp6Wd3Hs5Jb0Nc.\n")
    w.gieok("index")
    w.holds(
        "3.2",
        "secrets never reach the service",
        met=any("The key is" in text for text in service.texts())
        and not any("sk-proj-4f9Q" in text for text in service.texts()),
        figure="cut before the upload",
    )
    report = w.gieok("doctor", "--with-key", "--json")
    recorded = sorted(w.home.glob("logs/file-search.json"))
    text = recorded[-1].read_text(encoding="utf-8") if recorded else ""
    # A service that tells the key and other stores of the project back, in an error and a list.
    service.stores["fileSearchStores/payroll-0001"] = "Payroll of ACME"
    service.fail("generate", 403, "PERMISSION_DENIED", message=f"{service.key} may not search")
    failed = w.gieok("doctor", "--with-key", "--json")
    service.failures.clear()
    del service.stores["fileSearchStores/payroll-0001"]
    told_back = recorded[-1].read_text(encoding="utf-8") if recorded else ""
    hidden = (service.key, "Payroll", "payroll-0001")
    w.holds(
        "Gate 0",
        "one run against the service is recorded for a report, without content or key",
        met=report.status == 0
        and text.count(METHOD) > 0
        and failed.status != 0
        and "may not search" in told_back
        and not any(name in text + told_back for name in hidden),
        figure=f"{text.count(METHOD)} exchanges, {told_back.count(METHOD)} with an error",
    )


def _gate_6(w: Walk, service: FakeGemini) -> None:
    w.chapter("Gate 6: what is not needed any more")
    needed = importlib.metadata.requires("gieok") or []
    w.holds(
        "Gate 6",
        "neither sqlite-vec nor a llama is a dependency",
        met=bool(needed) and not any(re.match(r"sqlite.vec|.*llama", name) for name in needed),
        figure=f"{len([n for n in needed if 'extra ==' not in n])} packages of the core",
    )
    back = w.gieok("store", "switch", "sqlite", "--json")
    found = w.gieok("search", "Caddy", "--json", GIEOK_GEMINI_URL="http://127.0.0.1:9").json
    w.differs(
        "D-4, P6",
        "the local index is removed once the managed one works",
        met=back.status == 0 and bool(found.get("results")),
        decision="The local index stays beside the managed one",
        figure="`gieok store switch sqlite`, and back",
    )
    was_there = (len(service.stores), len(service.documents))
    left = w.gieok("store", "drop", "gemini", "--yes")
    w.holds(
        "3.2",
        "leaving takes everything back from the service",
        met=left.status == 0 and was_there == (1, 6) and not service.documents,
        figure=f"{was_there[1]} documents before, {len(service.documents)} after",
    )
    w.holds(
        "Gate 0",
        "a store is deleted at the service",
        met=not service.stores,
        figure=f"`gieok store drop gemini`: {was_there[0]} before, {len(service.stores)} after",
    )
