"""A change that stays inside of a file is linked alone, and the index is what a fresh one would be.

Where a change may reach further, everything is linked again: no file is kept as it was before.
"""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from edits import Tree
from kept_index import KeptIndex

from gieok.code.index import graph, local_links, project
from gieok.code.resolve.frozen import solution

_SHOP = """from store import Box, Plan, Shape, load

LIMIT = 3


class Shop:
    def __init__(self, size):
        self.size = size

    def sell(self, item):
        return item.price()

    def close(self):
        return self.size


def total(items):
    return load(items)


def unused(items):
    return len(items)


def caller():
    return total([1])
"""
_STORE = """class Box:
    def open(self):
        return 1


class Chest(Box):
    def lock(self):
        return self.open()


def load(items):
    return Box()


class Lid:
    def cost(self):
        return 1


class Rim:
    def cost(self):
        return 2


def spare(items):
    return items


def lock(door):
    return door


class Shape(Exception):
    def area(self):
        return 1


def measure():
    try:
        spare(1)
    except Shape as shape:
        shape.area()


class Plan:
    def work(self):
        raise NotImplementedError


def follow():
    Plan().work()
"""
_MAIN = """import shop
from shop import total


def main():
    total([]).open()
    shop.unknown_yet()
    return shop.Shop(1).close()


def asks(thing):
    thing.never_defined()


class Spare:
    def idle(self): ...
"""
_MANY = "\n".join(f"class C{n}:\n    def common(self): ...\n" for n in range(4))
_PYTHON = {
    "conftest.py": (
        "import pytest\nfrom store import Chest\n\n\n@pytest.fixture\ndef box():\n"
        "    return Chest()\n"
    ),
    "main.py": _MAIN,
    "many.py": f"{_MANY}\n\ndef ask(thing):\n    thing.common()\n",
    "shop.py": _SHOP,
    "store.py": _STORE,
}
_APP = """const { load } = require('./store')

function total (items) {
  return load(items)
}

function unused (items) {
  return String(items)
}

module.exports = { total }
"""
_JAVASCRIPT = {
    "app.js": _APP,
    "store.js": "exports.load = function load (items) { return items.slice(1) }\n",
    "main.js": "const app = require('./app')\napp.total([1])\n",
}


def _kept(folder: Path, files: dict[str, str]) -> KeptIndex:
    root = folder / "tree"
    root.mkdir()
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return KeptIndex(folder, Tree(root, seed=0))


def _change(kept: KeptIndex, name: str, old: str, new: str) -> None:
    text = (kept.tree.root / name).read_text(encoding="utf-8")
    assert old in text
    kept.tree._put(name, [text.replace(old, new, 1)])
    kept.follow(0)


def _is_linked_alone(kept: KeptIndex) -> bool:
    """Whether changed files are kept as the last link of all files read them."""
    return bool(kept.made.store.linked_paths())


