"""C, C++, C#, Kotlin, Swift, PHP, Ruby: symbols and imports; calls by name alone, which every edge
says.
"""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.graph import CALLS, IMPORTS, INHERITS, Certainty
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

#: Language → files, the symbols of the first with their kind, calls, bases and imports.
_CASES: dict[str, tuple[dict[str, str], set[str], set[str], set[str], set[str]]] = {
    "c": (
        {
            "shop.c": '#include "money.h"\n/* Adds up. */\nint total(int n) { return rounded(n); '
            "}\nstruct cart { int n; };\n"
            "static struct cart *fresh(void) { return 0; }\n#define TWICE(x) total(x)\n",
            "money.h": "int rounded(int n);\n",
            "money.c": "int rounded(int n) { return n; }\n",
        },
        {"function total", "class cart", "function fresh", "function TWICE"},
        {"total -> rounded"},
        set(),
        {"shop.c -> money.h"},
    ),
    "c++": (
        {
            "circle.cpp": '#include "shape.hpp"\nnamespace geo {\nclass Circle : public Shape {\n '
            " double "
            "r;\n public:\n"
            "  double area() const { return scaled(r) + this->half(); }\n  double half() "
            "const;\n};\n"
            "double Circle::half() const { return geo::twice(r) + std::twice(r); }\n}\n",
            "shape.hpp": "class Shape { protected: double scaled(double v) { return v; } };\n"
            "template <class T> T twice(T v) { return v + v; }\n",
            "other.cpp": "struct Other { double scaled(double v) { return v; } };\n",
        },
        {"class geo.Circle", "method geo.Circle.area", "method geo.Circle.half"},
        {
            "geo.Circle.area -> Shape.scaled",
            "geo.Circle.area -> geo.Circle.half",
            "geo.Circle.half -> twice",
        },
        {"geo.Circle -> Shape"},
        {"circle.cpp -> shape.hpp"},
    ),
    "c#": (
        {
            "Orders.cs": "namespace Shop;\npublic class Orders : Base {\n  public int Place(Cart "
            "c) { var "
            "o = new Order(c); c.Check(); return Sum(o); }\n"
            "  [Fact] public void Works() { Place(null); }\n}\npublic interface ICart { void "
            "Check(); }\n",
            "Base.cs": (
                "public class Base { protected int Sum(Order o) => 1; }\npublic record Order(int "
                "Id);\n"
            ),
        },
        {
            "class Orders",
            "method Orders.Place",
            "method Orders.Works",
            "class ICart",
            "method ICart.Check",
        },
        {
            "Orders.Place -> Order",
            "Orders.Place -> Base.Sum",
            "Orders.Place -> ICart.Check",
            "Orders.Works -> Orders.Place",
        },
        {"Orders -> Base"},
        set(),
    ),
    "kotlin": (
        {
            "shop/Orders.kt": "package shop\n\nimport shop.model.Order\n\nclass Orders(val repo: "
            "Repo) : Base() "
            "{\n  fun place(c: Cart): Int {\n"
            "    val o = Order(c)\n    repo.keep(o)\n    return total(o)\n  }\n}\n\nfun "
            "total(o: Order) = 1\n",
            "shop/model/Order.kt": (
                "package shop.model\n\ndata class Order(val id: Int)\n\nopen class Base\n\nobject "
                "Repo {\n  fun keep(o: Order) = Unit\n}\n"
            ),
        },
        {"class Orders", "method Orders.place", "function total"},
        {"Orders.place -> Order", "Orders.place -> Repo.keep", "Orders.place -> total"},
        {"Orders -> Base"},
        {"shop/Orders.kt -> shop/model/Order.kt"},
    ),
    "swift": (
        {
            "Orders.swift": "class Orders: Base {\n  init(repo: Repo) { setUp() }\n  func place(_ "
            "c: Cart) -> "
            "Int { let o = Order(c); repo.keep(o); return total(o) }\n}\n"
            "func total(_ o: Order) -> Int { return 1 }\nextension Base { func more() { "
            "setUp() } }\n",
            "Model.swift": (
                "class Base { func setUp() {} }\nstruct Order { var id: Int }\nprotocol Repo { "
                "func keep(_ o: Order) }\n"
            ),
        },
        {
            "class Orders",
            "method Orders.init",
            "method Orders.place",
            "function total",
            "class Base",
            "method Base.more",
        },
        {
            "Orders.init -> Base.setUp",
            "Orders.place -> Order",
            "Orders.place -> Repo.keep",
            "Orders.place -> total",
            "Base.more -> Base.setUp",
        },
        {"Orders -> Base"},
        set(),
    ),
    "php": (
        {
            "src/Orders.php": "<?php\nnamespace Shop;\nuse Shop\\Model\\Order;\nrequire_once "
            "'util.php';\nclass "
            "Orders extends Base {\n"
            "  function place($c) { $o = new Order($c); $this->check($o); $c->keep($o); "
            "return total($o); }\n}\n",
            "src/Model/Order.php": (
                "<?php\nnamespace Shop\\Model;\nclass Order { function keep($o) {} }\n"
            ),
            "src/util.php": (
                "<?php\nfunction total($o) { return 1; }\nclass Base { function check($o) {} }\n"
            ),
        },
        {"class Orders", "method Orders.place"},
        {
            "Orders.place -> Order",
            "Orders.place -> Base.check",
            "Orders.place -> Order.keep",
            "Orders.place -> total",
        },
        {"Orders -> Base"},
        {"src/Orders.php -> src/Model/Order.php", "src/Orders.php -> src/util.php"},
    ),
    "ruby": (
        {
            "lib/orders.rb": "require_relative 'base'\nmodule Shop\n  # Places orders.\n  class "
            "Orders < "
            "Base\n    def place(cart)\n      o = Order.new(cart)\n"
            "      cart.keep(o)\n      check(o)\n    end\n    def self.make(x) = new(x)\n  "
            "end\nend\n",
            "lib/base.rb": (
                "class Base\n  def check(o)\n  end\nend\nclass Order\n  def keep(o)\n  end\nend\n"
            ),
        },
        {"class Shop", "class Shop.Orders", "method Shop.Orders.place", "method Shop.Orders.make"},
        {
            "Shop.Orders.place -> Order",
            "Shop.Orders.place -> Order.keep",
            "Shop.Orders.place -> Base.check",
        },
        {"Shop.Orders -> Base"},
        {"lib/orders.rb -> lib/base.rb"},
    ),
}


