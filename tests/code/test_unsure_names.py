"""What looks like a call or a definition and is none: it is no edge of tier 1 and no symbol."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_PARTS = (
    "export class User { constructor() { this.a = 1; } }\n"
    "export class GoneError extends Error { constructor() { super('x'); } }\n"
    "export function Save() { return 1; }\nexport function Link() { return null; }\n"
)
_HEAVY = "export default function Heavy() { return null; }\nexport function Chart() {}\n"
_HEAD = "import { User, GoneError, Save, Link } from './parts';\nimport * as P from './parts';\n"


def _edges(made: Project, kinds: tuple[str, ...]) -> set[tuple[str, str]]:
    return {
        (edge.source.partition("::")[2], edge.target.partition("::")[2])
        for edge in made.store.all_edges()
        if edge.kind in kinds and edge.tier <= 1 and edge.source.startswith("app.jsx")
    }


def _sure(made: Project) -> set[str]:
    return {target for _, target in _edges(made, ("calls", "constructs"))}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("export const t = [{ model: User }];", "User"),
        ("export const t = [{ type: User, weight: 1 }, { type: P.User }];", "User"),
        ("export const t = [{ error: GoneError, status: 404 }];", "GoneError"),
        ("export const t = [{ handler: Save }];", "Save"),
        ("export function t() { return [{ on: Save }]; }", "Save"),
        ("export const t = [[{ deep: P.Link }]];", "Link"),
        ("export const t = [{ inner: [{ model: User }] }];", "User"),
        ("export const t = (x) => { x.push(...[{ one: Save }]); };", "Save"),
        ("export const t = () => <Other model={User}/>;", "User"),
        ("export const t = () => <Other on={Save} icon={P.Link}/>;", "Link"),
    ],
)
def test_what_a_row_or_an_attribute_names_is_handed_on_and_not_called(
    indexed: Make, text: str, named: str
) -> None:
    made = indexed({"parts.jsx": _PARTS, "app.jsx": f"{_HEAD}{text}\n"})
    assert named not in _sure(made)
    assert named in {target for _, target in _edges(made, ("references",))}


@pytest.mark.parametrize(
    "text",
    [
        "export const jobs = { load: () => import('./heavy') };",
        "export const rows = [{ load: () => import('./heavy') }];",
        "queue.add(() => import('./heavy'));",
        "const mod = once(() => import('./heavy'));\nexport function go() { mod(); }",
        "export const jobs = { load: () => import('./heavy').then((m) => m.Chart) };",
        "vi.mock('./x', () => import('./heavy'));",
        "export function once(f) { return f; }\nconst get = once(() => import('./heavy'));\nget();",
        "export const load = cached(async () => (await import('./heavy')).default);\nload();",
        "export const table = new Map([['a', () => import('./heavy')]]);",
        "export default register('x', { setup: () => import('./heavy') });",
    ],
)
def test_an_import_that_runs_later_calls_nothing_of_the_module(indexed: Make, text: str) -> None:
    made = indexed({"heavy.jsx": _HEAVY, "app.jsx": f"{text}\n"})
    assert not {"Heavy", "Chart"} & _sure(made)


def test_a_lazy_component_is_the_default_of_its_module_and_nothing_else(indexed: Make) -> None:
    text = "const Lazy = lazy(() => import('./heavy'));\nexport const App = () => <Lazy/>;\n"
    assert _sure(indexed({"heavy.jsx": _HEAVY, "app.jsx": text})) == {"Heavy", "Lazy"}


@pytest.mark.parametrize("ending", ["c", "cc"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("void f(void) {\n  LIST_FOREACH(item, list) { use(item); }\n}\n", ["f"]),
        (
            "void f(void)\n{\n    TAILQ_FOREACH(a, &q, link)\n    {\n        use(a);\n    }\n}\n",
            ["f"],
        ),
        ("int f(int n) {\n  if (n) {\n    FOR_EACH(x, xs) { g(x); }\n  }\n  return n;\n}\n", ["f"]),
        ("int f(void) {\nFOREACH(x, xs) {\ng(x);\n}\nreturn 1;\n}\n", ["f"]),
        ("API int f(void) {\n  EACH(x, xs) { g(x); }\n  return 1;\n}\n", ["f"]),
        ("int f(void) {\n  WITH_LOCK(m) { g(); }\n  WITH_LOCK(k) { h(); }\n}\n", ["f"]),
        ("int f(int n) {\n  SWITCH(n) {\n    CASE(1) { g(); }\n  }\n}\n", ["f"]),
        ("struct POINT origin{1, 2};\n", []),
        ("struct POINT origin{};\n", []),
        ("struct POINT box { {1, 2}, {3, 4} };\n", []),
        ("struct CONFIG c { .x = 1, .y = f(2) };\nint g(void) { return 1; }\n", ["g"]),
        ("int f(void) {\n  struct STAT st{0};\n  return st.a;\n}\n", ["f"]),
        ("struct In { struct FLAGS f : 3; int x; };\n", ["In"]),
        ("union VALUE v{ POINT{1, 2} };\n", []),
    ],
)
def test_a_loop_of_a_macro_and_an_initialised_variable_are_no_symbols(
    indexed: Make, ending: str, text: str, names: list[str]
) -> None:
    made = indexed({f"a.{ending}": text})
    kinds = ("function", "method", "class")
    assert sorted(s.qualified for s in made.store.all_symbols() if s.kind in kinds) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class API Box : public Base {\n  void draw() {}\n};\n", ["Box", "Box.draw"]),
        ("class API Box final { public: int x; };\n", ["Box"]),
        ("struct EXPORT Tag {};\n", ["Tag"]),
        ("class API Box {\n  int x{3};\n};\n", ["Box"]),
        ("class API Box {\n  enum Kind { A };\n};\n", ["Box"]),
        ("class API(x) Box {\n public:\n  Box();\n};\n", ["Box"]),
        ("struct API Pair { int a, b; };\n", ["Pair"]),
        ("class API Box : public A<int>, B { int x; };\n", ["Box"]),
        ("struct API point { double x; double y; };\n", ["point"]),
        ("class API Box { Box() = default; };\n", ["Box"]),
    ],
)
def test_a_class_behind_a_macro_is_one(indexed: Make, text: str, names: list[str]) -> None:
    made = indexed({"a.h": text})
    kinds = ("function", "method", "class")
    found = sorted(s.qualified for s in made.store.all_symbols() if s.kind in kinds)
    assert set(names) <= set(found)
