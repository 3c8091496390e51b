"""A package that the core does not bring is named with what brings it, wherever it is imported.

The bare environment has the core's own packages and nothing else: links to what is installed here,
by the metadata.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import gieok
from gieok import extras, registry
from gieok.errors import MissingExtra

_SOURCE = Path(gieok.__file__).parent
#: Where a module may import at its top what the core does not bring: they are loaded through the
#: door as a whole, or are imported by somebody who has that framework.
_BEHIND_THE_DOOR = (
    "machine/",
    "models/",
    "storage/",
    "surfaces/http/",
    "surfaces/web/",
    "adapters/",
    "agents/plugins/",
    "testing/",
)
#: Opened in one place (`e5.runtime`), which says what each platform gets.
_SAYS_ITSELF = ("models/local/", "models/onnx_errors.py", "testing/")


def _of_core(*, everywhere: bool = False) -> dict[str, metadata.Distribution]:
    """Return what the core needs, with what that needs, by name in lower case; `everywhere`: on
    each platform.
    """
    found: dict[str, metadata.Distribution] = {}
    waiting = [Requirement(line) for line in metadata.requires("gieok") or ()]
    waiting = [one for one in waiting if not (everywhere and one.marker)]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[name] = metadata.distribution(wanted.name)
        waiting += [Requirement(line) for line in found[name].requires or ()]
    return found


def _own_places(distribution: metadata.Distribution) -> set[Path]:
    """Return the files and folders that are a distribution's alone: of a package that several
    share, what is in it.
    """
    files = [
        Path(file)
        for file in distribution.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    ]
    inits = {file.parent for file in files if file.name.startswith("__init__.")}
    shared = {
        file.parts[0] for file in files if len(file.parts) > 2 and Path(file.parts[0]) not in inits
    } - {file.parts[0] for file in files if file.parts[0].endswith((".dist-info", ".libs"))}
    return {
        Path(*file.parts[: 2 if file.parts[0] in shared else 1])
        for file in files
        if file.suffix != ".pth"
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of links to the core's packages."""
    folder = tmp_path_factory.mktemp("bare")
    for distribution in [*_of_core().values(), metadata.distribution("gieok")]:
        for own in _own_places(distribution):
            place = Path(str(distribution.locate_file(str(own))))
            if place.exists() and not (folder / own).exists():
                (folder / own).parent.mkdir(exist_ok=True)
                (folder / own).symlink_to(place)
    return folder


