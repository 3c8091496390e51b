"""Hooks of Gieok's in Kimi Code's TOML: in once, out again, and the rest as it was."""

import tomllib
from pathlib import Path

import pytest

from gieok.agents.kimi_code import TomlHooks

_OWN = {"event": "Stop", "command": "gieok hook stop --agent kimi-code", "timeout": 5}
_EDIT = TomlHooks(Path("config.toml"), [_OWN])
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
