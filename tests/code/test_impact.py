"""What may break, how sure that is, and by which way."""

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gieok.code.ask import analysis, changes, impact, likelihood, lookup, test_runs
from gieok.code.ask.impact import Reached
from gieok.code.index import project
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project
from gieok.code.languages import places
from gieok.commands.code.impact import (
    ImpactResult,
    build_impact_result,
    render_code_impact,
)
from gieok.commands.command import Style
from gieok.errors import BadRequest
from gieok.model.code import Edge, Symbol, key_name
from gieok.ranking.learned import impact as learned

Make = Callable[[Mapping[str, str]], Project]
_SHOP = {
    "shop/__init__.py": "",
    "shop/money.py": "RATE = 2\ndef convert(x):\n    return x * RATE\n",
    "shop/cart.py": (
        "from shop.money import convert\nclass Cart:\n    def total(self):\n        return "
        "convert(1)\n"
    ),
    "shop/view.py": "from shop.cart import Cart\ndef show(cart: Cart):\n    return cart.total()\n",
    "shop/other.py": "def unrelated(thing):\n    thing.convert()\n",
    "tests/test_cart.py": (
        "from shop.cart import Cart\ndef test_total():\n    assert Cart().total()\n"
    ),
    "tests/test_other.py": "from shop import other\ndef test_other():\n    other.unrelated(None)\n",
}


def test_callers_come_by_distance_with_the_way_and_tests_apart(indexed: Make) -> None:
    made = indexed(_SHOP)
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "shop/money.py:convert"))
    assert [(r.key.partition("::")[2], r.distance, r.risk) for r in found.impact.symbols] == [
        ("Cart.total", 1, "high"),
        ("show", 2, "high"),
    ]
    assert [r.key for r in found.impact.tests] == ["tests/test_cart.py::test_total"]
    assert [e.target.partition("::")[2] for e in found.impact.tests[0].via] == [
        "Cart.total",
        "convert",
    ]
    assert [f.path for f in found.impact.test_files] == ["tests/test_cart.py"]
    assert [f.path for f in found.impact.files] == ["shop/cart.py", "shop/view.py"]
    assert [(c.source, c.line) for c in found.impact.unresolved_calls] == [
        ("shop/other.py::unrelated", 2)
    ]
    assert found.freshness.dirty == ()


def test_a_file_stands_for_all_that_is_in_it_and_reaches_who_imports_it(indexed: Make) -> None:
    made = indexed({**_SHOP, "tool.py": "from shop.money import RATE\nprint(RATE)\n"})
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "shop/money.py"))
    assert [r.key for r in found.impact.symbols] == [
        "shop/cart.py::Cart.total",
        "shop/view.py::show",
    ]
    importing = {f.path: f.risk for f in found.impact.files}
    assert importing["tool.py"] == "low"
    (made.root / "tool.py").write_text("print(1)\n", encoding="utf-8")
    assert analysis.of_symbols(
        made, lookup.find_typed_symbols(made, "shop/money.py")
    ).freshness.dirty == ("tool.py",)


def test_an_unknown_symbol_is_an_error_with_suggestions(indexed: Make) -> None:
    made = indexed(_SHOP)
    with pytest.raises(BadRequest) as caught:
        lookup.find_typed_symbols(made, "shop/money.py:convret")
    assert "convert" in caught.value.hint
    with pytest.raises(BadRequest, match="outside"):
        lookup.find_typed_symbols(made, "../elsewhere.py")
    assert [s.key for s in lookup.find_typed_symbols(made, "Cart.total")] == [
        "shop/cart.py::Cart.total"
    ]
    assert [s.key for s in lookup.find_typed_symbols(made, "shop/cart.py:4")] == [
        "shop/cart.py::Cart.total"
    ]


