"""Where only lines differ nothing is linked again, and the index is still what a fresh one would be."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.capabilities.code.test_real_edits import differences

from gieok.backends.git import Git
from gieok.backends.parsers.treesitter import TreeSitterParser
from gieok.backends.stores.sqlite.graph import SqliteProjectStore
from gieok.capabilities.code.index import project
from gieok.capabilities.code.index.project import Project
from gieok.testing import ManualClock

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
_PAY = "class Card:\n    def pay(self):\n        return 1\n\n\ndef charge(card, n):\n    return card.pay()\n"
_TEST = "from shop import Shop\n\n\ndef test_sell():\n    assert Shop().sell(None)\n"
_SCRIPT = "export function pay() {\n  return missing();\n}\nexport function missing2() {\n  return pay();\n}\n"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Project]:
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in {"shop.py": _SHOP, "pay.py": _PAY, "test_shop.py": _TEST, "a.js": _SCRIPT}.items():
        (root / name).write_text(text, encoding="utf-8")
    (root / "readme.md").write_text("# Shop\n\nSells things.\n", encoding="utf-8")
    one = Project(root, SqliteProjectStore(tmp_path / "kept.sqlite"), TreeSitterParser(), Git(root), ManualClock())
    project.sync(one)
    yield one
    one.store.close()


def _edited(made: Project, name: str, edit: Callable[[str], str]) -> bool:
    """Edit a file, sync, compare with a fresh index; return whether anything was linked."""
    file = made.root / name
    file.write_text(edit(file.read_text(encoding="utf-8")), encoding="utf-8")
    change = project.sync(made)
    assert change.touched == [name]
    assert differences(made.root.parent, made.root) == []
    return change.linked


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("shop.py", lambda text: f"# a comment\n\n{text}"),
        ("shop.py", lambda text: text.replace('"""Sells."""', '"""Sells\n\n    everything.\n    """')),
        ("shop.py", lambda text: text.replace("    def count", "    # TODO: count\n\n    def count")),
        ("shop.py", lambda text: text.replace("return receipt()", "return (\n            receipt()\n        )")),
        ("pay.py", lambda text: text.replace("charge(card, n)", "charge(\n    card,\n    n,\n)")),
        ("test_shop.py", lambda text: text + "\n\n# the end\n"),
        ("a.js", lambda text: "// a comment\n" + text),
        ("readme.md", lambda text: text + "\n# pay\n\n## TODO\n"),
    ],
)
def test_an_edit_that_moves_lines_alone_links_nothing(made: Project, name: str, edit: Callable[[str], str]) -> None:
    assert not _edited(made, name, edit)
    assert not _edited(made, name, lambda text: text.replace("\n", "\n\n", 1))


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("shop.py", lambda text: text.replace("self.count(); self.count()", "self.count()\n        self.count()")),
        ("shop.py", lambda text: text.replace("self.count(); self.count()", "self.count()")),
        ("shop.py", lambda text: text.replace("def count", "def other")),
        ("shop.py", lambda text: text.replace("return charge(card, 1)", "return card.pay()")),
        ("pay.py", lambda text: text + "\n\ndef missing():\n    return 1\n"),
        ("pay.py", lambda text: text.replace("class Card:", "class Card(dict):")),
        ("test_shop.py", lambda text: text.replace("Shop().sell(None)", "Shop()")),
        ("a.js", lambda text: text.replace("missing2", "missing")),
    ],
)
def test_an_edit_that_changes_what_is_called_links_again(made: Project, name: str, edit: Callable[[str], str]) -> None:
    assert _edited(made, name, edit)


def test_only_the_languages_of_what_changed_are_linked(made: Project) -> None:
    before = {(e.source, e.target, e.kind, e.line) for e in made.store.all_edges() if e.source.startswith("shop.py")}
    (made.root / "shop.py").write_text(f"# a comment\n{_SHOP}", encoding="utf-8")
    assert _edited_js(made)
    after = {(e.source, e.target, e.kind, e.line) for e in made.store.all_edges() if e.source.startswith("shop.py")}
    assert after == {(s, t, kind, line + bool(line)) for s, t, kind, line in before if kind != "imports"} | {
        (s, t, kind, 3) for s, t, kind, _ in before if kind == "imports"
    }


def _edited_js(made: Project) -> bool:
    (made.root / "a.js").write_text(_SCRIPT.replace("missing2", "missing"), encoding="utf-8")
    change = project.sync(made)
    assert change.touched == ["a.js", "shop.py"]
    assert differences(made.root.parent, made.root) == []
    return change.linked


def test_a_sync_that_is_killed_before_its_links_are_stored_is_made_up_for_by_the_next(made: Project) -> None:
    def killed(stage: str, done: int, total: int) -> None:
        del done, total
        if stage == "linking":
            raise KeyboardInterrupt

    file = made.root / "pay.py"
    file.write_text(_PAY.replace("card.pay()", "missing(card)"), encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        project.sync(made, progress=killed)
    assert [s.key for s in made.store.symbols(names=["charge"])] == ["pay.py::charge"]  # what was read is there already
    change = project.sync(made)
    assert (change.touched, change.linked) == ([], True)
    assert differences(made.root.parent, made.root) == []
