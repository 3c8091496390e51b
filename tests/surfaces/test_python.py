"""The Python API, by the examples of its page."""

import ast
import asyncio
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gieok
from gieok.character.memory.service import Bond
from gieok.commands import load_command
from gieok.commands.home.pause import pause_memory, resume_memory
from gieok.commands.memory.search import search_memory
from gieok.errors import BadConfig, BadRequest, Phrase
from gieok.surfaces.python import _METHODS
from gieok.surfaces.python_calls import name_calls
from gieok.text.messages import in_language

#: Of each example, one is printed.
_TOLD = (
    "three times",
    "opens at nine",
    "3월 15일",
    "세 번",
    "아홉 시",
    "Leith",
    "성수동",
    "green tea",
    "녹차",
    "Min.",
    "민이야",
    "search_memory",
    "Wednesdays",
    "수요일",
)
#: A framework that an example needs.
_FRAMEWORKS = {
    "langgraph": "langgraph.store",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}
PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("python.md", "python.ko.md")]
EXAMPLES = [
    (page.name, code)
    for page in PAGES
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
]


@pytest.fixture(autouse=True)
def _fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    (tmp_path / "work" / "notes").mkdir(parents=True)
    told = "# Payments 결제\n\nPayments are retried three times.\n결제는 세 번까지 다시 시도한다.\n"
    (tmp_path / "work" / "notes" / "pay.md").write_text(told, encoding="utf-8")
    (tmp_path / "work" / "pay.py").write_text(
        'def retry(payment):\n    """Retry a payment."""\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path / "work")


@pytest.mark.parametrize(("page", "code"), EXAMPLES)
def test_each_example_prints_what_was_told(
    page: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in re.findall(r"gieok\.adapters\.(\w+)", code):
        pytest.importorskip(_FRAMEWORKS[name])
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # `run_sync` of a framework leaves its own open
    exec(compile(code, page, "exec"), {"gieok": gieok, "__name__": "__main__"})
    loop.close()
    shown = capsys.readouterr().out
    assert any(told in shown for told in _TOLD), shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_whole_program_prints_what_its_page_shows(page: Path, tmp_path: Path) -> None:
    shown = re.search(
        r"```python\n([^`]*__main__.*?)```.*?```text\n(.*?)```", page.read_text(), re.DOTALL
    )
    assert shown
    file = tmp_path / "program.py"
    file.write_text(shown[1], encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (ran.stdout, ran.stderr) == (shown[2], "")


def test_what_was_added_is_listed_read_and_forgotten() -> None:
    with gieok.open() as memory:
        assert memory.search("anything") == []
        memory.add("The deploy key lives under ops.", tags=["ops"])
        (hit,) = memory.search("deploy key")
        assert "under ops" in memory.get(hit.handle).text
        assert [row.handle for row in memory.list().memories] == [hit.handle]
        assert memory.forget(hit.handle).found
        assert memory.search("deploy key") == []


def test_a_scope_and_settings_are_given_as_arguments(tmp_path: Path) -> None:
    with gieok.open(tmp_path, scope="agent:main", settings={"search.limit": 1}) as memory:
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "a.md").write_text(
            "# tea\n\ngreen tea at four\n\n# more\n\ngreen tea again\n"
        )
        memory.index(tmp_path / "notes")
        assert len(memory.search("green tea")) == 1
        assert memory.run("status").found


def test_the_public_names_are_listed_before_anybody_used_one() -> None:
    code = "import gieok; print(*dir(gieok))"
    listed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(gieok.__all__) <= set(listed)
    assert "__version__" in listed
    assert listed == sorted(set(listed))


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"scope": "bogus scope!"}, "'bogus scope!'"),
        ({"settings": {"search.limit": "many"}}, "'many'"),
        ({"settings": {"search.limits": 3}}, "search.limits"),
        ({"zone": "Mars/Base"}, "'Mars/Base'"),
    ],
)
def test_a_wrong_argument_is_said_to_be_one_of_the_call(
    tmp_path: Path, arguments: dict[str, Any], named: str, lang: str
) -> None:
    with pytest.raises(BadConfig) as refused:
        gieok.open(tmp_path, **arguments)
    said = in_language(refused.value.args[0], lang)
    assert named in said
    assert "'gieok.open()'" in said
    assert "flag" not in said


