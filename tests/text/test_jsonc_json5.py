"""Configuration files that people wrote are read as they meant them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.text import jsonc
from gieok.text.jsonc import load_jsonc as loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "{a: 1, 'b': 'it\\'s \"so\"', // why\n $c: [1, 2,], /* x: {, */ }",
            {"a": 1, "b": 'it\'s "so"', "$c": [1, 2]},
        ),
        (
            '{"url": "http://x/y", "t": "a, }", "k": "b: c"}',
            {"url": "http://x/y", "t": "a, }", "k": "b: c"},
        ),
        ("\ufeff{}", {}),
        ("{true: true, n: null}", {"true": True, "n": None}),
        (
            "{a: .5, b: +1, c: 0xff, d: -2., e: 1e3, f: -Infinity}",
            {"a": 0.5, "b": 1, "c": 255, "d": -2.0, "e": 1000.0, "f": float("-inf")},
        ),
        ("{이름: '값', naïve_2: 1, \\u0061b: 2}", {"이름": "값", "naïve_2": 1, "ab": 2}),
        (
            "{a: 'one \\\n two', b: '\\x41\\v\\0', c: '\\ud83d\\ude00'}",
            {"a": "one  two", "b": "A\v\0", "c": "😀"},
        ),
        ("// head\r\n{a: 1} // tail", {"a": 1}),
    ],
)
def test_what_json_does_not_allow_is_read(text: str, value: object) -> None:
    assert loads(text) == value


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
)


@given(_VALUES)
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, indent=2, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{a 1}",
        "'",
        "",
        "{1a: 1}",
        "{a-b: 1}",
        "[truer]",
        "[01]",
        "[0x]",
        "[1 2]",
        "{a: 'x\"}",
        "['\\u12']",
    ],
)
def test_what_is_broken_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


_CONFIG = """// mine
{
  agents: {
    entries: { 'main': { /* the only one */ } }, // keep
  },
  plugins: {allow: ['telegram',],}, // with commas
  gateway: {port: 0x4965},
}
"""


def test_what_is_put_in_and_taken_out_again_leaves_a_persons_spelling() -> None:
    edited = jsonc.put_jsonc_value(_CONFIG, ("plugins", "slots", "memory"), "ours")
    edited = jsonc.put_jsonc_value(edited, ("plugins", "allow"), "ours", append=True)
    edited = jsonc.put_jsonc_value(edited, ("mcp", "servers", "gieok"), {"command": "gieok"})
    assert loads(edited) == {
        "agents": {"entries": {"main": {}}},
        "plugins": {"allow": ["telegram", "ours"], "slots": {"memory": "ours"}},
        "gateway": {"port": 18789},
        "mcp": {"servers": {"gieok": {"command": "gieok"}}},
    }
    for kept in (
        "// mine",
        "'main'",
        "/* the only one */",
        "// keep",
        "'telegram'",
        "// with commas",
        "0x4965",
    ):
        assert kept in edited
    edited = jsonc.drop_jsonc_value(edited, ("mcp", "servers", "gieok"), lambda _: True)
    edited = jsonc.drop_jsonc_value(edited, ("plugins", "allow"), lambda value: value == "ours")
    edited = jsonc.drop_jsonc_value(
        edited, ("plugins", "slots", "memory"), lambda value: value == "ours"
    )
    assert loads(edited) == loads(_CONFIG)
    for kept in (
        "// mine",
        "'main'",
        "/* the only one */",
        "// keep",
        "'telegram'",
        "// with commas",
        "0x4965",
    ):
        assert kept in edited