def test_a_diff_is_read_by_file_and_line() -> None:
    text = (
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -3 +3,2 @@ def "
        "f\n-a\n+b\n+c\n@@ -9,2 +10,0 @@\n-d\n-e\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    )
    assert changes.parse_unified_diff(text) == [
        changes.FileDiff("x.py", "x.py", frozenset((3, 9, 10)), frozenset((3, 4))),
        changes.FileDiff("gone.py", "", frozenset((1, 2)), frozenset()),
    ]


def test_what_a_diff_takes_away_or_puts_there_is_never_read_as_its_head() -> None:
    text = (
        "--- a/x.sql.py\n+++ b/x.sql.py\n@@ -1 +1 @@\n--- a/of.sql\n+++ counted\n@@ -7 +7 "
        "@@\n-a\x0c--- a/b\n+b\n"
    )
    assert changes.parse_unified_diff(text) == [
        changes.FileDiff("x.sql.py", "x.sql.py", frozenset((1, 7)), frozenset((1, 7)))
    ]


@pytest.mark.parametrize("name", ["계산.py", "a b.py", 'say "hi".py', "back\\slash.py"])
def test_a_diff_finds_files_whatever_they_are_called(indexed: Make, name: str) -> None:
    made = indexed({name: "def pay():\n    return 1\ndef rest():\n    return 2\n"})
    git = ["git", "-c", "user.name=Kim", "-c", "user.email=kim@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], cwd=made.root, check=True, capture_output=True)
    (made.root / name).write_text(
        "def pay():\n    return 3\ndef rest():\n    return 2\n", encoding="utf-8"
    )
    project.sync_project(made)
    assert analysis.of_diff(made, "HEAD").changed == (f"{name}::pay",)


def test_the_way_is_as_sure_as_its_weakest_edge(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": (
                "class A:\n    def rare(self): ...\ndef guess(x):\n    x.rare()\ndef top():\n    "
                "guess(1)\n"
            )
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "A.rare"))
    assert [(r.key.partition("::")[2], r.tier) for r in found.impact.symbols] == [
        ("guess", 2),
        ("top", 2),
    ]
    chances = [r.chance for r in found.impact.symbols]
    assert chances[1] < chances[0] < 0.9
    assert [impact.risk_of(chance) for chance in (0.5, 0.49, 0.2, 0.19, 0)] == [
        "high",
        "medium",
        "medium",
        "low",
        "low",
    ]


def _answer(made: Project, target: str, limit: int = 30) -> ImpactResult:
    symbols = lookup.find_typed_symbols(made, target)
    return build_impact_result(made, analysis.of_symbols(made, symbols), limit=limit, also=False)


def _write_tests(count: int) -> str:
    return "import lib\n\n\n" + "\n\n".join(
        f"def test_{number}():\n    assert lib.leaf({number})\n" for number in range(count)
    )


def test_tests_that_are_all_alike_are_shown_by_file_behind_the_first_ten(indexed: Make) -> None:
    made = indexed(
        {
            "lib.py": "def leaf(x):\n    return x\n",
            "tests/test_a.py": _write_tests(40),
            "tests/test_b.py": _write_tests(25),
            "tests/test_c.py": _write_tests(1),
        }
    )
    result = _answer(made, "lib.py:leaf", limit=0)
    assert len(result.tests) == result.run.count_ == 66, "a program gets all of them"
    lines = render_code_impact(result, Style("en", colour=False)).splitlines()
    begin = lines.index("Run these (66 of 66)") + 1
    rows = lines[begin : lines.index("", begin)]
    assert len([row for row in rows if "  → leaf" in row or "#L" in row]) == 10
    counts = [
        int(found[1])
        for row in rows
        if (found := re.fullmatch(r"  tests/test_[abc]\.py: (\d+) tests?  [\d–]+ %", row))
    ]
    assert (sum(counts), counts) == (56, sorted(counts, reverse=True))
    assert rows[-1].startswith("  $ pytest")


