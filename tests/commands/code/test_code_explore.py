"""`code explore` and the middle size of `code show`: what is shown, from where, and within which
budget.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gieok.surfaces import tools
from gieok.surfaces.cli import main
from gieok.text.tokens import estimate_tokens

Run = Callable[..., Any]

_METHODS = "".join(
    (
        f"    def step_{n}(self, amount: int) -> int:\n        return self.ledger.post(amount + "
        f"{n})\n\n"
    )
    for n in range(40)
)
_FILES = {
    "bank/ledger.py": (
        "class Ledger:\n    def post(self, amount):\n        return self._write(amount)\n\n"
        "    def _write(self, amount):\n        # a refund & a <fee> are `written` alike\n    "
        "    return amount\n"
    ),
    "bank/teller.py": (
        "from bank.ledger import Ledger\n\n\n"
        'class Teller:\n    """Serves people."""\n\n    def __init__(self):\n        '
        f"self.ledger = Ledger()\n\n{_METHODS}"
        "    def refund(self, amount):\n"
        + "".join(f"        amount += {n}\n" for n in range(30))
        + ""
        "        return self.ledger.post(-amount)\n"
    ),
    "bank/lonely.py": "def weather():\n    return 'rain'\n",
    "bank/front.py": (
        "from bank.teller import Teller\n\n\ndef complain(amount):\n    return "
        "Teller().refund(amount)\n"
    ),
    "tests/test_teller.py": (
        "from bank.front import complain\n\n\ndef test_complaints_are_refunded():\n    assert "
        "complain(3)\n"
    ),
}


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (
        ("GIEOK_HOME", str(tmp_path / "home")),
        ("GIEOK_EMBEDDER", "none"),
        ("GIEOK_LANG", "en"),
    ):
        monkeypatch.setenv(name, value)
    root = tmp_path / "bank-project"
    for path, text in _FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    assert main(["code", "init", "--json"]) == 0
    return root


@pytest.fixture
def run(bank: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    capsys.readouterr()

    def call(*arguments: str, status: int = 0) -> Any:
        assert main([*arguments, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return call


def _path(found: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (
            p["from"].partition("::")[2],
            [(s["citation"], s["to"].partition("::")[2]) for s in p["steps"]],
        )
        for p in found["paths"]
    ]


def test_the_path_between_two_named_symbols_is_shown_with_the_places_of_its_calls(run: Run) -> None:
    last = _FILES["bank/teller.py"].count("\n")
    found = run("code", "explore", "complain", "Ledger._write")
    way = [
        ("bank/front.py:5", "Teller.refund"),
        (f"bank/teller.py:{last}", "Ledger.post"),
        ("bank/ledger.py:3", "Ledger._write"),
    ]
    assert _path(found) == [("complain", way)]
    assert [s["symbol"] for s in found["symbols"]] == [
        "complain",
        "Ledger._write",
        "Teller.refund",
        "Ledger.post",
    ]
    assert [test["citation"] for test in found["tests"]] == ["tests/test_teller.py:4"]
    assert _path(run("code", "explore", "Ledger._write", "complain")) == [("complain", way)]


def test_what_no_path_joins_is_said_to_be_apart(run: Run) -> None:
    found = run("code", "explore", "weather", "complain")
    assert found["paths"] == []
    assert [[key.partition("::")[2] for key in pair] for pair in found["apart"]] == [
        ["weather", "complain"]
    ]
    assert (
        "none found between weather and complain"
        in tools.answer_tool_call("code_explore", {"query": ["weather", "complain"]}).text
    )


def test_a_question_is_answered_by_what_it_names_and_by_what_is_found(run: Run) -> None:
    found = run("code", "explore", "how is a refund written to the ledger by Teller.refund?")
    assert found["symbols"][0]["symbol"] == "Teller.refund"
    assert {"Ledger.post", "Ledger._write"} <= {s["symbol"] for s in found["symbols"]}


def test_parts_of_a_long_function_are_lines_of_the_file_and_those_of_the_path_are_among_them(
    run: Run,
) -> None:
    lines = _FILES["bank/teller.py"].split("\n")
    found = run("code", "explore", "complain", "Ledger._write", "--budget", "450")
    refund = next(s for s in found["symbols"] if s["symbol"] == "Teller.refund")
    assert refund["cut"]
    shown: dict[int, str] = {}
    for part in refund["parts"]:
        shown |= dict(enumerate(part["code"].split("\n"), part["line"]))
    assert all(lines[number - 1] == text for number, text in shown.items())
    assert {refund["start_line"], refund["end_line"]} <= shown.keys()
    assert len(shown) < refund["end_line"] - refund["start_line"]


@pytest.mark.parametrize("budget", [200, 300, 600, 2000])
@pytest.mark.parametrize(
    "query",
    ["Teller complain Ledger", "how is a refund written to the ledger", "step_1 step_2 step_3"],
)
def test_no_answer_is_longer_than_its_budget(bank: Path, budget: int, query: str) -> None:
    answer = tools.answer_tool_call("code_explore", {"query": [query], "budget": budget})
    assert not answer.is_refused
    assert estimate_tokens(answer.text) <= budget
    assert "bank/" in answer.text


def test_a_path_leads_from_a_method_to_what_overrides_it_where_calls_are_not_followed(
    run: Run, bank: Path
) -> None:
    rules = "".join(
        f"class Rule{n}(Middle):\n    def check(self, amount):\n        return {n}\n\n\n"
        for n in range(40)
    )
    text = (
        "class Rule:\n    def check(self, amount):\n        raise NotImplementedError\n\n\n"
        f"class Middle(Rule):\n    pass\n\n\n{rules}"
        "class Limit(Middle):\n    def check(self, amount):\n        return ceiling(amount)\n\n\n"
        "def ceiling(amount):\n    return amount < 10\n\n\n"
        "def apply(rule: Rule, amount):\n    return rule.check(amount)\n"
    )
    (bank / "bank/rules.py").write_text(text, encoding="utf-8")
    run("code", "sync")
    lines = text.split("\n")
    call, base, last = (
        f"bank/rules.py:{lines.index(line) + 1}"
        for line in (
            "    return rule.check(amount)",
            "    def check(self, amount):",
            "        return ceiling(amount)",
        )
    )
    found = run("code", "explore", "apply", "ceiling")
    assert _path(found) == [
        ("apply", [(call, "Rule.check"), (base, "Limit.check"), (last, "ceiling")])
    ]
    assert found["paths"][0]["steps"][1]["reason"] == "overridden"


@pytest.mark.parametrize("words", [",", " ", ", ,"])
def test_a_question_without_a_word_is_refused(run: Run, words: str) -> None:
    assert run("code", "explore", words, status=2)["error"]["code"] == "bad_request"


def test_a_budget_that_holds_nothing_is_refused(run: Run) -> None:
    assert (
        run("code", "explore", "complain", "--budget", "20", status=2)["error"]["code"]
        == "bad_request"
    )


def test_code_of_what_is_explored_is_byte_for_byte_the_files_behind_numbers(bank: Path) -> None:
    text = tools.answer_tool_call("code_explore", {"query": ["Ledger._write"]}).text
    assert "\n6\t        # a refund & a <fee> are `written` alike\n" in text


def test_a_long_class_shows_its_head_and_the_heads_of_its_members(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (teller,) = run("code", "show", "Teller")["symbols"]
    assert teller["cut"]
    assert teller["code"] == 'class Teller:\n    """Serves people."""\n'
    assert len(teller["members"]) == 42
    assert (
        teller["members"][1] | {"symbol": "Teller.step_0", "start_line": 10, "end_line": 11}
        == teller["members"][1]
    )
    text = tools.answer_tool_call("code_symbol", {"symbol": "Teller"}).text
    assert "10-11  def step_0(self, amount: int) -> int" in text
    assert estimate_tokens(text) < 1_500
    whole = run("code", "show", "Teller", "--full")["symbols"][0]
    lines = _FILES["bank/teller.py"].split("\n")
    assert (whole["cut"], whole["members"]) == (False, [])
    assert whole["code"].split("\n") == lines[whole["start_line"] - 1 : whole["end_line"]]


def test_callers_and_callees_are_cut_to_the_limit_with_their_number(run: Run) -> None:
    (post,) = run("code", "show", "Ledger.post", "--limit", "3")["symbols"]
    assert (len(post["callers"]), post["callers_total"], post["callers_in_tests"]) == (3, 41, 0)
    assert post["callers"][0]["citation"].startswith("bank/teller.py:")
    assert [(c["symbol"], c["citation"]) for c in post["callees"]] == [
        ("bank/ledger.py::Ledger._write", "bank/ledger.py:5")
    ]
    assert len(run("code", "show", "Ledger.post", "--limit", "0")["symbols"][0]["callers"]) == 41
    (complain,) = run("code", "show", "complain")["symbols"]
    assert (complain["callers_total"], complain["callers_in_tests"]) == (1, 1)
    text = tools.answer_tool_call("code_symbol", {"symbol": "complain"}).text
    assert "called by 0 + 1 test:\n    tests/test_teller.py:5 test_complaints_are_refunded" in text


def test_symbols_that_share_a_name_share_the_lines_and_their_places_come_first(
    run: Run, bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(8):
        (bank / f"bank/part_{n}.py").write_text(
            "def settle():\n" + "    x = 1\n" * 60, encoding="utf-8"
        )
    run("code", "sync")
    found = run("code", "show", "settle")
    assert (len(found["symbols"]), found["total"], len(found["others"])) == (5, 8, 3)
    assert sum(s["code"].count("\n") + 1 for s in found["symbols"]) < 250
    assert found["others"][0] == "bank/part_5.py:1 settle"
    capsys.readouterr()
    main(["code", "show", "settle"])
    head, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert head.startswith("8 symbols have this name, the first 5 are shown")
    assert rows == [f"  bank/part_{n}.py:1 settle" for n in range(8)]


def test_what_may_break_names_the_products_own_code_apart_from_what_tests_are_made_of(
    run: Run, bank: Path
) -> None:
    (bank / "tests/test_post.py").write_text(
        "from bank.ledger import Ledger\n\n\ndef posted():\n    return Ledger().post(1)\n\n\n"
        "def test_post():\n    assert posted()\n",
        encoding="utf-8",
    )
    run("code", "sync")
    found = run("code", "impact", "Ledger.post", "--limit", "0")
    assert "tests/test_post.py" in {row["path"] for row in found["test_code"]}
    assert not [row for row in found["symbols"] if row["path"].startswith("tests/")]
