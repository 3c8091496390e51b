"""Hooks and a server of Gieok's in TOML: in once, out again, and the rest as it was."""

import tomllib
from pathlib import Path

import pytest

from gieok.agents.install.toml_lines import TomlHooks, TomlServer

_OWN = {"event": "Stop", "command": "gieok hook stop --agent kimi-code", "timeout": 5}
_EDIT = TomlHooks(Path("config.toml"), [_OWN])
_SERVER = TomlServer(Path("config.toml"), ['command = "gieok"', 'args = ["mcp"]'])
_OTHER = '[[hooks]]\nevent = "Stop"\n\ncommand = "say done"\n'


@pytest.mark.parametrize(
    "before",
    ["", 'model = "m"\n', _OTHER, f"{_OTHER}\n# mine\n[x]\ny = 1\n", '\ufeffmodel = "m"\n'],
)
def test_hooks_go_in_and_out_and_the_rest_stays(before: str) -> None:
    after = _EDIT.add(before)
    hooks = tomllib.loads(after.removeprefix("\ufeff"))["hooks"]
    assert hooks[-1] == _OWN
    assert _EDIT.remove(after) == before


def test_a_hook_with_less_time_than_a_new_one_gets_is_known() -> None:
    after = _EDIT.add(_OTHER.replace("Stop", 'Stop"\ntimeout = 1 # "'))
    assert _EDIT.list_shorter_hooks(after) == _EDIT.list_shorter_hooks("") == []
    assert _EDIT.list_shorter_hooks(after.replace("timeout = 5", "timeout = 4")) == ["Stop"]


@pytest.mark.parametrize(
    "own",
    [
        '[[hooks]]\nevent = "Stop"\n\n# why\ncommand = "gieok hook stop --agent kimi-code"\n',
        '[[ hooks ]] # own\n\n\ncommand = "gieok hook stop --agent kimi-code"\nevent = "Stop"\n',
    ],
)
def test_a_table_with_empty_lines_goes_out(own: str) -> None:
    assert _EDIT.remove(f"{_OTHER}\n{own}\n# mine\n[x]\ny = 1\n") == (
        f"{_OTHER}\n# mine\n[x]\ny = 1\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        'hooks = [{event = "Stop", command = "gieok hook stop --agent kimi-code"}]\n',
        '[["hooks"]]\nevent = "Stop"\ncommand = "gieok hook stop --agent kimi-code"\n',
    ],
)
def test_what_cannot_be_taken_out_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="in a way that is not known"):
        _EDIT.remove(text)


def test_a_text_that_only_looks_like_a_hook_stays() -> None:
    text = 'note = """\n[[hooks]]\nevent = "Stop"\ncommand = "gieok hook stop --agent kimi-code"\n[x]\n"""\n'
    with pytest.raises(ValueError, match="in a way that is not known"):
        _EDIT.remove(text)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ('hooks = [{event = "Stop", command = "say"}]\n', r"`\[\[hooks\]\]`"),
        ("hooks = []\n", "empty value"),
        ("[hooks]\nx = 1\n", "no list"),
        ("model = [\n", "no TOML"),
    ],
)
def test_hooks_that_are_written_otherwise_are_named(before: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _EDIT.add(before)


@pytest.mark.parametrize(
    "before",
    ["", 'model = "m"\n', "[mcp_servers.x]\ncommand = 'x'\n", '\ufeffmodel = "m"\n'],
)
def test_a_server_goes_in_and_out_and_the_rest_stays(before: str) -> None:
    after = _SERVER.add(before)
    read = tomllib.loads(after.removeprefix("\ufeff"))
    assert read["mcp_servers"]["gieok"] == {"command": "gieok", "args": ["mcp"]}
    assert _SERVER.remove(after) == before
    more = f'{after}env = {{ A = "1" }}\n\n[mcp_servers.gieok.tools]\na = 1\n\n# mine\n[x]\ny = 1\n'
    assert _SERVER.remove(more) == f"{before}\n# mine\n[x]\ny = 1\n"


def test_a_text_that_only_looks_like_a_server_is_not_cut() -> None:
    text = _SERVER.add('note = """\n[mcp_servers.gieok]\ncommand = "mine"\n"""\n')
    with pytest.raises(ValueError, match="in a way that is not known"):
        _SERVER.remove(text)


def test_a_server_written_in_another_way_is_said() -> None:
    for text in (
        'mcp_servers = { gieok = { command = "gieok", args = ["mcp"] } }\n',
        '[mcp_servers]\ngieok = { command = "gieok", args = ["mcp"] }\n',
    ):
        with pytest.raises(ValueError, match="in a way that is not known"):
            _SERVER.remove(text)
    other = "[mcp_servers.gieok]\ncommand = 'other'\n"
    assert _SERVER.remove(other) == other
    with pytest.raises(ValueError, match="not ours"):
        _SERVER.add(other)
