"""Calls of which something is known, but not enough: possible, or not the project's."""

from collections.abc import Callable, Mapping

from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project
from gieok.code.resolve.program import FAN

Make = Callable[[Mapping[str, str]], Project]


def test_what_stands_for_others_is_possible_not_sure(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": (
                "from typing import Protocol\n"
                "class Lock(Protocol):\n    def acquire(self): ...\n"
                "class FileLock:\n    def acquire(self): return 1\n"
                "class Shape:\n    def area(self): raise NotImplementedError\n    def "
                "show(self): self.area()\n"
                "class Square(Shape):\n    def area(self): return 1\n"
                "def hold(lock: Lock): lock.acquire()\n"
                "def draw(shape: Shape): shape.area()\n"
            )
        }
    )
    found = {
        (e.source[6:], e.target[6:], e.tier, e.reason)
        for e in made.store.all_edges()
        if e.kind == "calls"
    }
    assert found == {
        ("hold", "Lock.acquire", 3, "stands for what overrides it"),
        ("hold", "FileLock.acquire", 3, "overrides what is called"),
        ("draw", "Shape.area", 3, "stands for what overrides it"),
        ("draw", "Square.area", 3, "overrides what is called"),
        ("Shape.show", "Shape.area", 3, "stands for what overrides it"),
        ("Shape.show", "Square.area", 3, "overrides what is called"),
    }


def test_a_method_that_may_come_from_outside_is_no_namesake(indexed: Make) -> None:
    """`self` inherits from outside, so what has the name here proves nothing; of another object it
    may.
    """
    made = indexed(
        {
            "a.py": (
                "import unittest\nclass Checks:\n    def assertNear(self): return 1\n    "
                "@property\n    def wide(self): return 1\n"
                "class TestNear(unittest.TestCase):\n    def test_near(self): self.assertNear()\n"
                "def of(it):\n    it.assertNear()\n    it.wide()\n"
            )
        }
    )
    found = {
        (e.source[6:], e.target[6:], e.tier) for e in made.store.all_edges() if e.kind == "calls"
    }
    assert found == {("of", "Checks.assertNear", 2)}


def test_a_double_in_a_test_is_possible_where_the_product_has_its_own(indexed: Make) -> None:
    made = indexed(
        {
            "shop.py": (
                "class Bank:\n    def pay(self): return 1\n"
                "def buy(bank): bank.pay()\ndef shop(): buy(Bank())\ndef call(back): back()\n"
            ),
            "tests/test_shop.py": (
                "from shop import buy, call\nclass Fake:\n    def pay(self): return 2\n"
                "def given(): return 1\ndef test_buy():\n    buy(Fake())\n    call(given)\n"
            ),
        }
    )
    found = {
        (e.source, e.target, e.tier, e.reason) for e in made.store.all_edges() if e.kind == "calls"
    }
    assert {row for row in found if row[0].startswith("shop.py") and row[0] != "shop.py::shop"} == {
        ("shop.py::buy", "shop.py::Bank.pay", 1, "resolved method"),
        ("shop.py::buy", "tests/test_shop.py::Fake.pay", 3, "defined in a test"),
        ("shop.py::call", "tests/test_shop.py::given", 1, "resolved call"),
    }


def test_what_an_object_inherits_from_outside_is_from_outside(indexed: Make) -> None:
    """`self.client` of a test case of Django: what is called on it is no namesake of the
    project's.
    """
    made = indexed(
        {
            "a.py": (
                "from django.test import TestCase\nfrom django.views import View\nclass "
                "Admin:\n    def login_as(self): return 1\n"
                "class TestPage(TestCase):\n    def test_page(self):\n        "
                "self.client.session.login_as()\n"
                "class Page(View):\n    def show(self): self.fill()\nclass Home(Page):\n    "
                "def fill(self): return 1\n"
            )
        }
    )
    found = {
        (e.source[6:], e.target[6:], e.tier) for e in made.store.all_edges() if e.kind == "calls"
    }
    assert found == {("Page.show", "Home.fill", 2)}