def test_a_scope_that_a_program_makes_keeps_records_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        gieok.open(scope="agent:support") as support,
        gieok.open(scope="user:min@example") as other,
    ):
        kept = support.add("Refunds go through the blue desk.")
        assert not support.add("Refunds go through the blue desk.").created
        (hit,) = support.search("who handles refunds")
        kept_handle = hit.handle
        assert "blue desk" in support.get(hit.handle).text
        assert other.search("who handles refunds") == []
        assert other.add("Calls are returned on Mondays.").scope == "user:min@example"
        assert len(support.list().memories) == len(other.list().memories) == 1
        assert kept.scope == "agent:support"
        other.forget(other.search("when are calls returned")[0].handle)
        assert other.list().memories == ()
    with gieok.open() as own:
        assert own.search("who handles refunds") == []
        own.run("export", to=str(tmp_path / "out.jsonl"))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "elsewhere"))
    with gieok.open() as own:
        own.run("import", what=[str(tmp_path / "out.jsonl")])
        assert own.search("who handles refunds") == []
    with gieok.open(scope="agent:support") as support:
        (hit,) = support.search("who handles refunds")
        assert hit.handle == kept_handle


def test_what_a_character_remembers_takes_no_records() -> None:
    with (
        gieok.open(scope="user:kim/character:mina") as memory,
        pytest.raises(gieok.GieokError, match="character"),
    ):
        memory.add("She likes tea.")


def test_records_of_a_project_whose_folder_nobody_knows_are_refused() -> None:
    with (
        gieok.open(scope="project:shop-00000000") as memory,
        pytest.raises(gieok.GieokError, match="no folder"),
    ):
        memory.add("The pump is red.")


def test_a_wrong_parameter_is_named() -> None:
    with gieok.open() as memory, pytest.raises(gieok.GieokError, match="unknown argument 'colour'"):
        memory.run("search", colour="red")


