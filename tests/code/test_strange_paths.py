"""Files whose paths look like something else: signatures, generics, namespaces, addresses."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import explore, lookup
from gieok.code.index.project import Project
from gieok.errors import BadRequest

Make = Callable[[Mapping[str, str]], Project]

_PAGE = "export default function {name}() {{ return 1; }}\n"
_PATHS = {
    "app/(shop)/page.tsx": "ShopPage",
    "app/(shop)/[id]/page.tsx": "ItemPage",
    "app/(shop)/(.)photo/page.tsx": "PhotoPage",
    "app/@modal/(..)(..)deep/page.tsx": "ModalPage",
    "(marketing)/layout.tsx": "MarketingLayout",
    "src/routes/<lang>/page.ts": "LangPage",
    'src/a "b"/quoted.ts': "Quoted",
    "src/back\\slash.ts": "Backslash",
    "src/a::b/spaced.ts": "Spaced",
    "src/x:y.ts": "Coloned",
    "file:odd/page.ts": "Odd",
    "lib/util (copy).ts": "CopyOfUtil",
}


@pytest.fixture
def strange(indexed: Make) -> Project:
    return indexed({path: _PAGE.format(name=name) for path, name in _PATHS.items()})


@pytest.mark.parametrize("path", _PATHS)
def test_a_path_names_its_file_whatever_signs_it_holds(strange: Project, path: str) -> None:
    assert [s.path for s in lookup.find_typed_symbols(strange, path)] == [path]


@pytest.mark.parametrize(
    "text", [f"{path}{sign}{name}" for path, name in _PATHS.items() for sign in (":", "::")]
)
def test_a_symbol_is_named_behind_such_a_path(strange: Project, text: str) -> None:
    assert text.endswith(tuple(s.name for s in lookup.find_typed_symbols(strange, text)))


@pytest.mark.parametrize("path", _PATHS)
def test_a_line_is_named_behind_such_a_path(strange: Project, path: str) -> None:
    assert [s.name for s in lookup.find_typed_symbols(strange, f"{path}:1")] == [_PATHS[path]]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("at ShopPage (app/(shop)/page.tsx:1:5)", "ShopPage"),
        ("at async ItemPage (/srv/web/app/(shop)/[id]/page.tsx:1:5)", "ItemPage"),
        ("at file:///srv/web/(marketing)/layout.tsx:1:30", "MarketingLayout"),
        ("app/(shop)/(.)photo/page.tsx:1:2", "PhotoPage"),
    ],
)
def test_a_stack_trace_names_such_a_path(strange: Project, line: str, name: str) -> None:
    assert [s.name for s in lookup.find_typed_symbols(strange, line)] == [name]


def test_explore_takes_such_a_path_for_a_name(strange: Project) -> None:
    paths = ["(marketing)/layout.tsx", "app/(shop)/page.tsx"]
    found = explore.explore(strange, None, " ".join(paths), 5)
    assert sorted(row.symbol.path for row in found.candidates) == paths


def test_a_signature_and_a_path_out_of_the_project_name_nothing(strange: Project) -> None:
    for text in ("nothing(a/b)", "app/(gone)/page.tsx", "x" * 9_000 + "(a)"):
        with pytest.raises(BadRequest):
            lookup.find_typed_symbols(strange, text)
