"""Summaries by models, over the wire: a loopback server stands for the provider, everything else is
the product.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gieok.code.deepen import escalation, summarise
from gieok.code.index import project as code_project
from gieok.code.index import watch_list
from gieok.code.index.project import Project
from gieok.code.report import validate as checks
from gieok.code.report.validate import Validation
from gieok.commands.code.upkeep import keep_child_project_up, validate_watched_projects
from gieok.commands.code.validate import validate_project
from gieok.home.calls import open_call
from gieok.ports.models import Embedder
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.surfaces.cli import main
from gieok.testing.model_server import ModelServer, read_request_text
from gieok.text.tokens import estimate_tokens

Json = Any
Run = Callable[..., Json]
_TOKENS = 11 + 7  # what the server says of every answer
_MONEY = '''RATE = 2


def convert(x):
    """Turn into the other currency."""
    password = "hunter2hunter2"
    return x * RATE


def spare():
    return 1
'''
_CART = """from shop.money import convert


class Cart:
    def total(self, items):
        items = list(items)
        return sum(convert(item) for item in items)

    def clear(self):
        self.items = [convert(0)]
        return self
"""
_TEST = """from shop.cart import Cart


def test_total():
    cart = Cart()
    assert cart.total([1]) == 2
"""

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    made.script = [_says]
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> Path:
    root = tmp_path / "shop-project"
    for path, text in {
        "shop/money.py": _MONEY,
        "shop/cart.py": _CART,
        "tests/test_cart.py": _TEST,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for name, value in {
        "HOME": tmp_path / "home",
        "EMBEDDER": "none",
        "LANG": "en",
        "CODE_MODEL": "compatible:strong",
        "CODE_BASE_URL": f"{server.url}/v1",
        "CODE_UPKEEP_MODEL": "compatible:cheap",
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run(shop: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs `gieok code ARGUMENTS --json` and gives the parsed output, and with `status`
    checks the exit status.
    """

    def call(*arguments: str, status: int = 0) -> Json:
        assert main(["code", *arguments, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return call


def _pieces(body: Json) -> dict[str, str]:
    """Return number → symbol of what a request asks about."""
    return dict(
        re.findall(r"^(\d+)\n<code>\n(\S+)$", body["messages"][-1]["content"], re.MULTILINE)
    )


def _says(body: Json) -> str:
    """Answer as a model that does what it is asked to."""
    if pieces := _pieces(body):
        return (
            "```json\n"
            + json.dumps({n: f"{body['model']} on {key}." for n, key in pieces.items()})
            + "\n```"
        )
    return '{"architecture": "A shop."}'


def _asked(server: ModelServer) -> list[tuple[str, list[str]]]:
    """Return the model and the symbols of each request, and forget the requests."""
    found = [(body["model"], list(_pieces(body).values())) for _, body in server.requests]
    server.requests.clear()
    return found


def _edit(root: Path, before: str, after: str, path: str = "shop/money.py") -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert before in text
    (root / path).write_text(text.replace(before, after), encoding="utf-8")


def _last_change(root: Path) -> Json:
    return json.loads(
        (root / ".gieok/code/logs/changes.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    )


def _summary(run: Run, name: str) -> tuple[str, str | None]:
    shown = run("show", name)["symbols"][0]
    return shown["summary"], shown["summary_by"]


def test_a_full_init_summarises_what_is_worth_it_in_one_request_and_never_again(
    run: Run, shop: Path, server: ModelServer
) -> None:
    found = run("init", "--full")
    assert found["note"] is None
    assert found["summaries"] == {"written": 6, "waiting": 0, "tokens": 2 * _TOKENS}
    secrets = [read_request_text(body) for _, body in server.requests]
    assert not any("hunter2" in text for text in secrets)
    assert "[redacted:password]" in secrets[1]
    description, summaries = _asked(server)
    assert description == ("strong", [])
    # Most depended on first; no tests, and nothing as short as `spare`.
    assert summaries[0] == "strong"
    assert summaries[1][0] == "shop/money.py::convert"
    assert set(summaries[1]) == {
        "shop/cart.py::<module>",
        "shop/cart.py::Cart",
        "shop/cart.py::Cart.clear",
        "shop/cart.py::Cart.total",
        "shop/money.py::<module>",
        "shop/money.py::convert",
    }
    assert (_last_change(shop)["tokens"], _last_change(shop)["status"]) == (2 * _TOKENS, "done")
    assert _last_change(shop)["model"] == "compatible:strong"
    again = run("init", "--full")
    assert (_asked(server), again["summaries"]["tokens"], again["note"]) == ([], 0, None)
    stats = run("stats")
    assert (stats["tokens"], stats["upkeep_tokens"], stats["model_summaries"]) == (
        2 * _TOKENS,
        0,
        6,
    )


def test_short_functions_and_tests_are_summarised_where_the_project_wants_them(
    run: Run, shop: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run("init")
    config = shop / ".gieok/code/config.yaml"
    config.write_text("summaries: {least_lines: 1, tests: 1}\n", encoding="utf-8")
    # Until a person trusts the file, what it asks for is not paid for.
    assert "`summaries`" in run("init", "--full")["note"]
    assert "shop/money.py::spare" not in _asked(server)[1][1]
    assert main(["trust", "--yes"]) == 0
    capsys.readouterr()
    run("init", "--full")
    _, asked = _asked(server)[-1]
    assert {"shop/money.py::spare", "tests/test_cart.py::test_total"} <= set(asked)


def test_summaries_by_a_model_are_in_every_answer(run: Run, shop: Path) -> None:
    run("init", "--full")
    text = "strong on shop/money.py::convert."
    assert _summary(run, "convert") == (text, "compatible:strong")
    assert _summary(run, "spare")[1] is None
    answer = next(r for r in run("query", "convert")["results"] if r["symbol"] == "convert")
    assert (answer["summary"], answer["summary_by"]) == (text, "compatible:strong")
    page = Path(run("export")["files"][0]).read_text(encoding="utf-8")
    assert f"  - `convert` (L4): {text}\n" in page
    assert "- `shop/cart.py`: strong on shop/cart.py::<module>.\n" in page


def test_a_sync_lets_the_cheap_model_summarise_what_changed_and_a_revert_costs_nothing(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init", "--full")
    _asked(server)
    store = open_call({}).home.open_project(shop).store
    graph = list(store.all_symbols()), list(store.all_edges())
    _edit(shop, "x * RATE", "x * RATE + 1")
    found = run("sync")
    # What the module is, as a model is shown it, did not change: nobody is asked.
    assert _asked(server) == [("cheap", ["shop/money.py::convert"])]
    assert found["summaries"] == {"written": 2, "waiting": 0, "tokens": _TOKENS}
    assert run("show", "shop/money.py")["symbols"][0]["summary_by"] == "compatible:strong"
    assert (_last_change(shop)["tokens"], _last_change(shop)["model"]) == (
        _TOKENS,
        "compatible:cheap",
    )
    assert _summary(run, "convert") == ("cheap on shop/money.py::convert.", "compatible:cheap")
    _edit(shop, "x * RATE + 1", "x * RATE")
    assert run("sync")["summaries"]["tokens"] == 0
    assert _summary(run, "convert")[1] == "compatible:strong"
    assert _asked(server) == []
    assert (list(store.all_symbols()), list(store.all_edges())) == graph
    assert run("stats")["upkeep_tokens"] == _TOKENS
    roles = {
        role.partition(" project:")[0] for _, role in open_call({}).home.journal.usage(_today())
    }
    assert roles == {"code", "code upkeep"}


def _today() -> Any:
    return open_call({}).clock.now().date().min


def test_without_models_nothing_is_asked_and_nothing_waits(
    run: Run, shop: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_CODE_MODEL", "")
    monkeypatch.setenv("GIEOK_CODE_UPKEEP_MODEL", "")
    run("init", "--full")
    _edit(shop, "x * RATE", "x + RATE")
    assert run("sync")["summaries"] == {"written": 0, "waiting": 0, "tokens": 0}
    assert server.requests == []
    assert run("stats")["waiting_summaries"] == 0
    assert _summary(run, "convert") == ("Turn into the other currency.", None)


def test_what_the_cheap_model_fails_at_waits_for_the_next_sync_and_the_index_is_there(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init")
    assert server.requests == [], "the first index is no change"
    server.script = [(500, b"{}")]
    _edit(shop, "x * RATE", "x + RATE")
    found = run("sync")
    assert len(server.requests) == 1, (
        "it is tried at the next sync, not again and again in this one"
    )
    assert "answered 500" in found["note"]
    assert found["summaries"]["waiting"] == 2
    assert "x + RATE" in run("show", "convert")["symbols"][0]["code"]
    check = next(c for c in run("validate")["checks"] if c["name"] == "summaries fresh")
    assert (check["ok"], "2 changed and wait" in check["detail"]) == (False, True)
    server.script = [_says]
    _asked(server)
    later = run("sync")
    assert (later["unchanged"], later["summaries"]["written"], later["note"]) == (3, 2, None)
    row = _last_change(shop)
    assert (row["files"], row["tokens"]) == ([], _TOKENS)
    assert run("validate")["checks"][6]["ok"] is True


def test_code_that_is_gone_before_it_could_be_summarised_is_not_paid_for(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init")
    server.script = [(500, b"{}")]
    _edit(shop, "x * RATE", "x + RATE")
    run("sync")
    server.script = [_says]
    _asked(server)
    (shop / "shop/money.py").unlink()
    assert run("sync")["summaries"] == {"written": 0, "waiting": 0, "tokens": 0}
    assert _asked(server) == []


def test_a_run_stays_within_its_tokens_says_what_is_left_and_goes_on_the_next_time(
    run: Run, shop: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_CODE_SUMMARY_TOKENS", "200")
    found = run("init", "--full")
    assert 0 < found["summaries"]["waiting"] < 6
    assert "code.summary_tokens" in found["note"]
    assert found["summaries"]["written"] + found["summaries"]["waiting"] == 6
    first = [key for _, keys in _asked(server) for key in keys]
    assert first[0] == "shop/money.py::convert"
    monkeypatch.setenv("GIEOK_CODE_SUMMARY_TOKENS", "200000")
    assert run("init", "--full")["summaries"]["waiting"] == 0
    (second,) = _asked(server)
    assert sorted(second[1] + first) == sorted({*second[1], *first}), "nothing is asked twice"


def test_code_that_changes_while_a_model_answers_gets_no_summary_of_other_code(
    run: Run, shop: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summarise, "_MOST_AT_ONCE", 1)

    def edits(body: Json) -> str:
        if next(iter(_pieces(body).values()), "") == "shop/money.py::convert":
            _edit(
                shop,
                "class Cart:",
                "class Trolley:\n    def other(self): ...\n\n\nclass Cart:",
                "shop/cart.py",
            )
            code_project.sync_project(open_call({}).home.open_project(shop))
        return _says(body)

    server.script = [edits]
    found = run("init", "--full")
    assert "passed over" in found["note"]
    asked = {read_request_text(body) for _, body in server.requests}
    for symbol in run("show", "Cart.total")["symbols"]:
        assert symbol["summary_by"] == "compatible:strong", "it moved, and is what it was"
    assert run("show", "shop/cart.py")["symbols"][0]["summary_by"] is None
    assert not any("shop/cart.py::<module>" in text for text in asked)


def test_the_daily_cap_holds_for_summaries(
    run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_DAILY_TOKENS", "10")
    found = run("init", "--full")
    assert "observe.daily_tokens" in found["note"]
    assert (server.requests, found["added"], found["summaries"]["waiting"]) == ([], 3, 6)


def test_a_model_that_is_refused_is_asked_once_and_leaves_the_index_whole(
    run: Run, server: ModelServer
) -> None:
    server.script = [(401, b"{}")]
    found = run("init", "--full")
    assert len(server.requests) == 1
    assert ("answered 401" in found["note"], found["summaries"]["waiting"], found["added"]) == (
        True,
        6,
        3,
    )
    assert run("query", "convert")["results"]


def test_an_answer_that_was_cut_off_counts_as_far_as_it_goes(run: Run, server: ModelServer) -> None:
    server.script = [
        '{"architecture": "A shop."}',
        '{"1": "The rate.", "2": "Half an',
        '{"9": "x", "77": "no such number"}',
    ]
    found = run("init", "--full")
    assert found["summaries"]["written"] == 1
    assert "5 symbols have no summary" in found["note"]
    assert _summary(run, "convert")[0] == "The rate."
    again = run("init", "--full")
    assert "summarised nothing" in again["note"]


def test_an_escalation_has_the_strong_model_look_at_what_the_cheap_one_summarised(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init")
    (shop / "shop/order.py").write_text(
        "class Order:\n    def pay(self):\n        x = 1\n        return x\n", encoding="utf-8"
    )
    run("sync")
    assert {model for model, _ in _asked(server)} == {"cheap"}
    done = run("escalate")
    assert (done["summaries"], done["quality"]) == (3, 100), "the index is checked behind the look"
    log = (shop / ".gieok/code/logs/validations.jsonl").read_text(encoding="utf-8")
    assert json.loads(log.splitlines()[-1])["quality"] == 100
    assert _summary(run, "Order.pay") == (
        "strong on shop/order.py::Order.pay.",
        "compatible:strong",
    )
    row = _last_change(shop)
    assert (row["trigger"], row["tokens"], row["status"]) == ("escalate", 2 * _TOKENS, "done")
    assert row["model"] == "compatible:strong"
    _asked(server)
    server.script = [(401, b"{}")]
    (shop / "shop/bill.py").write_text("class Bill:\n    paid = True\n", encoding="utf-8")
    run("sync")
    assert run("escalate", status=2)["error"]["code"] == "generator_failed"
    assert run("query", "convert")["pending"] is True, "what failed stays"


def test_what_another_process_syncs_while_the_strong_model_looks_waits_for_the_next_look(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init")
    (shop / "shop/order.py").write_text(
        "class Order:\n    paid = True\n    open = True\n", encoding="utf-8"
    )
    run("sync")
    _asked(server)

    def meanwhile(body: Json) -> str:
        if not (shop / "shop/bill.py").exists():
            (shop / "shop/bill.py").write_text(
                "class Bill:\n    paid = True\n    open = True\n", encoding="utf-8"
            )
            code = "from gieok.surfaces.cli import main; raise SystemExit(main(['code', 'sync']))"
            subprocess.run([sys.executable, "-c", code], cwd=shop, check=True, capture_output=True)
        return _says(body)

    server.script = [meanwhile]
    run("escalate")
    assert {model for model, _ in _asked(server)} == {"strong"}, "one at a time"
    waiting = escalation.read_pending(shop)
    assert waiting is not None
    assert waiting.reasons == ("new module shop/bill.py", "new class shop/bill.py::Bill")
    run("escalate")
    assert escalation.read_pending(shop) is None


def test_a_full_read_asks_for_no_deeper_look_and_nothing_is_paid_twice(
    run: Run, shop: Path, server: ModelServer
) -> None:
    run("init", "--full")
    assert escalation.read_pending(shop) is None
    (shop / "shop/order.py").write_text(
        "class Order:\n    def pay(self):\n        x = 1\n        return x\n", encoding="utf-8"
    )
    run("sync")
    assert escalation.read_pending(shop) is not None
    before = run("estimate")
    assert before["escalate"]["symbols"] == 3
    run("init", "--full")
    again = run("estimate")
    assert again["full"] == {"symbols": 0, "requests": 0, "tokens": 0, "dollars": None}
    _asked(server)
    run("escalate")
    run("init", "--full")
    asked = _asked(server)
    assert {model for model, _ in asked} == {"strong"}
    assert sorted(key for _, keys in asked for key in keys) == [
        "shop/order.py::<module>",
        "shop/order.py::Order",
        "shop/order.py::Order.pay",
    ], "each once"
    assert run("estimate")["full"]["tokens"] == 0
    run("escalate", status=1)
    run("init", "--full")
    assert _asked(server) == []


def test_what_a_run_costs_is_said_before_it_and_near_what_it_is(
    run: Run, shop: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run("init")
    _asked(server)
    told = run("estimate")["full"]
    assert not _asked(server), "an estimate asks no model"
    assert (told["symbols"], told["requests"], told["dollars"]) == (6, 2, None)
    capsys.readouterr()
    printed_before = list[str]()

    def asked(body: Json) -> str:
        printed_before.append(capsys.readouterr().err)
        return _says(body)

    server.script = [asked]
    main(["code", "init", "--full"])
    words = f"6 summaries in 2 requests: about {told['tokens']:,} tokens"
    assert words in printed_before[0], "before the first request"
    sent = sum(estimate_tokens(read_request_text(body)) for _, body in server.requests)
    answered = 6 * 30 * 2  # a sentence of thirty words, at two tokens a word
    assert told["tokens"] == pytest.approx(sent + answered, rel=0.25)


@pytest.mark.parametrize(
    ("model", "own", "words"),
    [
        ("gemini:gemini-2.5-flash", "", "less than $0.01"),
        ("gemini:gemini-2.5-flash-lite", "", "less than $0.01"),
        ("openai:gpt-5-mini", "", "less than $0.01"),
        ("anthropic:claude-opus-4-1", "", "about $0."),
        ("compatible:strong", "", "whose price is not known"),
        ("claude-code:opus", "", "whose price is not known"),
        ("compatible:strong", "1000", "about $"),
        ("compatible:strong", "0.1", "less than $0.01"),
        ("compatible:strong", "0", "less than $0.01"),
        ("gemini:gemini-2.5-flash", "1000", "about $"),
        ("ollama:qwen3", "0", "less than $0.01"),
    ],
)
def test_a_known_price_is_said_however_little_it_is(
    run: Run,
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model: str,
    own: str,
    words: str,
) -> None:
    del shop
    run("init")
    monkeypatch.setenv("GIEOK_CODE_MODEL", model)
    for name in ("IN", "OUT") if own else ():
        monkeypatch.setenv(f"GIEOK_OBSERVE_PRICE_{name}", own)
    told = run("estimate")["full"]["dollars"]
    assert (told is None) == ("not known" in words)
    main(["code", "estimate"])
    assert words in capsys.readouterr().out.splitlines()[0]


def test_an_estimate_is_of_the_model_that_is_named_and_without_one_of_tokens(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del shop
    run("init")
    set_model = run("estimate")
    named = run("estimate", "--model", "gemini:gemini-2.5-flash")
    assert (named["model"], named["full"]["symbols"]) == ("gemini:gemini-2.5-flash", 6)
    assert named["full"]["dollars"] > 0
    monkeypatch.delenv("GIEOK_CODE_MODEL")
    bare = run("estimate")
    assert (bare["model"], bare["full"]) == (None, set_model["full"])
    main(["code", "estimate"])
    full, escalate, note = capsys.readouterr().out.splitlines()
    assert full.endswith(f"6 summaries in 2 requests: about {bare['full']['tokens']:,} tokens")
    assert escalate.endswith("nothing is left to be paid for")
    assert note.startswith("No model is set")


def test_an_estimate_reads_each_file_once(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(60))
    (shop / "shop/many.py").write_text(many, encoding="utf-8")
    run("init")
    read = list[str]()
    get = ProjectStore.get

    def counted(self: ProjectStore, scope: Any, keys: Any) -> Any:
        read.extend(keys)
        return get(self, scope, keys)

    monkeypatch.setattr(ProjectStore, "get", counted)
    told = run("estimate")["full"]
    assert (told["symbols"], told["requests"]) == (6 + 60 + 1, 7)
    assert read.count("shop/many.py") == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("escalation: {files: -1}", "whole number from 0"),
        ("search: {tests: many}", "whole number from 0 to 1000"),
        ("chunking: {largest: 10}", "whole number from 200"),
        ("search: {weight: 3}", "unknown setting"),
        ("command: rm", "unknown setting"),
        ("escalation: 3", "name: number"),
    ],
)
def test_settings_of_a_project_are_checked(run: Run, shop: Path, text: str, problem: str) -> None:
    run("init")
    (shop / ".gieok/code/config.yaml").write_text(text, encoding="utf-8")
    assert problem in run("sync", status=2)["error"]["message"]


def test_thresholds_passages_and_weights_of_a_project_are_its_settings(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("init")
    config = shop / ".gieok/code/config.yaml"
    config.write_text("escalation: {new_modules: 0, new_classes: 2}\n", encoding="utf-8")
    (shop / "shop/order.py").write_text("class Order:\n    paid = True\n", encoding="utf-8")
    assert run("sync")["escalation"] == []
    long = "".join(f"    step_{n} = {n}\n" for n in range(60))
    (shop / "shop/long.py").write_text(f"def walk():\n{long}", encoding="utf-8")
    run("sync")
    before = _count_passages(shop)
    assert run("query", "total cart")["results"][0]["path"] == "shop/cart.py"
    config.write_text("chunking: {largest: 400}\nsearch: {tests: 900}\n", encoding="utf-8")
    assert main(["trust", "--yes", "--json"]) == 0
    capsys.readouterr()
    run("sync")
    after = _count_passages(shop)
    assert after["shop/long.py"] > before["shop/long.py"] == 1
    assert {**before, "shop/long.py": 0} == {**after, "shop/long.py": 0}, "others are short"
    assert run("query", "total cart")["results"][0]["path"] == "tests/test_cart.py"


def _count_passages(root: Path) -> Counter[str]:
    waiting = open_call({}).home.open_project(root).store.unembedded()
    return Counter(path for _, path, _ in waiting)


def test_another_provider_has_an_address_of_its_own(
    run: Run, shop: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init")
    monkeypatch.setenv("GIEOK_CODE_MODEL", "openai:strong")
    monkeypatch.setenv("GIEOK_CODE_BASE_URL", "http://127.0.0.1:9/v1")
    _edit(shop, "x * RATE", "x + RATE")
    found = run("sync")
    assert ("needs its address" in found["note"], found["summaries"]["waiting"]) == (True, 2)
    monkeypatch.setenv("GIEOK_CODE_UPKEEP_BASE_URL", f"{server.url}/v1")
    assert run("sync")["summaries"]["written"] == 2
    assert _asked(server)[0][0] == "cheap"


def test_the_daemon_validates_what_it_watches_once_a_change_and_looks_where_that_is_wanted(
    run: Run, shop: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validations() -> int:
        log = shop / ".gieok/code/logs/validations.jsonl"
        return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0

    def work() -> str:
        return validate_watched_projects(open_call({}), lambda: False)

    run("init")
    assert (work(), validations()) == ("", 0), "nobody asked the daemon to watch it"
    watch_list.watch_project(open_call({}).home.folder, shop)
    assert (work(), validations()) == ("validated 1", 1)
    assert (work(), validations()) == ("", 1), "nothing has changed"
    (shop / "shop/order.py").write_text("class Order:\n    paid = True\n    a = 1\n", "utf-8")
    run("sync")
    _asked(server)
    assert (work(), validations()) == ("validated 1", 2)
    assert _asked(server) == [], "a strong model is paid only where that is wanted"
    assert escalation.read_pending(shop) is not None
    monkeypatch.setenv("GIEOK_CODE_ESCALATE_BY_ITSELF", "true")
    assert work() == ""
    assert {model for model, _ in _asked(server)} == {"strong"}
    assert escalation.read_pending(shop) is None
    assert (work(), _asked(server)) == ("", [])


def test_a_project_that_cannot_be_validated_does_not_delay_the_others(
    run: Run, shop: Path, tmp_path: Path
) -> None:
    run("init")
    home = open_call({}).home.folder
    foreign = tmp_path / "a-foreign"
    for root in (foreign, shop):
        watch_list.watch_project(home, root)
    (foreign / ".gieok/code").mkdir(parents=True)
    (foreign / ".gieok/code/index.sqlite").write_bytes(b"x")
    watch_list.watch_project(home, tmp_path / "gone")
    said = validate_watched_projects(open_call({}), lambda: False)
    assert said.startswith("validated 1; ")
    assert "was not made by you" in said
    assert (shop / ".gieok/code/logs/validations.jsonl").exists()


def test_a_validation_that_dies_is_said_of_its_project(
    run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init")
    watch_list.watch_project(open_call({}).home.folder, shop)
    (tmp_path / "dying").mkdir()
    (tmp_path / "dying/sitecustomize.py").write_text("import os\nos._exit(1)\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "dying"))
    said = validate_watched_projects(open_call({}), lambda: False)
    assert said == f"{shop}: the validation ended without an answer"


@pytest.fixture
def keep_up(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], Json]:
    """Let a validated project be looked at without a person; return what does what the daemon's
    child process does, and says what came of it.
    """
    run("init")
    monkeypatch.setenv("GIEOK_CODE_ESCALATE_BY_ITSELF", "true")
    monkeypatch.setattr(sys, "argv", ["", str(shop)])

    def work() -> Json:
        keep_child_project_up()
        return json.loads(capsys.readouterr().out)

    work()
    return work


_VALIDATED = {"validated": True, "error": ""}
_UNCHANGED = {"validated": False, "error": ""}


def _add_class(run: Run, shop: Path, name: str) -> None:
    (shop / "shop/order.py").write_text(f"class {name}:\n    paid = True\n    a = 1\n", "utf-8")
    run("sync")


def test_a_file_that_a_repository_brings_starts_no_look(
    run: Run, shop: Path, server: ModelServer, keep_up: Callable[[], Json]
) -> None:
    pending = shop / ".gieok/code/escalation/pending.json"
    pending.parent.mkdir(exist_ok=True)
    row = {"since": "", "reasons": ["x"], "files": ["shop/cart.py"]}
    pending.write_text(json.dumps(row), encoding="utf-8")
    _asked(server)
    assert (keep_up(), _asked(server)) == (_UNCHANGED, [])
    _add_class(run, shop, "Order")
    waiting = escalation.read_pending(shop)
    assert waiting is not None
    assert len(waiting.reasons) > 1, "what is added to such a file waits for a person"
    _asked(server)
    assert (keep_up(), _asked(server)) == (_VALIDATED, [])
    run("escalate", "--dismiss")
    _add_class(run, shop, "Bill")
    _asked(server)
    keep_up()
    assert _asked(server) != []


def test_a_look_that_fails_is_tried_once_until_its_reasons_change(
    run: Run,
    shop: Path,
    server: ModelServer,
    keep_up: Callable[[], Json],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_DAILY_TOKENS", "1")
    _add_class(run, shop, "Order")
    row = keep_up()
    assert row["validated"]
    assert row["error"]
    monkeypatch.delenv("GIEOK_OBSERVE_DAILY_TOKENS")
    _asked(server)
    assert (keep_up(), _asked(server)) == (_UNCHANGED, [])
    assert escalation.read_pending(shop) is not None
    _add_class(run, shop, "Bill")
    _asked(server)
    assert keep_up() == _VALIDATED
    assert _asked(server) != []
    assert escalation.read_pending(shop) is None


def test_a_sync_during_the_checks_asks_for_the_next_validation(
    run: Run, shop: Path, keep_up: Callable[[], Json]
) -> None:
    check = checks.validate

    def check_after_sync(project: Project, embedder: Embedder | None) -> list[Validation]:
        (shop / "shop/later.py").write_text("def later(): ...\n", encoding="utf-8")
        run("sync")
        return check(project, embedder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "validate", check_after_sync)
        call = open_call({})
        validate_project(call, call.home.open_project(shop))
    assert keep_up() == _VALIDATED
