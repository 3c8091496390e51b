"""Settings change where they stand in the file; everything else of it stays byte for byte."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.settings.file_text import change_settings_text

_FILE = """# top
store: sqlite  # keep
search: {limit: 3}
notify:
    # who
    to: log   # x
observe.model: rules
hook:
embedder.model: >-
  a
  b
unknown: [1, 2]
"""


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("store", "postgres", "store: sqlite  # keep", "store: postgres  # keep"),
        ("search.limit", 5, "{limit: 3}", "{limit: 5}"),
        ("notify.to", "log, desktop", "to: log   # x", 'to: "log, desktop"   # x'),
        ("notify.mail_to", "me@x.org", "to: log   # x\n", "to: log   # x\n    mail_to: me@x.org\n"),
        ("observe.model", "openai:gpt-5", "model: rules", "model: openai:gpt-5"),
        (
            "observe.base_url",
            "http://127.0.0.1:1",
            "[1, 2]\n",
            "[1, 2]\nobserve.base_url: http://127.0.0.1:1\n",
        ),
        ("search.profile", "openclaw", "[1, 2]\n", "[1, 2]\nsearch.profile: openclaw\n"),
        ("hook.limit", 2, "[1, 2]\n", "[1, 2]\nhook.limit: 2\n"),
        ("hook", "x", "hook:\n", "hook: x\n"),
        ("embedder.model", "c", ">-\n  a\n  b\n", "c\n"),
        ("archive.folder", "~/내 노트", "[1, 2]\n", '[1, 2]\narchive:\n  folder: "~/내 노트"\n'),
        ("embedder", "none", "[1, 2]\n", "[1, 2]\nembedder: none\n"),
    ],
)
def test_one_setting_changes_and_no_other_byte(
    name: str, value: str | int, before: str, after: str
) -> None:
    assert change_settings_text(_FILE, {name: value}) == _FILE.replace(before, after, 1)


def test_a_name_that_is_a_setting_itself_begins_no_group() -> None:
    assert (
        change_settings_text("", {"embedder.model": "m", "embedder": "onnx"}, {"embedder"})
        == "embedder.model: m\nembedder: onnx\n"
    )


_NAMES = st.sampled_from(["lang", "a.b", "a.c", "d.e", "d.f", "g"])
_VALUES = st.one_of(
    st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.dictionaries(_NAMES, _VALUES, max_size=4), max_size=4))
def test_whatever_is_written_is_read_back(rounds: list[dict[str, str | int | bool]]) -> None:
    text, wanted = "# mine\n", dict[str, object]()
    for values in rounds:
        text = change_settings_text(text, values)
        wanted |= values
    found = {
        f"{name}.{inner}" if inner else name: value
        for name, group in (yaml.safe_load(text) or {}).items()
        for inner, value in (group.items() if isinstance(group, dict) else [("", group)])
    }
    assert found == wanted
    assert text.startswith("# mine\n")
