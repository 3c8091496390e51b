"""What an edit of a file changes for the linker, and what it leaves as it was."""

import pytest

from gieok.code.index.alignment import Folds, RowLevels, align_facts
from gieok.code.index.file_moves import map_moved_lines
from gieok.code.index.read import read_source_file
from gieok.code.model.facts import Facts, Op
from gieok.machine.parsers.treesitter import TreeSitterParser

_NAMES = {number: name.lower() for name, number in vars(Op).items() if name.isupper()}

_PARSER = TreeSitterParser()
_CALLS = """\
import os

def a(x):
    b(x)
    return os.x()

def b(y):
    return y
"""
_CLASS = """\
class A:
    n = 1
    def f(self, x, *r, k=1, **o):
        self.y = [x]
        return self.g(x)
    def g(self, z):
        yield z
"""


def _read_facts(text: str) -> Facts:
    return read_source_file("m.py", "python", text, _PARSER).facts


def _name_rows(levels: RowLevels) -> str:
    return "/".join(" ".join(_NAMES[row[0]] for row in rows) for rows in levels)


def _describe_edit(before: str, after: str) -> str:
    """Return what an edit comes to; `far` where it cannot be told near."""
    old, new = _read_facts(before), _read_facts(after)
    fold = Folds([s.qualified for s in old.symbols], [s.qualified for s in new.symbols])
    found = align_facts(old, new, fold)
    if found is None:
        return "far"
    parts = [
        f"-{_name_rows(found.removed)} +{_name_rows(found.added)} ={_name_rows(found.beside)}",
        f"old {_name_places(found.old_places)}" if found.old_places else "",
        f"new {_name_places(found.new_places)}" if found.new_places else "",
        f"lines {' '.join(f'{line}>{now}' for (_, line), now in sorted(found.lines.items()))}",
        f"functions {found.functions}" if [*found.functions] != [*found.functions.values()] else "",
        f"gone {found.gone}" if found.gone else "",
        f"come {found.come}" if found.come else "",
        f"touched {len(found.old_touched)} {len(found.new_touched)}",
        f"containers {len(found.containers)}" if found.containers else "",
    ]
    return "; ".join(filter(None, parts))