_NEAR = {
    "a new function": ("def unused(", "def added(x):\n    return len(x)\n\n\ndef unused("),
    "a new function that calls": ("def unused(", "def added(x):\n    load(1)\n\n\ndef unused("),
    "a changed body": ("    return len(items)", "    print(items)\n    return load(None)"),
    "a body with a local object": ("    return len(items)", "    box = Box()\n    box.open()"),
    "a renamed function": ("def unused(", "def renamed("),
    "a function that went": ("def unused(items):\n    return len(items)\n", ""),
    "a new method": (
        "    def close(",
        "    def added(self):\n        self.close()\n\n    def close(",
    ),
    "a new import": ("LIMIT = 3", "from store import spare as other\n\nLIMIT = 3"),
    "a new import inside": (
        "    return len(items)",
        "    from store import spare\n    spare(items)",
    ),
    "a second call on a line": ("    return item.price()", "    return item.price() + len('x')"),
    "a call of a lone method": ("    return len(items)", "    return items.lock()"),
    "a call of one of two methods": ("    return len(items)", "    return items.cost()"),
    "a literal": ("    return len(items)", "    return [Box(), {'box': Box()}][0]"),
    "a new class": (
        "def unused(",
        (
            "class New:\n    def __init__(self, x):\n        self.mine = x\n\n"
            "    def added(self):\n        return load(self.mine)\n\n\n"
            "def made(x):\n    return New(x).added()\n\n\ndef unused("
        ),
    ),
    "a new class with a base": (
        "def unused(",
        "class New(Box):\n    def added(self):\n        return self.open()\n\n\ndef unused(",
    ),
    "a new class in front of others": ("class Shop:", "class New:\n    x = 1\n\n\nclass Shop:"),
    "a new test class": (
        "def unused(",
        (
            "import unittest\n\n\nclass TestNew(unittest.TestCase):\n    def setUp(self):\n"
            "        self.box = Box()\n\n    def test_it(self):\n        self.box.open()\n\n\n"
            "def unused("
        ),
    ),
    "a test with a fixture": (
        "def unused(",
        "def test_added(box):\n    box.open()\n\n\ndef unused(",
    ),
    "a class with a method of many classes": (
        "def unused(",
        "class New:\n    def common(self): ...\n\n\ndef unused(",
    ),
    "a class inside of a function": (
        "    return len(items)",
        "    class New:\n        def added(self):\n            return 1\n\n    New().added()",
    ),
    "a call of a module": ("LIMIT = 3", "LIMIT = 3\nprint(len('x'))"),
    "a call of what a module imports": ("LIMIT = 3", "LIMIT = 3\nload(1).open()"),
    "a decorated function": (
        "def unused(",
        "import functools\n\n\n@functools.cache\ndef added(x):\n    return load(x)\n\n\ndef unused(",
    ),
    "a decorated method": (
        "    def close(",
        "    @property\n    def added(self):\n        return self.size\n\n    def close(",
    ),
    "a nested function": (
        "    return len(items)",
        "    def one(x):\n        return Box()\n    one(1)",
    ),
}
_FAR = {
    "a result that others read": ("store.py", "    return Box()", "    return Chest()"),
    "an attribute that others read": ("shop.py", "self.size = size", "self.size = Box()"),
    "a name that others import": ("shop.py", "def total(", "def renamed("),
    "a name that others look for": (
        "shop.py",
        "def unused(",
        "def unknown_yet(): ...\n\n\ndef unused(",
    ),
    "a method that a call may mean": (
        "shop.py",
        "    def close(",
        "    def never_defined(self): ...\n\n    def close(",
    ),
    "a method that overrides": (
        "store.py",
        "    def lock(",
        "    def open(self): ...\n\n    def lock(",
    ),
    "a name that is imported from elsewhere": (
        "shop.py",
        "from store import Box, Plan, Shape, load",
        "from store import Box, Plan, Shape, spare as load",
    ),
    "a function with the name of another": (
        "shop.py",
        "def unused(",
        "def total(x): ...\n\n\ndef unused(",
    ),
    "a new parameter": ("store.py", "def load(items)", "def load(items, more)"),
    "a class with a method that a call may mean": (
        "shop.py",
        "def unused(",
        "class New:\n    def never_defined(self): ...\n\n\ndef unused(",
    ),
    "a class below one whose objects others hold": (
        "shop.py",
        "def unused(",
        "class New(Shape):\n    def area(self): ...\n\n\ndef unused(",
    ),
    "a class with a method for one without a body": (
        "shop.py",
        "def unused(",
        "class New(Plan):\n    def work(self): ...\n\n\ndef unused(",
    ),
    "a class that went": ("main.py", "class Spare:\n    def idle(self): ...\n", ""),
    "a base": ("store.py", "class Chest(Box)", "class Chest"),
    "code of a module": ("shop.py", "LIMIT = 3", "LIMIT = Box()"),
    "a fixture": ("shop.py", "def unused(", "import pytest\n@pytest.fixture\ndef unused("),
}


@pytest.mark.parametrize("what", _NEAR)
def test_a_change_that_stays_inside_is_linked_alone(tmp_path: Path, what: str) -> None:
    kept = _kept(tmp_path, _PYTHON)
    _change(kept, "shop.py", *_NEAR[what])
    assert _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


@pytest.mark.parametrize("what", _FAR)
def test_a_change_that_may_reach_others_is_linked_with_all_files(tmp_path: Path, what: str) -> None:
    kept = _kept(tmp_path, _PYTHON)
    _change(kept, *_FAR[what])
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


