"""Configuration files that people wrote are read as they meant them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.text.json5 import loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1, 'b': 'it\\'s \"so\"', // why\n $c: [1, 2,], /* x: {, */ }", {"a": 1, "b": 'it\'s "so"', "$c": [1, 2]}),
        ('{"url": "http://x/y", "t": "a, }", "k": "b: c"}', {"url": "http://x/y", "t": "a, }", "k": "b: c"}),
        ("\ufeff{}", {}),
        ("{true: true, n: null}", {"true": True, "n": None}),
    ],
)
def test_what_json_does_not_allow_is_read(text: str, value: object) -> None:
    assert loads(text) == value


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
)


@given(_VALUES)
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, indent=2, ensure_ascii=False)) == value


@pytest.mark.parametrize("text", ["{", "{a 1}", "'", ""])
def test_what_is_broken_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)
