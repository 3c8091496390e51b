"""JSX elements call components; functions inside of calls are symbols under the name they get."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import analysis
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_PARTS = """
export function Button(props) { return null; }
export function Row() { return null; }
export function Link() { return null; }
"""
_HEAVY = "export default function Heavy() { return null; }\nexport function Chart() {}\n"
_AUDIT = "export function audit(x) { return x; }\n"


def _edges(made: Project) -> set[tuple[str, str]]:
    return {
        (edge.source.partition("::")[2], edge.target.partition("::")[2])
        for edge in made.store.all_edges()
        if edge.kind in ("calls", "references", "constructs")
    }


def _reached(pairs: set[tuple[str, str]], start: str) -> set[str]:
    known, frontier = {start}, {start}
    while frontier:
        frontier = {target for source, target in pairs if source in frontier} - known
        known |= frontier
    return known


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "import { Button } from './parts';\nexport function App() { return <Button t='a'/>; }",
            ["Button"],
        ),
        (
            "import * as UI from './parts';\nexport function App() { return <UI.Button/>; }",
            ["Button"],
        ),
        (
            (
                "import { Row } from './parts';\nconst Menu = { Item: Row };\n"
                "export function App() { return <div><Menu.Item/></div>; }"
            ),
            ["Row"],
        ),
        (
            (
                "import { Button, Link } from './parts';\n"
                "export const App = () => <Button as={Link}>x</Button>;"
            ),
            ["Button", "Link"],
        ),
        (
            (
                "import { Button, Link, Row } from './parts';\n"
                "export const App = ({ items, ok }) => <ul>{items.map((i) => <Row key={i}/>)}"
                "{ok ? <Button/> : null}{ok && <Link/>}</ul>;"
            ),
            ["Button", "Link", "Row"],
        ),
        (
            (
                "import { Link, Row } from './parts';\n"
                "function List(p) { return p.renderItem(1); }\nfunction renderRow() { return <Link/>; }\n"
                "export function App() { return <List renderItem={renderRow} head={() => <Row/>}/>; }"
            ),
            ["List", "renderRow", "Row", "Link"],
        ),
        (
            (
                "import { lazy } from 'react';\nconst Lazy = lazy(() => import('./heavy'));\n"
                "export function App() { return <Lazy/>; }"
            ),
            ["Heavy"],
        ),
        (
            (
                "import dynamic from 'next/dynamic';\n"
                "const C = dynamic(() => import('./heavy').then((m) => m.Chart), { ssr: false });\n"
                "export function App() { return <C/>; }"
            ),
            ["Chart"],
        ),
        (
            (
                "import React from 'react';\nfunction Card() { return null; }\n"
                "const Fast = React.memo(Card);\nexport function App() { return <Fast/>; }"
            ),
            ["Card"],
        ),
        (
            (
                "import React from 'react';\nfunction Head() { return null; }\n"
                "class Panel extends React.Component { render() { return <Head/>; } }\n"
                "export function App() { return <Panel/>; }"
            ),
            ["Panel", "Panel.render", "Head"],
        ),
        (
            (
                "function withLayout(C) { return function Wrapped(p) { return <C {...p}/>; }; }\n"
                "function Body() { return null; }\nconst Page = withLayout(Body);\n"
                "export function App() { return <Page/>; }"
            ),
            ["Body"],
        ),
        (
            (
                "import { save } from './parts';\nfunction onSave() { return 1; }\n"
                "export function App() { return <button onClick={onSave}>x</button>; }"
            ),
            ["onSave"],
        ),
    ],
)
def test_an_element_calls_its_component(indexed: Make, text: str, wanted: list[str]) -> None:
    made = indexed({"parts.jsx": _PARTS, "heavy.jsx": _HEAVY, "app.jsx": text + "\n"})
    assert set(wanted) <= _reached(_edges(made), "App")


def test_a_table_of_routes_hands_on_its_components(indexed: Make) -> None:
    made = indexed(
        {
            "parts.jsx": _PARTS,
            "heavy.jsx": _HEAVY,
            "routes.jsx": "import { Button, Link, Row } from './parts';\n"
            "export const routes = [{ path: '/', element: <Button/> },\n"
            "  { path: '/l', component: Link, children: [{ Component: Row }] },\n"
            "  { path: '/h', component: () => import('./heavy') }];\n",
        }
    )
    assert {"Button", "Link", "Row", "Heavy"} <= _reached(_edges(made), "<module>")


def test_tags_of_the_browser_and_of_others_call_nothing_here(indexed: Make) -> None:
    made = indexed(
        {
            "app.jsx": "import { Box } from 'others';\nfunction div() {}\nfunction Unused() {}\n"
            "export function App() { return <div><Box.Item/><Box title='Unused'/></div>; }\n"
        }
    )
    assert _reached(_edges(made), "App") == {"App"}


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("export const GET = withAuth(async (r) => audit(r));", "GET"),
        ("export const Input = forwardRef((p, ref) => audit(p));", "Input"),
        ("export const Fancy = memo(function Inner() { return audit(1); });", "Fancy"),
        ("export const handler = middy(async (event) => audit(event)).use(x());", "handler"),
        ("export const useStore = create((set) => ({ inc: () => audit(set) }));", "useStore.inc"),
        (
            "export const useCart = defineStore('cart', { actions: { add() { audit(1); } } });",
            "useCart.actions.add",
        ),
        ("export const load = wrapper.props((store) => async (ctx) => audit(ctx));", "load"),
        ("export const POST = withAuth(withLog(async (r) => audit(r)));", "POST"),
        ("export const job = (wrap(async () => audit(1)) as Job)!;", "job"),
        ("export const total = createSelector([a], (x) => audit(x));", "total"),
        ("export const saga = wrap(function* () { yield audit(1); });", "saga"),
        (
            "export const resolvers = { Query: { user: auth((p) => audit(p)) } };",
            "resolvers.Query.user",
        ),
        ("export default wrap(async function list() { audit(1); });", "list"),
        ("exports.createUser = functions.https.onCall((data) => audit(data));", "createUser"),
        ("export class S { run = throttle(() => audit(1)); }", "S.run"),
        (
            "export function Form() { const onGo = useCallback(() => audit(1), []); return onGo; }",
            "Form.onGo",
        ),
        (
            "router.get('/users/:id', auth, async (req, res) => { audit(req); });",
            "router.get /users/:id",
        ),
        (
            "export default (app) => { app.route('/x').post(wrap((req) => audit(req))); };",
            "default.app.post /x",
        ),
        ("export const worker = new Worker('mail', async (job) => audit(job));", "worker"),
    ],
)
def test_a_function_inside_of_a_call_is_a_symbol(indexed: Make, text: str, symbol: str) -> None:
    made = indexed({"a.ts": f"import {{ audit }} from './b';\n{text}\n", "b.ts": _AUDIT})
    assert (symbol, "audit") in _edges(made)
    assert f"a.ts::{symbol}" in {s.key for s in made.store.all_symbols()}


def test_the_wrapper_is_an_edge_and_callers_call_the_bound_name(indexed: Make) -> None:
    made = indexed(
        {
            "w.ts": "export function withAuth(f) { return (r) => f(r); }\n",
            "a.ts": "import { withAuth } from './w';\n/** Reads. */\n"
            "export const GET = withAuth(async (r) => r);\n",
            "b.ts": "import { GET } from './a';\nexport function page() { return GET(1); }\n",
        }
    )
    assert {("GET", "withAuth"), ("page", "GET"), ("withAuth", "GET")} <= _edges(made)
    (get,) = made.store.symbols(names=["GET"])
    assert (get.doc, get.start_line, get.kind) == ("Reads.", 3, "function")


def test_a_wrapper_hardly_breaks_with_what_it_is_given(indexed: Make) -> None:
    handlers = "".join(
        f"export const h{n} = wrap(async (r) => {{ return load{n}(r); }});\n"
        f"function load{n}(r) {{ return r; }}\n"
        for n in range(4)
    )
    tests = "".join(f"test('uses h{n}', () => {{ expect(h{n}(1)).toBe(1); }});\n" for n in range(4))
    made = indexed(
        {
            "wrap.ts": "export function wrap(f) { return (r) => f(r); }\n",
            "a.ts": f"import {{ wrap }} from './wrap';\n{handlers}",
            "a.test.ts": f"import {{ h0, h1, h2, h3 }} from './a';\n{tests}",
        }
    )
    found = analysis.of_symbols(made, made.store.symbols(names=["load2"])).impact
    chances = {row.key.partition("::")[2]: row.chance for row in found.tests}
    assert max(chances, key=chances.__getitem__) == "uses h2"
    assert all(chances["uses h2"] > 2 * chances.get(f"uses h{n}", 0.0) for n in (0, 1, 3))


def test_what_is_computed_at_once_inside_of_a_function_is_no_symbol(indexed: Make) -> None:
    made = indexed(
        {
            "a.ts": "export async function run(users, db) {\n"
            "  const names = users.map((u) => u.name);\n"
            "  const saved = await inTransaction(async (tx) => tx.save(names));\n"
            "  return saved;\n}\n"
        }
    )
    assert [s.qualified for s in made.store.all_symbols() if s.kind == "function"] == ["run"]


def test_a_secret_in_a_title_is_no_part_of_a_name(indexed: Make) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    address = "postgres://admin:hunter2secret@db.example/shop"
    made = indexed(
        {
            "a.js": f'client.login("{token}", () => 1);\n'
            f'client.connect("{address}", () => 2);\n'
            f'describe("suite", () => {{ it("logs in as {token}", () => 3); }});\n',
            "b.cpp": f'TEST_CASE("takes {token}") {{ int x = 1; }}\n',
        }
    )
    said = " ".join(f"{edge.source} {edge.target}" for edge in made.store.all_edges()) + " ".join(
        symbol.key for symbol in made.store.all_symbols()
    )
    assert "client.login" in said
    assert token not in said
    assert "hunter2secret" not in said
