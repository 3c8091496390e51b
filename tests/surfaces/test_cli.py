"""The command line, by what it prints and how it ends."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gieok
from gieok.surfaces.cli import main
from gieok.surfaces.document_names import read_document_line


class Answer(NamedTuple):
    """What a command gave."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Return stdout as data."""
        return json.loads(self.out)


Cli = Callable[..., Answer]


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Cli:
    """Return a function that runs `gieok ARGUMENTS` in a folder and a home of its own, without an
    embedder.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Answer:
        capsysbinary.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        out, err = capsysbinary.readouterr()
        return Answer(status, out.decode(), err.decode())

    return run


def test_what_is_remembered_may_come_from_stdin_and_stands_in_no_list_of_processes(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remember(*words: str, stdin: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        return cli("remember", "--user", *words).status

    assert remember("-", stdin="배포는 화요일에 한다.\n") == 0
    assert "배포는 화요일에 한다." in cli("search", "배포").out
    assert remember("a", "-", stdin="never read") == 0, "a dash among words is a word"
    assert "never read" not in cli("search", "never read").out
    assert remember("-", stdin="") == 2


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Return a folder of three notes in Korean and one in English."""
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "# 기억\n\n결제는 매주 화요일에 정산한다.\n", encoding="utf-8"
    )
    (folder / "memory" / "2026-10-14.md").write_text(
        "# 하루\n\n서버를 배포하고 결제를 고쳤다.\n", encoding="utf-8"
    )
    (folder / "memory" / "refund.md").write_text("# 환불\n\n어제 결제했다.\n", encoding="utf-8")
    (folder / "boiler.md").write_text("# Home\n\nThe boiler was repaired.\n", encoding="utf-8")
    return folder


_SOURCE = str(Path(gieok.__file__).parents[1])
_INDEXED = {"added", "changed", "removed", "unchanged", "failed"}


def _program(
    *arguments: str, code: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command = ["-c", code] if code else ["-m", "gieok", *arguments]
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": _SOURCE} | environment,
    )


def test_indexing_counts_what_it_did(cli: Cli, notes: Path) -> None:
    first = cli("index", notes, "--json")
    assert (first.status, first.err) == (0, "")
    assert first.json().keys() >= _INDEXED
    assert [
        first.json()[name] for name in ("added", "changed", "removed", "unchanged", "failed")
    ] == [4, 0, 0, 0, []]
    second = cli("index", "--json").json()
    assert [second[name] for name in ("added", "changed", "removed", "unchanged", "failed")] == [
        0,
        0,
        0,
        4,
        [],
    ]
    (notes / "boiler.md").write_text("# Home\n\nThe boiler was replaced.\n")
    (notes / "MEMORY.md").unlink()
    third = cli("index", notes, "--json").json()
    assert [third[name] for name in ("added", "changed", "removed", "unchanged", "failed")] == [
        0,
        1,
        1,
        2,
        [],
    ]