def test_an_editor_sees_the_names_that_a_program_gets() -> None:
    stub = ast.parse(Path(gieok.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    seen = {
        alias.name: getattr(import_module(str(node.module)), alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: getattr(gieok, name) for name in gieok.__all__}


def test_a_command_is_run_by_its_function_and_checked_as_by_its_name() -> None:
    with gieok.open() as memory:
        memory.add("The deploy key lives under ops.")
        by_function = memory.run(search_memory, query=["deploy key"], keyword_only=True)
        by_name = memory.run("search", query=["deploy key"], keyword_only=True)
        assert [hit.handle for hit in by_function.results] == [
            hit.handle for hit in by_name.results
        ]
        assert by_function.found
        with pytest.raises(gieok.GieokError, match=r"^source is 'nowhere'"):
            memory.run(search_memory, query=["deploy key"], source="nowhere")
        assert memory.run(pause_memory, for_="2h").until
        assert memory.run(resume_memory).since


def test_without_a_folder_what_is_added_is_the_users_and_no_folder_is_touched(
    tmp_path: Path,
) -> None:
    before = {*(tmp_path / "work").rglob("*")}
    with gieok.open() as memory:
        assert memory.add("The deploy key lives under ops.").scope == "agent:main"
        assert memory.search("deploy key")
    assert {*(tmp_path / "work").rglob("*")} == before
    with gieok.open(tmp_path / "work") as memory:
        assert memory.add("The office opens at nine.").scope.startswith("project:work-")
        assert memory.search("deploy key")  # the user's own, beside the project's


def test_a_memory_is_updated_and_the_old_words_are_gone() -> None:
    with gieok.open() as memory:
        memory.add("Payments are settled on Tuesdays.")
        (hit,) = memory.search("when are payments settled?")
        updated = memory.update(hit.handle, "Payments are settled on Wednesdays.")
        assert updated.changed
        # as they were written, and not the record's file
        assert updated.before == "Payments are settled on Tuesdays."
        assert updated.text == "Payments are settled on Wednesdays."
        (hit,) = memory.search("when are payments settled?")
        assert hit.handle == updated.handle
        assert "Wednesdays" in hit.snippet
        assert memory.forget(updated.handle).found
        assert memory.search("when are payments settled?") == []

    async def update() -> str:
        async with gieok.open_async() as other:
            await other.add("The office opens at nine.")
            (found,) = await other.search("when does the office open?")
            return (await other.update(found.handle, "The office opens at ten.")).handle

    with gieok.open() as memory:
        assert "at ten" in memory.get(asyncio.run(update())).text


def test_errors_name_parameters_and_not_flags(tmp_path: Path) -> None:
    with gieok.open() as memory:
        memory.add("The deploy key lives under ops.")
        told = []
        for refused in (
            lambda: memory.search("key", source="nowhere"),
            memory.forget,
            lambda: memory.forget("abc12345"),
            lambda: memory.search("key", limit=-1),
            lambda: memory.add(""),
            lambda: memory.run("export", to=str(tmp_path)),
            lambda: memory.run("install", agent="codex", user=True, project=True),
        ):
            with pytest.raises(gieok.GieokError) as error:
                refused()
            told += [str(error.value), error.value.hint]
    assert [text for text in told if "--" in re.sub("`gieok[^`]*`", "", text)] == []
    assert "name memories, or give `match`, `source` or `before`" in told
    assert "give `text`" in told
    assert "name another with `to`" in told
    assert "`user` and `project` exclude each other" in told


@pytest.mark.parametrize(
    ("call", "text", "hint"),
    [
        (lambda memory: memory.update("abc12345", None), "text is None", "it must be a str"),
        (lambda memory: memory.add(5), "text is 5", "it must be a str"),
        (lambda memory: memory.add("Tea at four.", tags=[5]), "tags is 5", "it must be a str"),
        (lambda memory: memory.forget(None), "handles is None", "it must be a str"),
        (lambda memory: memory.search("tea", limit="3"), "limit is '3'", "it must be an int"),
        (
            lambda memory: memory.run("search", query=["tea"], explain=1),
            "explain is 1",
            "it must be a bool",
        ),
        (
            lambda memory: memory.run("search", query=["tea"], min_score="1"),
            "min_score is '1'",
            "it must be a float or an int",
        ),
    ],
)
def test_a_value_of_another_type_is_named_with_the_type_of_python(
    call: Callable[[gieok.Memory], object], text: str, hint: str
) -> None:
    with gieok.open() as memory, pytest.raises(BadRequest) as error:
        call(memory)
    assert (str(error.value), error.value.hint) == (text, hint)


def test_tags_are_one_text_or_several() -> None:
    with gieok.open() as memory:
        memory.add("The deploy key lives under ops.", tags="ops")
        memory.add("The office opens at nine.", tags=["office", "ops"])
        assert len(memory.list(tag="ops").memories) == 2
        assert len(memory.list(tag="office").memories) == 1


def test_a_day_is_a_date_or_a_time_too() -> None:
    with gieok.open() as memory:
        kept = memory.add("The office opens at nine.", until=datetime(2999, 12, 24, 10, tzinfo=UTC))
        assert kept.until == date(2999, 12, 24)
        for since, found in ((date(2026, 1, 1), 1), (date(2999, 1, 1), 0)):
            assert len(memory.search("when does the office open?", since=since)) == found
            assert len(memory.list(since=since).memories) == found


def test_a_folder_that_is_not_there_is_refused_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for opened in (gieok.open, gieok.open_async):
        with pytest.raises(BadRequest, match="no such file or folder"):
            opened(tmp_path / "wrok")
    monkeypatch.setenv("HOME", str(tmp_path))
    with gieok.open("~/work") as memory:
        assert memory.add("The office opens at nine.").scope.startswith("project:work-")
    assert not (tmp_path / "work" / "~").exists()


def test_what_would_be_forgotten_is_shown_and_nothing_goes() -> None:
    with gieok.open() as memory:
        kept = memory.add("The deploy key lives under ops.")
        for preview in (
            memory.forget(kept.handle, dry_run=True),
            memory.forget(match="UNDER OPS", dry_run=True),
            memory.forget(before=date(2999, 1, 1), dry_run=True),
        ):
            assert preview.done is None
            (item,) = preview.planned
            assert item.name.endswith(".md")
            assert "under ops" in item.text
        assert memory.search("deploy key")
        assert memory.forget(match="under ops").done
        assert memory.search("deploy key") == []


def test_the_handle_of_what_was_added_is_that_of_its_hit() -> None:
    with gieok.open() as memory:
        kept = memory.add("The deploy key lives under ops.")
        assert memory.search("deploy key")[0].handle == kept.handle
        assert memory.add("The deploy key lives under ops.").handle == kept.handle


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nope", "`gieok help` shows all"),
        ("serch", "did you mean 'search'?"),
        ("archive statu", "did you mean 'archive status'?"),
        ("", "`gieok help` shows all"),
    ],
)
def test_a_command_that_does_not_exist_is_refused_with_the_closest(name: str, hint: str) -> None:
    with gieok.open() as memory, pytest.raises(BadRequest, match="there is no command") as error:
        memory.run(name)
    assert error.value.hint == hint


def test_an_update_without_a_text_names_the_text_and_changes_nothing() -> None:
    with gieok.open() as memory:
        handle = memory.add("The deploy key lives under ops.").handle
        for text in ("", " \n"):
            with pytest.raises(BadRequest, match="text is missing"):
                memory.update(handle, text)
        assert "under ops" in memory.get(handle).text


def test_errors_name_calls_and_not_commands() -> None:
    with gieok.open() as memory:
        memory.add("The deploy key lives under ops.")
        told = []
        for refused in (
            lambda: memory.forget("abc12345"),
            lambda: memory.update("abc12345", "The key is gone."),
            lambda: memory.run("why", id="abc12345"),
            lambda: memory.run("code query", query=["retry"]),
            lambda: memory.character("kim/../lee", "mina"),
        ):
            with pytest.raises(gieok.GieokError) as error:
                refused()
            told += [str(error.value), error.value.hint]
    assert [text for text in told if "`gieok " in text] == []
    assert (
        "`memory.list()` and `memory.search(query)` show handles; "
        "`match=text` finds by what is said"
    ) in told


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("run `gieok setup`, or `gieok index DIR`", "run `gieok setup`, or `memory.index(dir)`"),
        ('`gieok edit HANDLE "…"`', '`memory.update(handle, "…")`'),
        ("`gieok index --rebuild`", '`memory.run("index", rebuild=True)`'),
        ("`gieok move OLD NEW`", '`memory.run("move", folders=[old, new])`'),
        ("`gieok list --kind turn` shows", '`memory.list(kind="turn")` shows'),
        ("`gieok forget` takes it out", "`memory.forget(handle)` takes it out"),
        ("`gieok index` brings it", "`memory.index()` brings it"),
        ("`gieok edit HANDLE`", "`memory.update(handle, text)`"),
        ("`gieok retire`", '`memory.run("retire", memories=memories)`'),
        ("`gieok down && gieok up`", "`gieok down && gieok up`"),
        (
            "`gieok trust`, `gieok mcp`, `gieok nothing`",
            "`gieok trust`, `gieok mcp`, `gieok nothing`",
        ),
        ("`gieok status --sideways`", "`gieok status --sideways`"),
        ("give --match, or `--scope`", "give `match`, or `scope`"),
    ],
)
def test_a_command_in_a_text_is_the_call_that_does_it(text: str, called: str) -> None:
    assert name_calls(text, _METHODS) == called