def _python(
    bare: Path, folder: Path, code: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in the bare environment, in `folder`, with a home beside it."""
    home = folder.parent
    begin = f"import sys; sys.path[1:1] = {[str(_SOURCE.parent), str(bare)]!r}; "
    environment = {
        "HOME": str(home),
        "GIEOK_HOME": str(home / "g"),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
    }
    return subprocess.run(
        (sys.executable, "-I", "-S", "-c", begin + code),
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
    )


def _gieok(
    bare: Path, folder: Path, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    code = (
        f"sys.argv = ['gieok', *{list(words)!r}]; from gieok.__main__ import main; sys.exit(main())"
    )
    return _python(bare, folder, code, **variables)


_OPEN_ALL = """
import json
from gieok import registry
from gieok.errors import MissingExtra
seen = {}
for name, table in vars(registry).items():
    if not isinstance(table, dict) or name.startswith("_"):
        continue
    for row, backend in table.items():
        if not isinstance(backend, registry.Backend):
            continue
        try:
            registry.load_backend(table, row)
            seen[name + "/" + row] = ""
        except MissingExtra as error:
            seen[name + "/" + row] = str(error) + " " + error.hint
print(json.dumps(seen))
"""


def test_each_backend_opens_with_the_core_alone_or_names_its_extra(
    bare: Path, tmp_path: Path
) -> None:
    done = _python(bare, tmp_path, _OPEN_ALL)
    assert done.returncode == 0, done.stderr
    seen: dict[str, str] = json.loads(done.stdout)
    tables = {name: table for name, table in vars(registry).items() if isinstance(table, dict)}
    rows = {
        f"{name}/{row}": backend
        for name, table in tables.items()
        for row, backend in table.items()
        if isinstance(backend, registry.Backend)
    }
    assert seen.keys() == rows.keys()
    opened = {row for row, said in seen.items() if not said}
    # Those import what they need where they use it: a database of the agent may do without.
    assert opened == {row for row, backend in rows.items() if not backend.extra} | {
        "EMBEDDERS/onnx",
        "RERANKERS/onnx",
        "TRANSCRIPTS/openclaw",
    }
    assert not [row for row, said in seen.items() if said and f"[{rows[row].extra}]" not in said]


@pytest.mark.parametrize(
    ("words", "variables", "extra"),
    [
        (("observe", "reflect"), {"GIEOK_REFLECT_MODEL": "anthropic:claude-haiku-4-5"}, "models"),
        (
            ("search", "x"),
            {"GIEOK_STORE": "postgres", "GIEOK_DATABASE_URL": "postgresql://me@127.0.0.1/x"},
            "postgres",
        ),
        (("search", "x"), {"GIEOK_STORE": "gemini", "GEMINI_API_KEY": "k"}, "gemini"),
        (("search", "x"), {"GIEOK_STORE": "chroma"}, "chroma"),
        (("search", "x"), {"GIEOK_STORE": "lancedb"}, "lancedb"),
        (("serve",), {}, "serve"),
        (("encryption", "on", "--yes"), {}, "encryption"),
        (("keys", "list"), {"GIEOK_KEYS_STORE": "keyring"}, "keyring"),
        (
            ("ask", "what is total?"),
            {
                "GIEOK_CODE_MODEL": "openai:gpt-5-mini",
                "OPENAI_API_KEY": "k",
                "GIEOK_EMBEDDER": "none",
            },
            "models",
        ),
    ],
)
def test_a_command_without_its_package_names_what_installs_it(
    bare: Path, tmp_path: Path, words: tuple[str, ...], variables: dict[str, str], extra: str
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "app.py").write_text("def total(): return 1\n", encoding="utf-8")
    if words[0] == "ask":
        assert _gieok(bare, project, "code", "init", **variables).returncode == 0
    done = _gieok(bare, project, *words, **variables)
    said = done.stdout + done.stderr
    assert f"[{extra}]" in said, said
    assert "ModuleNotFoundError" not in said
    assert "ImportError" not in said
    assert done.returncode != 0


def test_a_package_that_is_half_there_names_the_extra_too() -> None:
    half = ImportError("Please install it", name="pydantic_ai.models.openai")
    with (
        pytest.raises(MissingExtra, match="Please install it") as caught,
        extras.imports_of("models", "openai:gpt"),
    ):
        raise half
    assert "[models]" in caught.value.hint


def test_a_mistake_of_our_own_is_no_missing_package() -> None:
    with pytest.raises(ImportError, match="no name"), extras.imports_of("models", "openai:gpt"):
        raise ImportError("no name", name="gieok.flow")


class _Import:
    """An import of a package: where, what, and whether it is in a function, and in a block of the
    door.
    """

    def __init__(
        self, file: str, line: int, module: str, *, is_late: bool, is_behind: bool
    ) -> None:
        self.file, self.line, self.module = file, line, module
        self.is_late, self.is_behind = is_late, is_behind

    def __repr__(self) -> str:
        return f"{self.file}:{self.line} {self.module}"


def _imports(file: Path) -> Iterator[_Import]:
    name = file.relative_to(_SOURCE).as_posix()

    def walk(node: ast.AST, *, is_late: bool, is_behind: bool) -> Iterator[_Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue  # holds no statement, and four of five nodes are in one
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            late = is_late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            behind = is_behind or (
                isinstance(child, ast.With)
                and any("imports_of(" in ast.unparse(item) for item in child.items)
            )
            modules = [alias.name for alias in child.names] if isinstance(child, ast.Import) else []
            modules += (
                [child.module or ""]
                if isinstance(child, ast.ImportFrom) and not child.level
                else []
            )
            for module in modules:
                yield _Import(name, child.lineno, module, is_late=late, is_behind=behind)
            yield from walk(child, is_late=late, is_behind=behind)

    yield from walk(ast.parse(file.read_text(encoding="utf-8")), is_late=False, is_behind=False)


@pytest.fixture(scope="module")
def foreign() -> list[_Import]:
    """Return every import of what neither Python nor Gieok nor the core for all platforms
    brings.
    """
    own = map(_own_places, _of_core(everywhere=True).values())
    tops = {place.parts[0].partition(".")[0] for places in own for place in places}
    known = sys.stdlib_module_names | tops | {"gieok"}
    found = [one for file in sorted(_SOURCE.rglob("*.py")) for one in _imports(file)]
    return [
        one
        for one in found
        if one.module.partition(".")[0] not in known and not one.file.startswith(_SAYS_ITSELF)
    ]


def test_every_late_import_of_such_a_package_goes_through_the_door(foreign: list[_Import]) -> None:
    assert [one for one in foreign if one.is_late and not one.is_behind] == []
    assert len([one for one in foreign if one.is_behind]) > 20


def test_only_what_is_loaded_through_the_door_imports_such_a_package_at_its_top(
    foreign: list[_Import],
) -> None:
    assert [
        one for one in foreign if not one.is_late and not one.file.startswith(_BEHIND_THE_DOOR)
    ] == []


def test_what_the_type_check_does_not_read_is_imported_by_the_libraries_alone() -> None:
    root = Path(__file__).parents[1]
    checked = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    unread = [
        module.removesuffix(".*")
        for row in checked["overrides"]
        if row.get("follow_imports") == "skip"
        for module in row["module"]
    ]
    assert unread
    ways = [
        rf"(?:from|import) {re.escape(module)}\b|from {re.escape(parent)} import .*\b{name}\b"
        for module in unread
        for parent, _, name in [module.rpartition(".")]
    ]
    imports = re.compile(rf"^\s*(?:{'|'.join(ways)})", re.MULTILINE)
    files = {file for folder in checked["files"] for file in (root / folder).rglob("*.py")}
    assert len(files) > 1000
    assert [
        file for file in sorted(files) if imports.search(file.read_text(encoding="utf-8"))
    ] == []


_SAID = (
    '{"type":"user","sessionId":"s","uuid":"u1","timestamp":"2026-11-20T10:00:00Z","cwd":"/'
    'nowhere",'
    '"message":{"role":"user","content":"We settle payments on Tuesdays, always."}}\n'
)


def test_a_model_without_its_package_lets_observing_wait_and_status_says_why(
    bare: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / ".claude/projects/-nowhere/s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(_SAID, encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    model = {
        "GIEOK_OBSERVE_MODEL": "anthropic:claude-haiku-4-5",
        "ANTHROPIC_API_KEY": "k",
        "GIEOK_EMBEDDER": "none",
    }
    ran = _gieok(bare, folder, "observe", "run", "--once", **model)
    assert "ModuleNotFoundError" not in ran.stdout + ran.stderr
    status = _gieok(bare, folder, "status", **model)
    assert "'pydantic-ai'" in status.stdout
    assert "[models]" in status.stdout
    proven = _gieok(bare, folder, "doctor", **model)
    assert "✗ observer: " in proven.stdout
    assert "[models]" in proven.stdout