def test_what_a_test_inherits_from_the_product_is_no_double(indexed: Make) -> None:
    """A hook is called on `self`, a subclass is handed in: both are called, as the product's own
    are.
    """
    made = indexed(
        {
            "tree.py": (
                "class Node:\n    def attach(self): self.hook()\n    def hook(self): return 1\n"
                "def grow(node): node.hook()\ndef plant(): grow(Node())\n"
            ),
            "tests/test_tree.py": (
                "from tree import Node, grow\nclass Mine(Node):\n    def hook(self): return 2\n"
                "class Stranger:\n    def hook(self): return 3\n"
                "def test_tree():\n    Mine().attach()\n    grow(Mine())\n    grow(Stranger())\n"
            ),
        }
    )
    found = {(e.source[9:], e.target, e.tier) for e in made.store.all_edges() if e.kind == "calls"}
    assert {row for row in found if row[1].endswith(".hook")} == {
        ("Node.attach", "tree.py::Node.hook", 1),
        ("Node.attach", "tests/test_tree.py::Mine.hook", 1),
        ("grow", "tree.py::Node.hook", 1),
        ("grow", "tests/test_tree.py::Mine.hook", 1),
        ("grow", "tests/test_tree.py::Stranger.hook", 3),
    }


def test_a_table_of_many_names_is_called_and_a_parameter_of_many_is_only_possible(
    indexed: Make,
) -> None:
    """The product goes through all of its own objects, up to twelve; a test has one of them at
    hand.
    """
    functions = "".join(f"def work{number}(): return 1\n" for number in range(16))
    names = ", ".join(f"work{number}" for number in range(16))
    methods = "".join(f"class C{n:02}:\n    def act(self): return 1\n" for n in range(13))
    nine, thirteen = (", ".join(f"C{n:02}()" for n in range(count)) for count in (9, 13))
    made = indexed(
        {
            "a.py": (
                f"{functions}{methods}def go(k):\n    [{names}][k]()\n    [{nine}][k].act()\ndef "
                f"all(k): [{thirteen}][k].act()\n"
            ),
            "test_a.py": f"from a import *\ndef test_act(k): [{nine}][k].act()\n",
        }
    )
    edges = [e for e in made.store.all_edges() if e.kind == "calls"]
    tiers = {(e.source.partition("::")[2], e.target[6:10], e.tier) for e in edges}
    assert tiers == {
        ("go", "work", 1),
        *(("go", f"C{n:02}.", 1) for n in range(9)),
        *(("all", f"C{n:02}.", 3) for n in range(13)),
        *(("test_act", f"C{n:02}.", 3) for n in range(9)),
    }


def _list_doubtful_calls(made: Project) -> set[tuple[str, str, str]]:
    return {
        (e.source.partition("::")[2], e.target.partition("::")[2], e.reason)
        for e in made.store.all_edges()
        if e.kind == "calls" and e.tier > Certainty.RESOLVED
    }


def test_a_callback_that_may_be_one_of_many_functions_is_possible(indexed: Make) -> None:
    files = {
        f"m{n}.py": f"from hub import call\ndef run(): ...\ndef go{n}(): call(run)\n"
        for n in range(FAN + 1)
    }
    made = indexed({"hub.py": "def call(f): f()\n", **files})
    assert _list_doubtful_calls(made) == {("call", "run", f"one of {FAN + 1} possible targets")}


def test_a_method_of_an_unknown_object_is_named_with_how_many_have_its_name(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "a.py": (
                "class Van:\n    def ship_parcel(self): ...\n"
                "class Bus:\n    def load_crate(self): ...\n"
                "class Car:\n    def load_crate(self): ...\n"
                "def go(x):\n    x.ship_parcel()\n    x.load_crate()\n"
            )
        }
    )
    assert _list_doubtful_calls(made) == {
        ("go", "Van.ship_parcel", "the only method of that name"),
        ("go", "Bus.load_crate", "one of 2 methods of that name"),
        ("go", "Car.load_crate", "one of 2 methods of that name"),
    }


def test_a_maker_is_possible_where_another_may_be_made_and_sure_where_a_subclass_is(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "a.py": (
                "class A:\n    def __new__(cls): return B()\n    def __init__(self): ...\n"
                "class B: ...\n"
                "class C:\n    def __new__(cls): return D()\n    def __init__(self): ...\n"
                "class D(C):\n    def __new__(cls): return object.__new__(cls)\n"
                "def make():\n    A()\n    C()\n"
            )
        }
    )
    assert _list_doubtful_calls(made) == {
        ("make", "A.__init__", "`__new__` may give an object of another class")
    }