def test_what_failed_is_named_and_the_rest_is_indexed(cli: Cli, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\0")
    (notes / "half.md").write_bytes(b"caf\xe9")
    answer = cli("index", notes, "--json").json()
    assert answer["added"] == 5
    assert answer["failed"] == [{"path": "notes/bad.md", "reason": "binary, not text"}]
    assert answer["warnings"][0]["path"] == "notes/half.md"
    assert "failed: 'notes/bad.md': binary, not text" in cli("index").out


def test_a_word_is_found_under_every_ending(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    answer = cli("search", "결제", "--json")
    assert answer.status == 0
    assert {hit["path"] for hit in answer.json()["results"]} == {
        "MEMORY.md",
        "memory/2026-10-14.md",
        "memory/refund.md",
    }
    assert answer.json()["degraded"] is None


def test_a_hit_has_the_documented_shape(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    (hit,) = cli("search", "boiler", "repaired", "--json").json()["results"]
    score = hit.pop("score")
    assert 0 < score <= 1
    assert re.fullmatch("[0-9a-f]{8}", hit.pop("handle"))
    assert hit == {
        "path": "boiler.md",
        "start_line": 1,
        "end_line": hit["end_line"],
        "snippet": "# Home\n\nThe boiler was repaired.",
        "source": "memory",
        "citation": f"boiler.md#L1-L{hit['end_line']}",
        "scope": "agent:main",
        "heading": hit["heading"],
        "date": None,
        "status": "stands",
        "tier": "hot",
        "level": "high",
        "file": str(notes / "boiler.md"),
        "line": 3,
    }
    (explained,) = cli("search", "boiler", "--json", "--explain").json()["results"]
    assert explained["signals"]["keyword_rank"] == 1


def test_a_dated_question_says_which_days_it_means(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    answer = cli("search", "2026-10-14에 배포한 서버", "--json").json()
    assert answer["days"] == {"from": "2026-10-14", "to": "2026-10-14", "words": "2026-10-14"}
    assert answer["results"][0]["date"] == "2026-10-14"


def test_a_filter_leaves_out_other_days(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    found = cli(
        "search", "결제", "--since", "2026-10-14", "--until", "2026-10-14", "--json"
    ).json()["results"]
    assert [hit["path"] for hit in found] == ["memory/2026-10-14.md"]


@pytest.mark.parametrize("query", ["코끼리", "!!!", "zebra giraffe", "\x1b[2J"])
def test_nothing_found_is_an_empty_list_and_exit_1(cli: Cli, notes: Path, query: str) -> None:
    cli("index", notes)
    answer = cli("search", query, "--json")
    assert (answer.status, answer.json()["results"], answer.err) == (1, [], "")
    assert cli("search", query).out.startswith("Nothing found.")


def test_the_limit_and_the_threshold_are_obeyed(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    assert len(cli("search", "결제", "--limit", 1, "--json").json()["results"]) == 1
    assert cli("search", "결제", "--min-score", 1, "--json").status == 1
    assert cli("search", "결제", "--source", "sessions").status == 1
    assert cli("search", "결제", "--profile", "openclaw", "--min-score", 0, "--json").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search"], "query is missing"),
        (["search", "  "], "query is missing"),
        (["search", "x", "--scope", "agent:other"], "nothing is indexed here (agent other)"),
        (["search", "x", "--scope", "nonsense"], "bad scope 'nonsense'"),
        (["search", "x", "--limit", "-1"], "limit is -1"),
        (["search", "x", "--limit", "many"], "limit is 'many'"),
        (["search", "x", "--min-score", "2"], "min-score is 2"),
        (["search", "x", "--source", "nowhere"], "nowhere"),
        (["search", "x", "--since", "someday"], "'someday' is no day"),
        (["search", "x", "--until", "2026-02-30"], "'2026-02-30' is no day"),
        (["search", "x", "--profile", "best"], "unknown profile 'best'"),
        (["search", "x", "--nonsense"], "--nonsense"),
        (["index", "nothing-here"], "no such file or folder: 'nothing-here'"),
        (["index", "--scope", "agent:other"], "nothing has been indexed here (agent other)"),
        (["get"], "path is missing"),
        (["get", "../../etc/passwd"], "outside of the indexed folders"),
        (["get", "boiler.md:9-3"], "lines 9-3"),
        (["serach", "x"], "there is no command `gieok serach`"),
        (["install", "--uninstall"], "name an agent"),
        (["install", "emacs"], "'emacs' is no agent that can be installed"),
        (["config", "shout"], "there is no command `gieok config shout`"),
        (["status", "--lang", "fr"], "lang is 'fr' in 'flag'"),
    ],
)
def test_an_error_is_one_line_a_hint_and_exit_2(
    cli: Cli, notes: Path, arguments: list[str], message: str
) -> None:
    cli("index", notes)
    answer = cli(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err.splitlines()[0]
    assert answer.err.splitlines()[1].startswith("  → ")
    assert "Traceback" not in answer.err


def test_an_error_is_data_too(cli: Cli) -> None:
    answer = cli("search", "결제", "--json")
    assert answer.status == 2
    assert answer.json()["error"]["code"] == "not_indexed"
    assert "gieok index" in answer.json()["error"]["hint"]


def test_options_of_every_command_may_stand_before_it(cli: Cli) -> None:
    assert cli("--json", "--scope", "agent:x", "list").json() == {"memories": [], "more": False}
    assert (
        "검색" in cli("--lang", "ko", "search", "--help").out
        or "찾" in cli("--lang=ko", "search", "--help").out
    )
    assert cli("backup", "--json", "list").json()["backups"] == []
    assert "agent:x" in cli("config", "--scope=agent:x", "show", "--json").out
    assert "in front of --nothing" in cli("--nothing", "list").err


@pytest.mark.parametrize(("count", "lines"), [(0, 0), (1, 1), (3, 3), (4, 1), (25, 1)])
def test_many_settings_that_are_left_out_are_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, lines: int
) -> None:
    home = tmp_path / "home of settings"
    home.mkdir()
    (home / "config.yaml").write_text("".join(f"nothing_{n}: 1\n" for n in range(count)))
    monkeypatch.setenv("GIEOK_HOME", str(home))
    told = [line for line in cli("list").err.splitlines() if "config show" in line]
    assert len(told) == lines
    if count > lines:
        assert f"and so are {count - 1} more settings" in told[0]


def test_a_mistyped_command_is_guessed_and_help_is_a_command_too(cli: Cli) -> None:
    assert "did you mean `gieok search`?" in cli("serach", "x").err
    assert "did you mean `gieok config show`?" in cli("config", "shw").err
    assert "did you mean --limit?" in cli("search", "--limt", "3", "x").err
    assert "--limit needs a value" in cli("list", "--limit").err
    assert "sk-1" not in cli("keys", "gte", "sk-1").err
    assert cli("help", "search").out == cli("search", "--help").out != ""
    assert cli("help").out == cli("--help").out != ""
    assert cli("--version").out == cli("-V").out == f"gieok {gieok.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["when", "was", "the", "boiler", "repaired"],
        ["when was the boiler repaired?"],
        ["search the boiler"],
        ["config show", "was the boiler repaired?"],
        ["--json", "boiler"],
    ],
)
def test_a_line_without_a_command_is_a_question(
    cli: Cli, notes: Path, arguments: list[str]
) -> None:
    cli("index", notes)
    answer = cli(*arguments)
    assert answer.status == 0
    assert "boiler.md" in answer.out
    assert answer.err.startswith("taken as a question")


@pytest.mark.parametrize("arguments", [["help", "boilers"], ["boilers", "--help"], ["  "]])
def test_help_for_what_is_no_command_is_no_question(cli: Cli, arguments: list[str]) -> None:
    answer = cli(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert "all of them: `gieok help`" in answer.err


def test_a_command_that_begins_a_question_says_where_questions_stand(cli: Cli) -> None:
    assert 'in quotes: `gieok "…"`' in cli("why", "do", "we", "use", "redis").err


def test_a_group_without_that_command_says_where_questions_stand(cli: Cli) -> None:
    assert 'in quotes: `gieok "…"`' in cli("code", "review", "notes").err
    assert "in quotes" not in cli("keys", "review", "sk-1").err


def test_help_says_what_is_a_question_and_what_a_mistyped_command(cli: Cli) -> None:
    told = " ".join(cli("--help").out.split())
    assert 'a line without a command is a search: gieok "when does the lease end"' in told
    assert "taken for a mistyped command" in told
    assert "gieok 전세 만기" in cli("--help", "--lang", "ko").out


def test_options_of_a_search_may_follow_a_bare_question(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    assert len(cli("결제", "--limit", 1, "--json").json()["results"]) == 1
    assert "--limt" in cli("결제", "--limt", 1).err
    assert cli("결제가", "--help").status == 2


@pytest.mark.parametrize("typed", ["serach", "seach", "searchh", "searcg", "keyz", "lsit"])
def test_a_word_one_slip_away_from_a_command_is_a_mistyped_command(cli: Cli, typed: str) -> None:
    answer = cli(typed, "x", "sk-1")
    assert (answer.status, answer.out) == (2, "")
    assert "did you mean `gieok " in answer.err
    assert "sk-1" not in answer.err


@pytest.mark.parametrize("typed", ["lease", "please", "who", "call"])
def test_a_word_two_slips_away_from_a_command_is_a_question(cli: Cli, typed: str) -> None:
    assert "taken as a question" in cli(typed, "x").err


def test_a_korean_question_is_taken_without_a_notice_and_help_has_a_korean_name(
    cli: Cli, notes: Path
) -> None:
    cli("index", notes)
    for words in (("결제", "언제"), ("결제 언제 끝나",), ("도움말", "결제")):
        answer = cli(*words, "--min-score", 0)
        assert (answer.status, answer.err) == (0, "")
    assert cli("도움말").out == cli("help").out


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("oracle rag init --full", "code init --full"),
        ("rag init", "code init"),
        ("rag query errors", "code query errors"),
        ("oracle rag query --impact src/oracle.py", "code impact src/oracle.py"),
        ("oracle rag sync", "code sync"),
        ("oracle rag sync --file src/oracle.py", "code sync src/oracle.py"),
        ("oracle rag watch --daemon", "code watch --daemon"),
        ("memory:search linter", "search linter"),
        ("openclaw memory status --json", "status --json"),
        ("memory search tide gate", "search tide gate"),
        ("rag init of the van", ""),
        ("memory status of the van", ""),
        ("rag pipeline", ""),
        ("oracle memory leak", ""),
        ("oracle", ""),
    ],
)
def test_a_line_as_a_document_types_it_is_our_command(typed: str, ours: str) -> None:
    found = read_document_line(typed.split())
    assert (found and " ".join([found[0], *found[1]])) == (ours or None)


def test_a_command_of_a_document_runs_and_says_nothing_of_a_question(cli: Cli) -> None:
    there, here = cli("openclaw", "memory", "status", "--json"), cli("status", "--json")
    assert (there.status, there.out, there.err) == (here.status, here.out, here.err)


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        (["rag", "init", "of", "the", "van"], "`gieok code init`"),
        (["memory", "status", "of", "the", "van"], "`gieok status`"),
        (["openclaw", "memory", "index", "cards"], "`gieok index`"),
    ],
)
def test_a_question_that_begins_as_a_command_of_a_document_names_ours(
    cli: Cli, typed: list[str], ours: str
) -> None:
    told = cli(*typed).err.splitlines()[0]
    assert told.startswith("taken as a question")
    assert ours in told


