"""After any sequence of edits the graph is what a fresh index of the same files has, edge for
edge.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gieok.code.ask import coverage_runs
from gieok.code.index import project
from gieok.code.index.project import SCOPE, Project
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.model.code import Execution
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import ManualClock

_NAMES = ("load", "save", "check", "Store", "run")
_FUNCTION = {
    "py": (
        "def {name}(x=None):\n    {call}(x)\n    return Box().open()\n\n\nclass Box:\n    def "
        "open(self):\n        return {call}\n"
    ),
    "js": (
        "const {{ {call} }} = require('./{other}');\nexports.{name} = function {name}(x) {{ "
        "return {call}(x); }};\n"
    ),
    "go": (
        "package a\n\nfunc {title}{tag}() {{ {other_title}{tag}() }}\n\ntype T{tag} "
        "struct{{}}\n\nfunc (t T{tag}) Go() {{ {title}{tag}() }}\n"
    ),
    "java": (
        "package a;\nclass {title}{tag} {{ void go() {{ new {other_title}{tag}().go(); helper(); "
        "}} static void helper() {{}} }}\n"
    ),
    "rs": (
        "pub struct S;\nimpl S {{ pub fn {name}(&self) {{ {call}(); }} }}\npub fn {call}() {{ "
        "S.{name}(); }}\n"
    ),
    "ts": (
        "import {{ {call} }} from './{other}';\nexport function {name}(s: Svc) {{ s.go(); "
        "{call}(); }}\nexport class Svc {{ go() {{}} }}\n"
    ),
}
_IMPORT = "from {module} import {call}\n"
_STEMS = ("a", "b", "pkg/c", "pkg/__init__")
_Stem = st.sampled_from(_STEMS)
_Suffix = st.sampled_from(sorted(_FUNCTION))
_Name = st.sampled_from(_NAMES)


def _text(suffix: str, stem: str, name: str, call: str, other: str) -> str:
    body = _FUNCTION[suffix].format(
        name=name.lower(),
        call=call.lower(),
        other=other.rpartition("/")[2],
        title=name.title(),
        other_title=call.title(),
        tag=stem.rpartition("/")[2].strip("_").title(),
    )
    module = other.replace("/", ".").removesuffix(".__init__")
    return (_IMPORT.format(module=module, call=call.lower()) if suffix == "py" else "") + body


class EditsMachine(RuleBasedStateMachine):
    """Edits files at random; the index is synced after every step and compared with one made from
    nothing.
    """

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name, "project")
        self.root.mkdir()
        self.synced = self._open("synced.sqlite")
        self.ran: list[Execution] = []
        for stem, name, other in (("a", "load", "b"), ("b", "save", "a")):
            self.write_a_file(stem, "py", name, "run", other)
        project.sync_project(self.synced)
        self.take_in_what_ran([(0, 1), (1, 2), (3, 0)], known=True)

    def _open(self, name: str) -> Project:
        store = ProjectStore(Path(self.folder.name, name))
        return Project(self.root, store, TreeSitterParser(), Git(self.root), ManualClock())

    def _file(self, stem: str, suffix: str) -> Path:
        file = self.root / f"{stem}.{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    @rule(stem=_Stem, suffix=_Suffix, name=_Name, call=_Name, other=_Stem)
    def write_a_file(self, stem: str, suffix: str, name: str, call: str, other: str) -> None:
        self._file(stem, suffix).write_text(
            _text(suffix, stem, name, call, other), encoding="utf-8"
        )

    @rule(stem=_Stem, suffix=_Suffix, name=_Name)
    def add_a_comment_above(self, stem: str, suffix: str, name: str) -> None:
        file = self._file(stem, suffix)
        if file.exists():
            sign = "#" if suffix == "py" else "//"
            file.write_text(f"{sign} {name}\n{file.read_text(encoding='utf-8')}", encoding="utf-8")

    @rule(stem=_Stem, suffix=_Suffix)
    def delete_a_file(self, stem: str, suffix: str) -> None:
        self._file(stem, suffix).unlink(missing_ok=True)

    @rule(stem=_Stem, suffix=_Suffix, to=_Stem)
    def move_a_file(self, stem: str, suffix: str, to: str) -> None:
        file = self._file(stem, suffix)
        if file.exists():
            file.replace(self._file(to, suffix))

    @rule(stem=_Stem, suffix=_Suffix, before=_Name, after=_Name)
    def rename_in_a_file(self, stem: str, suffix: str, before: str, after: str) -> None:
        file = self._file(stem, suffix)
        if file.exists():
            file.write_text(
                file.read_text(encoding="utf-8").replace(before.lower(), after.lower()),
                encoding="utf-8",
            )

    @rule(
        stem=_Stem,
        line=st.integers(0, 12),
        what=st.sampled_from((" (", ' """', "\nprint 'old'", ":")),
    )
    def break_a_line_of_python(self, stem: str, line: int, what: str) -> None:
        file = self._file(stem, "py")
        if file.exists():
            lines = file.read_text(encoding="utf-8").split("\n")
            lines[line % len(lines)] += what
            file.write_text("\n".join(lines), encoding="utf-8")

    @rule(stem=_Stem, suffix=_Suffix)
    def break_a_file(self, stem: str, suffix: str) -> None:
        file = self._file(stem, suffix)
        if file.exists():
            file.write_text(
                file.read_text(encoding="utf-8") + "\n((( def class {{{\n", encoding="utf-8"
            )

    @rule(
        pairs=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=5),
        known=st.booleans(),
    )
    def take_in_what_ran(self, pairs: list[tuple[int, int]], known: bool) -> None:
        symbols = [s for s in self.synced.store.all_symbols() if s.kind in ("function", "method")]
        for test, function in pairs if symbols else ():
            a, b = symbols[test % len(symbols)], symbols[function % len(symbols)]
            self.ran = [e for e in self.ran if (e.test, e.function) != (a.key, b.key)]
            self.ran.append(Execution(a.key, b.key, a.code_hash if known else "", b.code_hash))
        _put(self.synced, self.ran)

    @rule(stem=_Stem, suffix=_Suffix)
    def sync_one_file_alone(self, stem: str, suffix: str) -> None:
        project.sync_project(self.synced, only=[f"{stem}.{suffix}"])

    @invariant()
    def incremental_equals_full(self) -> None:
        if not hasattr(self, "root"):
            return
        project.sync_project(self.synced)
        fresh = self._open("fresh.sqlite")
        project.sync_project(fresh)
        _put(fresh, self.ran)
        assert _dump(self.synced) == _dump(fresh)
        fresh.store.close()
        for file in Path(self.folder.name).glob("fresh.sqlite*"):
            file.unlink()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.synced.store.close()
            self.folder.cleanup()


