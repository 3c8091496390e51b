"""What is printed in Korean holds no English sentence: the commands are run, with their warnings
and their errors.

`tests/text/test_raised.py` proves that each text has its Korean; here the lines that a person sees
are read. All that the home holds is Korean, so that English comes from the program.
"""

import contextlib
import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands import NAMES, load_command
from gieok.commands.command import Style
from gieok.commands.memory.history import HistoryResult, Version, render_memory_history
from gieok.commands.memory.newest import describe_parts
from gieok.hook.validity import EndedClaim
from gieok.surfaces.cli import main
from gieok.text.columns import count_text_columns
from gieok.text.handles import build_handle
from gieok.text.messages import translate

#: Three words of small letters in a row, which stand in no code, name or path: a sentence.
_SENTENCE = re.compile(r"(?<![\w/.`$:-])[A-Za-z][a-z']+(?: [a-z][a-z']*){2,}(?![\w/`-])")
_NOT_PROSE = re.compile(
    r"`[^`]*`|\"[^\"]*\"|'[^']*'|“[^”]*”|\x1b\[[\d;]*m|(?:~|\.{0,2})/[^\s,:)]+|--?[a-z][\w-]*"
    r"|\b\w+(?:[._:/]\w+)+"
)
#: What Gieok writes for programs, or puts beside the texts of memory itself.
_LABEL = re.compile(
    r"\b(?:User|Assistant): |\[(?:state|decision|preference|task)\]"
    r"|\(\d{4}-\d\d-\d\d to |\b(?:corrected|replaced|ended) on \d"
    r"|(?<![\w/.`$:-])(?:hot|warm|cold|rules|memory|server|handle): ?|: (?:handle|path|query)\b|관찰: rules"
)
#: Commands of other programs, in an example.
_TYPED = {"git push origin main", "rm -rf build"}
_TALK = build_handle("agent:main", "sessions/claude-code/s#1", 1)