def test_a_question_on_memory_names_no_command(cli: Cli) -> None:
    for words in (
        ["memory", "leak"],
        ["rag", "pipeline"],
        ["memory", "down"],
        ["rag", "coverage"],
        ["oracle", "memory", "leak"],
    ):
        assert "document" not in cli(*words).err


def test_an_option_of_a_document_names_the_command_that_does_it(cli: Cli) -> None:
    answer = cli("code", "query", "--impact", "src/a.py")
    assert answer.status == 2
    assert "`gieok code impact`" in answer.err


def test_a_command_in_quotes_is_a_question_and_does_not_run(cli: Cli) -> None:
    answer = cli("backup list")
    assert answer.status == 2  # nothing is indexed yet
    assert "taken as a question" in answer.err
    assert "nothing is remembered yet" in answer.err


def test_the_notice_of_a_question_shows_no_control_character(cli: Cli) -> None:
    assert "\033" not in cli("lease\033[2J", "x").err.splitlines()[0]


def test_no_command_prints_help_to_stderr(cli: Cli) -> None:
    for arguments, command in (((), "search"), (("config",), "show")):
        answer = cli(*arguments)
        assert (answer.status, answer.out) == (2, "")
        assert command in answer.err


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("boiler.md", "# Home\n\nThe boiler was repaired.\n"),
        ("boiler.md:3", "The boiler was repaired.\n"),
        ("boiler.md:1-2", "# Home\n\n"),
        ("boiler.md#L1", "# Home\n"),
        ("boiler.md#L3-L99", "The boiler was repaired.\n\n"),
        ("notes/boiler.md#L1-L1", "# Home\n"),
        ("memory/refund.md:3", "어제 결제했다.\n"),
    ],
)
def test_get_prints_a_file_or_some_of_its_lines(
    cli: Cli, notes: Path, path: str, text: str
) -> None:
    cli("index", notes)
    answer = cli("get", path)
    assert (answer.status, answer.out.rstrip("\n")) == (0, text.rstrip("\n"))


