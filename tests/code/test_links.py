"""Calls go where each language's own rules say."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project
from gieok.code.resolve.program import FAN

Edges = Callable[[Mapping[str, str]], set[str]]
Make = Callable[[Mapping[str, str]], Project]


def test_python_follows_imports_aliases_and_reexports(edges: Edges) -> None:
    found = edges(
        {
            "pkg/__init__.py": "from .inner import work as public\nfrom .stars import *\n",
            "pkg/inner.py": "def work(): ...\n",
            "pkg/stars.py": "def shine(): ...\n",
            "main.py": (
                "import pkg\nfrom pkg import public as p\nimport pkg.inner as i\n\ndef go():\n    "
                "p()\n    pkg.shine()\n    i.work()\n"
            ),
        }
    )
    assert found == {"go -> work", "go -> shine"}


def test_python_imports_by_name(indexed: Make) -> None:
    made = indexed(
        {
            "pkg/__init__.py": "",
            "pkg/mod.py": "def work(): ...\n",
            "main.py": (
                "import importlib\ndef go():\n    importlib.import_module('pkg.mod').work()\n"
            ),
        }
    )
    found = {(e.kind, e.source, e.target) for e in made.store.all_edges()}
    assert found == {
        ("calls", "main.py::go", "pkg/mod.py::work"),
        ("imports", "main.py::<module>", "pkg/mod.py::<module>"),
    }


def test_python_finds_packages_below_src_and_tests_beside_them(edges: Edges) -> None:
    found = edges(
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "class Cart:\n    def add(self): ...\n",
            "tests/helpers.py": "def make(): ...\n",
            "tests/test_cart.py": (
                "from shop.cart import Cart\nfrom helpers import make\n\ndef test_add():\n    "
                "make()\n    Cart().add()\n"
            ),
        }
    )
    assert found == {"test_add -> Cart.add", "test_add -> make"}


def test_python_dispatches_by_class_hierarchy_and_super(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "class Base:\n    def __init__(self): self.step()\n    def step(self): ...\n"
                "class Child(Base):\n    def __init__(self):\n        super().__init__()\n    "
                "def step(self): ...\n"
                "def go():\n    Child()\n"
            )
        }
    )
    assert found == {
        "Base.__init__ -> Base.step",
        "Base.__init__ -> Child.step",
        "Child.__init__ -> Base.__init__",
        "go -> Child.__init__",
    }


def test_python_sees_through_wrappers_properties_and_context_managers(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "import functools\nfrom contextlib import contextmanager\n"
                "def logged(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return "
                "f(*a)\n    return inner\n"
                "@logged\ndef work(): ...\n"
                "class Box:\n    @property\n    def lid(self): return Lid()\n"
                "class Lid:\n    def open(self): ...\n"
                "@contextmanager\ndef opened():\n    yield Box()\n"
                "def go():\n    work()\n    with opened() as box:\n        box.lid.open()\n"
            )
        }
    )
    assert {
        "go -> work",
        "go -> Box.lid",
        "go -> Lid.open",
        "go -> opened",
        "<module> -> logged",
    } <= found


def test_python_keeps_what_one_wrapper_wraps_apart(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "from functools import update_wrapper\n"
                "def logged(f):\n    def inner(*a):\n        return f(*a)\n    return "
                "update_wrapper(inner, f)\n"
                "@logged\ndef one(): ...\n@logged\ndef two(): ...\ndef go():\n    one()\n"
            )
        }
    )
    assert {edge for edge in found if edge.startswith("go")} == {"go -> one"}


def test_python_makes_a_class_by_its_metaclass(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "class Meta(type):\n    def __new__(mcs, *a): ...\nclass Base(metaclass=Meta): "
                "...\ndef go():\n    class Mine(Base): ...\n"
            )
        }
    )
    assert found == {"<module> -> Meta.__new__", "go -> Meta.__new__"}


def test_python_refers_to_what_a_base_from_outside_gets(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": (
                "import web\nclass App:\n    def __call__(self): ...\n"
                "class Client(web.Client):\n    def __init__(self, *args):\n        "
                "super().__init__(*args)\ndef go():\n    Client(App())\n"
            )
        }
    )
    found = {(e.source, e.target) for e in made.store.all_edges() if e.kind == "references"}
    assert found == {("a.py::Client.__init__", "a.py::App.__call__")}


def test_python_follows_callbacks_containers_and_arguments(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "def one(): ...\ndef two(): ...\nTABLE = {'one': one}\n"
                "def call(f):\n    f()\n"
                "def go():\n    call(two)\n    TABLE['one']()\n    for f in [one]:\n        "
                "f()\n    list(map(lambda x: two(), [1]))\n"
            )
        }
    )
    assert found == {"call -> two", "go -> call", "go -> one", "go -> two"}


def test_python_gives_a_fluent_call_its_own_receiver(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "class A:\n    def me(self): return self\n    def x(self): ...\n"
                "class B:\n    def me(self): return self\n    def x(self): ...\n"
                "def same(v): return v\n"
                "def go():\n    same(A()).me().x()\ndef other():\n    same(B()).x()\n"
            )
        }
    )
    assert {"go -> A.x", "other -> B.x"} <= found
    assert not {"go -> B.x", "other -> A.x"} & found


def test_python_gives_tests_their_fixtures(edges: Edges) -> None:
    found = edges(
        {
            "tests/conftest.py": (
                "import pytest\nclass Client:\n    def get(self): ...\n@pytest.fixture\ndef "
                "client():\n    yield Client()\n"
            ),
            "tests/test_a.py": "def test_get(client):\n    client.get()\n",
        }
    )
    assert "test_get -> Client.get" in found


def test_python_decorators_that_keep_a_method_hand_it_to_nobody(
    indexed: Callable[[Mapping[str, str]], Project],
) -> None:
    made = indexed(
        {
            "a.py": (
                "import app\nfrom functools import cached_property\n"
                "class A:\n    @property\n    def kept(self): ...\n    @kept.setter\n    def "
                "kept(self, to): ...\n"
                "    @cached_property\n    def late(self): ...\n    @app.route('/')\n    def "
                "page(self): ...\n"
            )
        }
    )
    handed = {e.target.partition("::")[2] for e in made.store.all_edges() if e.kind == "references"}
    assert handed == {"A.page"}


def test_python_catches_what_is_below_the_class_it_names(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "class Base(Exception):\n    def show(self): ...\nclass Deep(Base):\n    def "
                "show(self): ...\n"
                "def go(work):\n    try:\n        work()\n    except (KeyError, Base) as e:\n "
                "       e.show()\n"
            )
        }
    )
    assert found == {"go -> Base.show", "go -> Deep.show"}


def test_python_reads_names_that_are_put_together_and_exceptions_that_tests_expect(
    edges: Edges,
) -> None:
    found = edges(
        {
            "a.py": (
                "class Walk:\n    def go(self, kind): return getattr(self, 'on_' + kind)()\n  "
                "  def on_a(self): self.note()\n"
                "    def note(self): ...\nclass Loud(Walk):\n    def note(self): ...\ndef "
                "run():\n    Loud().go('a')\n"
                "class Bad(Exception):\n    def text(self): ...\n"
            ),
            "test_a.py": (
                "import pytest, a\ndef test_bad():\n    with pytest.raises(a.Bad) as caught:\n    "
                "    a.run()\n    caught.value.text()\n"
            ),
        }
    )
    assert {"Walk.go -> Walk.on_a", "Walk.on_a -> Loud.note", "test_bad -> Bad.text"} <= found


def test_python_runs_a_generator_where_it_is_iterated(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "def many():\n    yield 1\ndef take(of):\n    list(of)\ndef go():\n    "
                "take(many())\n"
            )
        }
    )
    assert found == {"go -> many", "go -> take", "take -> many"}


def test_python_asks_descriptors_for_the_attribute(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "class Door:\n    def open(self): ...\n"
                "class Field:\n    def __get__(self, obj, kind=None): return Door()\n    def "
                "__set__(self, obj, value): ...\n"
                "class cached_property:\n    def __init__(self, f): self.f = f\n    def "
                "__get__(self, obj, kind=None): return self.f(obj)\n"
                "class House:\n    front = Field()\n    @cached_property\n    def back(self): "
                "return Door()\n"
                "def go():\n    house = House()\n    house.front.open()\n    house.front = "
                "1\ndef late():\n    House().back.open()\n"
            )
        }
    )
    assert {"go -> Field.__get__", "go -> Field.__set__", "go -> Door.open"} <= found
    assert {"late -> cached_property.__get__", "late -> House.back", "late -> Door.open"} <= found


def test_python_gives_tests_what_pytest_lists_patches_and_inherits(edges: Edges) -> None:
    found = edges(
        {
            "lib.py": (
                "def now(): ...\ndef clock():\n    now()\ndef one(): ...\ndef two(): ...\ndef "
                "three(): ...\n"
            ),
            "tests/conftest.py": (
                "import pytest, lib\n@pytest.fixture(params=[lib.three])\ndef "
                "chosen(request):\n    return request.param\n"
            ),
            "tests/test_lib.py": (
                "import pytest, lib\n@pytest.mark.parametrize('f', [lib.one, "
                "pytest.param(lib.two)])\ndef test_single(f):\n    f()\n"
                "@pytest.mark.parametrize('n, f', [(1, lib.one), pytest.param(2, "
                "lib.two)])\ndef test_row(n, f):\n    f()\n"
                "def test_fixture(chosen):\n    chosen()\n"
                "def fake(): ...\ndef test_patch(monkeypatch):\n    monkeypatch.setattr(lib, "
                "'now', fake)\n    lib.clock()\n"
                "class Shared:\n    def test_make(self):\n        self.make()\nclass "
                "TestOne(Shared):\n    make = lib.one\n"
            ),
        }
    )
    assert found == {
        "clock -> now",
        "clock -> fake",
        "test_single -> one",
        "test_single -> two",
        "test_row -> one",
        "test_row -> two",
        "test_fixture -> three",
        "test_patch -> clock",
        "Shared.test_make -> one",
    }


def test_python_refers_the_maker_of_an_object_to_methods_that_a_dispatch_chooses(
    indexed: Make,
) -> None:
    kinds = range(FAN + 1)
    made = indexed(
        {
            "a.py": (
                "class Node:\n    def emit(self): ...\n"
                + "".join(f"class N{n}(Node):\n    def emit(self): ...\n" for n in kinds)
                + "def run(node):\n    node.emit()\n"
                + "".join(f"def make{n}():\n    run(N{n}())\n" for n in kinds)
                + "class Visitor:\n    def visit(self, node): return getattr(self, "
                "f'visit_{node}')(node)\n"
                "    def visit_a(self, node): ...\n    def other(self, node): ...\ndef "
                "look():\n    Visitor().visit('a')\n"
            )
        }
    )
    found = {
        (e.source.partition("::")[2], e.target.partition("::")[2], int(e.tier))
        for e in made.store.all_edges()
        if e.kind == "references"
    }
    assert found == {(f"make{n}", f"N{n}.emit", 2) for n in kinds} | {
        ("look", "Visitor.visit_a", 2),
        ("Visitor.visit", "Visitor.visit_a", 3),
    }


def test_a_function_refers_to_those_defined_inside(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": (
                "def out():\n    def inner(): ...\n    return inner\nclass A:\n    def m(self): "
                "...\n"
            )
        }
    )
    found = {(e.source, e.target) for e in made.store.all_edges() if e.kind == "references"}
    assert found == {("a.py::out", "a.py::out.inner")}


def test_python_follows_attributes_and_modules_named_by_a_text(edges: Edges) -> None:
    found = edges(
        {
            "a.py": (
                "import importlib\ndef work(): ...\nclass Box: ...\n"
                "def go():\n    box = Box()\n    setattr(box, 'run', work)\n    box.run()\n"
                "    __import__('b').one()\n    importlib.import_module('p.c').two()\n"
            ),
            "b.py": "def one(): ...\n",
            "p/__init__.py": "",
            "p/c.py": "def two(): ...\n",
        }
    )
    assert found == {"go -> work", "go -> one", "go -> two"}


def test_javascript_follows_both_module_systems_classes_and_prototypes(edges: Edges) -> None:
    found = edges(
        {
            "a.js": (
                "const { helper, Base } = require('./b');\nimport def, { named as nm } from "
                "'./c';\n"
                "function A() {}\nA.prototype.go = function () { return this.stop(); };\n"
                "A.prototype.stop = function stop() { helper(); };\n"
                "class B extends Base { constructor() { super(); this.k = new A(); } run() { "
                "this.k.go(); super.run(); nm(); def(); } }\n"
                "const o = { f() { return this.g(); }, g: () => { late(); } };\n"
                "function start() { o.f(); new B().run(); [1].map(x => late(x)); }\nfunction "
                "late() {}\n"
            ),
            "b.js": (
                "exports.helper = function () {};\nclass Base { run() {} }\nmodule.exports.Base = "
                "Base;\n"
            ),
            "c.ts": "export function named(s: Svc) { s.work(); }\nexport default function other() "
            "{}\n"
            "interface Svc { work(): void }\nclass Impl implements Svc { work() {} }\n",
        }
    )
    assert {
        "A.go -> A.stop",
        "A.stop -> helper",
        "B.constructor -> A.constructor",
        "B.run -> A.go",
        "B.run -> Base.run",
        "B.run -> named",
        "B.run -> other",
        "o.f -> o.g",
        "o.g -> late",
        "start -> o.f",
        "start -> B.run",
        "start -> late",
        "named -> Impl.work",
    } <= found


def test_typescript_follows_barrels_and_types_of_fields(edges: Edges) -> None:
    found = edges(
        {
            "src/index.ts": "export * from './store';\nexport { Api as Service } from './api';\n",
            "src/store.ts": "export class Store { save() {} }\n",
            "src/api.ts": "import { Store } from './store';\nexport class Api {\n  "
            "constructor(private "
            "store: Store) {}\n"
            "  put(all: Store[]) { this.store.save(); for (const s of all) { s.save(); } }\n}\n",
            "src/main.ts": (
                "import { Service, Store } from './index';\nexport const run = () => { new "
                "Service(new Store()).put([]); };\n"
            ),
        }
    )
    assert {"Api.put -> Store.save", "run -> Api.put"} <= found


def test_names_come_through_several_barrels_in_any_order_of_files(edges: Edges) -> None:
    # app.ts is read before both barrels, and the outer barrel before the inner one
    assert edges(
        {
            "app.ts": "import { work } from './lib/index';\nexport function first() { work(); }\n",
            "lib/index.ts": "export * from './parts/index';\n",
            "lib/parts/index.ts": "export * from './work';\n",
            "lib/parts/work.ts": "export function work() {}\nexport function other() {}\n",
            "main.ts": "import { other } from './lib';\nexport function last() { other(); }\n",
        }
    ) == {"first -> work", "last -> other"}


def test_javascript_finds_packages_of_the_project_and_paths_of_its_tsconfig(edges: Edges) -> None:
    found = edges(
        {
            "package.json": '{"name": "tool", "main": "./tool.js"}',
            "tool.js": "module.exports = function tool() {};\n",
            "test/tool.test.js": (
                "const t = require('..');\nconst same = require('tool');\nfunction go() { t(); "
                "same(); }\n"
            ),
            "packages/core/package.json": (
                '{"name": "@x/core", "exports": {".": {"types": "./dist/index.d.ts", "default": '
                '"./dist/index.js"}}}'
            ),
            "packages/core/src/index.ts": "export function start() {}\n",
            "packages/core/src/deep/way.ts": "export const way = () => {};\n",
            "packages/web/tsconfig.json": (
                '{\n  // paths\n  "compilerOptions": {"baseUrl": "./src", "paths": {"#lib/*": '
                '["lib/*"],},},\n}'
            ),
            "packages/web/src/lib/a.ts": "export function a() {}\n",
            "packages/web/src/b.ts": "export function b() {}\n",
            "packages/web/src/main.ts": (
                "import { start } from '@x/core';\nimport { way } from "
                "'@x/core/deep/way';\nimport { a } from '#lib/a';\n"
                "import { b } from 'b';\nexport function main() { start(); way(); a(); b(); }\n"
            ),
        }
    )
    assert found == {"go -> tool", "main -> start", "main -> way", "main -> a", "main -> b"}


def test_a_manifest_that_does_not_parse_is_text(
    indexed: Callable[[Mapping[str, str]], Project],
) -> None:
    made = indexed(
        {"package.json": "{ name: }", "a.js": "function a() { b(); }\nfunction b() {}\n"}
    )
    assert made.store.files()["package.json"].status == "text"
    assert {(e.source, e.target) for e in made.store.all_edges() if e.kind == "calls"} == {
        ("a.js::a", "a.js::b")
    }


def test_java_follows_packages_overloads_interfaces_and_inner_classes(edges: Edges) -> None:
    found = edges(
        {
            "src/main/java/a/b/Foo.java": (
                "package a.b;\nimport a.c.Bar;\npublic class Foo extends Base {\n  private "
                "final Bar bar = new Bar(1);\n"
                "  private Shape shape;\n  public void run() { bar.go(); helper(); "
                "shape.area(); up(); }\n"
                "  static void helper() { Bar.make().go(2); }\n  class Inner { void x() { "
                "helper(); } }\n}\n"
                "interface Shape { double area(); }\nclass Circle implements Shape { public "
                "double area() { return 1; } }\n"
                "class Base { void up() {} }\n"
            ),
            "src/main/java/a/c/Bar.java": (
                "package a.c;\npublic class Bar {\n  public Bar(int x) {}\n  public void go() "
                "{ none(); }\n"
                "  public void go(int y) { one(); }\n  void none() {}\n  void one() {}\n  "
                "public static Bar make() { return new Bar(2); }\n}\n"
            ),
        }
    )
    assert {
        "Foo.run -> Bar.go",
        "Foo.run -> Foo.helper",
        "Foo.run -> Circle.area",
        "Foo.run -> Base.up",
        "Foo.helper -> Bar.make",
        "Foo.helper -> Bar.go",
        "Foo.Inner.x -> Foo.helper",
        "Bar.make -> Bar.<init>",
        "Bar.go -> Bar.none",
        "Bar.go -> Bar.one",
    } <= found


def test_go_follows_packages_receivers_and_interfaces(edges: Edges) -> None:
    found = edges(
        {
            "go.mod": "module example.com/m\n",
            "shape/shape.go": (
                "package shape\ntype Shape interface { Area() float64 }\ntype Sq struct { log "
                "Logger }\n"
                "func (q *Sq) Area() float64 { q.log.Info(); return help() }\nfunc NewSq() "
                "(*Sq, error) { return &Sq{}, nil }\n"
                "func Total(xs []Shape) { for _, x := range xs { x.Area() } }\n"
            ),
            "shape/util.go": (
                "package shape\ntype Logger struct{}\nfunc (l Logger) Info() {}\nfunc help() "
                "float64 { return 1 }\n"
            ),
            "main.go": (
                'package main\nimport "example.com/m/shape"\nfunc main() { s, _ := shape.NewSq(); '
                "s.Area(); shape.Total(nil); f := func() { run() }; f() }\nfunc run() {}\n"
            ),
        }
    )
    assert {
        "Sq.Area -> Logger.Info",
        "Sq.Area -> help",
        "Total -> Sq.Area",
        "main -> NewSq",
        "main -> Sq.Area",
        "main -> Total",
        "main -> run",
    } <= found


def test_rust_follows_use_impls_and_traits(edges: Edges) -> None:
    found = edges(
        {
            "src/lib.rs": (
                "mod util;\nuse crate::util::{helper, Thing};\n"
                "pub trait Speak { fn say(&self); fn twice(&self) { self.say(); } }\npub "
                "struct Dog { t: Thing }\n"
                "impl Speak for Dog { fn say(&self) { self.t.poke(); helper(); } }\n"
                "impl Dog { pub fn new() -> Self { Dog { t: Thing::make() } } }\n"
                "pub fn all(xs: Vec<Box<dyn Speak>>) { for x in xs { x.say(); } let d = "
                "Dog::new(); d.twice(); util::helper(); }\n"
            ),
            "src/util.rs": (
                "pub struct Thing;\nimpl Thing { pub fn make() -> Thing { Thing } pub fn "
                "poke(&self) {} }\npub fn helper() {}\n"
            ),
        }
    )
    assert {
        "Dog.say -> Thing.poke",
        "Dog.say -> helper",
        "Dog.new -> Thing.make",
        "Speak.twice -> Dog.say",
        "all -> Dog.say",
        "all -> Dog.new",
        "all -> Speak.twice",
        "all -> helper",
    } <= found


def test_a_name_alone_is_never_taken_for_sure(
    indexed: Callable[[Mapping[str, str]], object],
) -> None:
    made = indexed(
        {
            "a.py": (
                "class Only:\n    def unusual(self): ...\n    def append(self): ...\ndef go(x):\n "
                "   x.unusual()\n    x.append()\n"
            )
        }
    )
    found = [
        (e.target.partition("::")[2], e.tier)
        for e in made.store.all_edges()
        if e.source.endswith("go")
    ]  # type: ignore[attr-defined]
    assert found == [("Only.unusual", 2)]
    assert [(c.name, c.line) for c in made.store.unresolved_calls(["unusual", "append"])] == [
        ("append", 6),
        ("unusual", 5),
    ]  # type: ignore[attr-defined]


def test_a_call_inside_of_an_unknown_rust_macro_is_a_call_by_name(indexed: Make) -> None:
    made = indexed(
        {
            "src/lib.rs": "mod lone;\nfn drive(b: Boss) { "
            "tokio::select! { r = b.order_all() => { lone::lonely() } } }\n"
            "other! { fn defined(a: A) {} }\n",
            "src/lone.rs": "pub fn lonely() {}\npub struct Boss;\n"
            "impl Boss { pub fn order_all(&self) {} pub fn defined(&self) {} }\n",
        }
    )
    called = {e.target.partition("::")[2] for e in made.store.all_edges() if e.kind == "calls"}
    unresolved = made.store.unresolved_calls(["lonely", "order_all", "defined"])
    called |= {call.name for call in unresolved}
    assert called == {"lonely", "order_all"}


def test_a_project_that_is_a_package_itself_knows_its_own_name(edges: Edges) -> None:
    found = edges(
        {
            "__init__.py": "from plugin.parser import parse\n",
            "parser.py": "from plugin import google\nfrom json import decoder\n"
            "def parse():\n    google.work()\n    decoder.scan()\n",
            "google.py": "from plugin.common import join\ndef work():\n    join()\n",
            "common.py": "def join(): ...\n",
            "decoder.py": "def scan(): ...\n",
        }
    )
    assert found == {"parse -> work", "work -> join"}


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (
            {
                "kinds.ts": "export class Guard {}\nexport class Pipe {}\n",
                "main.ts": (
                    "import { Guard, Pipe } from './kinds'\nimport { UseGuards } from '@nestjs/common'\n"
                    "@UseGuards(AuthGuard('jwt'), Guard)\nexport class Users {\n"
                    "  @UsePipes(Pipe)\n  list() {}\n}\n"
                ),
            },
            {("<module>", "Guard"), ("Users", "Pipe")},
        ),
        (
            {
                "kinds.py": "class Item: ...\nclass ItemAdmin: ...\nclass View: ...\n",
                "main.py": (
                    "from django.contrib import admin\nfrom kinds import Item, ItemAdmin, View\n"
                    "admin.site.register(Item, ItemAdmin)\n"
                    "def wire(router):\n    admin.add_view(View)\n"
                ),
            },
            {("<module>", "Item"), ("<module>", "ItemAdmin"), ("wire", "View")},
        ),
    ],
)
def test_a_class_that_is_handed_to_code_outside_is_referred_to(
    indexed: Make, files: Mapping[str, str], wanted: set[tuple[str, str]]
) -> None:
    found = {
        (e.source.partition("::")[2], e.target.partition("::")[2])
        for e in indexed(files).store.all_edges()
        if e.kind == "references"
    }
    assert found == wanted


def test_certainties_are_five_and_the_best_comes_first() -> None:
    """An index holds their numbers, and a path is as certain as the highest of them."""
    assert {one.name: one.value for one in Certainty} == {
        "OBSERVED": 0,
        "RESOLVED": 1,
        "UNIQUE_NAME": 2,
        "AMBIGUOUS": 3,
        "IMPORT": 4,
    }
