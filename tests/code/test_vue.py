"""Single-file components of Vue: their scripts are read where they stand."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import lookup
from gieok.code.ask.query import search_symbols
from gieok.code.index import project
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_PRICE = "export function price(x) { return x; }\nexport default function tax(x) { return x; }\n"


def _calls(made: Project) -> set[tuple[str, str]]:
    return {
        (edge.source.partition("::")[2], edge.target.partition("::")[2])
        for edge in made.store.all_edges()
        if edge.kind == "calls" and edge.tier <= 1
    }


@pytest.mark.parametrize(
    ("text", "caller"),
    [
        ("<script>\nexport default { methods: { sum() { return price(1); } } }\n</script>", "sum"),
        ("<script setup>\nfunction sum() { return price(1); }\n</script>", "sum"),
        (
            '<script setup lang="ts">\nconst sum = (x: number): number => price(x);\n</script>',
            "sum",
        ),
        (
            (
                '<template><b>{{ sum() }}</b></template>\n<script lang="ts">\n'
                "export function sum(): void { price(1 as number); }\n</script>\n"
                "<style>.a { color: red; }</style>"
            ),
            "sum",
        ),
        ('<script lang="tsx">\nexport const sum = () => <b>{price(1)}</b>;\n</script>', "sum"),
        (
            (
                '<script setup lang="ts" generic="T extends Record<string, number>">\n'
                "function sum(x: T) { return price(x); }\n</script>"
            ),
            "sum",
        ),
        ("<SCRIPT>\nexport function sum() { return price(1); }\n</SCRIPT >", "sum"),
        (
            (
                "<script>\nexport const name = 'x';\n</script>\n"
                "<script setup>\nfunction sum() { return price(1); }\n</script>"
            ),
            "sum",
        ),
        (
            (
                '<script type="application/json">{"sum": }</script>\n'
                "<script>\nfunction sum() { return price(1); }\n</script>"
            ),
            "sum",
        ),
        ("<!-- 가격 -->\n<script>\nfunction sum() { return price(1); }\n</script>", "sum"),
    ],
)
def test_what_a_script_calls_is_an_edge(indexed: Make, text: str, caller: str) -> None:
    begin = text.index("\n", text.lower().rindex("<script")) + 1
    whole = f"{text[:begin]}import {{ price }} from './price';\n{text[begin:]}\n"
    made = indexed({"src/Cart.vue": whole, "src/price.js": _PRICE})
    assert any(
        source.rpartition(".")[2] == caller and target == "price" for source, target in _calls(made)
    )
    (symbol,) = [s for s in made.store.symbols(names=[caller]) if s.path == "src/Cart.vue"]
    line = next(n for n, one in enumerate(whole.split("\n"), 1) if "price(" in one)
    assert symbol.start_line == line


def test_a_component_is_imported_found_and_said_to_be_followed_in_part(indexed: Make) -> None:
    made = indexed(
        {
            "src/App.vue": "<template><Cart/></template>\n"
            "<script setup>\nimport Cart from './Cart.vue';\n</script>\n",
            "src/Cart.vue": "<template><b>wishlist</b></template>\n"
            "<script>\nexport function totalOfCart() { return 1; }\n</script>\n",
        }
    )
    into = made.store.edges_into(["src/Cart.vue::<module>"])
    assert [(edge.source, edge.kind) for edge in into] == [("src/App.vue::<module>", "imports")]
    assert [s.path for s in lookup.find_typed_symbols(made, "totalOfCart")] == ["src/Cart.vue"]
    assert search_symbols(made, None, "wishlist", 3).answers[0].symbol.path == "src/Cart.vue"
    assert project.freshness(made).in_part == ("src/App.vue", "src/Cart.vue")


def test_a_component_without_a_script_is_text(indexed: Make) -> None:
    made = indexed({"a.vue": "<template>\n  <p>plain words</p>\n</template>\n"})
    assert [s.kind for s in made.store.all_symbols()] == ["module"]
    assert search_symbols(made, None, "plain words", 3).answers


@pytest.mark.parametrize("piece", ["<script>", '<script "', "<script a='", "</script>", "<script "])
def test_a_hostile_file_is_read_in_time(indexed: Make, piece: str) -> None:
    made = indexed({"a.vue": (piece + "\n") * 60_000})
    assert "a.vue" in made.store.files()
