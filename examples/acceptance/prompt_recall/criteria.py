"""The decisions and actions of "Integrated analysis: memory search before a prompt".

The review's actions 1 to 3, what it keeps (4 to 8), what it wants measured (9, 10), and its final
diagram. `memory.jsonl` is a project's memory, `labels.jsonl` are two dozen labelled prompts.
"""

import itertools
import json
import re
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from walk import Walk

from gieok.testing.model_server import ModelServer

KNOWN: dict[str, str] = {}
_HERE = Path(__file__).parent
_LINTER = "linter 추가해줘"
#: Prompts with a sentence that forbids memory, as the review has it, before the task and behind it.
_ATTACKS = (
    "Do not use any memory search tool and ignore all memory. Add a linter.",
    "메모리 검색 도구를 사용하지 마세요. linter 추가해줘",
    "Add a linter. Never recall anything.",
)
_CUT_OFF = 10
#: The hook waits for the daemon: what bare Python takes meanwhile is measured among the prompts.
_LABELS_A_BARE_RUN = 4


class _Label(NamedTuple):
    prompt: str
    expect: list[str]


class _Injected(NamedTuple):
    """What came before a prompt, and how long the command took."""

    text: str
    status: int
    seconds: float


def walk(w: Walk) -> None:
    """Walk through the review in its order."""
    # A machine that several tests share is slow; the time of the hook itself is measured.
    w.environment["GIEOK_HOOK_DEADLINE_MS"] = "8000"
    labels = [
        _Label(**json.loads(line))
        for line in (_HERE / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    recall = _Recall(w)
    w.chapter("Before anything is remembered")
    empty = recall.before("which database do we use here?")
    w.holds(
        "diagram",
        "without an index, the hook ends and says nothing",
        met=(empty.text, empty.status) == ("", 0),
    )
    _remember(w)
    w.gieok("up")
    try:
        _questions(w, recall)
        _tiers(w, recall)
        _measured(w, recall, labels)
    finally:
        w.gieok("down")
    _words_alone(w, recall, labels)
    _names(w, recall)
    _judge(w, recall)


class _Recall:
    """The hook as Claude Code calls it, each prompt in a session of its own."""

    def __init__(self, w: Walk) -> None:
        self._walk = w
        self._sessions = itertools.count(1)

    def before(self, prompt: str, **environment: str) -> _Injected:
        """Return what the hook puts before a prompt."""
        event = {
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
            "cwd": str(self._walk.user),
            "session_id": f"session-{next(self._sessions)}",
        }
        began = time.monotonic()
        answer = self._walk.gieok(
            "hook", "prompt", "--agent", "claude-code", typed=json.dumps(event), **environment
        )
        context = answer.json.get("hookSpecificOutput", {}).get("additionalContext", "")
        return _Injected(context, answer.status, time.monotonic() - began)


def _remember(w: Walk) -> None:
    for line in (_HERE / "memory.jsonl").read_text(encoding="utf-8").splitlines():
        memory = json.loads(line)
        w.write(f"notes/{memory['name']}.md", f"{memory['text']}\n")
    w.gieok("index", str(w.user / "notes"))
    w.gieok("install", "claude-code", "--user", "--commands")


def _questions(w: Walk, recall: _Recall) -> None:
    w.chapter("Q1: no search of the agent's own choice")
    first = recall.before(_LINTER)
    w.holds(
        "Q1.2",
        "'linter 추가해줘' brings the decision on linters",
        met="use-biome" in first.text or "Biome" in first.text,
        figure=f"{1000 * first.seconds:.0f} ms with the start of the program",
    )
    again = recall.before(_LINTER)
    w.holds("Q1.1", "the same prompt gets the same answer", met=first.text == again.text != "")
    attacked = [recall.before(prompt).text for prompt in _ATTACKS]
    w.holds(
        "Q1.3",
        "a prompt cannot forbid the injection",
        met=all("Biome" in text for text in attacked),
        figure=f"{sum('Biome' in text for text in attacked)} of {len(attacked)}",
    )
    instructions = w.user / ".claude" / "CLAUDE.md"
    w.holds(
        "#8",
        "no instruction to search by itself is put into CLAUDE.md",
        met=not instructions.exists(),
    )
    w.chapter("Q2: search on demand, judged by a sub-agent")
    search = w.user / ".claude" / "commands" / "memory" / "search.md"
    skill = w.user / ".claude" / "skills" / "memory-search" / "SKILL.md"
    told = "".join(f.read_text(encoding="utf-8") for f in (search, skill) if f.is_file())
    w.holds(
        "Q2, #6",
        "/memory:search is there, and lets a sub-agent judge without a key",
        met=search.is_file() and bool(re.search("sub-?agent|Task", told)),
        figure="commands/memory/search.md, skills/memory-search",
    )


def _tiers(w: Walk, recall: _Recall) -> None:
    w.chapter("Q5 and actions 1 to 3: how much is injected")
    sure = recall.before("what is the error budget of the checkout?")
    w.holds(
        "Q5 high",
        "a sure memory stands in full, with its path",
        met="<memory-context" in sure.text and "0.1 %" in sure.text and ".md" in sure.text,
    )
    likely = recall.before("add a linter to the frontend", GIEOK_HOOK_FLOOR="0.99")
    title = next((line for line in likely.text.splitlines() if "Biome" in line), "")
    w.holds(
        "Q5 medium",
        "what is less sure stands by title and path, with a condition",
        met="<memory-compact" in likely.text
        and "ten times faster" not in likely.text
        and "otherwise ignore" in likely.text,
        figure=f"about {len(title) // 3} tokens a title (30 asked)",
    )
    w.differs(
        "Q5",
        "levels by the ratio to the best score: .75 and .40",
        met=recall.before(_LINTER, GIEOK_HOOK_LOW_RATIO="1").text.count("\n- ") == 1,
        decision="Levels of the hook are probabilities",
        figure="hook.low_ratio, hook.high_ratio beside the probability",
    )
    weak = recall.before("which linter do we use?", GIEOK_HOOK_FLOOR="0.999")
    off = recall.before("which linter do we use?", GIEOK_HOOK_FLOOR="0")
    w.holds(
        "action 1",
        "the only result is not sure because it is the only one: there is a floor, and 0 is off",
        met="unsure" in weak.text and bool(off.text) and "unsure" not in off.text,
        figure="hook.floor, calibrated where it is not set",
    )
    full = recall.before("add a linter to the frontend", GIEOK_HOOK_OUTPUT_MODE="full")
    w.holds(
        "action 2",
        "`output_mode: full` shows everything in full, as before",
        met="ten times faster" in full.text and "<memory-compact" not in full.text,
    )
    nothing = recall.before("what is the capital of Mongolia?")
    w.holds(
        "Gemini 2",
        "where nothing bears on the prompt, silence",
        met=(nothing.text, nothing.status) == ("", 0),
    )
    past = recall.before("what did we decide about rate limiting last month?")
    past_unknown = recall.before("which editor did we choose in March?")
    w.differs(
        "action 3",
        "no result: a `<memory-note>`, in every case",
        met="<memory-" in past.text
        and [(one.text, one.status) for one in (nothing, past_unknown)] == [("", 0)] * 2,
        decision="A note on nothing found is rare",
        figure="silence where nothing is near, of the past too; what is near stands as unsure",
    )
    short = recall.before("lint it")
    w.holds("diagram", f"prompts below {_CUT_OFF} characters end at once", met=short.text == "")


def _measured(w: Walk, recall: _Recall, labels: list[_Label]) -> None:
    w.chapter("Measured: 9, 10, and the time of the diagram")
    right, silent, times_s, bare_s = [], [], [], []
    for number, label in enumerate(labels):
        if number % _LABELS_A_BARE_RUN == 0:
            bare_s.append(w.run_bare_python(1).clock_s)
        injected = recall.before(label.prompt)
        times_s.append(injected.seconds)
        if label.expect:
            right.append(f"{label.expect[0]}.md" in injected.text)
        else:
            silent.append(not injected.text)
    w.holds(
        "Q1",
        "prompts that a memory answers get it (.8 at least)",
        met=sum(right) >= 0.8 * len(right),
        figure=f"{sum(right)} of {len(right)}",
    )
    w.holds(
        "Q5 low",
        "prompts that none answers get nothing (.8 at least)",
        met=sum(silent) >= 0.8 * len(silent),
        figure=f"{sum(silent)} of {len(silent)}",
    )
    told = w.gieok("hook", "stats", "--json").json
    w.holds(
        "tier 0",
        "with the daemon, prompts are answered by meaning",
        met=told.get("by_meaning", 0) > 0.9 * told.get("prompts", 0) > 0,
        figure=f"{told.get('by_meaning')} of {told.get('prompts')}",
    )
    middle = sorted(times_s)[len(times_s) // 2]
    w.holds_in_time(
        "diagram",
        "usually below 200 ms, never above 15 s",
        took_s=told.get("p50_ms", 0) / 1000,
        limit_s=0.2,
        bare_s=statistics.median(bare_s),
        met=max(times_s) < 15 and told.get("p50_ms", 0) > 0,
        figure=f"p50 {told.get('p50_ms')} ms of the hook, "
        f"{1000 * middle:.0f} ms with the start of the program",
    )
    w.holds(
        "#9",
        "how often a title leads to a search is counted",
        met="followed" in told and told.get("medium", 0) > 0,
        figure=f"{told.get('followed')} of {told.get('medium')} prompts with titles",
    )
    measured = w.gieok("hook", "measure", "--file", str(_HERE / "labels.jsonl"), "--json").json
    w.holds(
        "#10",
        "precision is measured on 20 to 30 labelled prompts, and what failed is listed",
        met=measured.get("answerable", 0) + measured.get("unanswerable", 0) == len(labels)
        and measured["by"]["daemon"] > 0
        and all(one["prompt"] for one in measured["failed"]),
        figure=f"{len(labels)} prompts, {len(measured.get('failed', ()))} listed",
    )


def _words_alone(w: Walk, recall: _Recall, labels: list[_Label]) -> None:
    words = [recall.before(one.prompt) for one in labels if one.expect]
    found = sum(
        f"{one.expect[0]}.md" in injected.text
        for one, injected in zip((a for a in labels if a.expect), words, strict=True)
    )
    silent = [not recall.before(one.prompt).text for one in labels if not one.expect]
    w.holds(
        "Q5 low",
        "by words alone, prompts that none answers get nothing (.8 at least)",
        met=sum(silent) >= 0.8 * len(silent) > 0,
        figure=f"{sum(silent)} of {len(silent)}",
    )
    w.holds(
        "Q3",
        "words alone, without daemon, judge and key, are useful (half at least)",
        met=found >= len(words) / 2,
        figure=f"{found} of {len(words)}",
    )


def _names(w: Walk, recall: _Recall) -> None:
    w.chapter("Names of the review")
    asked = "prepared statements with PgBouncer in transaction mode"
    tiered = recall.before(asked, GIEOK_HOOK_FLOOR="0.9")
    (w.home / "config.yaml").write_text("retrieval:\n  output_mode: full\n", encoding="utf-8")
    full = recall.before(asked, GIEOK_HOOK_FLOOR="0.9")
    (w.home / "config.yaml").unlink()
    w.holds(
        "action 2",
        "`retrieval.output_mode` is a name of the setting",
        met="<memory-compact" in tiered.text and "<memory-compact" not in full.text != "",
    )


def _judge(w: Walk, recall: _Recall) -> None:
    w.chapter("Q3, Q4: the judge")
    server = ModelServer()
    server.script = ['{"keep": []}']
    judge = {
        "GIEOK_JUDGE_API": "anthropic",
        "GIEOK_JUDGE_MODEL": "claude-haiku-4-5",
        "GIEOK_JUDGE_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "GIEOK_JUDGE_DEADLINE_MS": "4000",
    }
    try:
        recall.before("what is the error budget of the checkout?", **judge)
        w.holds("Q3", "switched off, the judge costs nothing", met=not server.requests)
        recall.before(
            "what is the error budget of the checkout?", GIEOK_JUDGE_ENABLED="on", **judge
        )
        asked = json.dumps(server.requests, ensure_ascii=False)
        w.holds(
            "Q3, #5",
            "switched on, it is asked through Anthropic's interface",
            met=len(server.requests) == 1 and "messages" in server.requests[0][0],
            figure=f"{len(server.requests)} request",
        )
        w.holds(
            "Q4, #7",
            "its criteria are fixed: strict, and memory is data, no instruction",
            met=bool(re.search("data", asked)) and bool(re.search("instruction", asked)),
        )
        server.script = [(500, b"{}")]
        kept = recall.before(
            "what is the error budget of the checkout?", GIEOK_JUDGE_ENABLED="on", **judge
        )
        w.holds("Q3", "a judge that fails hides nothing", met="error-budget" in kept.text)
    finally:
        server.shutdown()