def test_tests_that_have_no_row_are_counted_by_file(indexed: Make) -> None:
    result = _answer(
        indexed(
            {
                "lib.py": "def leaf(x):\n    return x\n",
                **{f"tests/test_{number}.py": _write_tests(3) for number in range(9)},
            }
        ),
        "lib.py:leaf",
        limit=4,
    )
    text = render_code_impact(result, Style("en", colour=False))
    assert text.count(" tests  ") == 4
    hidden = sum(row.tests for row in result.test_rest[4:])
    assert f"  … {hidden} more in {len(result.test_rest) - 4} files" in text
    assert result.test_rows + sum(row.tests for row in result.test_rest) == result.run.count_


def test_code_of_test_files_stands_by_the_tests_and_not_under_what_may_break(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "lib.js": "export function leaf(x) { return x; }\n",
            "app.js": "import { leaf } from './lib';\nexport function tree() { leaf(1); }\n",
            "lib.spec.js": "import { leaf } from './lib';\nfunction help() { return leaf(2); }\n"
            "help();\n"
            "describe('leaf', () => { const one = leaf(1); it('is', () => { help(); }); });\n",
        }
    )
    result = _answer(made, "lib.js:leaf")
    assert [row.symbol for row in result.symbols] == ["tree"]
    assert {row.symbol for row in result.test_code} >= {"help", "<module>"}
    assert {row.path for row in result.test_code} == {"lib.spec.js"}
    assert (result.counts.symbols, result.counts.test_code) == (1, len(result.test_code))
    text = render_code_impact(result, Style("en", colour=False))
    assert text.index("Run these (1") < text.index("Other test code") < text.index("May break (1)")


def test_tests_in_a_folder_named_after_the_module_come_before_others_and_helpers_last(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "shop/__init__.py": "from shop._models import Url, Headers\n",
            "shop/_models.py": (
                "class Url:\n    def host(self): ...\nclass Headers:\n    def get(self): ...\n"
            ),
            "tests/__init__.py": "",
            "tests/conftest.py": "import shop\n",
            "tests/models/test_headers.py": (
                "import shop\ndef test_get():\n    shop.Headers().get()\n"
            ),
            "tests/models/test_url.py": "import shop\ndef test_a(make):\n    make()\ndef "
            "test_b(make):\n    make()\n"
            "def test_c(make):\n    make()\ndef test_d(make):\n    make()\n",
            "tests/test_app.py": "import shop\ndef test_host():\n    shop.Url().host()\n",
            "tests/test_empty.py": "import shop\n",
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "shop/_models.py"))
    assert [(f.path, f.tier) for f in found.impact.test_files] == [
        ("tests/models/test_url.py", Certainty.IMPORT),
        ("tests/models/test_headers.py", Certainty.RESOLVED),
        ("tests/test_app.py", Certainty.RESOLVED),
        ("tests/test_empty.py", Certainty.IMPORT),
        ("tests/conftest.py", Certainty.IMPORT),
        ("tests/__init__.py", Certainty.IMPORT),
    ]
    package = analysis.of_symbols(made, lookup.find_typed_symbols(made, "shop/__init__.py"))
    assert [f.path for f in package.impact.test_files][-2:] == [
        "tests/conftest.py",
        "tests/__init__.py",
    ]