def test_a_value_in_a_text_is_left_as_the_caller_wrote_it() -> None:
    text = Phrase("no {name!r}; `gieok restore {name}` first", name="`gieok list`")
    assert name_calls(text, _METHODS) == (
        'no \'`gieok list`\'; `memory.run("restore", memories="`gieok list`")` first'
    )


def test_each_method_that_stands_for_a_command_runs_it() -> None:
    ran = {
        command: re.search(r"self\.run\(\s*(\w+)", inspect.getsource(method))
        for command, method in _METHODS.items()
    }
    functions = {command: load_command(command).function.__name__ for command in _METHODS}
    assert {command: found and found[1] for command, found in ran.items()} == functions


def test_what_is_added_until_a_day_ends_by_itself() -> None:
    with gieok.open() as memory:
        assert memory.add("Staging is read-only.", until="2031-03-05").until == date(2031, 3, 5)
        assert memory.add("The lift is broken.", until=date(2031, 3, 6)).until == date(2031, 3, 6)
        with pytest.raises(gieok.GieokError):
            memory.add("The bridge is closed.", until="someday")


def test_days_of_a_user_are_counted_in_the_zone_of_their_account() -> None:
    now = datetime(2026, 3, 2, 22, tzinfo=UTC)  # the 3rd in Seoul
    with gieok.open() as memory:
        house = memory.call.home.house
        house.accounts.describe("kim", "Asia/Seoul", "ko", "", now)
        for user, day in (("kim", "3월 4일"), ("lee", "3월 3일")):
            character = memory.character(user, "mina", zone="" if user == "kim" else "UTC")
            character.hear("내일 면접이야", at=now)
            assert day in house.memory.memories(Bond(user, "mina")).facts[0].object