#: What a person may type, in an order in which each has something to do; errors among it.
_LINES = [
    "index {notes}",
    "index {notes}",
    "index {notes}/missing",
    "index /",
    "index --rebuild",
    "index --remove {notes}/no",
    "search 결제",
    "search 양자컴퓨터",
    "search 결제 --explain",
    "search",
    "search 결제 --limit -1",
    "search 결제 --since 글쎄",
    "search 몇몇 주 전에 정한 것",
    "search 결제 --source sessions --since 2020-01-01 --until 2020-01-02",
    "list",
    "list 양자",
    "list --kind turn",
    "list --limit -2",
    "get MEMORY.md",
    "get 없음.md",
    "status",
    "status --deep",
    "pause --for 글쎄",
    "pause --for 2h",
    "status",
    "remember 회의는_목요일",
    "observe run --once",
    "resume",
    "resume",
    "pause",
    "search 결제 --tag 없음",
    "list --tag 없음",
    "resume",
    "remember 린터는 ruff로 정했다. --until 2031-01-01",
    "remember 린터는 ruff로 정했다. --until 글쎄",
    "remember",
    "list",
    "retire decision/린터는-ruff로-정했다",
    "list --status retired",
    "restore decision/린터는-ruff로-정했다",
    "retire 0000",
    f"history {_TALK}",
    f"history {_TALK} --on 2020-01-01",
    "history 0000",
    "edit 0000 새말",
    f"edit {_TALK} 결제는_수요일",
    "transfer 0000 --to agent:main",
    "recall 양자 컴퓨터?",
    "recall --limit 1",
    "trust --list",
    "trust --show",
    "rules list",
    "remember 절대_git_push_하지_마 --category constraint",
    "rules list --all",
    "rules try",
    "rules try ls",
    "rules try ls --rule ls_금지",
    "rules try --edit a.py --rule a.py는_건드리지_마 --day 글쎄",
    "rules off 0000",
    "rules on 0",
    "rules until 0000 friday",
    "rules allow 0000",
    "rules allow 0000 --once",
    "hook stats",
    "hook injections",
    "hook refuse 0000 --prompt 린터?",
    "hook measure --add 린터? --expect decision/린터는",
    "hook measure",
    "observe run --once",
    "observe show",
    "observe reflect",
    "observe stats",
    "handoff",
    "handoff --session 없음",
    "handoff --budget 0",
    "observe show --history",
    "why 0000",
    "why --last",
    "archive",
    "archive pending",
    "archive sync",
    "archive run",
    "archive restore 2026-01-05",
    "archive approve all",
    "archive reject 없음",
    "import {notes}",
    "import 없음",
    "export",
    "export 없음",
    "code init",
    "code status",
    "code query 합계",
    "code query 없는것",
    "code explore 합계",
    "code show total",
    "code show 없음",
    "code impact total",
    "code impact 없음.py",
    "code sync",
    "code stats",
    "code validate",
    "code coverage",
    "code export",
    "code escalate",
    "code estimate",
    "ask 뭐야",
    "character create 마루",
    "character list",
    "character memories 마루",
    "character memories 마루 양자",
    "character memories 없음",
    "character fact 마루 --predicate job --value 제빵사",
    "character forget 마루 --memory 000000",
    "character points",
    "character points --check-in",
    "character key",
    "character key create",
    "character inactive --dry-run",
    "character delete 없음 --yes",
    "character export 없음",
    "character import {notes}/MEMORY.md",
    "logs",
    "keys list",
    "keys test",
    "keys set 없음",
    "encryption status",
    "backup list",
    "backup list --to {notes}/away",
    "backup create --to {notes}/../b",
    "backup list --to {notes}/../b",
    "backup verify --to 1",
    "backup verify 없음",
    "backup prune --keep -1",
    "redact --all",
    "redact",
    "doctor --free",
    "rebuild",
    "calibrate",
    "store switch sqlite",
    "store switch 없음",
    "store drop 없음 --yes",
    "store drop sqlite --yes",
    "store distribute",
    "journal switch sqlite",
    "config show",
    "config show search.limit",
    "config show 없음",
    "config set search.limit 5",
    "config set search.limit 없음",
    "config set search.limit -5",
    "config set 없음 1",
    "config set embedder 없음",
    "config set observe.model bogus:x",
    "config unset search.limit",
    "config unset 없음",
    "service install --dry-run",
    "notify test",
    "sync status",
    "sync run",
    "sync init 없음",
    "sync init {notes}/../synced",
    "sync devices",
    "sync run",
    "sync status",
    "sync devices",
    "sync key",
    "sync key --to {notes}/../sync.key",
    "sync rotate",
    "move /nowhere /elsewhere",
    "forget --match 양자 --dry-run",
    "forget 0000 --yes",
    "forget",
    "forget --match 결제 --dry-run",
    "forget --before 글쎄",
    "forget --match VLAN --yes",
    "install 없음",
    "없는명령",
    "uninstall --dry-run",
    "erase",
    "erase --all --dry-run",
]


