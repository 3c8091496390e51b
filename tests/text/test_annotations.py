"""OpenClaw's marks behind an entry weigh as they do there."""

import pytest

from gieok.text.annotations import importance_factor


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("- a plain entry", 1.0),
        ("- VLAN 10 <!-- importance: 9 --> <!-- trigger: wifi -->", 1.2),
        ("- a <!-- importance: 1 -->\n- b <!--importance:10-->", 1.25),
        ("- a <!-- importance: 0 --> <!-- importance: 11 --> <!-- importance: high -->", 1.0),
    ],
)
def test_the_most_important_entry_decides(text: str, factor: float) -> None:
    assert importance_factor(text) == pytest.approx(factor)
