"""What linking needs is gone when it is done, without the garbage collector: it is off meanwhile,
and would take a tenth.
"""

import gc
import tracemalloc
from collections.abc import Callable, Mapping

from gieok.code.index.project import Project
from gieok.code.index.read import read_source_file
from gieok.code.languages.table import LANGUAGES
from gieok.code.model.facts import parse_packed_facts
from gieok.code.resolve.program import CallSite, Program
from gieok.code.resolve.solver import solve
from gieok.machine.parsers.treesitter import TreeSitterParser

_FILES = {
    "a.py": (
        "class A:\n    def __new__(cls): return B()\n    def go(self): return self.x\nclass B: "
        "...\nA().go()\nA().gone()\n"
    ),
    "b.js": (
        "class A { go() {} }\nObject.assign(A.prototype, {f() {}});\nfunction g() {}\ng.x = new "
        "A();\ng.x.go();\ng.y();\n"
    ),
    "c.go": "package c\n\ntype T struct{}\n\nfunc (t T) Go() {}\n\nfunc Run() { T{}.Go() }\n",
    "D.java": "class D { void go() { new D().go(); } }\n",
    "e.rs": "struct S;\nimpl S { fn go(&self) { S.go(); } }\n",
}


def test_nothing_of_a_program_outlives_its_linking(
    indexed: Callable[[Mapping[str, str]], Project],
) -> None:
    gc.collect()
    gc.disable()
    try:
        made = indexed(_FILES)
        # The exact type: `isinstance` asks a weak proxy, which another test may have left, for what
        # it no longer has.
        kept = [type(one).__name__ for one in gc.get_objects() if type(one) in (Program, CallSite)]
    finally:
        gc.enable()
    assert kept == []
    assert any(edge.kind == "calls" for edge in made.store.all_edges())


def test_a_call_site_weighs_little() -> None:
    """A site with one target weighs 560 bytes with all that it causes; with a dict and a list of
    its own it weighed 860.
    """
    calls = 3_000
    text = "class A:\n    def go(self, x): ...\n\na = A()\n" + "a.go(1)\n" * calls
    facts = read_source_file("a.py", "python", text, TreeSitterParser()).facts.packed()
    family = LANGUAGES["python"].family
    assert family is not None
    assert family.linker is not None
    files = [("a.py", facts)]
    linker = family.linker.of_files(files)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        program = solve(files, linker)
        bytes_per_site = (tracemalloc.get_traced_memory()[0] - before) / calls
    finally:
        tracemalloc.stop()
    assert sum(len(site.targets) for site in program.sites) >= calls
    assert bytes_per_site < 700


def test_a_name_that_occurs_often_is_one_object() -> None:
    text = "def f(x):\n    return x.gather_all()\n\ndef g(x):\n    return x.gather_all()\n"
    facts = read_source_file("a.py", "python", text, TreeSitterParser()).facts
    for packed in (facts.packed(), parse_packed_facts(facts.dump())):
        names = [part for row in packed.inner for part in row if part == "gather_all"]
        assert len(names) == 2
        assert names[0] is names[1]


def test_a_long_chain_of_constructors_has_the_targets_of_the_first_site() -> None:
    first = CallSite(1, (), 0, 1, "A", "call")
    site = first
    for to in range(2, 5_000):
        site = site.constructor(to)
    assert site.reach(7) == 1
    assert site.targets == first.targets == (7,)