def _put(made: Project, ran: list[Execution]) -> None:
    """Put what ran in place of all of it that is kept."""
    keys = [key for e in ran for key in (e.test, e.function)]
    made.store.put_executions(ran, keys, [key.partition("::")[0] for key in keys])


def _dump(made: Project) -> list[object]:
    store = made.store
    symbols = list(store.all_symbols())
    keys = [s.key for s in symbols]
    documents = store.get(SCOPE, sorted(store.hashes(SCOPE)))
    return [
        symbols,
        list(store.all_edges()),
        store.unresolved_calls([s.name for s in symbols]),
        coverage_runs.edges_into(store, keys),
        sorted(store.settled(keys)),
        store.count_executions(),
        [(f.path, f.content_hash, f.status, f.note) for f in store.files().values()],
        [(d.key, d.text) for d in documents],
    ]


@pytest.mark.parametrize(
    ("before", "meanwhile", "after"),
    [("save", "load", "save"), ("save", None, "save"), (None, "load", None)],
)
def test_what_is_taken_back_after_a_sync_that_was_killed_is_as_if_it_had_never_been(
    tmp_path: Path, before: str | None, meanwhile: str | None, after: str | None
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "b.py").write_text("def keep():\n    return 1\n", encoding="utf-8")

    def opened(name: str) -> Project:
        return Project(
            root, ProjectStore(tmp_path / name), TreeSitterParser(), Git(root), ManualClock()
        )

    def put(name: str | None) -> None:
        if name is None:
            (root / "a.py").unlink(missing_ok=True)
        else:
            (root / "a.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")

    def killed(stage: str, done: int, total: int) -> None:
        del done, total
        if stage == "linking":  # the texts are stored, the graph is not
            raise KeyboardInterrupt

    made = opened("index.sqlite")
    put(before)
    project.sync_project(made)
    put(meanwhile)
    with pytest.raises(KeyboardInterrupt):
        project.sync_project(made, progress=killed)
    put(after)
    assert project.sync_project(made).report.failed == []
    fresh = opened("fresh.sqlite")
    project.sync_project(fresh)
    assert _dump(made) == _dump(fresh)


TestIncrementalEqualsFull = EditsMachine.TestCase
TestIncrementalEqualsFull.settings = settings(
    max_examples=12,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
