"""The commands on a project's code, from the command line to what is on disk."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from contexts import using, watching

from gieok import fs
from gieok.code.index import ownership
from gieok.code.index.ignore_rules import IgnoreRules
from gieok.commands import load_command
from gieok.commands.code.ask import render_code_model_answer
from gieok.commands.code.escalate import render_escalation
from gieok.commands.code.init import CodeSyncResult
from gieok.commands.code.watch import select_indexable_paths
from gieok.commands.command import Style, Surface
from gieok.commands.request import check_request, request_schema
from gieok.errors import BadRequest, GeneratorFailed, NotIndexed
from gieok.flow.generate import Asker
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.ports.code import SyntaxNode
from gieok.ports.models import Prompt
from gieok.surfaces.cli import main
from gieok.testing.model_server import ModelServer, read_request_text
from gieok.testing.scripted_generator import Answer, ScriptedGenerator

Json = Any
Run = Callable[..., Json]
_FILES = {
    "shop/__init__.py": "",
    "shop/money.py": "def convert(x):\n    return x * 2\n\n\ndef spare():\n    return 1\n",
    "shop/cart.py": (
        "from shop.money import convert\n\n\nclass Cart:\n    def total(self):\n        return "
        "convert(1)\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total()\n"
    ),
}


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def _git(root: Path, *arguments: str) -> None:
    identity = (
        "-c",
        "user.name=Kim",
        "-c",
        "user.email=kim@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shop-project"
    _write(root, _FILES)
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_LANG", "en")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run(shop: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs `gieok ARGUMENTS --json` and gives the parsed output, and with `status`
    checks the exit status.
    """

    def call(*arguments: str, status: int = 0) -> Json:
        assert main([*arguments, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return call


def test_init_reports_and_leaves_its_folder_out_of_git(run: Run, shop: Path) -> None:
    found = run("code", "init")
    assert (found["files"], found["added"], found["linked"]) == (4, 4, True)
    assert (shop / ".gieok/code/.gitignore").read_text(encoding="utf-8").endswith("*\n")
    row = json.loads((shop / ".gieok/code/logs/changes.jsonl").read_text(encoding="utf-8"))
    assert (row["trigger"], row["created"], row["status"]) == ("init", 4, "done")
    again = run("code", "sync")
    assert (again["unchanged"], again["linked"]) == (4, False)


def test_init_counts_the_files_of_kinds_that_it_does_not_read(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(shop, {"docs/a.rst": "Guide\n=====\n", "docs/a.css": "", "docs/b.css": "", "MORE": ""})
    found = run("code", "init")
    assert (found["files"], found["unread_kinds"]) == (5, {".css": 2, "MORE": 1})
    assert run("code", "sync")["unread_kinds"] is None
    main(["code", "init"])
    assert "  3 files of kinds that are not read: .css 2, MORE 1" in capsys.readouterr().out
    main(["code", "sync", "docs/a.rst"])
    main(["code", "show", "docs/a.rst:Guide"])
    assert "docs/a.rst:1-3  Guide  concept" in capsys.readouterr().out


def test_what_is_called_and_named_on_one_line_is_told_once(run: Run, shop: Path) -> None:
    _write(
        shop,
        {
            "web/button.jsx": "export function Button() { return <b/>; }\n",
            "web/app.jsx": "import { Button } from './button';\n"
            "export function App() {\n  return <Button as={Button}/>;\n}\n"
            "export function Other() {\n  return <Link as={Button}/>;\n}\n",
        },
    )
    run("code", "init")
    (button,) = run("code", "show", "Button")["symbols"]
    assert [(row["symbol"], row["kind"], row["line"]) for row in button["callers"]] == [
        ("web/app.jsx::App", "calls", 3),
        ("web/app.jsx::Other", "references", 6),
    ]
    assert button["callers_total"] == 2


def test_what_only_a_model_writes_is_said_to_need_one(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("code", "init")
    record = run("code", "status")["record"]
    assert [name for name, text in record.items() if text is None] == [
        "philosophy",
        "constraints",
        "roadmap",
        "completion",
    ]
    main(["code", "status"])
    assert "  roadmap: –, needs a model" in capsys.readouterr().out.splitlines()
    run("code", "export")
    page = (shop / ".gieok/code/exports/intelligence.md").read_text(encoding="utf-8")
    assert "**Completion.** –, needs a model\n" in page
    assert "**Architecture.** 4 files" in page


def test_the_page_of_a_project_is_in_the_language_of_whoever_wrote_it(run: Run, shop: Path) -> None:
    run("code", "init")
    run("code", "export", "--lang", "ko")
    folder = shop / ".gieok/code/exports"
    page = (folder / "intelligence.md").read_text(encoding="utf-8")
    assert "**구조.** 파일 4개" in page
    assert "**완성도.** –, 모델이 필요함\n" in page
    assert "| 부분 | 파일 | 줄 |" in page
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings
    assert not [line for line in headings if line.isascii()]
    assert "줄</text>" in (folder / "graph.svg").read_text(encoding="utf-8")


def test_the_log_names_gits_user_or_else_the_agent_that_ran_the_sync(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "COPILOT_CLI", "GIT_AUTHOR_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")

    def who() -> str | None:
        log = (shop / ".gieok/code/logs/changes.jsonl").read_text(encoding="utf-8")
        name: str | None = json.loads(log.splitlines()[-1])["who"]
        return name

    def change(text: str) -> str | None:
        (shop / "shop/money.py").write_text(text, encoding="utf-8")
        run("code", "sync")
        return who()

    run("code", "init")
    assert who() is None
    monkeypatch.setenv("CODEX_THREAD_ID", "1")
    assert change("A = 1\n") == "codex"
    _git(shop, "init", "-q")
    _git(shop, "config", "user.email", "lee@example.com")
    assert change("A = 2\n") == "lee@example.com"
    _git(shop, "config", "user.name", "Lee")
    assert change("A = 3\n") == "Lee"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Park")
    assert change("A = 4\n") == "Park"


def test_one_file_is_one_file(run: Run, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in _FILES:
        (shop / path).unlink()
    (shop / "one.py").write_text("A = 1\n", encoding="utf-8")
    main(["code", "init"])
    assert capsys.readouterr().out.startswith("1 file: 1 added,")


def test_a_repository_inside_of_an_indexed_folder_is_a_project_of_its_own(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("code", "init")
    _write(shop / "vendor/tool", {"a.py": "def inner(): ...\n"})
    _git(shop / "vendor/tool", "init", "-q")
    monkeypatch.chdir(shop / "vendor/tool")
    assert run("code", "query", "inner", status=2)["error"]["code"] == "not_indexed"
    assert run("code", "init")["root"] == str(shop / "vendor/tool")


def test_status_names_the_files_that_are_indexed_in_part_and_why(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "broken.py").write_text("def broken(:\n", encoding="utf-8")
    run("code", "init")
    assert [n["path"] for n in run("code", "status")["notes"]] == ["broken.py"]
    main(["code", "status"])
    assert "note: broken.py: did not parse" in capsys.readouterr().out


def test_a_query_says_that_vectors_wait(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("code", "init")
    assert run("code", "query", "convert")["degraded"] is None
    monkeypatch.delenv("GIEOK_EMBEDDER")
    waits = run("code", "query", "convert")["degraded"]
    assert waits.count("no vector yet") == 1
    assert waits.endswith("makes them")
    main(["code", "query", "convert", "--lang", "ko"])
    said = capsys.readouterr().out
    assert "아직 벡터가 없음" in said
    assert "no vector yet" not in said
    assert "makes them" not in said
    assert run("code", "query", "convert", "--keyword-only")["degraded"] is None


def test_commands_without_an_index_say_what_to_run(run: Run) -> None:
    for arguments in (
        ["query", "x"],
        ["show", "x"],
        ["impact", "x"],
        ["sync"],
        ["status"],
        ["export"],
    ):
        assert run("code", *arguments, status=2)["error"]["code"] == "not_indexed"


def test_query_and_show_answer_from_a_folder_below(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("code", "init")
    monkeypatch.chdir(shop / "tests")
    found = run("code", "query", "convert")
    assert found["results"][0]["symbol"] == "convert"
    assert found["results"][0]["callers"] == 1
    assert found["freshness"]["dirty"] == 0
    shown = run("code", "show", "convert")["symbols"][0]
    assert [edge["symbol"] for edge in shown["callers"]] == ["shop/cart.py::Cart.total"]
    assert shown["code"] == "def convert(x):\n    return x * 2"
    assert run("code", "show", "nothing_of_that_name", status=2)["error"]["code"] == "bad_request"


def test_a_path_may_be_relative_to_the_folder_below_or_to_the_project(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("code", "init")
    monkeypatch.chdir(shop / "shop")
    assert [
        run("code", "impact", path)["changed"]
        for path in ("money.py", "shop/money.py", "../shop/money.py")
    ] == [["shop/money.py::<module>"]] * 3
    assert run("code", "show", "cart.py:Cart.total")["total"] == 1
    assert run("code", "sync", "money.py", "shop/cart.py")["unchanged"] == 2
    assert (
        "outside of the project"
        in run("code", "impact", "../../money.py", status=2)["error"]["message"]
    )


def test_the_status_of_an_empty_folder_has_no_empty_lines(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "empty").mkdir()
    monkeypatch.chdir(shop / "empty")
    assert main(["code", "init"]) == main(["code", "status"]) == 0
    assert all(line.strip() for line in capsys.readouterr().out.splitlines())


def test_every_count_has_its_korean_name(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("code", "init")
    assert main(["code", "stats", "--lang", "ko"]) == 0
    labels = [
        line.partition(":")[0]
        for line in capsys.readouterr().out.splitlines()
        if not line.startswith(" ")
    ]
    assert [label for label in labels if not re.search("[가-힣]", label)] == []


def test_a_file_that_is_not_there_or_left_out_is_named(run: Run, shop: Path) -> None:
    (shop / "least.js").write_text("a;" * 9_000, encoding="utf-8")
    run("code", "init")
    assert "no file 'least.js'" in run("code", "impact", "least.js", status=2)["error"]["message"]
    for arguments, hint in (
        (("impact", "lib/money.py"), "near: shop/money.py"),
        (("sync", "lib/money.py"), "code sync"),
    ):
        error = run("code", *arguments, status=2)["error"]
        assert "no file 'lib/money.py'" in error["message"]
        assert hint in error["hint"]


def test_impact_has_the_documented_shape(run: Run) -> None:
    run("code", "init")
    found = run("code", "impact", "shop/money.py")
    assert set(found) >= {"symbols", "files", "tests", "unresolved", "freshness"}
    assert [s["symbol"] for s in found["symbols"]] == ["Cart.total"]
    assert [t["symbol"] for t in found["tests"]] == ["test_total"]
    assert found["tests"][0]["via"][0]["from"] == "tests/test_cart.py::test_total"
    assert found["run"] == {
        "count": 1,
        "held": 1.0,
        "command": "pytest tests/test_cart.py::test_total",
    }
    assert (found["also"], found["counts"]["tests"], found["counts"]["test_files"]) == ([], 1, 1)
    assert found["tests"][0]["chance"] > 0.5
    assert len(run("code", "impact", "shop/money.py", "--limit", "1")["files"]) == 1
    assert found["unresolved"]["count"] == 0
    assert run("code", "impact", "../outside.py", status=2)["error"]["code"] == "bad_request"
    assert run("code", "impact", status=2)["error"]["code"] == "bad_request"


def test_a_model_may_ask_for_the_impact_of_a_diff_alone() -> None:
    row = load_command("code impact")
    assert request_schema(row, Surface.MCP)["required"] == []
    assert check_request(row, {"diff": "HEAD"}, Surface.MCP)["diff"] == "HEAD"


def test_a_diff_is_mapped_to_symbols_and_what_it_deletes_is_found_in_the_old_version(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _git(shop, "init", "-q")
    _git(shop, "add", ".")
    _git(shop, "commit", "-qm", "first")
    run("code", "init")
    assert main(["code", "impact", "--diff", "HEAD"]) == 0
    assert capsys.readouterr().out == "No indexed code has changed.\n"
    text = (shop / "shop/money.py").read_text(encoding="utf-8")
    (shop / "shop/money.py").write_text(text.replace("convert", "exchange"), encoding="utf-8")
    run("code", "sync")
    found = run("code", "impact", "--diff", "HEAD")
    assert found["deleted"] == ["shop/money.py::convert"]
    assert "shop/money.py::exchange" in found["changed"]
    assert [t["symbol"] for t in found["tests"]] == ["test_total"]
    assert found["freshness"]["commit"] == found["freshness"]["head"]
    assert (
        run("code", "impact", "--diff", "no-such-revision", status=2)["error"]["code"]
        == "bad_request"
    )
    _git(shop, "checkout", "-q", "--detach")
    assert run("code", "sync")["failed"] == []


def test_a_diff_without_git_says_so(run: Run) -> None:
    run("code", "init")
    assert "git" in run("code", "impact", "--diff", "HEAD", status=2)["error"]["message"]


def test_one_process_at_a_time_reads_and_links(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = []
    parse = TreeSitterParser.parse

    def watched(self: TreeSitterParser, grammar: str, source: bytes) -> SyntaxNode:
        with fs.exclusive(
            ownership.find_index_lock(shop.parent / "home", shop, "sync"), wait=False
        ) as is_free:
            free.append(is_free)
        return parse(self, grammar, source)

    monkeypatch.setattr(TreeSitterParser, "parse", watched)
    (shop / "a.go").write_text("package a\n", encoding="utf-8")
    run("code", "init")
    assert free == [False]


def test_sync_of_one_file_sees_its_removal(run: Run, shop: Path) -> None:
    run("code", "init")
    (shop / "shop/cart.py").unlink()
    found = run("code", "sync", "shop/cart.py")
    assert (found["removed"], found["linked"]) == (1, True)
    assert run("code", "impact", "shop/money.py")["symbols"] == []


def test_watch_syncs_what_is_indexed_and_nothing_else(shop: Path, run: Run) -> None:
    run("code", "init")

    class Scripted:
        def changes(
            self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
        ) -> Iterator[set[Path]]:
            yield {folders[0] / ".gieok" / "code" / "index.sqlite"}
            (folders[0] / "new.py").write_text("def fresh(): ...\n", encoding="utf-8")
            yield {folders[0] / "new.py"}
            raise KeyboardInterrupt

    context = watching(open_call({}), Scripted)
    result = load_command("code watch")(context)
    assert result.change.touched == ["new.py"]


def test_watch_sees_a_folder_that_is_moved(shop: Path, run: Run) -> None:
    run("code", "init")

    class Scripted:
        def changes(
            self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
        ) -> Iterator[set[Path]]:
            before, after = folders[0] / "tests", folders[0] / "spec"
            before.rename(after)
            yield {before, after}

    result = load_command("code watch")(watching(open_call({}), Scripted))
    assert result.change.touched == ["spec/test_cart.py", "tests/test_cart.py"]


def test_without_an_index_what_is_gone_counts_and_what_is_left_out_does_not(shop: Path) -> None:
    _write(shop, {"node_modules/x.py": "", "build_notes.txt": "", "out/made.py": ""})
    changed = {
        shop / path
        for path in (
            "shop/cart.py",
            "gone.py",
            "gone_folder",
            "tests",
            "node_modules/x.py",
            "build_notes.txt",
            "out/made.py",
            "gone.txt",
            ".gieok/code/index.sqlite",
        )
    }
    assert select_indexable_paths(
        shop, {*changed, shop.parent / "elsewhere.py"}, IgnoreRules(("out/",))
    ) == [
        "gone.py",
        "gone_folder",
        "shop/cart.py",
        "tests",
    ]


def test_the_daemon_one_change_and_the_end_exclude_each_other(run: Run) -> None:
    run("code", "init")
    assert "exclude" in run("code", "watch", "--daemon", "--once", status=2)["error"]["message"]


def test_the_git_hook_is_chained_and_taken_out_again(run: Run, shop: Path) -> None:
    run("code", "init")
    assert run("code", "install-hook", status=2)["error"]["code"] == "bad_request"
    _git(shop, "init", "-q")
    mine = shop / ".git/hooks/post-commit"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("#!/bin/sh\necho mine\nexit 0\n", encoding="utf-8")
    for _ in range(2):
        assert len(run("code", "install-hook")["hooks"]) == 4
    text = mine.read_text(encoding="utf-8")
    assert text.count("gieok code sync") == 1
    assert text.index("gieok code sync") < text.index("exit 0")
    run("code", "install-hook", "--remove")
    assert mine.read_text(encoding="utf-8") == "#!/bin/sh\necho mine\nexit 0\n"
    assert not (shop / ".git/hooks/post-merge").exists()


def test_status_stats_validate_and_export_tell_of_the_project(run: Run, shop: Path) -> None:
    run("code", "init")
    assert run("code", "validate")["quality"] >= 80
    status = run("code", "status")
    assert (status["files"], status["kinds"]["function"], status["quality"] >= 80) == (4, 3, True)
    assert run("code", "stats")["syncs"] == 1
    files = run("code", "export")["files"]
    assert [Path(file).name for file in files] == ["intelligence.md", "graph.svg"]
    assert (shop / ".gieok/code/logs/validations.jsonl").exists()


_RECORD = '{"architecture": "A shop.", "philosophy": "Small."}'


def _context(model: ScriptedGenerator | None) -> Call:
    """Return a context whose model is this one; it waits for nothing."""
    context = open_call({})
    if model is None:
        return context
    asker = Asker(
        "code", model, context.home.journal, context.clock, UTC, lambda seconds: None, 1_000_000
    )
    return using(context, open_code_asker=lambda root, name="": asker)


def _says(prompt: Prompt) -> str:
    """Answer as a model that does what it is asked to."""
    if "architecture" in prompt.system:
        return _RECORD
    return json.dumps(
        dict.fromkeys(
            re.findall(r"^(\d+)\n<code>", prompt.text, re.MULTILINE), "It does what it says."
        )
    )


def test_a_new_class_asks_for_a_deeper_look_until_a_model_took_it(run: Run, shop: Path) -> None:
    run("code", "init")
    (shop / "shop/order.py").write_text("class Order:\n    def pay(self): ...\n", encoding="utf-8")
    run("code", "sync")
    assert run("code", "query", "pay")["pending"] is True
    escalate = load_command("code escalate")
    with pytest.raises(BadRequest):
        escalate(_context(None))
    result = escalate(_context(ScriptedGenerator(_says)))
    assert result.reasons == ("new module shop/order.py", "new class shop/order.py::Order")
    assert result.summaries == 2, "the module and the class; the method has one line"
    assert run("code", "query", "pay")["pending"] is False
    assert "It does what it says." in [
        r["summary"] for r in run("code", "query", "Order")["results"]
    ]
    assert run("code", "escalate", status=1)["reasons"] == []
    (shop / "shop/bill.py").write_text("class Bill:\n    def send(self): ...\n", encoding="utf-8")
    run("code", "sync")
    dismissed = escalate(_context(None), dismiss=True)
    assert render_escalation(dismissed, Style("en", colour=False)).splitlines() == [
        "forgotten without a look:",
        "  new module shop/bill.py",
        "  new class shop/bill.py::Bill",
    ]


def test_tests_documents_and_what_only_moved_ask_for_no_deeper_look(run: Run, shop: Path) -> None:
    (shop / "shop/old.py").write_text("class Till:\n    def pay(self): ...\n", encoding="utf-8")
    run("code", "init")
    (shop / "tests").mkdir(exist_ok=True)
    (shop / "tests/test_till.py").write_text("class TestTill:\n    def test_it(self): ...\n")
    (shop / "NOTES.md").write_text("# Notes\n\nThe till is old.\n")
    (shop / "shop/till").mkdir()
    (shop / "shop/old.py").rename(shop / "shop/till/old.py")
    assert run("code", "sync")["escalation"] == []
    (shop / "shop/till/new.py").write_text("class Drawer:\n    def open(self): ...\n")
    assert run("code", "sync")["escalation"] == [
        "new module shop/till/new.py",
        "new class shop/till/new.py::Drawer",
    ]


def test_only_the_same_code_has_moved_and_each_that_is_gone_counts_once(
    run: Run, shop: Path
) -> None:
    (shop / "shop/old.py").write_text("class Config:\n    shop = 1\n", encoding="utf-8")
    run("code", "init")
    (shop / "shop/old.py").unlink()
    (shop / "shop/web").mkdir()
    (shop / "shop/web/old.py").write_text("class Config:\n    port = 80\n", encoding="utf-8")
    assert run("code", "sync")["escalation"] == [
        "new module shop/web/old.py",
        "new class shop/web/old.py::Config",
    ]
    run("code", "escalate", "--dismiss")
    (shop / "shop/web/old.py").rename(shop / "shop/one.py")
    (shop / "shop/two.py").write_bytes((shop / "shop/one.py").read_bytes())
    assert run("code", "sync")["escalation"] == [
        "new module shop/two.py",
        "new class shop/two.py::Config",
    ]


def test_a_move_that_two_syncs_see_asks_for_no_deeper_look(run: Run, shop: Path) -> None:
    till = "class Till:\n    def pay(self): ...\n"
    (shop / "shop/old.py").write_text(till, encoding="utf-8")
    run("code", "init")
    (shop / "shop/old.py").unlink()
    assert run("code", "sync")["escalation"] == []
    (shop / "shop/new.py").write_text(till, encoding="utf-8")
    assert run("code", "sync")["escalation"] == []
    (shop / "shop/copy.py").write_text(till, encoding="utf-8")
    assert run("code", "sync")["escalation"] == [
        "new module shop/copy.py",
        "new class shop/copy.py::Till",
    ]


def test_a_move_of_which_a_sync_sees_the_new_place_alone_asks_for_no_deeper_look(
    run: Run, shop: Path
) -> None:
    (shop / "shop/old.py").write_text("class Till:\n    def pay(self): ...\n", encoding="utf-8")
    run("code", "init")
    (shop / "shop/old.py").rename(shop / "shop/new.py")
    assert run("code", "sync", "--file", "shop/new.py")["escalation"] == []
    assert run("code", "sync")["escalation"] == []


def test_a_new_file_without_symbols_asks_for_no_deeper_look(run: Run, shop: Path) -> None:
    run("code", "init")
    (shop / "shop/parts").mkdir()
    (shop / "shop/parts/__init__.py").write_text('"""Parts."""\n', encoding="utf-8")
    assert run("code", "sync")["escalation"] == []
    (shop / "shop/parts/wheel.py").write_text("def turn(): ...\n", encoding="utf-8")
    assert run("code", "sync")["escalation"] == ["new module shop/parts/wheel.py"]


def test_what_went_long_ago_and_a_list_that_is_none_count_for_nothing(run: Run, shop: Path) -> None:
    till = "class Till:\n    def pay(self): ...\n"
    (shop / "shop/old.py").write_text(till, encoding="utf-8")
    run("code", "init")
    (shop / "shop/old.py").unlink()
    run("code", "sync")
    gone = shop / ".gieok/code/logs/gone.json"
    rows = json.loads(gone.read_text(encoding="utf-8"))
    assert {row[0] for row in rows} == {"shop/old.py::<module>", "shop/old.py::Till"}
    old = [[*row[:3], "2020-01-01T00:00:00+00:00"] for row in rows]
    for number, text in enumerate((json.dumps(old), "[[1]]", "no list")):
        gone.write_text(text, encoding="utf-8")
        name = f"shop/new_{number}.py"
        (shop / name).write_text(till + f"N = {number}\n", encoding="utf-8")
        assert run("code", "sync")["escalation"][-1] == f"new class {name}::Till"


def test_tests_documents_and_moved_files_count_to_no_large_change(run: Run, shop: Path) -> None:
    (shop / "tests").mkdir(exist_ok=True)
    for number in range(12):
        (shop / f"shop/part_{number}.py").write_text(f"PART = {number}\n")
        (shop / f"tests/test_{number}.py").write_text(f"def test_{number}(): ...\n")
        (shop / f"TEXT_{number}.MD").write_text("# Text\n")
    run("code", "init")
    (shop / "shop/parts").mkdir()
    for number in range(12):
        name = f"part_{number}.py"
        (shop / "shop" / name).rename(shop / "shop/parts" / name)
        (shop / f"tests/test_{number}.py").write_text(f"def test_more_{number}(): ...\n")
        (shop / f"TEXT_{number}.MD").write_text("# Texts\n")
    assert run("code", "sync")["escalation"] == []
    for number in range(12):
        (shop / f"shop/parts/part_{number}.py").write_text("PART = 99\n")
    assert run("code", "sync")["escalation"] == ["12 files changed at once"]


def test_a_validation_asks_what_tests_are_called_and_counts_where_that_leads(
    run: Run, shop: Path
) -> None:
    def read_answers() -> tuple[float, str, float]:
        row = next(c for c in run("code", "validate")["checks"] if c["name"] == "answers")
        return row["share"], row["detail"], row["weight"]

    run("code", "init")
    assert read_answers() == (1.0, "no test is named in three words or more", 0)
    _write(
        shop,
        {
            "shop/ledger.py": "def settle_payment(amount):\n    return amount\n\n\n"
            "def zeta(entry):\n    return entry\n",
            "tests/test_ledger.py": "from shop.ledger import settle_payment, zeta\n\n\n"
            "def test_a_payment_is_settled_once():\n    assert settle_payment(1)\n\n\n"
            # Nothing of the code says what this one means.
            "def test_rows_survive_restarts():\n    assert zeta(1)\n",
        },
    )
    run("code", "sync")
    share, detail, weight = read_answers()
    assert (share, detail) == (0.5, "1 of 2 tests find what they call by their name")
    assert 0 < weight < 1, "two questions say little"


def test_ask_answers_over_code_and_keeps_five_exchanges(run: Run, shop: Path) -> None:
    run("code", "init")
    model = ScriptedGenerator(*(f"answer {n}" for n in range(7)))
    ask = load_command("ask")
    for number in range(7):
        result = ask(
            _context(model),
            question=[f"question {number} convert"],
            files=["shop/money.py:5-6"],
        )
    assert result.answer == "answer 6"
    asked = [prompt.text for prompt in model.prompts]
    assert "shop/money.py#L5-L6" in asked[0]
    assert "def spare" in asked[0]
    assert "question 1 " in asked[6]
    assert "question 0 " not in asked[6]
    with pytest.raises(BadRequest):
        ask(_context(None), question=["x"])


def test_a_model_that_describes_the_project_is_told_what_its_modules_say_of_themselves(
    run: Run, shop: Path
) -> None:
    _write(
        shop,
        {
            "shop/ledger.py": '"""Ledger: each payment stands twice."""\n',
            "tests/test_ledger.py": '"""Checks the ledger."""\n',
            "README.md": "# Shop\n",
        },
    )
    generator = ScriptedGenerator(_says)
    load_command("code init")(_context(generator), full=True)
    (text,) = (prompt.text for prompt in generator.prompts if "README" in prompt.system)
    assert "shop/ledger.py: Ledger: each payment stands twice.\n" in text
    assert "Checks the ledger" not in text
    assert "# Shop" in text


def test_a_model_that_describes_the_project_is_told_an_analysis_of_its_code(
    run: Run, shop: Path
) -> None:
    _write(
        shop,
        {
            "shop/ring.py": "from shop.back import give\n\n\ndef take(x):\n    return give(x)\n",
            "shop/back.py": "from shop.ring import take\n\n\ndef give(x):\n    return take(x)\n",
            "shop/serve.py": "from shop.money import convert\n\n\ndef main():\n    # TODO: refunds\n"
            "    print(convert(2))\n",
            "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\n'
            'shop = "shop.serve:main"\n',
        },
    )
    generator = ScriptedGenerator(_says)
    load_command("code init")(_context(generator), full=True)
    (text,) = (prompt.text for prompt in generator.prompts if "README" in prompt.system)
    assert "shop/serve.py: files 1, lines 7, test files 0; imports money.py (1)\n" in text
    assert "shop/back.py → shop/ring.py → shop/back.py" in text
    assert "shop → shop.serve:main" in text
    assert "shop/serve.py#L5 TODO refunds" in text
    assert "shop/money.py::convert (shop/money.py#L" in text
    assert "print(convert(2))" in text


def test_a_model_that_describes_the_project_is_told_no_secret_and_no_manifest_that_is_left_out(
    run: Run, shop: Path
) -> None:
    # The manifest is told in part, and the token stands where that part ends.
    settings = '[project]\nname = "shop"\n'.ljust(2_975, "#") + "\n"
    token = f"ghp_{'aB3dE5fG7h' * 4}"[:40]
    (shop / "pyproject.toml").write_text(f'{settings}mirror = "{token}"\n', encoding="utf-8")
    (shop / "package.json").write_text('{"name": "not-for-a-model"}\n', encoding="utf-8")
    (shop / ".gitignore").write_text("package.json\n", encoding="utf-8")
    generator = ScriptedGenerator(_says)
    load_command("code init")(_context(generator), full=True)
    (text,) = (prompt.text for prompt in generator.prompts if "README" in prompt.system)
    assert 'name = "shop"' in text
    assert token[:8] not in text
    assert "not-for-a-model" not in text


def test_a_models_record_of_the_project_is_kept_where_it_is_usable(run: Run, shop: Path) -> None:
    init = load_command("code init")

    def note(answer: Answer) -> str:
        result = init(_context(ScriptedGenerator(answer)), full=True)
        assert isinstance(result, CodeSyncResult)
        return result.note

    assert note(_says) == ""
    assert note("not asked: it would be told the same") == ""
    (shop / "README.md").write_text("# Shop\n", encoding="utf-8")
    assert "JSON" in note("no json")
    assert "503" in note(GeneratorFailed("503", worth_retrying=True))
    assert run("code", "status")["record"]["architecture"] == "A shop."


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_model_behind_an_address_is_asked_without_secrets_and_its_tokens_are_counted(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pydantic_ai")
    server = ModelServer()
    try:
        server.script = [_RECORD, '{"1": "A", "2": "B", "3": "C"}', "In shop/money.py#L1-L2."]
        monkeypatch.setenv("GIEOK_CODE_MODEL", "compatible:local")
        monkeypatch.setenv("GIEOK_CODE_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("GIEOK_CODE_KEY_VARIABLE", "MY_KEY")
        monkeypatch.setenv("MY_KEY", "of-compatible")
        (shop / "README.md").write_text("password = hunter2hunter2\n", encoding="utf-8")
        assert run("code", "init", "--full")["note"] is None
        assert run("ask", "where is money converted", "--model", "compatible:better")[
            "answer"
        ].startswith("In shop")
        assert [body["model"] for _, body in server.requests] == ["local", "local", "better"]
        assert {headers["authorization"] for headers in server.headers} == {"Bearer of-compatible"}
        assert "hunter2hunter2" not in read_request_text(server.requests[0][1])
        assert run("code", "stats")["tokens"] == 3 * (11 + 7)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_address_of_one_provider_is_not_used_for_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("code", "init")
    monkeypatch.setenv("GIEOK_CODE_MODEL", "openai:local")
    monkeypatch.setenv("GIEOK_CODE_BASE_URL", "http://127.0.0.1:9/v1")
    found = run("ask", "x", "--model", "compatible:other", status=2)["error"]
    assert "needs its address" in found["message"]


def test_models_are_named_as_provider_and_model_and_only_where_one_is_asked(run: Run) -> None:
    run("code", "init")
    assert "openai" in run("ask", "x", "--model", "gpt", status=2)["error"]["hint"]
    assert run("code", "init", "--model", "openai:x", status=2)["error"]["code"] == "bad_request"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_people_read_every_answer_in_their_language(run: Run, shop: Path, lang: str) -> None:
    run("code", "init")
    (shop / "shop/order.py").write_text("class Order: ...\ndef broken(:\n", encoding="utf-8")
    context = open_call({"lang": lang})
    for name, arguments in (
        ("code sync", {}),
        ("code query", {"query": ["convert"]}),
        ("code show", {"symbol": "convert"}),
        ("code impact", {"target": "shop/money.py"}),
        ("code status", {}),
        ("code stats", {}),
        ("code validate", {}),
        ("code export", {}),
    ):
        found = load_command(name)
        shown = found.present(found(context, **arguments), Style(lang, colour=False))
        assert shown.strip()


def test_coverage_is_taken_in_shown_and_forgotten(
    run: Run, shop: Path, coverage_data: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run("code", "init")
    assert "--cov-context=test" in run("code", "coverage", status=2)["error"]["hint"]
    assert run("code", "status")["coverage"]["pairs"] == 0
    (shop / "shop/late.py").write_text("def late():\n    return 1\n", encoding="utf-8")
    context = "tests/test_cart.py::test_total|run"
    ran = {
        "shop/money.py": {context: [2, 6]},
        "shop/late.py": {context: [2]},
        "/usr/lib/x.py": {context: [1]},
    }
    coverage_data(shop / ".coverage", {**ran, "shop/cart.py": {context: [6], "nightly": [1]}})
    found = run("code", "coverage")
    assert found == {
        "pairs": 4,
        "tests": 1,
        "files": 3,
        "changed": [],
        "outside": 1,
        "unknown": ["nightly"],
        "unknown_count": 1,
        "kept": {"pairs": 4, "tests": 1, "functions": 4, "changed": 0, "gone": 0},
    }
    test = run("code", "impact", "shop/money.py:spare")["tests"][0]
    assert (test["symbol"], test["tier"], test["weakest"]) == (
        "test_total",
        0,
        "ran under coverage",
    )
    assert run("code", "show", "spare")["symbols"][0]["callers"] == []
    status, stats = run("code", "status"), run("code", "stats")
    assert (status["coverage"]["functions"], status["edges"].get("ran")) == (4, None)
    assert stats["executions"]["pairs"] == 4
    assert stats["coverage_at"] == status["coverage"]["at"]
    for lang, words in (("en", "ran under coverage"), ("ko", "커버리지에서 실행함")):
        assert main(["code", "impact", "shop/money.py:spare", "--lang", lang]) == 0
        assert words in capsys.readouterr().out
    for name, request in (("code coverage", {}), ("code status", {}), ("code stats", {})):
        for lang in ("en", "ko"):
            row = load_command(name)
            result = row(open_call({"lang": lang}), **request)
            assert row.present(result, Style(lang, colour=False)).strip()
    assert run("code", "coverage", "--forget")["kept"]["pairs"] == 0
    assert {test["tier"] for test in run("code", "impact", "shop/money.py:spare")["tests"]} <= {4}


def test_patterns_of_the_projects_own_settings_are_left_out(run: Run, shop: Path) -> None:
    run("code", "init")
    (shop / ".gieok/code/config.yaml").write_text("ignore: [tests/]\n", encoding="utf-8")
    assert run("code", "sync")["removed"] == 1
    (shop / ".gieok/code/config.yaml").write_text("run: rm\n", encoding="utf-8")
    assert run("code", "sync", status=2)["error"]["code"] == "bad_config"


def test_an_index_that_came_with_a_repository_is_not_believed_and_made_anew(
    run: Run,
    shop: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "theirs"))
    run("code", "init")
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    (shop / "shop/money.py").write_text("def honest():\n    return 1\n", encoding="utf-8")
    for arguments in (["query", "convert"], ["sync"], ["status"]):
        error = run("code", *arguments, status=2)["error"]
        assert (error["code"], "not made by you" in error["message"]) == ("not_indexed", True)
    assert main(["code", "init", "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["added"], "made anew" in err) == (4, True)
    assert run("code", "query", "honest")["results"][0]["symbol"] == "honest"
    assert run("code", "sync")["unchanged"] == 4


def test_an_index_that_a_pull_put_in_place_of_ours_is_not_believed(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index = shop / ".gieok/code/index.sqlite"
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "theirs"))
    run("code", "init")
    open_call({}).home.open_project(shop).store.close()
    theirs = index.read_bytes()
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    run("code", "init")
    for file in index.parent.glob("index.sqlite*"):
        file.unlink()
    index.write_bytes(theirs)
    assert run("code", "query", "convert", status=2)["error"]["code"] == "not_indexed"
    run("code", "init")
    assert run("code", "query", "convert")["results"]


def test_the_context_refuses_where_nothing_is_indexed(shop: Path) -> None:
    found = load_command("code query")
    with pytest.raises(NotIndexed):
        found(open_call({}), query=["x"])


def test_the_folder_of_the_users_own_memory_is_no_project(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(shop))
    assert main(["code", "init"]) == 2
    assert "your own memory" in capsys.readouterr().err
    assert not (shop / ".gieok").exists()


def test_where_nothing_answers_it_is_said_and_a_score_is_a_probability(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run("code", "init")
    nowhere = run("code", "query", "return the chocolate cake to the oven")
    assert nowhere["is_unsure"] is True
    assert all(0 <= row["score"] < 0.4 for row in nowhere["results"])
    main(["code", "query", "return the chocolate cake to the oven"])
    assert "Nothing surely answers that. The nearest" in capsys.readouterr().out
    named = run("code", "query", "Cart.total")
    assert (named["is_unsure"], named["results"][0]["score"]) == (False, 0.99)
    main(["code", "query", "Cart.total"])
    assert "99% sure" in capsys.readouterr().out
    # of a question in one's own words the score tells nearly nothing
    own = run("code", "query", "where is the money converted")
    assert own["results"][0]["why"] == "words"
    main(["code", "query", "where is the money converted"])
    assert "%" not in capsys.readouterr().out


def test_keywords_are_the_name_its_words_parameters_and_calls(run: Run, shop: Path) -> None:
    _write(
        shop,
        {
            "shop/order.py": "from shop.money import convert\n\n\n"
            "def place_order(self, cart, *, card=None) -> None:\n"
            "    convert(cart)\n    return None\n\n\nclass Order:\n    def pay(self, amount): ...\n",
            "web/app.js": "export function showCart({ items }, page) { return draw(page); }\n"
            "function draw(page) { return page; }\n",
        },
    )
    run("code", "init")

    def keywords(name: str) -> list[str]:
        return run("code", "show", name)["symbols"][0]["keywords"]

    assert keywords("place_order") == ["place_order", "place", "order", "cart", "card", "convert"]
    assert keywords("Order.pay") == ["pay", "amount"]
    assert keywords("Order") == ["Order"]
    assert keywords("showCart") == ["showCart", "show", "cart", "page", "draw"]
    assert not {"def", "none", "return", "self"} & set(keywords("convert"))


@pytest.mark.parametrize("command", ["query", "show", "impact", "explore"])
def test_what_waits_for_a_deeper_look_is_said_with_each_answer(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    run("code", "init")
    _write(shop, {"shop/order.py": "class Order:\n    paid = True\n"})
    run("code", "sync")
    capsys.readouterr()
    main(["code", command, "convert"])
    assert "`gieok code escalate`" in capsys.readouterr().out


def test_what_waits_for_a_deeper_look_is_said_with_a_models_answer_too(
    run: Run, shop: Path
) -> None:
    run("code", "init")
    _write(shop, {"shop/order.py": "class Order:\n    paid = True\n"})
    run("code", "sync")
    result = load_command("ask")(_context(ScriptedGenerator("it is there")), question=["convert"])
    assert "`gieok code escalate`" in render_code_model_answer(result, Style("en", colour=False))


def test_the_log_names_the_symbols_that_a_sync_changed(run: Run, shop: Path) -> None:
    run("code", "init")
    _write(shop, {"shop/money.py": "def convert(x):\n    return x * 3\n\n\ndef fresh(): ...\n"})
    run("code", "sync")
    log = (shop / ".gieok/code/logs/changes.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(log[0])["symbols"] == {}, "a first index is no change"
    assert json.loads(log[-1])["symbols"] == {
        "created": ["shop/money.py::fresh"],
        "updated": ["shop/money.py::<module>", "shop/money.py::convert"],
        "deleted": ["shop/money.py::spare"],
    }


@pytest.mark.parametrize("arguments", [("shop/money.py",), ("--file", "shop/money.py")])
def test_a_file_to_sync_is_named_in_either_way(
    run: Run, shop: Path, arguments: tuple[str, ...]
) -> None:
    run("code", "init")
    _write(shop, {"shop/money.py": "def convert(x): ...\n", "shop/cart.py": "x = 1\n"})
    assert run("code", "sync", *arguments)["changed"] == 1
    both = run("code", "sync", "shop/money.py", "--file", "shop/cart.py")
    assert (both["changed"], both["unchanged"]) == (1, 1)


@pytest.mark.parametrize("flag", ["--limit", "-k", "--k", "--top-k"])
def test_the_number_of_answers_has_other_names(run: Run, flag: str) -> None:
    run("code", "init")
    assert len(run("code", "query", "cart total money", flag, "1")["results"]) == 1


def test_the_number_of_answers_is_a_setting_of_the_project(shop: Path, run: Run) -> None:
    run("code", "init")
    _write(shop, {".gieok/code/config.yaml": "search: {default_top_k: 2}\n"})
    run("trust", "--yes")
    assert len(run("code", "query", "cart total money")["results"]) == 2
    assert len(run("code", "query", "cart total money", "--limit", "3")["results"]) == 3


@pytest.mark.parametrize("changed", [".gieok/code/config.yaml", "shop/cart.py"])
def test_watch_takes_new_settings_for_every_file(shop: Path, run: Run, changed: str) -> None:
    long = "def walk():\n" + "".join(f"    step_{n} = {n}\n" for n in range(60))
    _write(shop, {"shop/long.py": long})
    run("code", "init")

    class Scripted:
        def changes(
            self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
        ) -> Iterator[set[Path]]:
            _write(shop, {".gieok/code/config.yaml": "chunking: {largest: 400}\n"})
            assert main(["trust", "--yes"]) == 0
            yield {folders[0] / changed}

    load_command("code watch")(watching(open_call({}), Scripted))
    waiting = open_call({}).home.open_project(shop).store.unembedded()
    assert sum(path == "shop/long.py" for _, path, _ in waiting) > 1