def test_a_test_named_after_a_package_is_its_inits() -> None:
    assert (
        places.find_module_stem("shop/__init__.py")
        == places.tested_stem("tests/test_shop.py")
        == "shop"
    )
    assert (
        places.find_module_stem("lib/router/index.js")
        == places.tested_stem("test/router.test.js")
        == "router"
    )
    assert [
        places.is_helper(f"tests/{name}.py")
        for name in ("conftest", "__init__", "common", "test_a", "b_test")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_code_hardly_breaks_with_what_a_test_hands_it(indexed: Make) -> None:
    made = indexed(
        {
            "lib.py": "def run(f):\n    f()\ndef used(): ...\n",
            "tests/test_lib.py": (
                "import lib\ndef test_run():\n    def fake():\n        lib.used()\n    "
                "lib.run(fake)\ndef test_other():\n    lib.run(len)\n"
            ),
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "lib.py:used"))
    assert [(r.key.partition("::")[2], r.tier) for r in found.impact.tests] == [
        ("test_run", 1),
        ("test_other", 3),
    ]


def test_one_likely_test_comes_before_many_unlikely_ones_and_a_singular_name_before_both() -> None:
    def test_of(path: str, number: int, chance: float) -> Reached:
        key = f"{path}::test_{number}"
        return Reached(
            key,
            1,
            1,
            (Edge(key, "shop/errors.py::Missing", "calls", 1, "resolved call", 1),),
            "",
            chance,
        )

    tests = [
        test_of("tests/test_cart.py", 0, 0.9),
        test_of("tests/test_error.py", 0, 0.1),
        *(test_of("tests/test_view.py", number, 0.05) for number in range(9)),
    ]
    result = impact.summarise_impact(["shop/errors.py::Missing"], {}, tests, {}, ())
    assert [f.path for f in result.test_files] == [
        "tests/test_error.py",
        "tests/test_cart.py",
        "tests/test_view.py",
    ]
    assert [one.key for one in result.tests[: result.run]] == ["tests/test_cart.py::test_0"]


def _listed(made: Project, target: str) -> list[str]:
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, target)).impact
    return [one.key.partition("::")[2] for one in found.tests[: found.run]]


def test_only_the_tests_that_are_likely_to_run_a_function_are_to_be_run(indexed: Make) -> None:
    made = indexed(
        {
            "lib.py": "def leaf(x):\n    return x\n\n\ndef tree(x):\n    if x == 'rare':\n        "
            "return leaf(x)\n    return x\n\n\n"
            "def apart(x):\n    return x\n",
            "tests/test_lib.py": "import lib\n\n\ndef test_leaf():\n    assert lib.leaf(1)\n\n\n"
            "def test_tree():\n    assert lib.tree(1)\n\n\n"
            + "\n\n".join(f"def test_apart_{n}():\n    assert lib.apart({n})\n" for n in range(12)),
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "lib.py:leaf")).impact
    assert _listed(made, "lib.py:leaf") == ["test_leaf"]
    assert [one.key.rpartition("::")[2] for one in found.tests] == ["test_leaf", "test_tree"]
    assert found.tests[0].chance > found.tests[1].chance + 0.2  # that call stands in a condition
    assert 0.5 < found.held < 1


def test_every_test_that_runs_a_hub_is_to_be_run(indexed: Make) -> None:
    made = indexed(
        {
            "lib.py": "def hub(x):\n    return x\n\n\ndef other(x):\n    return hub(x)\n",
            "tests/test_lib.py": "import lib\n\n\n"
            + "\n\n".join(f"def test_hub_{n}():\n    assert lib.other({n})\n" for n in range(9)),
        }
    )
    assert len(_listed(made, "lib.py:hub")) == 9


def test_tests_that_make_an_object_of_the_class_come_before_those_of_its_sisters(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "shapes.py": (
                "class Base:\n    def draw(self):\n        return self.hook()\n    def "
                "hook(self):\n        return 0\n"
            )
            + "".join(
                f"\n\nclass {name}(Base):\n    def hook(self):\n        return '{name}'\n"
                for name in "ABCD"
            ),
            "tests/test_shapes.py": "import shapes\n"
            + "".join(
                f"\n\ndef test_{n}():\n    assert shapes.{name}().draw()\n"
                for n, name in enumerate("ABCD")
            ),
        }
    )
    found = analysis.of_symbols(
        made, lookup.find_typed_symbols(made, "shapes.py:C.hook")
    ).impact.tests
    assert found[0].key == "tests/test_shapes.py::test_2"
    assert found[0].chance > 2 * found[1].chance