#: What starts a process, a server or an editor, asks a person, or is slow for what it prints.
_STARTING = {
    "setup", "code watch", "code install-hook", "character chat", "open", "up",
    "down", "config edit", "encryption on", "encryption rotate", "encryption off", "backup restore",
    "keys rotate",
}  # fmt: skip


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    user = tmp_path / "사용자"
    talk = user / ".claude" / "projects" / "-shop"
    for folder in (user / "노트", user / "shop", user / "synced", talk):
        folder.mkdir(parents=True)
    (user / "노트" / "MEMORY.md").write_text(
        "# 기억\n\n결제는 매주 화요일에 정산한다.\n", encoding="utf-8"
    )
    (user / "노트" / "2026-11-20.md").write_text(
        "# 금요일\n\n사무실 VLAN은 10.\n", encoding="utf-8"
    )
    (user / "노트" / "옛글.md").write_bytes("# 옛날\n\n윈도우에서 적은 글이다.\n".encode("cp949"))
    (user / "노트" / "깨짐.md").write_bytes(b"\0\1\2" * 9)
    (user / "shop" / "shop.py").write_text(
        "def total(prices):\n    return sum(prices)\n", encoding="utf-8"
    )
    (user / "shop" / "broken.py").write_text("def broken(:\n", encoding="utf-8")
    said = {"role": "user", "content": "결제는 화요일에 정산하기로 했어."}
    row = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-11-20T09:00:00Z",
        "message": said,
    }
    rent = {"role": "user", "content": "월세는 다음달부터 60만 원으로 올리기로 했어."}
    rows = [row, {**row, "uuid": "u2", "message": rent}]
    lines = "".join(f"{json.dumps(one)}\n" for one in rows)
    (talk / "s.jsonl").write_text(lines, encoding="utf-8")
    (talk / "이상함.jsonl").write_text('{"some": "thing"}\n' * 30, encoding="utf-8")
    for name, value in {
        "HOME": user,
        "GIEOK_HOME": user / "gieok",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_DAEMON_AUTOSTART": "off",
        "GIEOK_LANG": "ko",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(user / "shop")
    return user / "노트"


def _english(printed: str) -> list[str]:
    """Return what reads like an English sentence, or is an English label."""
    return [
        found[0]
        for line in printed.splitlines()
        for pattern in (_SENTENCE, _LABEL)
        for found in pattern.finditer(_NOT_PROSE.sub(" · ", line))
    ]


def _run(line: str, notes: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command line prints, on both streams."""
    with contextlib.suppress(SystemExit):
        main(line.format(notes=notes).split(" "))
    return "\n".join(capsys.readouterr())


def test_no_english_sentence_is_printed_in_korean(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = {line: _run(line, notes, capsys) for line in _LINES}
    assert {line: found for line, said in printed.items() if (found := _english(said))} == {}


def test_each_command_is_walked_but_those_that_start_something() -> None:
    walked = {name for name in NAMES if any(f"{line} ".startswith(f"{name} ") for line in _LINES)}
    groups = {name.partition(" ")[0] for name in NAMES if " " in name}
    walked |= {f"{group} status" for group in groups if group in _LINES}
    assert sorted(set(NAMES) - walked) == sorted(_STARTING)


def test_the_examples_of_a_command_are_korean_and_typed_alike() -> None:
    for name in NAMES:
        for example in load_command(name).examples:
            korean = shlex.split(translate(example, "ko"))
            english = shlex.split(example)
            assert [word for word in korean if word.startswith("-")] == [
                word for word in english if word.startswith("-")
            ]
            assert len(korean) == len(english), example
            prose = [word for word in korean if " " in word and word not in _TYPED]
            assert not _english(" ".join(prose)), example


def test_a_version_that_holds_is_in_the_columns_of_the_others() -> None:
    since = datetime(2026, 11, 10, tzinfo=UTC)
    old = Version("a1", "월세는 50", since, since, "observed", "replaced", None, is_asked=True)
    new = old._replace(text="월세는 60", until=None, ended="", is_current=True)
    printed = render_memory_history(HistoryResult((old, new), None, UTC), Style("ko", colour=False))
    one, other = printed.splitlines()
    assert "지금" in other
    assert count_text_columns(one.partition("월세")[0]) == count_text_columns(
        other.partition("월세")[0]
    )


def test_what_ended_of_a_passage_is_said_in_korean() -> None:
    part = EndedClaim("agent:main", "sessions/a/b#1", 3, 0, 1_795_000_000.0)
    part.words, part.is_whole = "월세는 50", False
    (words,) = describe_parts([part])
    assert words.en == part.status
    assert words.say("ko") == f'"월세는 50": {part.day}에 {part.handle}{_by(part.handle)} 바뀜'


def _by(handle: str) -> str:
    return "로" if handle[-1] in "1245789" else "으로"


def test_the_walk_sees_an_english_sentence(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _english(_run("index {notes}/없음 --lang en", notes, capsys))
    assert _english("User: 안녕")
    assert _english("  🔴 [preference] 짧게")
    assert _english("  노트: (2026-12-01 to 2026-12-31)")
    assert _english("  데몬: 꺼져 있음; 관찰: rules (모델 없음)")
    assert _english("  ✗ 기다림: /a/b.jsonl: not in the format of a known transcript")
    assert not _english("`gieok index` 실행: --min-score 0, /tmp/a b, config.yaml의 search.limit")


def test_the_times_of_korean_examples_are_understood(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("search", "list", "remember"):
        for example in load_command(name).examples:
            words = shlex.split(translate(example, "ko"))[1:]
            if any(word in words for word in ("--since", "--until")):
                with contextlib.suppress(SystemExit):
                    main(words)
                assert "gieok: " not in capsys.readouterr().err, words
