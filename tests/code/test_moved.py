"""Where only lines differ nothing is linked again, and the index is still what a fresh one would
be.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from edits import Tree
from kept_index import KeptIndex

from gieok.code.index import project
from gieok.code.model import facts
from gieok.code.resolve.instructions import OPERANDS

_SHOP = '''"""A shop."""
from pay import Card, charge


class Shop:
    """Sells."""

    def sell(self, card: Card):
        def receipt():
            return charge(card, 1)

        self.count(); self.count()
        return receipt()

    def count(self):
        return self.missing()
'''
_PAY = (
    "class Card:\n    def pay(self):\n        return 1\n\n\ndef charge(card, n):\n    return "
    "card.pay()\n"
)
_TEST = "from shop import Shop\n\n\ndef test_sell():\n    assert Shop().sell(None)\n"
_SCRIPT = (
    "export function pay() {\n  return missing();\n}\nexport function missing2() {\n  return "
    "pay();\n}\n"
)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[KeptIndex]:
    root = tmp_path / "tree"
    root.mkdir()
    texts = {
        "shop.py": _SHOP,
        "pay.py": _PAY,
        "test_shop.py": _TEST,
        "a.js": _SCRIPT,
        "readme.md": "# Shop\n\nSells.\n",
    }
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    one = KeptIndex(tmp_path, Tree(root, seed=1))
    yield one
    one.close()


def _edited(kept: KeptIndex, name: str, edit: Callable[[str], str]) -> bool:
    """Edit a file, sync, compare with a fresh index; return whether anything was linked."""
    file = kept.tree.root / name
    file.write_text(edit(file.read_text(encoding="utf-8")), encoding="utf-8")
    change = project.sync_project(kept.made)
    assert change.touched == [name]
    assert kept.differences() == []
    return change.linked


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("shop.py", lambda text: f"# a comment\n\n{text}"),
        (
            "shop.py",
            lambda text: text.replace('"""Sells."""', '"""Sells\n\n    everything.\n    """'),
        ),
        (
            "shop.py",
            lambda text: text.replace("    def count", "    # TODO: count\n\n    def count"),
        ),
        (
            "shop.py",
            lambda text: text.replace(
                "return receipt()", "return (\n            receipt()\n        )"
            ),
        ),
        ("pay.py", lambda text: text.replace("charge(card, n)", "charge(\n    card,\n    n,\n)")),
        ("test_shop.py", lambda text: text + "\n\n# the end\n"),
        ("a.js", lambda text: "// a comment\n" + text),
        ("readme.md", lambda text: text + "\n# pay\n\n## TODO\n"),
    ],
)
def test_an_edit_that_moves_lines_alone_links_nothing(
    kept: KeptIndex, name: str, edit: Callable[[str], str]
) -> None:
    assert not _edited(kept, name, edit)
    assert not _edited(kept, name, lambda text: text.replace("\n", "\n\n", 1))


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        (
            "shop.py",
            lambda text: text.replace(
                "self.count(); self.count()", "self.count()\n        self.count()"
            ),
        ),
        ("shop.py", lambda text: text.replace("self.count(); self.count()", "self.count()")),
        ("shop.py", lambda text: text.replace("def count", "def other")),
        ("shop.py", lambda text: text.replace("return charge(card, 1)", "return card.pay()")),
        ("pay.py", lambda text: text + "\n\ndef missing():\n    return 1\n"),
        ("pay.py", lambda text: text.replace("class Card:", "class Card(dict):")),
        ("test_shop.py", lambda text: text.replace("Shop().sell(None)", "Shop()")),
        ("a.js", lambda text: text.replace("missing2", "missing")),
    ],
)
def test_an_edit_that_changes_what_is_called_links_again(
    kept: KeptIndex, name: str, edit: Callable[[str], str]
) -> None:
    assert _edited(kept, name, edit)


def test_the_edges_of_a_language_are_left_alone_while_another_is_linked(kept: KeptIndex) -> None:
    (kept.tree.root / "shop.py").write_text(f"# a comment\n{_SHOP}", encoding="utf-8")
    (kept.tree.root / "a.js").write_text(_SCRIPT.replace("missing2", "missing"), encoding="utf-8")
    change = project.sync_project(kept.made)
    assert (change.touched, change.linked) == (["a.js", "shop.py"], True)
    assert kept.differences() == []


def test_a_file_that_goes_while_nothing_else_changes_leaves_no_edge(kept: KeptIndex) -> None:
    (kept.tree.root / "pay.py").unlink()
    change = project.sync_project(kept.made)
    assert (change.touched, change.linked) == (["pay.py"], True)
    assert kept.differences() == []


def test_a_sync_that_is_killed_before_its_links_are_stored_is_made_up_for_by_the_next(
    kept: KeptIndex,
) -> None:
    def killed(stage: str, done: int, total: int) -> None:
        del done, total
        if stage == "linking":
            raise KeyboardInterrupt

    (kept.tree.root / "pay.py").write_text(
        _PAY.replace("def charge", "def charged"), encoding="utf-8"
    )
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(kept.made, progress=killed)
    # what was read is there
    assert [s.key for s in kept.made.store.symbols(names=["charged"])] == ["pay.py::charged"]
    change = project.sync_project(kept.made)
    assert (change.touched, change.linked) == ([], True)
    assert kept.differences() == []


def test_the_line_of_every_instruction_that_has_one_is_known() -> None:
    rows = re.findall(
        r"^    ([A-Z_]+): Final = \d+  # (.*)$",
        Path(facts.__file__).read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    operands = {name: re.sub(r":.*", "", told).split(", ") for name, told in rows}
    assert operands.keys() == {name for name in vars(facts.Op) if name.isupper()}
    lined = {
        getattr(facts.Op, name): (told.index("line"), len(told))
        for name, told in operands.items()
        if "line" in told
    }
    assert lined == {
        op: (kinds.index("l"), len(kinds)) for op, kinds in OPERANDS.items() if "l" in kinds
    }
