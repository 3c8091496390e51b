"""The hook uses the very settings that `gieok config show` prints, and no YAML library where
nothing changed.
"""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.settings import grants
from gieok.settings.file import parse_settings_file
from gieok.settings.hook import OPTIONS, USED, HookSettings
from gieok.settings.option import Option
from gieok.settings.resolved import FileSettings, Parse, SettingsFile, resolve_settings
from gieok.settings.values import load_effective_settings
from gieok.surfaces.cli import main

_NAMES = [option.name for option in OPTIONS]
_DEFAULTS = {option.name: option.default for option in OPTIONS}
_TEXTS = {
    "hook.output_mode": ("tiered", "full"),
    "hook.scopes": ("agent:main", "user:kim/character:mina", "agent:main,project:shop-1a2b"),
    "hook.asked_only": ("~/vault", "/home/kim/diary, ~/notes/*"),
    "judge.api": ("openai", "anthropic"),
    "judge.model": ("gpt-5-mini", "claude haiku 4.5"),
    "judge.base_url": ("https://judge.test/v1", "http://127.0.0.1:8080"),
    "judge.key_variable": ("MY_KEY",),
}


def _never(home: str, file: SettingsFile) -> FileSettings:
    raise AssertionError(f"{file.path} was parsed once more")


def _read(
    home: Path, project: str = "", parse: Parse = parse_settings_file
) -> tuple[HookSettings, list[str]]:
    values, wrong = resolve_settings(str(home), project, USED, {}, parse)
    return HookSettings({name: value for name, (value, _) in values.items()}), [
        str(error) for error in wrong
    ]


def _value(draw: st.DrawFn, name: str) -> str:
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        value = draw(st.sampled_from(["true", "false", "yes", "no", "on", "off", "FALSE"]))
    elif isinstance(default, str):
        value = draw(st.sampled_from(_TEXTS[name]))
    else:
        value = str(
            draw(
                st.integers(50, 5000)
                if isinstance(default, int)
                else st.sampled_from(
                    [0, 0.25, 1] if name.endswith("_ratio") else [0, 0.25, 1, 30.5]
                )
            )
        )
    quote = draw(
        st.sampled_from(["'", '"'] if "," in value else ["", "'", '"'])
    )  # a flow would be cut at the comma
    return f"{quote}{value}{quote}"


@st.composite
def _files(draw: st.DrawFn) -> str:
    """Return a settings file: each group is flat, nested or a flow."""
    text = draw(st.sampled_from(["", "# settings\n\n", "---\n", "search:\n  limit: 4\n\n"]))
    comment = st.sampled_from(["", "  # why", " # don't", ' # not "full"', "   # hook.limit: 9"])
    for group in ("hook", "judge"):
        names = [name.partition(".")[2] for name in _NAMES if name.startswith(group)]
        chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=4))
        lines = [f"{name}: {_value(draw, f'{group}.{name}')}" for name in chosen]
        layout = draw(st.sampled_from(["flat", "nested", "flow"])) if lines else "flat"
        if layout == "flow":
            text += f"{group}: {{{', '.join(lines)}}}{draw(comment)}\n"
        else:
            text += f"{group}:{draw(comment)}\n" if layout == "nested" else ""
            start = draw(st.sampled_from(["  ", "    "])) if layout == "nested" else f"{group}."
            text += "".join(f"{start}{line}{draw(comment)}\n" for line in lines)
    return text


def _agrees(text: str) -> None:
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIEOK_HOME", home)
        (Path(home) / "config.yaml").write_text(text, encoding="utf-8")
        expected = load_effective_settings({}, {}, Path(home))
        read, wrong = _read(Path(home), parse=_never)
    assert wrong == []
    for name in _NAMES:
        value = expected.values[name].value
        reading = {bool: read.is_on, str: read.text}.get(type(value), read.number)
        assert (name, reading(name)) == (name, value)


