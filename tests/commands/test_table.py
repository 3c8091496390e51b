"""The table of commands and the decorated functions are held together."""

import ast
import inspect
import pkgutil
from importlib import import_module

import pytest

import gieok.commands
from gieok.__main__ import _is_agent_hook_call
from gieok.commands import NAMES, load_command
from gieok.commands.command import Command

_TABLE = ast.parse(inspect.getsource(load_command)).body[0]


def test_every_declared_command_is_in_the_table_under_its_name() -> None:
    modules = [
        import_module(module.name)
        for module in pkgutil.walk_packages(gieok.commands.__path__, "gieok.commands.")
    ]
    declared = [
        (value.name, value)
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Command) and value.function.__module__ == module.__name__
    ]
    assert dict(declared) == {name: load_command(name) for name in NAMES}
    assert len(declared) == len(NAMES) == len(set(NAMES))


def test_the_rows_of_the_table_stand_in_the_order_of_the_help() -> None:
    patterns = [case.pattern for case in ast.walk(_TABLE) if isinstance(case, ast.match_case)]
    rows = [p.value.value for p in patterns if isinstance(p, ast.MatchValue)]  # type: ignore[attr-defined]
    assert tuple(rows) == NAMES


def test_an_editor_can_follow_each_row_to_its_function() -> None:
    imports = [node for node in ast.walk(_TABLE) if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(NAMES)
    for name, row in zip(NAMES, imports, strict=True):
        function = load_command(name).function
        assert (row.module, [alias.name for alias in row.names]) == (
            function.__module__,
            [function.__name__],
        )


def test_a_command_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError, match="no such command"):
        load_command("no such command")


def test_a_command_knows_its_rib() -> None:
    assert {name: load_command(name).rib for name in ("search", "code sync", "ask", "open")} == {
        "search": "memory",
        "code sync": "code",
        "ask": "code",
        "open": "home",
    }


def test_a_hook_command_of_people_never_goes_to_the_hook_of_agents() -> None:
    """The hook of agents ends with 0 whatever it is asked: such a command would do nothing."""
    of_hook = [name.split() for name in NAMES if name.startswith("hook ")]
    assert of_hook
    assert not [words for words in of_hook if _is_agent_hook_call(words)]
    assert _is_agent_hook_call(["hook", "prompt"])