@pytest.mark.parametrize(
    ("new", "is_alone"),
    [("    close(1)\n    return item", True), ("    open_(1)\n    return item", False)],
    ids=["a name that is known", "the first use of a name"],
)
def test_the_first_use_of_a_star_imported_name_is_linked_with_all_files(
    tmp_path: Path, new: str, is_alone: bool
) -> None:
    files = {
        "tools.py": "def open_(x):\n    return x\n\n\ndef close(x):\n    return x\n",
        "user.py": (
            "from tools import *\n\n\ndef first(item):\n    close(item)\n\n\n"
            "def second(item):\n    return item\n"
        ),
    }
    kept = _kept(tmp_path, files)
    _change(kept, "user.py", "    return item", new)
    assert _is_linked_alone(kept) == is_alone
    assert kept.differences() == []
    kept.close()


_BARRELS = {
    "index.ts": "export * from './parts/index'\n",
    "parts/index.ts": "export * from './one'\nexport * from './two'\n",
    "parts/one.ts": "export function one() { return 1 }\nexport function spare() { return one() }\n",
    "parts/two.ts": "export function two() { return 2 }\n",
    "app.ts": "import { one, missing } from './index'\nexport function app() { one() }\n",
}
_APP_WITH = "import { {} } from './index'\nexport function app() { {}() }\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "is_alone"),
    [
        ("parts/two.ts", "export", "export function added() { return two() }\nexport", True),
        ("app.ts", _BARRELS["app.ts"], _APP_WITH.replace("{}", "spare"), True),
        ("parts/two.ts", "export", "export function missing() { return 2 }\nexport", False),
        ("parts/one.ts", "export function one() { return 1 }", "", False),
    ],
    ids=["a new name", "the first use of a name", "a name that was asked for", "a used name went"],
)
def test_names_behind_barrels_are_linked_alone_where_nobody_asked_for_them(
    tmp_path: Path, name: str, old: str, new: str, is_alone: bool
) -> None:
    kept = _kept(tmp_path, _BARRELS)
    _change(kept, name, old, new)
    assert _is_linked_alone(kept) == is_alone
    assert kept.differences() == []
    kept.close()


def test_a_new_function_behind_barrels_and_its_first_use_are_linked_alone(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _BARRELS)
    _change(kept, "app.ts", "export", "import { added } from './index'\nadded\nexport")
    _change(kept, "parts/two.ts", "export", "export function added() { return two() }\nexport")
    assert kept.made.store.linked_paths().keys() == {"app.ts", "parts/two.ts"}
    assert kept.differences() == []
    kept.close()


def test_the_last_use_of_a_star_imported_name_is_linked_with_all_files(tmp_path: Path) -> None:
    files = {
        "tools.py": ("REGISTRY = {}\n\n\ndef one(): ...\n\n\ndef run():\n    REGISTRY['one']()\n"),
        "user.py": "from tools import *\n\n\ndef two():\n    REGISTRY['one'] = two\n",
    }
    kept = _kept(tmp_path, files)
    _change(kept, "user.py", "    REGISTRY['one'] = two\n", "    return None\n")
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_a_call_by_a_name_that_is_put_together_that_went_is_linked_with_all_files(
    tmp_path: Path,
) -> None:
    # the maker of the object refers to the method, and stands in another file
    jobs = """class Jobs:
    def run_first(self):
        return 1
"""
    runner = """from jobs import Jobs

jobs = Jobs()


def run(name):
    getattr(jobs, "run_" + name)()
"""
    kept = _kept(tmp_path, {"jobs.py": jobs, "main.py": runner, "other.py": runner})
    for name in ("other.py", "main.py"):
        _change(kept, name, 'getattr(jobs, "run_" + name)()', "print(name)")
        assert kept.differences() == []
    kept.close()


def test_changes_of_several_files_and_syncs_are_linked_together(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _PYTHON)
    _change(kept, "shop.py", "def unused(", "def added(x):\n    return load(x)\n\n\ndef unused(")
    _change(kept, "main.py", "def asks(", "def more():\n    return shop.added(1)\n\n\ndef asks(")
    _change(kept, "shop.py", "    return load(x)", "    box = Box()\n    return box.open()")
    assert sorted(kept.made.store.linked_paths()) == ["main.py", "shop.py"]
    edges = kept.made.store.edges_into(["shop.py::added"])
    assert [edge.source for edge in edges] == ["main.py::more"]
    assert kept.differences() == []
    kept.close()