@pytest.mark.parametrize(
    "path", ["gone.md", "gone.md:3-4", "boiler.md:99", "memory", "boiler.md/x"]
)
def test_get_of_what_is_not_there_is_an_empty_text_and_exit_1(
    cli: Cli, notes: Path, path: str
) -> None:
    cli("index", notes)
    answer = cli("get", path, "--json")
    assert (answer.status, answer.json()["text"], answer.json()["status"]) == (1, "", "not_found")
    assert cli("get", path).out == ""


def test_get_is_the_file_on_disk_not_the_index(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    (notes / "boiler.md").write_bytes(b"\xef\xbb\xbfnew\r\ntext\rhere")
    assert cli("get", "boiler.md:2-3", "--json").json() == {
        "path": "boiler.md",
        "text": "text\nhere",
        "from": 2,
        "lines": 2,
        "status": "ok",
        "tier": "hot",
    }
    (notes / "a:3").write_text("odd name")
    assert cli("get", "a:3").out == "odd name\n"


def test_every_citation_can_be_got(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    for hit in cli("search", "결제", "--json").json()["results"]:
        got = cli("get", hit["citation"], "--json").json()
        assert hit["snippet"] in got["text"]
        assert got["from"] == hit["start_line"]


def test_status_tells_how_fresh_the_index_is(cli: Cli, notes: Path) -> None:
    assert cli("status", "--json").json()["state"] == "empty"
    cli("index", notes)
    status = cli("status", "--json").json()
    assert (status["state"], status["documents"], status["stale"]) == ("synced", 4, 0)
    assert status["roots"] == [{"name": "notes", "path": str(notes)}]
    assert cli("status").out.startswith(
        "Memory: synced (sqlite, 4 documents, yours, in all projects)\n"
    )
    (notes / "new.md").write_text("new")
    assert cli("status", "--json").json()["stale"] == 1
    assert "1 files differ" in cli("status").out
    deep = cli("status", "--deep", "--json").json()
    assert deep["checks"]
    assert all(check["ok"] is not False for check in deep["checks"])


def test_the_doctor_is_well(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    answer = cli("doctor", "--json")
    assert (answer.status, answer.json()["ok"]) == (0, True)
    assert "✓" in cli("doctor").out
    (notes.parent / "home" / "memory.sqlite").write_bytes(
        b"not a database, not at all, not even a little" * 99
    )
    broken = cli("doctor", "--json")
    assert (broken.status, broken.json()["ok"]) == (1, False)
    assert any(check["hint"] for check in broken.json()["checks"])


def test_the_doctor_goes_on_where_a_configuration_is_broken(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    (notes.parent / "home" / "config.yaml").write_text("observe:\n  model: [\n")
    answer = cli("doctor", "--json")
    first, *others = answer.json()["checks"]
    assert (answer.status, first["name"], first["ok"]) == (1, "settings", False)
    assert str(notes.parent / "home" / "config.yaml") in first["detail"]
    assert len(others) > 3
    assert all(check["ok"] is not False for check in others)
    assert cli("index").status == 2


def test_what_is_not_there_yet_says_what_to_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    for command, told in (
        ("observe show", "gieok observe run --once"),
        ("logs", "gieok up"),
        ("why x", "observe show"),
    ):
        answer = cli(*command.split())
        assert told in answer.out + answer.err, command
        assert answer.status in (1, 2)
    assert "observe.folders" in cli("observe", "run", "--once").out


def test_both_languages_are_spoken(cli: Cli, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "추가 4" in cli("index", notes, "--lang", "ko").out
    assert "4 unchanged" in cli("index", "--lang", "en").out
    assert cli("search", "코끼리", "--lang=ko").out.startswith("찾은 것이 없습니다.")
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    assert cli("status").out.startswith("기억: 동기화됨")
    assert cli("status", "--lang", "en").out.startswith("Memory: synced")
    monkeypatch.setenv("GIEOK_LANG", "en")
    assert cli("status").out.startswith("Memory: synced")


def test_the_language_of_the_config_file_is_spoken(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("lang: ko\n")
    assert cli("status").out.startswith("기억: 비어 있음")
    assert cli("status", "--lang", "en").out.startswith("Memory: empty")


def test_what_a_terminal_would_obey_is_not_printed(cli: Cli, notes: Path) -> None:
    (notes / "evil\x1b[31m.md").write_text("# ev\x1b[2Jil\n\nelephant \x1b]0;owned\x07 \x9b31m")
    cli("index", notes)
    answer = cli("search", "elephant")
    assert answer.status == 0
    assert not {"\x1b", "\x07", "\x9b"} & set(answer.out)
    assert "\x1b" not in cli("index").out
    assert "\x1b[2J" in cli("search", "elephant", "--json").json()["results"][0]["snippet"]


def test_a_lone_surrogate_is_no_crash(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    assert cli("search", "결제 \ud800", "--json").status in (0, 1)
    assert cli("get", "\ud800.md").status in (1, 2)
    assert cli("index", "\ud800").status == 2
    assert cli("search", "x", "--scope", "agent:\ud800").status == 2


def test_json_is_utf_8_whatever_the_terminal_speaks(notes: Path, tmp_path: Path) -> None:
    environment = {
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
        "PYTHONIOENCODING": "ascii",
    }
    assert _program("index", str(notes), **environment).returncode == 0
    assert "정산한다" in _program("search", "결제", "--json", **environment).stdout.decode("utf-8")
    assert b"?" in _program("search", "결제", **environment).stdout


def test_the_module_is_a_program() -> None:
    done = _program("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"gieok {gieok.__version__}\n")


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "gieok", "search", "결제"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
            env=os.environ | {"PYTHONPATH": _SOURCE},
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_keyword_search_loads_nothing_heavy(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    code = (
        "import sys; from gieok.surfaces.cli import main;"
        "status = main(['search', '결제', '--keyword-only', '--json']);"
        "heavy = {'numpy', 'onnxruntime', 'yaml', 'onnx', 'watchfiles', 'asyncio', "
        "'questionary'} & set(sys.modules);"
        "sys.exit(f'{status} {heavy}' if status or heavy else 0)"
    )
    for embedder in ("none", "e5"):
        done = _program(code=code, GIEOK_EMBEDDER=embedder)
        assert (done.returncode, done.stderr) == (0, b"")


def test_memory_is_private(cli: Cli, notes: Path, tmp_path: Path) -> None:
    cli("index", notes)
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert {
        path.stat().st_mode & 0o777 for path in (tmp_path / "home").iterdir() if path.is_file()
    } == {0o600}


def test_two_scopes_see_only_their_own(cli: Cli, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("결제는 비밀이다")
    cli("index", notes)
    cli("index", tmp_path / "other", "--scope", "agent:other")
    mine = cli("search", "결제 비밀", "--json", "--limit", 50, "--min-score", 0).json()["results"]
    theirs = cli("search", "결제", "--json", "--scope", "agent:other").json()["results"]
    assert {hit["scope"] for hit in mine} == {"agent:main"}
    assert [hit["path"] for hit in theirs] == ["a.md"]
    assert cli("get", "boiler.md", "--scope", "agent:other").status == 1


@pytest.mark.parametrize(
    ("codec", "name"), [("cp949", "CP949"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16-LE")]
)
def test_notes_of_korean_windows_are_read_said_and_cited_by_line(
    cli: Cli, tmp_path: Path, codec: str, name: str
) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "회의.md").write_bytes(
        "# 회의록\r\n\r\n서버는 월요일에 점검한다.\r\n결제는 화요일에 정산한다.\r\n".encode(codec)
    )
    indexed = cli("index", folder, "--json").json()
    assert (indexed["added"], indexed["failed"]) == (1, [])
    assert [
        (w["path"].rpartition("/")[2], w["reason"].partition(";")[0]) for w in indexed["warnings"]
    ] == [("회의.md", f"read as {name}")]
    found = cli("search", "결제는 언제 정산해?", "--json").json()["results"][0]
    assert "결제는 화요일에 정산한다." in found["snippet"]
    shown = cli("get", "회의.md:4", "--json").json()
    assert shown["text"] == "결제는 화요일에 정산한다."
    assert found["start_line"] <= 4 <= found["end_line"]


def test_help_shows_examples_line_by_line(cli: Cli) -> None:
    assert "\nexamples:\n  gieok notify test\n" in cli("notify", "test", "--help").out
    assert "\n예:\n  gieok notify test\n" in cli("notify", "test", "--help", "--lang", "ko").out


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["search", "x", "--limit", "-1"], "limit이 -1입니다", ""),
        (
            ["index", "nowhere"],
            "그런 파일이나 폴더가 없습니다",
            "마크다운 파일이 있는 폴더나 파일 하나를 주세요",
        ),
        (["status", "--scope", "??"], "범위 '??'", "범위는 `종류:이름`을"),
        (["character", "chatt"], "`gieok character chatt` 명령은 없습니다", "gieok character chat"),
        (["forget"], "무엇을 잊을까요?", "기억을 지정하거나"),
    ],
)
def test_what_goes_wrong_is_said_in_korean_to_who_reads_korean(
    cli: Cli, notes: Path, arguments: list[str], message: str, hint: str
) -> None:
    cli("index", notes)
    found = cli(*arguments, "--lang", "ko")
    assert found.status == 2
    assert message in found.err
    assert hint in found.err
    assert not re.search("[a-z]{3,} [a-z]{3,} [a-z]{3,}", re.sub("`[^`]*`", "", found.err)), (
        "a sentence in English"
    )


def test_the_settings_decide_the_language_of_errors_and_data_stays_english(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("lang: ko\n")
    assert "무엇을 잊을까요?" in cli("forget").err
    assert "사용법" in cli("forget", "--help").out
    found = cli("forget", "--json")
    assert found.json()["error"]["message"] == "what is to be forgotten?"
    assert "무엇을 잊을까요?" in found.err
    assert "what is to be forgotten?" in cli("forget", "--lang", "en").err
    assert "저장소" in cli("doctor").out
    assert "결과의 수" in cli("config", "show").out
    assert "인자가 너무 많습니다: 'search'" in cli("config", "edit", "search").err


def test_what_comes_nearest_is_shown_where_nothing_answers_surely(cli: Cli, notes: Path) -> None:
    cli("index", notes)
    query = "refund zebra"
    answer = cli("search", query, "--json")
    assert (answer.status, answer.json()["results"]) == (1, [])
    assert 0.15 <= answer.json()["nearest"]["score"] < 0.3
    assert cli("search", query).out.startswith("Nothing surely answers that. The nearest is:\n\n0.")
    assert "nearest" not in cli("search", query, "--min-score", "0.3", "--json").json()


def test_the_number_of_answers_has_one_name_and_a_short_one(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "".join(f"def send_{n}():\n    return {n}\n\n\n" for n in range(5)), encoding="utf-8"
    )
    assert cli("code", "init", "--json").status == 0
    for flag in ("--limit", "-k", "--k"):
        assert len(cli("code", "query", "send", flag, "2", "--json").json()["results"]) == 2
    assert "--limit" in cli("code", "query", "--help").out
    assert "--k " not in cli("code", "query", "--help").out
