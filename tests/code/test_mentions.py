"""A zero is said only where nothing else may use what changed."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import analysis, lookup, mentions
from gieok.code.ask.likelihood import Sources
from gieok.code.ask.markers import find_marker_names
from gieok.code.index.project import Project
from gieok.commands.code.impact import build_impact_result, render_code_impact
from gieok.commands.command import Style
from gieok.model.code import Symbol

Make = Callable[[Mapping[str, str]], Project]


def _told(made: Project, target: str) -> str:
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, target))
    result = build_impact_result(made, found, limit=30, also=False)
    return render_code_impact(result, Style("en", colour=False))


@pytest.mark.parametrize(
    ("files", "target", "why"),
    [
        (
            {"A.java": 'class A {\n    @PostMapping("/a")\n    void save() {}\n}\n'},
            "A.save",
            "code outside of the project may call it for its marker PostMapping",
        ),
        (
            {"s.py": "@receiver(changed)\ndef clear(**kwargs):\n    pass\n"},
            "clear",
            "code outside of the project may call it for its marker receiver",
        ),
        (
            {"m.ts": "export class Jobs {\n  @Cron('* * * * *')\n  sweep() {}\n}\n"},
            "Jobs.sweep",
            "code outside of the project may call it for its marker Cron",
        ),
        (
            {"r.rs": "#[tauri::command]\nfn open_file() {}\n"},
            "open_file",
            "code outside of the project may call it for its marker tauri::command",
        ),
        (
            {"a.py": "class C(AppConfig):\n    def ready(self):\n        pass\n"},
            "C.ready",
            "AppConfig from outside of the project may call it",
        ),
        (
            {"W.java": "class W implements Configurer {\n    public void add() {}\n}\n"},
            "W.add",
            "Configurer from outside of the project may call it",
        ),
        (
            {
                "a.py": "class Base(Command):\n    pass\nclass C(Base):\n    def handle(self):\n"
                "        pass\n"
            },
            "C.handle",
            "Command from outside of the project may call it",
        ),
        (
            {"a.py": "class C:\n    def __str__(self):\n        return ''\n"},
            "C.__str__",
            "__str__ from outside of the project may call it",
        ),
        (
            {
                "shop/hooks.py": "def observe(request):\n    return True\n",
                "settings.py": 'OBSERVE = "shop.hooks.observe"\n',
            },
            "observe",
            "its name stands at 1 other place (settings.py#L1)",
        ),
        (
            {
                "Vet.java": "class Vet {\n    int getNrOfSpecialties() { return 0; }\n}\n",
                "vets.html": '<td th:text="${vet.nrOfSpecialties}"/>\n',
            },
            "Vet.getNrOfSpecialties",
            "its name stands at 1 other place (vets.html#L1)",
        ),
    ],
)
def test_a_zero_names_what_else_may_use_it(
    indexed: Make, files: Mapping[str, str], target: str, why: str
) -> None:
    told = _told(indexed(files), target)
    assert f"No test is known to reach it, but {why}." in told
    assert "May break (0)" not in told or f"No callers are known, but {why}." in told


@pytest.mark.parametrize(
    ("files", "target"),
    [
        ({"a.py": "def alone():\n    pass\n# alone is never called\n"}, "alone"),
        ({"a.py": "@cache\ndef alone():\n    pass\n__all__ = ['alone']\n"}, "alone"),
        ({"A.java": "class A {\n    @Deprecated\n    void alone() {}\n}\n"}, "A.alone"),
        ({"a.js": "function alone() {}\nmodule.exports = { alone }\n"}, "alone"),
        ({"a.py": "def alone():\n    pass\n", "README.md": "Call `alone` first.\n"}, "alone"),
        (
            {
                "a.py": "from b import mark\n@mark\ndef alone():\n    pass\n",
                "b.py": "def mark(function):\n    return function\n",
            },
            "alone",
        ),
    ],
)
def test_a_zero_is_a_fact_where_nothing_else_may_use_it(
    indexed: Make, files: Mapping[str, str], target: str
) -> None:
    told = _told(indexed(files), target)
    assert "No test reaches it." in told
    assert "No callers." in told


def test_what_else_may_use_it_is_said_where_only_tests_reach_it(indexed: Make) -> None:
    files = {
        "src/vet.py": "def total():\n    return 0\n",
        "tests/test_vet.py": "from src.vet import total\ndef test_total():\n    assert total() == 0\n",
        "vets.html": "{{ total }}\n",
    }
    told = _told(indexed(files), "src/vet.py:total")
    assert "Run these (1 of 1)" in told
    assert "its name stands at 1 other place (vets.html#L1)" in told


def test_a_file_that_cannot_be_searched_leaves_a_zero_unsure(indexed: Make) -> None:
    made = indexed({"a.py": "def lonely():\n    pass\n"})
    (made.root / "picture.bin").write_bytes(b"\0" * 1_000_001)
    assert "No callers." in _told(made, "lonely")
    (made.root / "settings.toml").write_bytes(b"x = 1\n" * 200_000)
    told = _told(made, "lonely")
    assert "No callers." not in told
    assert "1 file was too large to be searched for its name" in told


def test_the_names_of_many_symbols_are_not_looked_for(indexed: Make) -> None:
    names = [f"f{n}" for n in range(51)]
    made = indexed({"a.py": "".join(f"def {name}():\n    pass\n" for name in names)})
    told = _told(made, "a.py")
    assert "No callers." not in told
    assert "the names of 51 changed symbols were not looked for elsewhere" in told


def test_a_file_of_many_symbols_is_not_asked_for(indexed: Make) -> None:
    names = [f"f{n}" for n in range(51)]
    made = indexed({"a.py": "".join(f"def {name}():\n    pass\n" for name in names)})
    keys = [s.key for s in made.store.symbols(names=names)]
    sources = Sources(made.root)
    assert mentions.find_mentions(made, sources, keys).sites == ()
    (made.root / "b.toml").write_text("f1 = 1\n", encoding="utf-8")
    assert mentions.find_mentions(made, sources, keys[:50]).sites == ("b.toml#L1",)


def _symbol(signature: str, name: str = "A", kind: str = "class", start: int = 1) -> Symbol:
    return Symbol(
        key=f"a::{name}",
        path="a",
        name=name,
        kind=kind,
        start_line=start,
        end_line=start + 9,
        parent="",
        signature=signature,
        doc="",
        complexity=0,
        traits="",
        status="active",
        code_hash="",
    )


@pytest.mark.parametrize(
    ("signature", "bases"),
    [
        ("class A", []),
        ("class A(object)", []),
        ("class A(forms.Form, metaclass=Meta)", ["Form"]),
        ("public class A extends Base<T, U> implements X, Y", ["Base", "X", "Y"]),
        ("export class A<T> extends React.Component<Props>", ["Component"]),
    ],
)
def test_bases_are_read_from_the_head_of_a_class(signature: str, bases: list[str]) -> None:
    assert mentions.parse_base_names(_symbol(signature)) == bases


@pytest.mark.parametrize(
    ("text", "start", "names"),
    [
        ("@a.b(1)\n@c\ndef A():", 3, ["a.b", "c"]),
        ("@a(\n    1,\n)\ndef A():", 1, ["a"]),
        ("x = 1\ndef A():", 2, []),
        ("@a\nclass B:\n  pass\n\ndef A():", 5, []),
        ('#[get("/")]\nfn A() {', 2, ["get"]),
        ("[HttpGet]\npublic int A()", 2, ["HttpGet"]),
    ],
)
def test_markers_are_those_of_the_definition_below(text: str, start: int, names: list[str]) -> None:
    lines = text.split("\n")
    assert find_marker_names(lines, _symbol("", kind="function", start=start)) == names
