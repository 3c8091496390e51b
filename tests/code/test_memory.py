"""What linking needs is gone when it is done, without the garbage collector: it is off meanwhile,
and would take a tenth.
"""

import gc
from collections.abc import Callable, Mapping

from gieok.code.index.project import Project
from gieok.code.resolve.program import CallSite, Program

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