@given(_files())
@settings(derandomize=True, deadline=None, max_examples=150)
def test_the_hook_reads_a_file_as_everything_else_does(text: str) -> None:
    _agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "hook.limit: 5",
        "hook:\n  limit: 5\n  output_mode: full\njudge.enabled: on\n",
        "hook: {limit: 5, output_mode: full}  # both\n",
        "hook: { }\n",
        "'hook.limit': 5\n\"hook.floor\": 0.5\n",
        "hook.output_mode: 'full'   # all of it\n",
        "judge.base_url: https://judge.test/v1#part\n",
        'judge:\n  base_url: "http://127.0.0.1:1/v1"\n',
        "hook.limit: 5 # don't show more\n",
        "hook: # what's shown\n  limit: 5\n",
        'hook: {output_mode: "full"} # all\n',
        'hook.scopes: "agent:main" # the "main" one\n',
        'hook: {scopes: "agent:main,agent:b", limit: 2}\n',
        'hook.scopes: ""\n',
        "\ufeffhook.limit: 5\n",
        '{"hook": {"limit": 0}}',
        "hook: {limit: 5,\n  output_mode: full}\n",
        "hook:\n  scopes: >-\n    agent:main,\n    agent:b\n",
        "hook.limit: &n 7\nhook.session_tokens: *n\n",
    ],
)
def test_each_way_to_write_a_setting_is_understood(text: str) -> None:
    _agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "hook.limit: many",
        "hook.limit: -1",
        "hook.limit: 2.5",
        "hook.limit: inf",
        "hook.floor: nan",
        "hook.floor: '0,5'",
        "hook.output_mode: loud",
        "hook.deadline_ms: 1",
        "judge.enabled: perhaps",
    ],
)
def test_a_value_that_cannot_be_is_the_default_and_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    read, (wrong,) = _read(tmp_path)
    name = text.partition(":")[0]
    assert name in wrong
    assert str(tmp_path / "config.yaml") in wrong
    assert read.text(name) == str(_DEFAULTS[name])


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_project_sets_only_what_a_project_may(tmp_path: Path, option: Option) -> None:
    name, default = option.name, option.default
    if option.choices:
        other = option.choices[-1]
    else:
        most = int(option.high) if option.high is not None else 77
        other = "agent:theirs" if isinstance(default, str) else "true" if default is False else most
    (tmp_path / ".gieok").mkdir()
    (tmp_path / ".gieok" / "config.yaml").write_text(f"{name}: {other}\n")
    home, text = tmp_path.parent / f"{tmp_path.name}-home", f"{name}: {other}\n"
    assert _read(home, str(tmp_path))[0].text(name) == str(default)  # nobody trusted it yet
    grants.edit_grant(home, str(tmp_path), lambda grant: grant._replace(settings=text))
    read, _ = _read(home, str(tmp_path))
    value = read.is_on(name) if isinstance(default, bool) else read.text(name)
    assert (value == str(default) or value == default) is not option.in_project


@pytest.mark.parametrize(
    "content", [b"\xff\xfe hook", b"hook: [1, 2", b"\0" * 99, b"- a\n- b\n", b"hook: {limit"]
)
def test_a_file_that_is_no_settings_changes_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.yaml").write_bytes(content)
    read, _ = _read(tmp_path)
    assert [read.text(name) for name in _NAMES] == [str(_DEFAULTS[name]) for name in _NAMES]


def test_a_wrong_setting_is_logged_and_the_prompt_is_answered(known) -> None:
    (known.home / "config.yaml").write_text("hook.limit: many\nhook.output_mode: loud\n")
    assert "ruff" in known.hook("prompt", known.payload("어떤 린터를 쓰기로 했지?")).context
    assert [("hook.limit" in line, "hook.output_mode" in line) for line in known.log()] == [
        (True, False),
        (False, True),
    ]


def test_a_setting_that_changed_holds_at_the_next_prompt_and_the_one_after_parses_nothing(
    known,
) -> None:
    asked = known.payload("어떤 린터를 쓰기로 했지?")
    code = (
        "import sys\nfrom gieok.__main__ import main\nsys.argv[:] = ['gieok', 'hook', "
        "'prompt']\nmain()\n"
    )
    code += "print('yaml' in sys.modules, file=sys.stderr)"
    for text, shown, parses in (
        ('{"hook": {"limit": 0}}', False, True),
        ('{"hook": {"limit": 0}}', False, False),
        ('{"hook": {"limit": 3}}', True, True),
    ):
        (known.home / "config.yaml").write_text(text)
        said = known.run("prompt", json.dumps(asked).encode(), code=code)
        assert ("ruff" in said.context, said.err.strip()) == (shown, str(parses).encode())
    assert main(["config", "show"]) == 0  # every command leaves what the hook reads
    assert known.log() == []
    (known.home / "config.yaml").write_text("hook.limit: 0\n")
    assert main(["status"]) == 0
    assert known.run("prompt", json.dumps(asked).encode(), code=code).err.strip() == b"False"


def test_a_home_that_cannot_be_written_is_no_hindrance(known, tmp_path: Path) -> None:
    (known.home / "config.yaml").write_text("hook.limit: 0\n")
    (known.home / "resolved").write_text("a file where the folder should be")
    assert known.hook("prompt", known.payload("어떤 린터를 쓰기로 했지?")).out == b""
    assert known.log() == []


def test_the_file_of_secrets_stands_in_for_the_environment_here_too(known) -> None:
    (known.home / ".env").write_text("GIEOK_HOOK_LIMIT=0\n")
    (known.home / ".env").chmod(0o600)
    assert known.hook("prompt", known.payload("어떤 린터를 쓰기로 했지?")).out == b""
    assert known.hook("prompt", known.payload("어떤 린터를 쓰기로 했지?"), GIEOK_HOOK_LIMIT="1").out
    (known.home / ".env").chmod(0o644)
    assert known.hook("prompt", known.payload("어떤 린터를 쓰기로 했지?")).out
    assert "chmod" not in known.log()[0]
    assert "can be read by others" in known.log()[0]