def test_chances_are_those_of_the_learned_weights(
    indexed: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = indexed(_SHOP)
    before = analysis.of_symbols(made, lookup.find_typed_symbols(made, "convert")).impact.tests
    monkeypatch.setattr(
        learned, "_load_impact_models", lambda: {"link": {"bias": -9.0}, "test": {"bias": -3.0}}
    )
    after = analysis.of_symbols(made, lookup.find_typed_symbols(made, "convert")).impact.tests
    assert before[0].chance > 0.5
    assert after[0].chance == pytest.approx(0.047, abs=0.001)


def test_a_place_counts_the_conditions_around_a_line_and_the_ways_out_before_it() -> None:
    text = (
        "def f(x):\n    if not x:\n        return 1\n    for y in x:\n        if y:\n            "
        "g(y)\n    with x:\n        h(\n            x\n        )\n"
    )
    lines = text.split("\n")
    assert likelihood.Outline(lines).place(1, 6) == (1, 1, 1, False)
    assert likelihood.Outline(lines).place(1, 9) == (0, 0, 1, False)
    assert (
        likelihood.Outline(["fn f() {", "    match x {", "        1 => g(),"]).place(1, 3)[0] == 1
    )
    assert likelihood.Outline([]).place(1, 6) == (0, 0, 0, False)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            ["tests/test_a.py::TestA.test_x", "tests/test b.py::test_y"],
            "pytest tests/test_a.py::TestA::test_x 'tests/test b.py::test_y'",
        ),
        (
            ["a/x_test.go::TestX", "a/x_test.go::TestY", "y_test.go::TestX"],
            "go test -run '^(TestX|TestY)$' ./a .",
        ),
        (["src/lib.rs::tests.adds"], "cargo test -- adds"),
        (["test/a.test.js::suite.adds", "test/a.test.js::other"], "npx mocha test/a.test.js"),
        (["a/FooTest.java::FooTest.bar"], ""),
    ],
)
def test_the_command_runs_the_tests_by_what_the_project_uses(
    tmp_path: Path, files: list[str], expected: str
) -> None:
    (tmp_path / "package.json").write_text('{"devDependencies": {"mocha": "1"}}', encoding="utf-8")
    tests = [
        Symbol(
            key,
            key.partition("::")[0],
            key.rpartition(".")[2].rpartition("::")[2],
            "function",
            1,
            2,
            "",
            "",
            "",
            0,
            "test",
            "",
            "",
        )
        for key in files
    ]
    assert test_runs.build_test_command(tmp_path, tests) == expected
    (tmp_path / "package.json").write_text("[]", encoding="utf-8")
    assert test_runs.build_test_command(tmp_path, tests) == (
        "" if "mocha" in expected else expected
    )
    many = [tests[0]._replace(key=f"{tests[0].key}{n}") for n in range(21)]
    assert len(test_runs.build_test_command(tmp_path, many)) < 60


def test_the_methods_of_a_suite_of_go_are_tests(indexed: Make) -> None:
    suite = (
        'package m\nimport "testing"\nfunc TestAll(t *testing.T) { suite.Run(t, new(S)) }\ntype S '
        "struct{}\n"
    )
    methods = (
        "func (s *S) TestAdd() { Add() }\nfunc (s *S) TestHelper(x int) { Add() }\nfunc (s *S) "
        "BeforeTest() { Add() }\n"
    )
    made = indexed(
        {
            "go.mod": "module m\n",
            "add.go": "package m\nfunc Add() {}\n",
            "add_test.go": suite + methods,
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "add.go:Add"))
    assert [r.key for r in found.impact.tests] == ["add_test.go::S.TestAdd"]
    ran = [made.store.symbols(keys=[r.key])[0] for r in found.impact.tests]
    assert test_runs.build_test_command(made.root, ran) == "go test .", (
        "`-run` with a method's name would run nothing, and pass"
    )


