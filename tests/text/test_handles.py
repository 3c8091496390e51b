"""A handle names a memory and a line of it, and follows from scope and key alone."""

import re

from gieok.text.handles import HANDLE_PATTERN, build_handle


def test_a_handle_is_short_follows_from_scope_and_key_and_names_a_line() -> None:
    made = build_handle("agent:main", "sessions/codex/one#3")
    assert re.fullmatch(HANDLE_PATTERN, made)
    assert len(made) == 8
    assert build_handle("agent:main", "sessions/codex/one#3", 4) == f"{made}.4"
    assert build_handle("project:shop", "sessions/codex/one#3") != made
    assert re.fullmatch(HANDLE_PATTERN, build_handle("agent:main", "회의록/\udce9.md"))


def test_no_two_blocks_of_a_session_share_a_handle() -> None:
    keys = [f"sessions/claude-code/0f3c#{number}" for number in range(20_000)]
    assert len({build_handle("agent:main", key) for key in keys}) == len(keys)