def test_a_change_that_is_taken_back_leaves_nothing(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _PYTHON)
    _change(kept, "shop.py", "def unused(", "def added(x):\n    return load(x)\n\n\ndef unused(")
    _change(kept, "shop.py", "def added(x):\n    return load(x)\n\n\n", "")
    assert kept.differences() == []
    kept.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("module.exports", "function added (x) {\n  return total(x)\n}\n\nmodule.exports"),
        ("  return String(items)", "  const first = items.slice(1)\n  return String(first)"),
        ("function unused", "function renamed"),
    ],
)
def test_a_change_of_javascript_is_linked_alone(tmp_path: Path, old: str, new: str) -> None:
    kept = _kept(tmp_path, _JAVASCRIPT)
    _change(kept, "app.js", old, new)
    assert _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_a_sync_that_was_stopped_before_linking_is_made_up_for(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _PYTHON)
    kept.tree._put("shop.py", [_SHOP.replace("def unused(", "def renamed(")])
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=_stop_at_linking)
    kept.follow(0)
    assert _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_lines_that_move_after_a_stopped_sync_are_linked(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _PYTHON)
    longer = _SHOP.replace("def unused(", "\n\n\n\ndef more(): ...\n\n\ndef unused(")
    kept.tree._put("shop.py", [longer])
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=_stop_at_linking)
    kept.tree._put("shop.py", [f"# a comment\n{longer}"])
    kept.follow(0)
    assert kept.differences() == []
    kept.close()


def _stop_at_linking(stage: str, done: int, total: int) -> None:
    del done, total
    if stage == "linking":
        raise KeyboardInterrupt


def _lose_an_edge(kept: KeptIndex) -> None:
    """Lose an edge of a file that nobody changes, as if an older resolver had not found it."""
    with kept.made.store._writing() as db:
        found = db.execute(
            "DELETE FROM code_edges WHERE source IN "
            "(SELECT id FROM code_symbols WHERE key = 'main.py::main')"
        )
    assert found.rowcount > 0


def _link_alone(folder: Path) -> KeptIndex:
    kept = _kept(folder, _PYTHON)
    _change(kept, "shop.py", *_NEAR["a new function"])
    assert _is_linked_alone(kept)
    return kept


def test_a_full_run_after_changes_that_were_linked_alone_links_all(tmp_path: Path) -> None:
    kept = _link_alone(tmp_path)
    _lose_an_edge(kept)
    project.sync_project(kept.made, full=True)
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_another_shape_after_changes_that_were_linked_alone_links_all(tmp_path: Path) -> None:
    kept = _link_alone(tmp_path)
    _lose_an_edge(kept)
    kept.made.store.write_note(project.SCOPE, "code.shape", "1:1")
    project.sync_project(kept.made)
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_a_full_run_that_was_stopped_before_linking_is_made_up_for(tmp_path: Path) -> None:
    kept = _link_alone(tmp_path)
    _lose_an_edge(kept)
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, full=True, progress=_stop_at_linking)
    project.sync_project(kept.made)
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_a_file_that_went_and_came_back_is_linked_with_all_files(tmp_path: Path) -> None:
    kept = _link_alone(tmp_path)
    text = (kept.tree.root / "main.py").read_text(encoding="utf-8")
    (kept.tree.root / "main.py").unlink()
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=_stop_at_linking)
    kept.tree._put("main.py", [text.replace("shop.unknown_yet()", "shop.unused([])")])
    kept.follow(0)
    assert kept.differences() == []
    kept.close()


def test_a_symbol_that_went_in_a_stopped_sync_and_came_back_keeps_its_callers(
    tmp_path: Path,
) -> None:
    kept = _kept(tmp_path, _PYTHON)
    kept.tree._put("store.py", [_STORE.replace("def load(", "def other(")])
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=_stop_at_linking)
    kept.tree._put("store.py", [_STORE.replace("def spare(", "def renamed(")])
    kept.follow(0)
    assert kept.differences() == []
    kept.close()


