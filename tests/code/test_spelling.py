"""Names with their module, as each language and its stack traces write them."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import explore, lookup, query
from gieok.code.index.project import Project
from gieok.errors import BadRequest

Make = Callable[[Mapping[str, str]], Project]

_FILES = {
    "src/main/java/com/x/Shop.java": "package com.x; public class Shop { int total(){ return 1; } "
    "class Inner { void run(){} } }\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "def helper(): pass\nclass K:\n    def m(self):\n        def inner(): pass\n",
    "other/core.py": "def helper2(): pass\ndef get(): pass\n",
    "src/pkg2/__init__.py": "def top(): pass\n",
    "Cargo.toml": '[package]\nname = "mycrate"\n',
    "src/lib.rs": "pub mod stage;\n",
    "src/stage.rs": "pub fn run() {}\npub struct Foo;\nimpl Go for Foo { fn go(&self) {} }\n",
    "src/deep/mod.rs": "pub fn dive() {}\n",
    "go.mod": "module github.com/x/shop\n",
    "pay/cart.go": "package pay\ntype Cart struct{}\nfunc (c *Cart) Total() int { return 1 }\n"
    "func Sum() int { return 1 }\n",
    "js/foo.js": "function Foo(){}\nFoo.prototype.bar = function(){ return this; };\n"
    "class Baz { qux(){} }\nmodule.exports={Foo,Baz};\n",
    "Box.cs": "namespace N.M { class Box { void Lid(string s){} class In { void Open(){} } } }\n",
    "Mail.php": "<?php\nnamespace App\\Svc;\nclass Mail { function send(){} }\nfunction help(){}\n",
    "cart.rb": "module Market\n  class Till\n    def count; end\n  end\nend\n",
    "K.kt": "package com.k\nclass Svc { fun start() {} }\nfun topK() {}\n",
    "w.h": "class Widget { public: static Widget* make(int n); void plain(); };\n",
    "w.cpp": '#include "w.h"\nWidget* Widget::make(int n) { return nullptr; }\n'
    "void app::Widget::plain() {}\nbool Widget::operator==(int n) const { return true; }\n",
}


@pytest.mark.parametrize(
    ("spelled", "qualified"),
    [
        ("com.x.Shop.total", "Shop.total"),
        ("at com.x.Shop.total(Shop.java:12)", "Shop.total"),
        ("com.x.Shop$Inner.run", "Shop.Inner.run"),
        ("pkg.core.helper", "helper"),
        ("core.py:helper", "helper"),
        ("pkg/core.py::K::m", "K.m"),
        ("pkg.core.K.m.<locals>.inner", "K.m.inner"),
        ('File "/srv/app/pkg/core.py", line 1, in helper', "helper"),
        ("pkg2.top", "top"),
        ("src.pkg2.top", "top"),
        ("stage::run", "run"),
        ("mycrate::stage::run", "run"),
        ("crate::stage::run::{{closure}}", "run"),
        ("<mycrate::stage::Foo as mycrate::Go>::go", "Foo.go"),
        ("deep::dive", "dive"),
        ("(*Cart).Total", "Cart.Total"),
        ("github.com/x/shop/pay.(*Cart).Total", "Cart.Total"),
        ("pay.(*Cart).Total.func1", "Cart.Total"),
        ("pay.Sum", "Sum"),
        ("Foo.prototype.bar", "Foo.bar"),
        ("at Foo.bar (js/foo.js:2:5)", "Foo.bar"),
        ("/home/me/shop/js/foo.js:2:5", "Foo.bar"),
        ("at async Baz.qux (file:///x/js/foo.js:3:5)", "Baz.qux"),
        ("N.M.Box.Lid(String s)", "Box.Lid"),
        ("N.M.Box+In.Open", "Box.In.Open"),
        ("App\\Svc\\Mail::send", "Mail.send"),
        ("\\App\\Svc\\Mail->send()", "Mail.send"),
        ("App\\Svc\\help", "help"),
        ("Market::Till#count", "Market.Till.count"),
        ("com.k.Svc.start", "Svc.start"),
        ("com.k.KKt.topK", "topK"),
        ("Widget::make", "Widget.make"),
        ("Widget.make", "Widget.make"),
        ("app::Widget::plain() const", "app.Widget.plain"),
        ("Widget::operator==", "Widget.operator=="),
    ],
)
def test_a_name_with_its_module_is_the_symbol(indexed: Make, spelled: str, qualified: str) -> None:
    made = indexed(_FILES)
    assert [s.qualified for s in lookup.find_typed_symbols(made, spelled)] == [qualified]


def test_a_module_is_named_by_its_parts(indexed: Make) -> None:
    made = indexed(_FILES)
    assert [s.path for s in lookup.find_typed_symbols(made, "pkg.core")] == ["pkg/core.py"]
    assert [s.path for s in lookup.find_typed_symbols(made, "pkg2")] == ["src/pkg2/__init__.py"]


@pytest.mark.parametrize(
    "others",
    ["requests.core.get", "java.util.Shop", "std::stage::run", "other.core.K.m", "x/y.get"],
)
def test_a_name_of_another_module_is_no_symbol_here(indexed: Make, others: str) -> None:
    with pytest.raises(BadRequest, match="no "):
        lookup.find_typed_symbols(indexed(_FILES), others)


@pytest.mark.parametrize(
    ("text", "qualified"),
    [
        ("com.x.Shop.total", "Shop.total"),
        ("(*Cart).Total", "Cart.Total"),
        ("why does stage::run stop?", "run"),
        ("at com.x.Shop.total(Shop.java:12)\n  at com.y.Main.main(Main.java:1)", "Shop.total"),
    ],
)
def test_a_search_and_an_exploration_begin_with_the_spelled_name(
    indexed: Make, text: str, qualified: str
) -> None:
    made = indexed(_FILES)
    assert query.search_symbols(made, None, text, 5).answers[0].symbol.qualified == qualified
    explored = explore.explore(made, None, text, 5)
    assert qualified in {row.symbol.qualified for row in explored.candidates}
