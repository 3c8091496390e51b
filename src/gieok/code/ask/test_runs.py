"""Build the command that runs tests, to be pasted in the project's folder.

There is no command where the test runner is not known.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from shlex import join

from gieok.code.index import scan
from gieok.code.languages.table import find_source_language
from gieok.code.model.facts import SymbolKind
from gieok.model.code import Symbol

#: With more tests than this the command names files instead of tests.
_MOST_NAMED = 20
#: JavaScript test runners by the package that has to be installed, in order of precedence.
_RUNNERS = {
    "vitest": "npx vitest run", "jest": "npx jest", "mocha": "npx mocha", "ava": "npx ava",
    "tap": "npx tap", "borp": "npx borp",
}  # fmt: skip


def build_test_command(root: Path, tests: Sequence[Symbol]) -> str:
    """Return the command that runs these tests.

    Returns '' where the runner of one of the tests' languages is not known.
    """
    by_language: dict[str, list[Symbol]] = defaultdict(list)
    for test in tests:
        by_language[find_source_language(test.path) or ""].append(test)
    if not by_language.keys() <= _COMMANDS.keys():
        return ""
    parts = [_COMMANDS[language](root, own) for language, own in by_language.items()]
    return " && ".join(dict.fromkeys(parts)) if all(parts) else ""


def _build_pytest_command(root: Path, tests: Sequence[Symbol]) -> str:
    if _is_django_alone(root):
        return join(["python", "manage.py", "test", *_build_django_labels(tests)])
    names = [f"{s.path}::{s.qualified.replace('.', '::')}" for s in tests]
    return join(["pytest", *(names if len(names) <= _MOST_NAMED else _list_test_files(tests))])


def _is_django_alone(root: Path) -> bool:
    """Return whether Django's own command runs the tests: no settings file mentions pytest."""
    texts = (
        scan.read_source_text(root, name)
        for name in ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt")
    )
    return (root / "manage.py").exists() and not any("pytest" in text for text in texts)


def _build_django_labels(tests: Sequence[Symbol]) -> list[str]:
    modules = {path: path.removesuffix(".py").replace("/", ".") for path in _list_test_files(tests)}
    if len(tests) > _MOST_NAMED:
        return list(modules.values())
    return [f"{modules[s.path]}.{s.qualified}" for s in tests]


def _build_go_command(root: Path, tests: Sequence[Symbol]) -> str:
    del root
    folders = dict.fromkeys(f"./{PurePosixPath(s.path).parent}".removesuffix("/.") for s in tests)
    names = dict.fromkeys(re.sub(r"\W.*", "", s.qualified.rpartition(".")[2]) for s in tests)
    # Methods of a suite are run by a function of the package: `-run` with the methods' names would
    # run nothing, and pass.
    is_named = len(names) <= _MOST_NAMED and all(s.kind != SymbolKind.METHOD for s in tests)
    chosen = ["-run", f"^({'|'.join(names)})$"] if is_named else []
    return join(["go", "test", *chosen, *folders])


def _build_cargo_command(root: Path, tests: Sequence[Symbol]) -> str:
    del root
    names = dict.fromkeys(s.name for s in tests)
    return join(["cargo", "test", *(["--", *names] if len(names) <= _MOST_NAMED else [])])


def _build_node_command(root: Path, tests: Sequence[Symbol]) -> str:
    package = _read_package_json(root)
    known = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    script = str(package.get("scripts", {}).get("test", ""))
    runner = next((line for name, line in _RUNNERS.items() if name in known), "")
    if not runner and "node --test" in script:
        runner = "node --test"
    return f"{runner} {join(_list_test_files(tests))}" if runner else ""


def _read_package_json(root: Path) -> Mapping[str, Mapping[str, object]]:
    try:
        manifest = json.loads(scan.read_source_text(root, "package.json"))
    except ValueError:
        return {}
    return (
        {key: value for key, value in manifest.items() if isinstance(value, dict)}
        if isinstance(manifest, dict)
        else {}
    )


def _list_test_files(tests: Sequence[Symbol]) -> list[str]:
    return list(dict.fromkeys(s.path for s in tests))


_COMMANDS: Mapping[str, Callable[[Path, Sequence[Symbol]], str]] = {
    "python": _build_pytest_command,
    "go": _build_go_command,
    "rust": _build_cargo_command,
    "javascript": _build_node_command,
    "typescript": _build_node_command,
    "tsx": _build_node_command,
}