def test_djangos_own_command_runs_the_tests_of_a_site_without_pytest(indexed: Make) -> None:
    site = {
        "manage.py": "x = 1\n",
        "a/tests/test_b.py": "class BTest:\n    def test_c(self): ...\n",
    }
    made = indexed(site)
    tests = made.store.symbols(names=["test_c"])
    assert (
        test_runs.build_test_command(made.root, tests)
        == "python manage.py test a.tests.test_b.BTest.test_c"
    )
    (made.root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n", encoding="utf-8")
    assert (
        test_runs.build_test_command(made.root, tests) == "pytest a/tests/test_b.py::BTest::test_c"
    )


def test_no_way_leads_through_a_wrapper_into_what_somebody_else_gave_it(indexed: Make) -> None:
    made = indexed(
        {
            "wrap.js": "module.exports = (fn) => (...all) => Promise.resolve(fn(...all))\n",
            "api.js": "const guarded = require('./wrap')\nconst store = require('./store')\n"
            "const save = guarded(async () => { store.write() })\n"
            "const load = guarded(async () => { store.read() })\n"
            "module.exports = { save, load }\n",
            "store.js": "exports.write = function write() {}\nexports.read = function read() {}\n",
            "test/api.test.js": "const api = require('../api')\n"
            "test('saves', () => { api.save() })\ntest('loads', () => { api.load() })\n",
        }
    )
    for name, test in (("write", "saves"), ("read", "loads")):
        found = analysis.of_symbols(made, lookup.find_typed_symbols(made, f"store.js:{name}"))
        assert [key_name(row.key) for row in found.impact.tests if row.via] == [test]
    wrapper = analysis.of_symbols(made, [made.store.symbols(paths=["wrap.js"])[0]])
    assert {key_name(row.key) for row in wrapper.impact.tests if row.via} == {"saves", "loads"}


_GUARD = (
    "import functools\n\n\ndef since(version):\n    def decorator(f):\n"
    "        @functools.wraps(f)\n        def wrapper(self):\n"
    "            if self.version < version:\n"
    '                raise ValueError(f"not there for {version}")\n'
    "            return f(self)\n        return wrapper\n    return decorator\n"
)


def _write_guarded(count: int) -> dict[str, str]:
    """Return a project of so many classes, each with a method that one decorator wraps."""
    classes = "\n\n".join(
        f"class Part{n}:\n    version = 1\n\n    @since(1)\n    def act_{n}(self):\n"
        f"        return step_{n}()\n\n\ndef step_{n}():\n    return {n}\n\n\n"
        f"def run_{n}():\n    return Part{n}().act_{n}()\n"
        for n in range(count)
    )
    return {"guard.py": _GUARD, "parts.py": f"from guard import since\n\n\n{classes}"}


def test_a_class_does_not_surely_break_with_what_its_decorator_wraps_elsewhere(
    indexed: Make,
) -> None:
    made = indexed(_write_guarded(8))
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "parts.py:step_3"))
    chances = {key_name(row.key): row.chance for row in found.impact.symbols}
    assert chances["Part3.act_3"] > 0.6
    assert chances["run_3"] > 0.5
    assert chances["Part5"] < 0.1
    assert chances["since.decorator.wrapper"] < 0.1


def test_who_calls_a_function_only_by_its_wrapper_may_break_with_it(indexed: Make) -> None:
    files = _write_guarded(8)
    files["guard.py"] = files["guard.py"].replace("        @functools.wraps(f)\n", "")
    made = indexed(files)
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "parts.py:step_3"))
    assert {key_name(row.key): row.chance for row in found.impact.symbols}["run_3"] > 0.3


def test_a_loop_that_calls_several_functions_may_break_with_each(indexed: Make) -> None:
    hooks = "".join(f"def hook_{n}():\n    return {n}\n\n\n" for n in range(8))
    listed = ", ".join(f"hook_{n}" for n in range(8))
    files = {
        "hooks.py": f"{hooks}def run_all(hooks):\n    for hook in hooks:\n        hook()\n\n\n"
        f"def main():\n    run_all([{listed}])\n"
    }
    made = indexed(files)
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "hooks.py:hook_3"))
    assert {key_name(row.key): row.chance for row in found.impact.symbols}["run_all"] > 0.5