def test_more_files_than_are_linked_alone_are_not_kept(tmp_path: Path) -> None:
    count = local_links.MOST_FILES + 1
    kept = _kept(tmp_path, {f"part{n}.py": "def one():\n    return 1\n" for n in range(count)})
    for number in range(count):
        kept.tree._put(f"part{number}.py", ["def two(x): ...\n\n\ndef one():\n    return 1\n"])
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=_stop_at_linking)
    assert kept.made.store.linked_paths() == {}
    kept.tree._put("part0.py", ["def three(x): ...\n"])
    kept.follow(0)
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def test_a_solution_of_another_shape_is_not_read(tmp_path: Path) -> None:
    kept = _kept(tmp_path, _PYTHON)
    header, _, rest = kept.made.store.solution("python").partition(b"\n")
    assert graph.SHAPE.encode() in header
    _put_solution(kept, header.replace(graph.SHAPE.encode(), b"1:1") + b"\n" + rest)
    _change(kept, "shop.py", *_NEAR["a new function"])
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()


def _put_solution(kept: KeptIndex, data: bytes) -> None:
    with kept.made.store._writing() as db:
        db.execute("UPDATE code_solutions SET solution = ?", (data,))


def _pack(header: bytes, sizes: object, fields: object, rest: bytes) -> bytes:
    return header + b"\n" + zlib.compress(json.dumps([sizes, fields]).encode() + b"\n" + rest)


_DAMAGE: dict[str, Callable[[bytes, list[int], dict[str, Any], bytes], bytes]] = {
    "cut off": lambda h, s, f, r: _pack(h, s, f, r)[:-20],
    "nothing packed": lambda h, s, f, r: h + b"\n\0",
    "half of the arrays": lambda h, s, f, r: _pack(h, s, f, r[: len(r) // 2]),
    "a size too few": lambda h, s, f, r: _pack(h, s[:-1], f, r),
    "a size that is no multiple": lambda h, s, f, r: _pack(h, [s[0] + 1, *s[1:]], f, r),
    "no fields": lambda h, s, f, r: _pack(h, s, {}, r),
    "fields as a list": lambda h, s, f, r: _pack(h, s, [], r),
    "fields of nothing": lambda h, s, f, r: _pack(
        h, s, {**dict.fromkeys(f), "paths": f["paths"]}, r
    ),
    "too few files": lambda h, s, f, r: _pack(h, s, {**f, "firsts": [[0]]}, r),
    "wild numbers": lambda h, s, f, r: _pack(h, s, f, b"\x7f" * len(r)),
    "deep fields": lambda h, s, f, r: h + b"\n" + zlib.compress(b"[" * 200_000 + b"\n"),
}


@pytest.mark.parametrize("what", _DAMAGE)
def test_a_damaged_solution_is_not_used(tmp_path: Path, what: str) -> None:
    kept = _kept(tmp_path, _PYTHON)
    header, _, packed = kept.made.store.solution("python").partition(b"\n")
    text, _, rest = zlib.decompress(packed).partition(b"\n")
    _put_solution(kept, _DAMAGE[what](header, *json.loads(text), rest))
    _change(kept, "shop.py", *_NEAR["a new function that calls"])
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    _change(kept, "shop.py", *_NEAR["a renamed function"])
    assert _is_linked_alone(kept)
    kept.close()


def test_a_solution_that_unpacks_to_too_much_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solution, "_MOST_BYTES", 1000)
    header = f"{solution._VERSION}:{graph.SHAPE}\n".encode()
    with pytest.raises(ValueError, match="too large"):
        solution.parse_solution(header + zlib.compress(bytes(1001)), graph.SHAPE)


def test_a_solution_that_is_too_large_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solution, "_MOST_BYTES", 1000)
    kept = _kept(tmp_path, _PYTHON)
    assert kept.made.store.solved_families() == set()
    kept.close()


_EDGE_WITHOUT_TIER = '[["shop.py::caller", "shop.py::total", "calls", null, "", 26]]'


@pytest.mark.parametrize(
    ("column", "value"),
    [("edges", "nonsense"), ("calls", "[[1]]"), ("edges", _EDGE_WITHOUT_TIER), ("facts", "[]")],
)
def test_damaged_rows_of_a_changed_file_are_not_used(
    tmp_path: Path, column: str, value: str
) -> None:
    kept = _link_alone(tmp_path)
    with kept.made.store._writing() as db:
        db.execute(f"UPDATE code_before SET {column} = ?", (value,))
    _change(kept, "main.py", "def asks(", "def more():\n    return shop.unused(1)\n\n\ndef asks(")
    assert not _is_linked_alone(kept)
    assert kept.differences() == []
    kept.close()
