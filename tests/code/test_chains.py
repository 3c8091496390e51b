"""Chains of calls that get functions: each link is a symbol, named by the title that is its own."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_TWO = "(r) => one(r)", "(r) => two(r)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "app.route('/x').get((r) => one(r)).post((r) => two(r));",
            {"app.get /x": "one", "app.post /x": "two"},
        ),
        (
            "router.route('/u').all(auth).get(async (r) => one(r)).put(wrap((r) => two(r)));",
            {"router.get /u": "one", "router.put /u": "two"},
        ),
        (
            "app.get('/a', (r) => one(r)).get('/b', (r) => two(r));",
            {"app.get /a": "one", "app.get /b": "two"},
        ),
        (
            "app.use('/api').get('/users', (r) => one(r));",
            {"app.get /users": "one"},
        ),
        (
            "app\n  .route('/x')\n  .get((r) => one(r))\n  .post(check, (r) => two(r));",
            {"app.get /x": "one", "app.post /x": "two"},
        ),
        (
            "program.command('build').description('Builds').action(() => one(1));",
            {"program.action build": "one"},
        ),
        (
            "program.command('a').action(() => one(1)).command('b').action(() => two(1));",
            {"program.action a": "one", "program.action b": "two"},
        ),
        (
            "new Elysia().get('/a', () => one(1)).post('/b', () => two(1));",
            {"get /a": "one", "post /b": "two"},
        ),
        (
            "export default (app) => { app.route('/x').get((r) => one(r)).del((r) => two(r)); };",
            {"default.app.get /x": "one", "default.app.del /x": "two"},
        ),
        (
            "server.on('open', () => one(1)).on('close', () => two(1)).listen(80);",
            {"server.on open": "one", "server.on close": "two"},
        ),
        (
            "yargs.command('serve', 'Serves', {}, () => one(1)).command('stop', () => two(1));",
            {"yargs.command serve": "one", "yargs.command stop": "two"},
        ),
        (
            "app.route('/x').get(list).post((r) => one(r));",
            {"app.post /x": "one"},
        ),
    ],
)
def test_each_link_of_a_chain_is_a_symbol(indexed: Make, text: str, wanted: dict[str, str]) -> None:
    made = indexed(
        {
            "a.ts": f"import {{ one, two }} from './b';\nfunction list() {{}}\n{text}\n",
            "b.ts": "export function one(x) { return x; }\nexport function two(x) { return x; }\n",
        }
    )
    calls = {
        (edge.source.partition("::")[2], edge.target.partition("::")[2])
        for edge in made.store.all_edges()
        if edge.kind == "calls" and edge.tier <= 1
    }
    into = {(source, target) for source, target in calls if target in ("one", "two")}
    assert into == set(wanted.items())


def test_a_link_has_its_own_lines(indexed: Make) -> None:
    made = indexed(
        {
            "a.js": "app\n  .route('/x')\n  .get((r) => {\n    return 1;\n  })\n"
            "  .post((r) => {\n    return 2;\n  });\n"
        }
    )
    lines = {s.qualified: (s.start_line, s.end_line) for s in made.store.all_symbols()}
    assert lines["app.get /x"] == (3, 5)
    assert lines["app.post /x"] == (6, 8)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("it.each([[1]])('adds %s', (n) => one(n));", "adds %s"),
        ("describe('a', () => { it('b', () => one(1)); });", "a.b"),
        ("describe.each([1])('of %d', () => { test('is', () => one(1)); });", "of %d.is"),
        ("test('x', { timeout: 5 }, () => one(1));", "x"),
        ("test.describe('outer', () => { test('inner', () => one(1)); });", "outer.inner"),
    ],
)
def test_a_test_has_the_nearest_title(indexed: Make, text: str, name: str) -> None:
    made = indexed(
        {
            "a.test.ts": f"import {{ one }} from './b';\n{text}\n",
            "b.ts": "export function one(x) { return x; }\n",
        }
    )
    sources = {edge.source.partition("::")[2] for edge in made.store.edges_into(["b.ts::one"])}
    assert name in sources
