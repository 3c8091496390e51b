"""Members of Gieok's in another program's YAML: in once, out again, and the rest as it was."""

import re
from pathlib import Path

import pytest
import yaml

from gieok.agents.install.yaml_lines import YamlLines, YamlMember

_NAME = re.compile(r"^\s*[\"']?gieok[\"']?\s*$")
_MEMBERS = (
    YamlMember("memory", "provider", "gieok", _NAME),
    YamlMember("plugins", "enabled", "gieok", _NAME, is_listed=True),
    YamlMember("mcp_servers", "gieok", '{"command": "gieok", "args": ["mcp"]}', re.compile("mcp")),
)
_OURS = {
    "memory": {"provider": "gieok"},
    "plugins": {"enabled": ["gieok"]},
    "mcp_servers": {"gieok": {"command": "gieok", "args": ["mcp"]}},
}
_EDIT = YamlLines(Path("config.yaml"), _MEMBERS)
_OTHERS = """\
# mine
model:
  default: m   # the usual one
memory:
    memory_enabled: true

    user_profile_enabled: true
plugins:
  enabled:
  - disk-cleanup
  - other
mcp_servers:
  files:
    command: npx
    args:
    - -y
hooks: {}
"""


@pytest.mark.parametrize(
    "before",
    ["", "# nothing yet\n", "model:\n  default: m\n", _OTHERS, _OTHERS.replace("\n", "\r\n")],
    ids=["empty", "comment", "other group", "groups of the user's", "CRLF"],
)
def test_members_go_in_and_out_and_the_rest_stays(before: str) -> None:
    after = _EDIT.add(before)
    read, was = yaml.safe_load(after), yaml.safe_load(before) or {}
    assert read["memory"] == {**was.get("memory", {}), "provider": "gieok"}
    assert read["plugins"]["enabled"] == ["gieok", *was.get("plugins", {}).get("enabled", [])]
    assert read["mcp_servers"] == {**was.get("mcp_servers", {}), **_OURS["mcp_servers"]}
    assert {name: read[name] for name in was.keys() - _OURS.keys()} == {
        name: was[name] for name in was.keys() - _OURS.keys()
    }
    assert _EDIT.remove(after) == before


@pytest.mark.parametrize(
    "before",
    [
        "memory:\n  provider: ''\n",
        "memory:\n  provider: null # none\nplugins:\n  enabled: []\nmcp_servers: {}\n",
        "memory:\nplugins: {}\n",
        "memory:\n  provider:\nplugins:\n  enabled: [other]\n",
    ],
)
def test_a_value_that_means_nothing_is_replaced(before: str) -> None:
    read = yaml.safe_load(_EDIT.add(before))
    assert read["memory"] == {"provider": "gieok"}
    assert "gieok" in read["plugins"]["enabled"]
    left = yaml.safe_load(_EDIT.remove(_EDIT.add(before))) or {}
    assert "gieok" not in str(left)
    assert ("other" in str(left)) is ("other" in before)


@pytest.mark.parametrize(
    "before",
    [
        "memory:\n  provider: mem0\n",
        "memory: {provider: mem0}\n",
        "mcp_servers:\n  gieok:\n    command: x\n",
        "plugins:\n  enabled: all\n",
    ],
)
def test_what_is_another_programs_is_refused(before: str) -> None:
    with pytest.raises(ValueError, match="`"):
        _EDIT.add(before)
    assert _EDIT.remove(before) == before


@pytest.mark.parametrize(
    "before",
    [
        "model: m\n---\nmodel: n\n",
        "model: m\n...\n",
        "--- {model: m}\n",
        "{model: m}\n",
        "# mine\n[model]\n",
        "- model\n",
        "  model: m\n",
        "just words\n",
        "model: m\nplugins: &p\n  enabled: [x]\nother: *p\n",
        "memory:\n  a: 1\nmemory:\n  b: 2\n",
        "model: [m\n",
        "note: |\n  a\nmemory:\n  # one\n\tx: 1\n",
    ],
)
def test_a_file_in_another_style_is_left_as_it_is(before: str) -> None:
    with pytest.raises(ValueError, match=r"written|document|YAML|members"):
        _EDIT.add(before)


