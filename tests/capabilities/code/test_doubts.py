"""Calls of which something is known, but not enough: possible, or not the project's."""

from collections.abc import Callable, Mapping

from gieok.capabilities.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]


def test_what_stands_for_others_is_possible_not_sure(indexed: Make) -> None:
    made = indexed({
        "a.py": (
            "from typing import Protocol\n"
            "class Lock(Protocol):\n    def acquire(self): ...\n"
            "class FileLock:\n    def acquire(self): return 1\n"
            "class Shape:\n    def area(self): raise NotImplementedError\n    def show(self): self.area()\n"
            "class Square(Shape):\n    def area(self): return 1\n"
            "def hold(lock: Lock): lock.acquire()\n"
            "def draw(shape: Shape): shape.area()\n"
        )
    })  # fmt: skip
    found = {(e.source[6:], e.target[6:], e.tier, e.reason) for e in made.store.all_edges() if e.kind == "calls"}
    assert found == {
        ("hold", "Lock.acquire", 3, "stands for what overrides it"),
        ("hold", "FileLock.acquire", 3, "overrides what is called"),
        ("draw", "Shape.area", 3, "stands for what overrides it"),
        ("draw", "Square.area", 3, "overrides what is called"),
        ("Shape.show", "Shape.area", 3, "stands for what overrides it"),
        ("Shape.show", "Square.area", 3, "overrides what is called"),
    }


def test_a_method_that_may_come_from_outside_is_no_namesake(indexed: Make) -> None:
    """`self` inherits from outside, so what has the name here proves nothing; of another object it may."""
    made = indexed({
        "a.py": (
            "import unittest\nclass Checks:\n    def assertNear(self): return 1\n    @property\n    def wide(self): return 1\n"
            "class TestNear(unittest.TestCase):\n    def test_near(self): self.assertNear()\n"
            "def of(it):\n    it.assertNear()\n    it.wide()\n"
        )
    })  # fmt: skip
    found = {(e.source[6:], e.target[6:], e.tier) for e in made.store.all_edges() if e.kind == "calls"}
    assert found == {("of", "Checks.assertNear", 2)}
