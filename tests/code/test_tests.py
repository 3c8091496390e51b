"""What a test is, in languages whose tests have titles or stand beside what they test."""

from collections.abc import Callable, Mapping

from gieok.code.ask import impact
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]
Edges = Callable[[Mapping[str, str]], set[str]]


def _tests(made: Project) -> list[str]:
    return sorted(
        s.key.partition("::")[2] for s in made.store.all_symbols() if impact.is_runnable_test(s)
    )


def test_a_title_makes_a_function_of_javascript_a_test(indexed: Make) -> None:
    made = indexed(
        {
            "test/a.js": "const { test } = require('node:test'), lib = require('../lib')\n"
            "describe('pay', function () {\n  it('takes 1.5 coins', () => { lib.pay() })\n"
            "  it.skip('twice', () => {})\n  it('twice', wrapped(() => { lib.pay() }))\n"
            "  it.each([1, 2])('row %s', n => { lib.pay(n) })\n  it(lib.title, () => {})\n})\n"
            "test('outer', async t => { await t.test('inner', () => { lib.pay() }) })\n"
            "if (/x/.test('it')) lib.pay()\nrouter.test(function () {})\n"
            "shop.beforeEach(() => { lib.pay() })\nshop.it('is none', () => {})\n",
            "lib.js": "exports.pay = function pay() {}\n",
        }
    )
    assert _tests(made) == [
        "outer",
        "outer.inner",
        "pay.lib title",
        "pay.row %s",
        "pay.takes 1 5 coins",
        "pay.twice",
        "pay.twice (2)",
    ]
    callers = {
        e.source.partition("::")[2]
        for e in made.store.all_edges()
        if e.target == "lib.js::pay" and e.kind == "calls"
    }
    assert callers == {
        "<module>",
        "outer.inner",
        "pay.row %s",
        "pay.takes 1 5 coins",
        "pay.twice (2)",
    }
    assert [s.name for s in made.store.all_symbols() if "suite" in s.traits.split()] == ["pay"]


def test_a_test_of_java_calls_the_hooks_of_the_classes_around_it(edges: Edges) -> None:
    found = edges(
        {
            "src/test/ATests.java": "class ATests {\n    @BeforeEach\n    void setUp() {}\n"
            "    @AfterAll\n    static void close() {}\n    void helper() {}\n"
            "    @Test\n    void first() { helper(); }\n"
            "    @Nested\n    class Inner {\n        @Before\n        void open() {}\n"
            "        @ParameterizedTest\n        void second() {}\n    }\n"
            "    @Test\n    void third() {}\n}\n"
        }
    )
    assert found == {
        "ATests.first -> ATests.helper",
        *(
            f"ATests.{test} -> ATests.{hook}"
            for test in ("first", "third", "Inner.second")
            for hook in ("setUp", "close")
        ),
        "ATests.Inner.second -> ATests.Inner.open",
    }


def test_a_test_calls_the_hooks_around_it_and_shares_their_this(edges: Edges) -> None:
    found = edges(
        {
            "lib.js": "class Shop { open() {} }\nmodule.exports = Shop\n",
            "test/a.js": "const Shop = require('../lib')\nbeforeEach(() => {})\ndescribe('a', "
            "function () "
            "{\n"
            "  beforeEach(function () { this.shop = new Shop() })\n  it('b', function () { "
            "this.shop.open() })\n})\n"
            "describe('c', () => { it('d', () => {}) })\n",
        }
    )
    assert {e for e in found if e.startswith(("a.b ->", "c.d ->"))} == {
        "a.b -> a.beforeEach",
        "a.b -> beforeEach",
        "a.b -> Shop.open",
        "c.d -> beforeEach",
    }


def test_rust_has_tests_inside_of_a_file_of_the_product(indexed: Make) -> None:
    made = indexed(
        {
            "src/lib.rs": "pub fn pay() {}\n#[cfg(not(test))]\nfn real() {}\n#[cfg(test)]\nmod "
            "tests {\n    "
            "use super::*;\n"
            "    fn helper() { pay() }\n    #[tokio::test]\n    async fn pays() { helper() }\n}\n",
        }
    )
    assert _tests(made) == ["tests.pays"]
    assert [s.name for s in made.store.all_symbols() if "testing" in s.traits.split()] == [
        "helper",
        "pays",
    ]