def _name_places(places: set[tuple[str, int]]) -> str:
    return " ".join(f"{name}:{line}" for name, line in sorted(places))


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        (_CALLS, _CALLS, "-/ +/ =/; lines 1>1 4>4 5>5; touched 0 0"),
        (_CALLS, "\n" + _CALLS, "-/ +/ =/; lines 1>2 4>5 5>6; touched 0 0"),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    b(x)\n    b(x)\n    return os.x()\n\ndef b(y):\n    return y\n",
            "-/ +/call =/; new a:5; lines 1>1 4>4 5>6; touched 0 1",
        ),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    return os.x()\n\ndef b(y):\n    return y\n",
            "-/call +/ =/; old a:4; lines 1>1 5>4; touched 1 0",
        ),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    b(x); b(x)\n    return os.x()\n\ndef b(y):\n    return y\n",
            "-/ +/call =/call; old a:4; new a:4; lines 1>1 5>5; touched 0 1",
        ),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    b(x)\n    return os.y()\n\ndef b(y):\n    return y\n",
            "-/call_method copy +/call_method copy =/; old a:5; new a:5; lines 1>1 4>4; touched 1 1",
        ),
        (
            _CALLS,
            _CALLS + "\ndef c():\n    a(1)\n",
            "-/ +function copy/call =/; new c:11; lines 1>1 4>4 5>5; come [3]; touched 0 5",
        ),
        (
            _CALLS + "\ndef c():\n    a(1)\n",
            _CALLS,
            "-function copy/call +/ =/; old c:11; lines 1>1 4>4 5>5; gone [3]; touched 5 0",
        ),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    b(x)\n    return os.x()\n\ndef b(y, z):\n    return y\n",
            "far",
        ),
        (
            _CALLS,
            "import os\n\ndef a(x):\n    b(x)\n    return os.x()\n\ndef b(z):\n    return z\n",
            "far",
        ),
        (
            _CALLS,
            "import os\nimport sys\n\ndef a(x):\n    b(x)\n    return os.x()\n\ndef b(y):\n    return y\n",
            "-/ +import/ =/; new <module>:2; lines 1>1 4>5 5>6; touched 0 1",
        ),
        (_CALLS, _CALLS + "raise X\n", "far"),
        (_CALLS, "from q import *\n" + _CALLS, "far"),
        (_CALLS, _CALLS + "\nclass K: ...\n", "-/ +class copy/ =/; lines 1>1 4>4 5>5; touched 0 2"),
        (_CALLS + "\nclass K: ...\n", _CALLS, "far"),
        (_CALLS, _CALLS + "\nlimit = 3\n", "-/ +/ =/; lines 1>1 4>4 5>5; touched 0 1"),
        (
            _CALLS,
            _CALLS + "\nlimit = b(1)\n",
            "-/ +call copy/ =/; new <module>:10; lines 1>1 4>4 5>5; touched 0 2",
        ),
        (
            _CALLS,
            "import os\n\ndef q(x):\n    b(x)\n    return os.x()\n\ndef b(y):\n    return y\n",
            "-function copy/call call_method copy +function copy/call call_method copy =/; old a:4 a:5; new q:4 q:5; lines 1>1; gone [1]; come [1]; touched 7 7",
        ),
        ("def b(y): ...\ndef a(x): b(x)\n", "def a(x): b(x)\ndef b(y): ...\n", "far"),
        (_CLASS, _CLASS, "-/ +/ =/; lines 4>4 5>5; touched 0 0; containers 1"),
        (
            _CLASS,
            "class A:\n    n = 2\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "-/ +/ =/; lines 4>4 5>5; touched 0 0; containers 1",
        ),
        (
            _CLASS,
            "class A(B):\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "far",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x, 1)\n    def g(self, z):\n        yield z\n",
            "-/call_method copy +/call_method copy =/; old A.f:5; new A.f:5; lines 4>4; touched 1 1; containers 1",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x, 1]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "-/ +/ =/; lines 4>4 5>5; touched 0 0; containers 1",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.z = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "-/store +/store =/store_index; old A.f:4; new A.f:4; lines 5>5; touched 0 0; containers 1",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, j=1, **o):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "far",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "far",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        yield z\n",
            "far",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n    def g(self, z):\n        return z\n",
            "far",
        ),
        (
            _CLASS,
            _CLASS + "    def h(self): return self.f(1)\n",
            "-/ +function copy/call_method copy =/; new A.h:8; lines 4>4 5>5; come [3]; touched 0 6; containers 1",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n",
            "-function copy/copy +/ =/; lines 4>4 5>5; gone [2]; touched 6 0; containers 1",
        ),
        (
            _CLASS,
            "class A:\n    n = 1\n    def f(self, x, *r, k=1, **o):\n        self.y = [x]\n        return self.g(x)\n    @staticmethod\n    def g(self, z):\n        yield z\n",
            "far",
        ),
        (
            "def a():\n    x = f()\n    y = g()\n    return x\n",
            "def a():\n    x = f()\n    return x\n",
            "-/call copy +/ =/; old a:3; lines 2>2; touched 3 0",
        ),
        (
            "def a():\n    f(); g()\n",
            "def a():\n    f()\n    g()\n",
            "-/ +/ =/call call; old a:2; new a:2 a:3; lines ; touched 0 0",
        ),
        (
            "def a():\n    f()\n    g()\n",
            "def a():\n    f(); g()\n",
            "-/ +/ =/call call; old a:2 a:3; new a:2; lines ; touched 0 0",
        ),
        (
            "def a():\n    x = [f]\n    x[0]()\n",
            "def a():\n    x = [g]\n    x[0]()\n",
            "-/container store_index copy index call +/container store_index copy index call =/; old a:2 a:3; new a:2 a:3; lines ; touched 5 5",
        ),
        ("# TODO x\nx = 1\n", "x = 1\n", "-/ +/ =/; lines ; touched 0 0"),
        ("x = 1\n", "# TODO x\nx = 1\n", "-/ +/ =/; lines ; touched 0 0"),
        (
            "def a():\n    return b()\n\ndef b():\n    return C()\n\nclass C: ...\n",
            "def a():\n    return b()\n\ndef b():\n    return D()\n\nclass C: ...\n",
            "-/call copy +/call copy =/; old b:5; new b:5; lines 2>2; touched 1 2",
        ),
    ],
)
def test_an_edit_changes_what_it_touches(before: str, after: str, edit: str) -> None:
    assert _describe_edit(before, after) == edit


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        (_CALLS, {0: 0, 1: 1, 4: 4, 5: 5}),
        ("\n" + _CALLS, {0: 0, 1: 2, 4: 5, 5: 6}),
        (_CALLS.replace("def b", "\ndef b"), {0: 0, 1: 1, 4: 4, 5: 5}),
        (_CALLS.replace("    return os", "\n    return os"), {0: 0, 1: 1, 4: 4, 5: 6}),
        ("# TODO it\n" + _CALLS, {0: 0, 1: 2, 4: 5, 5: 6}),
        (_CALLS.replace("b(x)\n    return", "b(x); return"), None),
        (_CALLS.replace("b(x)", "b()"), None),
        (_CALLS.replace("def a", "def q"), None),
    ],
)
def test_lines_that_only_moved_are_mapped_one_to_one(
    after: str, lines: dict[int, int] | None
) -> None:
    assert map_moved_lines(_read_facts(_CALLS), _read_facts(after)) == lines


def test_a_line_that_became_two_or_two_that_became_one_is_no_move() -> None:
    one, two = "def a():\n    f(); g()\n", "def a():\n    f()\n    g()\n"
    assert map_moved_lines(_read_facts(one), _read_facts(two)) is None
    assert map_moved_lines(_read_facts(two), _read_facts(one)) is None


def test_a_function_inside_of_another_is_found_at_its_line() -> None:
    inner = "def a():\n    def b(): ...\n"
    assert map_moved_lines(_read_facts(inner), _read_facts("\n" + inner)) == {0: 0, 2: 3}


def test_versions_of_two_languages_or_packages_are_not_aligned() -> None:
    facts = _read_facts("x = 1\n")
    fold = Folds(["m"], ["m"])
    assert align_facts(facts, facts, fold) is not None
    assert align_facts(facts, facts._replace(language="go"), fold) is None
    assert align_facts(facts, facts._replace(package="q"), fold) is None
