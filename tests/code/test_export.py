"""The page and the picture tell how a project is built."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest

from gieok.code.index.project import Project
from gieok.code.report import export, picture
from gieok.code.report.circles import circles, ring
from gieok.code.report.history import history
from gieok.code.report.overview import build_overview
from gieok.code.report.structure import Circle, layers, needed, ordered, split_into_parts, structure
from gieok.ports.code import Commit
from gieok.text.messages import Words

Make = Callable[[Mapping[str, str]], Project]
_SVG = "{http://www.w3.org/2000/svg}"
_SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.app:main"\n',
    "README.md": "# The shop\n",
    "src/shop/__init__.py": '"""A shop. Sells things."""\n',
    "src/shop/app.py": (
        '"""The command."""\nfrom shop import model\nfrom shop.web.pages import page\n\n\ndef '
        "main():\n    page()\n"
    ),
    "src/shop/web/__init__.py": '"""What people see."""\n',
    "src/shop/web/pages.py": (
        "from shop.model import Item\nfrom shop.store import load\n\n\ndef page():\n    return "
        "load(Item)\n"
    ),
    "src/shop/store.py": "from shop.model import Item\n\n\ndef load(item):\n    if item and "
    "item.x:\n        "
    "return 1\n"
    "    if not item or item.y:\n        return 2\n    return 3\n",
    "src/shop/model.py": (
        "from shop import store\nclass Item: ...\n\n\ndef late():\n    return store\n"
    ),
    "src/shop/alone.js": "".join(f"var x{n} = {n};\n" for n in range(20)),
    "tests/test_store.py": (
        "from shop.store import load\n\n\ndef test_load():\n    assert load(1)\n# TODO: more\n"
    ),
}


def test_parts_stand_in_layers_of_imports_and_what_runs_against_them_is_told(indexed: Make) -> None:
    found = structure(indexed(_SHOP))
    assert found.prefix == "src/shop/"
    assert [[found.label(name) for name in row] for row in layers(found)] == [
        ["app.py"],
        ["web"],
        ["store.py"],
        ["model.py"],
        ["alone.js"],
    ]
    assert found.against() == [("src/shop/model.py", "src/shop/store.py", 1)]
    assert [(found.label(a), found.label(b)) for a, b, _ in needed(found)] == [
        ("app.py", "web"),
        ("store.py", "model.py"),
        ("web", "store.py"),
    ]
    tests = {found.label(part.name): (part.tests, part.dependants) for part in found.parts}
    assert tests["store.py"] == (1, 2)
    assert tests["model.py"] == (0, 3)


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "import b\n", "b.py": "def late(\n    x,\n):\n    if x:\n        import a\n"},
        {"a.py": "import b\n", "b.py": "import typing as t\n\nif t.TYPE_CHECKING:\n    import a\n"},
        {
            "a.ts": "import { b } from './b'\nexport type A = 1\n",
            "b.ts": "import type { A } from './a'\nexport const b = 1\n",
        },
        {
            "a.ts": "import { b } from './b'\nexport type A = 1\n",
            "b.ts": "import { type A } from './a'\nexport const b = 1\n",
        },
        {
            "a.ts": "import { b } from './b'\nexport interface A { x: 1 }\nexport type C = 1\n",
            "b.ts": "import { A, C as D } from './a'\nexport const b = 1\n",
        },
        {
            "src/lib.rs": "mod b;\npub fn a() { b::b(); }\n",
            "src/b.rs": "use crate::a;\npub fn b() { a(); }\n",
        },
        {
            "a.go": "package m\nfunc A() { B() }\nfunc D() {}\n",
            "b.go": "package m\nfunc B() { D() }\n",
        },
    ],
)
def test_what_runs_later_or_is_for_types_alone_closes_no_circle(
    indexed: Make, files: dict[str, str]
) -> None:
    found = structure(indexed({name: text + "\n" * 12 for name, text in files.items()}))
    assert len(found.parts) == 2
    assert found.against() == []
    assert len(found.aside()) == 1
    assert "left out: 1 upwards for types alone" in picture.svg(found, "x")


def test_folders_that_import_each_other_hold_no_circle_where_no_file_does(indexed: Make) -> None:
    one = {
        "web/page.py": "from core import model\nfrom core import store\n",
        "web/look.py": "x = 1\n" * 12,
        "core/model.py": "from web import look\n" + "x = 1\n" * 12,
        "core/store.py": "x = 1\n",
        **{f"{folder}/more_{n}.py": "x = 1\n" for folder in ("core", "web") for n in range(30)},
    }
    found = structure(indexed(one))
    assert found.circles == ()
    assert found.against() == []
    assert len(found.mutual()) == 1
    assert "grey, dashed: upwards, no circle of files (1)" in picture.svg(found, "x")
    found = structure(indexed({**one, "web/look.py": "from core import model\n" + "x = 1\n" * 12}))
    assert found.circles == (Circle(2, ("core/model.py", "web/look.py", "core/model.py")),)
    assert found.mutual() == []
    assert re.search(r"\((\w+/\w+.py) → (\w+/\w+.py) → \1\)", picture.svg(found, "x"))


def test_a_circle_is_found_whatever_hangs_on_it() -> None:
    graph = {
        "a": {"b": 1},
        "b": {"c": 1, "x": 1},
        "c": {"a": 1},
        "x": {"y": 1},
        "y": {"x": 1},
        "z": {"a": 1},
    }
    assert circles(graph) == {"a": "a", "b": "a", "c": "a", "x": "x", "y": "x"}
    assert ring(graph, "b", "c") == ("b", "c", "a", "b")
    assert ring(graph, "z", "a") == ()


def test_what_commits_tell_is_who_knows_a_part_and_which_files_change_together() -> None:
    def commit(author: str, *files: str) -> Commit:
        return Commit("1", author, datetime(2026, 1, 2, tzinfo=UTC), "", files)

    part_of = {"a/x.py": "a", "b/y.py": "b", "b/z.py": "b"}
    told = history(
        [commit("Kim", "a/x.py", "b/y.py", "tests/test_x.py")] * 3
        + [commit("Lee", "b/y.py", "b/z.py")]
        + [commit("dependabot[bot]", "b/y.py", "b/z.py")] * 5,
        [*part_of, "tests/test_x.py"],
        part_of,
        {("a/x.py", "b/y.py")},
    )
    assert told.commits == 4
    assert [
        (one.one, one.other, one.commits, one.share, one.is_joined) for one in told.together
    ] == [
        ("a/x.py", "b/y.py", 3, 0.75, True),
        ("b/y.py", "tests/test_x.py", 3, 0.75, False),
    ]
    assert told.owners == {"a": (("Kim", 1.0),), "b": (("Kim", 0.75), ("Lee", 0.25))}
    assert [(one.name, one.commits, one.part) for one in told.workers] == [
        ("Kim", 3, "a"),
        ("Lee", 1, "b"),
    ]
    assert told.changes["b/y.py"] == 4


def test_a_monorepo_starts_where_its_packages_say_and_not_in_what_is_built(indexed: Make) -> None:
    made = indexed(
        {
            "package.json": '{"name": "all", "private": true}',
            "packages/cli/package.json": (
                '{"name": "@all/cli", "bin": {"all": "bin.js"}, "exports": {".": {"import": '
                '"./dist/index.js"}}}'
            ),
            "packages/cli/bin.js": "run();\n",
            "packages/cli/src/index.ts": "export const x = 1;\n",
            "crates/core-x/src/lib.rs": "pub fn x() {}\n",
            "cmd/tool/main.go": "package main\nfunc main() {}\n",
            "shop/life.py": "class Life:\n    def main(self): ...\n",
            "tests/run.py": "def main(): ...\n",
            "README.md": (
                '# All\n\n<img src="x"> [![ci](x)](y)\n\nDoes **everything** for [you](x), and '
                "more.\n"
            ),
        }
    )
    found = build_overview(made)
    assert found.about == "Does everything for you, and more."
    assert found.starts == (
        ("all", "packages/cli/bin.js"),
        ("import @all/cli", "packages/cli/src/index.ts"),
        ("import core_x", "crates/core-x/src/lib.rs"),
        ("", "cmd/tool/main.go#L2"),
    )


def test_the_picture_is_well_formed_and_its_boxes_do_not_touch(indexed: Make) -> None:
    made = indexed(_SHOP)
    drawn = picture.svg(structure(made), 'shop & "friends"')
    root = ET.fromstring(drawn)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    boxes = [
        tuple(float(box.get(name, 0)) for name in ("x", "y", "width", "height"))
        for box in root.iter(f"{_SVG}rect")
        if str(box.get("class")).startswith("p ")
    ]
    assert len(boxes) == 5
    assert all(x >= 0 and x + w <= width and y >= 0 and y + h <= height for x, y, w, h in boxes)
    for number, (x, y, w, _) in enumerate(boxes):
        assert all(y != b or x + w < a or a + c < x for a, b, c, _ in boxes[number + 1 :])
    shown = [text.text for text in root.iter(f"{_SVG}text")]
    assert shown[0] == 'shop & "friends"'
    assert {"app.py", "web", "store.py", "model.py", "alone.js", "2 files · 9 lines"} <= set(shown)
    assert [p.get("class") for p in root.iter(f"{_SVG}path") if p.get("marker-end")] == [
        "l",
        "l",
        "l",
        "x",
    ]
    assert drawn == picture.svg(structure(made), 'shop & "friends"')


def test_rows_of_many_parts_are_broken_and_long_names_cut(indexed: Make) -> None:
    files = {f"pkg/mod_{n}.py": "import pkg.base\n" for n in range(9)}
    name = "한글로_쓴_매우_긴_모듈_이름_그리고_더_긴_이름.py"
    made = indexed(
        {
            **files,
            "pkg/base.py": "x = 1\n",
            f"pkg/{name}": "import pkg.base\n",
            "pkg/__init__.py": "",
        }
    )
    root = ET.fromstring(picture.svg(structure(made), "x"))
    rows = [
        box.get("y") for box in root.iter(f"{_SVG}rect") if str(box.get("class")).startswith("p ")
    ]
    assert sorted(rows.count(y) for y in set(rows)) == [1, 3, 7]
    shown = [text.text or "" for text in root.iter(f"{_SVG}text")]
    assert any(re.fullmatch("….*더_긴_이름.py", text) for text in shown)


def test_a_project_without_code_has_an_empty_picture(indexed: Make) -> None:
    made = indexed({"notes.md": "# Notes\n"})
    found = structure(made)
    assert found.parts == ()
    assert ET.fromstring(picture.svg(found, "x")).get("height") == "100"
    assert "- `notes.md`: Notes" in export.render_overview_page(made, build_overview(made), "en")


def test_the_page_tells_a_newcomer_where_to_look(indexed: Make) -> None:
    made = indexed(_SHOP)
    page = export.render_overview_page(made, build_overview(made), "en")
    for line in (
        "- command `shop` → `shop.app:main`",
        "- `src/shop/app.py#L6`",
        "- `import shop` → `src/shop/__init__.py`",
        "| `src/shop/web` | 2 | 9 | model.py (1), store.py (1) | 1 | 0 |  | What people see. |",
        "- `src/shop/model.py` → `src/shop/store.py` → `src/shop/model.py`",
        (
            "Not known: there are no commits here. Gieok reads in git what changes together, and "
            "who knows which file."
        ),
        "1 tests in 1 files: `tests` (1).",
        "- `src/shop/app.py`: The command.",
        "- `README.md`: The shop",
        "- TODO `tests/test_store.py#L6` more",
    ):
        assert line in page.split("\n"), line
    assert re.search(r"\| `src/shop/store.py::load` \| 5 \| 6 \| 1 \|", page)
    assert "test_load" not in page


def test_folders_are_opened_while_there_is_room() -> None:
    flat = {f"big/f{n}.py": 100 for n in range(40)}
    assert set(split_into_parts(flat).values()) == {"big"}
    assert set(split_into_parts({**flat, "big/sub/x.py": 2000}).values()) == {
        "big/*",
        "big/sub/x.py",
    }
    assert split_into_parts({"a.py": 1, "b/c.py": 9}) == {"a.py": "a.py", "b/c.py": "b/c.py"}


def test_the_order_goes_against_the_lightest_imports() -> None:
    assert ordered(["a", "b", "c"], {"a": {"b": 5}, "b": {"c": 5}, "c": {"a": 1}}) == [
        "a",
        "b",
        "c",
    ]


def test_a_picture_inside_a_page_leaves_its_title_and_legend_to_the_page(indexed: Make) -> None:
    made = indexed({"shop/a.py": "from shop import b\n", "shop/b.py": "", "shop/__init__.py": ""})
    found = structure(made)
    (legend,) = picture.list_legend_lines(found, Words.fill_english)
    alone = picture.svg(found, "the shop")
    inside = picture.svg(found, "the shop", link=lambda name: f"/code/part?name={name}")
    assert legend in alone
    assert legend not in inside
    assert '<text class="t"' in alone
    assert '<text class="t"' not in inside
    heights = [int(ET.fromstring(drawn).get("height", "")) for drawn in (alone, inside)]
    assert heights[0] > heights[1], "no empty room is left where the title stood"