@pytest.mark.parametrize(
    "before",
    [
        "---\n# mine\nmodel: m\n",
        "%YAML 1.2\n---\nmodel: m\n",
        "\ufeffmodel: m\n",
        "\ufeffmemory:\n  user: true\n",
        "n: .nan\nnote: |\n  ---\n  memory:\n",
    ],
)
def test_a_file_with_a_head_is_edited_below_it(before: str) -> None:
    after = _EDIT.add(before)
    assert yaml.safe_load(after)["memory"]["provider"] == "gieok"
    assert _EDIT.remove(after) == before


def test_what_goes_out_takes_nothing_else_with_it() -> None:
    text = (
        "mcp_servers:\n  gieok:\n    command: gieok\n    args: &a [mcp]\n  other:\n    args: *a\n"
    )
    with pytest.raises(ValueError, match="YAML"):
        _EDIT.remove(text)


def test_members_that_the_program_wrote_anew_go_out_too() -> None:
    rewritten = yaml.safe_dump({**_OURS, "model": {"default": "m"}}, sort_keys=True)
    assert yaml.safe_load(_EDIT.remove(rewritten)) == {"model": {"default": "m"}}


@pytest.mark.parametrize(
    "listed",
    [
        "enabled: [other, gieok]",
        "enabled: [gieok, other]",
        "enabled: [a, 'gieok', b] # [c]",
        "enabled: [gieok, a]  # was [gieok, b]",
        "enabled:\n  - gieok\n  - a  # was [gieok, b]",
        'enabled: ["gieok"]',
        "enabled: [a,\n    gieok,\n    b]",
        "enabled:\n  - gieok  # memory",
        "enabled:\n  - 'gieok' # mine\n  - b",
        "enabled:\n    - a\n    - gieok\n    # - off\n    - gieok",
    ],
)
def test_an_element_goes_out_however_it_is_written_and_no_second_one_comes_in(listed: str) -> None:
    before = f"plugins:\n  {listed}\nmodel: m\n"
    was = yaml.safe_load(before)["plugins"]["enabled"]
    added = yaml.safe_load(_EDIT.add(before))["plugins"]["enabled"]
    assert added == was
    text = _EDIT.remove(_EDIT.add(before))
    assert "was" not in before or "# was [gieok, b]\n" in text
    left = yaml.safe_load(text)
    others = [name for name in was if name != "gieok"]
    assert left == ({"plugins": {"enabled": others}, "model": "m"} if others else {"model": "m"})


@pytest.mark.parametrize("name", ["gieok#x", "gieok-two", "not, gieok, really"])
def test_another_element_is_no_element_of_gieoks(name: str) -> None:
    for before in (f"plugins:\n  enabled: ['{name}']\n", f"plugins:\n  enabled:\n  - '{name}'\n"):
        after = _EDIT.add(before)
        assert yaml.safe_load(after)["plugins"]["enabled"] == ["gieok", name]
        try:
            left = yaml.safe_load(_EDIT.remove(after))
        except ValueError:  # refused: nothing is cut out of a text
            continue
        assert left == {"plugins": {"enabled": [name]}}


@pytest.mark.parametrize("nothing", ["''", "null", "", '""'])
def test_a_comment_behind_a_value_stays_when_gieok_comes_and_goes(nothing: str) -> None:
    before = f"memory:\n  provider: {nothing}   # keep: ours\n  user: true\n"
    after = _EDIT.add(before)
    assert "  provider: gieok" in after
    assert "   # keep: ours\n" in after
    left = _EDIT.remove(after)
    assert "  # keep: ours\n" in left
    assert yaml.safe_load(left) == {"memory": {"user": True}}
    alone = before.replace("  user: true\n", "").replace("memory:", "memory: # mine")
    assert "# mine\n" in _EDIT.remove(_EDIT.add(alone))
    assert "# keep: ours\n" in _EDIT.remove(_EDIT.add(alone))