@pytest.mark.parametrize("language", _CASES)
def test_symbols_are_read_and_names_linked(language: str, indexed: Make) -> None:
    files, symbols, calls, bases, imports = _CASES[language]
    made = indexed(files)
    first = next(iter(files))
    shown = {
        f"{s.kind} {s.key.partition('::')[2]}"
        for s in list(made.store.all_symbols())
        if s.path == first and s.kind != "module"
    }
    edges = list(made.store.all_edges())
    own = [e for e in edges if e.source.startswith(f"{first}::")]
    assert shown == symbols
    assert {_names(e.source, e.target) for e in own if e.kind == CALLS} == calls
    assert {_names(e.source, e.target) for e in own if e.kind == INHERITS} == bases
    assert {
        f"{e.source.partition('::')[0]} -> {e.target.partition('::')[0]}"
        for e in own
        if e.kind == IMPORTS
    } == imports
    assert {e.tier for e in edges if e.kind in (CALLS, INHERITS)} == {Certainty.UNIQUE_NAME}
    assert {e.reason for e in edges if e.kind == CALLS} == {"by its name alone"}


def test_a_name_of_many_says_nothing_and_is_counted(indexed: Make) -> None:
    classes = "\n".join(f"class K{n}\n  def run_it\n  end\nend" for n in range(5))
    made = indexed({"a.rb": classes, "b.rb": "def go(x)\n  x.run_it(1)\nend\n"})
    assert [e for e in list(made.store.all_edges()) if e.source == "b.rb::go"] == []
    assert [(c.source, c.name) for c in made.store.unresolved_calls(["run_it"])] == [
        ("b.rb::go", "run_it")
    ]


def _names(source: str, target: str) -> str:
    return f"{source.partition('::')[2]} -> {target.partition('::')[2]}"


def test_of_functions_of_one_name_that_of_the_same_file_is_meant_else_that_of_the_folder(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "shop/cart.c": "int total(int n) { return rounded(n); }\n",
            "shop/money.c": "int rounded(int n) { return n; }\n",
            "tests/money.c": (
                "int rounded(int n) { return 0; }\nint check(int n) { return rounded(n); }\n"
            ),
            "main.c": "int main(int n) { return rounded(n); }\n",
        }
    )
    found = {(e.source, e.target) for e in made.store.all_edges() if e.kind == CALLS}
    assert found == {
        ("shop/cart.c::total", "shop/money.c::rounded"),
        ("tests/money.c::check", "tests/money.c::rounded"),
        ("main.c::main", "shop/money.c::rounded"),
        ("main.c::main", "tests/money.c::rounded"),
    }
