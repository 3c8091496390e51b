"""Turns of several servers on one database, and turns whose server goes away: no reply is lost,
doubled, free, or charged twice.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from gieok.character.memory.service import Bond
from gieok.character.turn.turn import Turns, UserTurn
from gieok.errors import (
    BadRequest,
    GeneratorFailed,
    GieokError,
    StoreBusy,
    StoreFull,
    StoreUnreachable,
)
from gieok.testing.scripted_chat import ScriptedReplies

_ASKED = UserTurn("kim", "mina", "내 생일 언제지?", "m-1")


def _told(turns: Turns) -> str:
    return "".join(part.text for part in turns.begin(_ASKED))


def _unreachable(*_: object, **__: object) -> Any:
    raise StoreUnreachable("gone")


def _said(turns: Turns) -> Sequence[str]:
    spoken = turns.memory.journal.read(Bond("kim", "mina").scope, 0, budget_tokens=1 << 40)
    return [one.message.text for one in spoken]


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_reply_whose_end_fails_is_charged_where_it_is_in_the_journal(
    turns: Turns, monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    reply, before = turns.begin(_ASKED), turns.accounts.balance("kim")
    gone, name = (turns.accounts, "settle") if is_kept else (turns.memory.journal, "say")
    with monkeypatch.context() as patch:
        patch.setattr(gone, name, _unreachable)
        with pytest.raises(StoreUnreachable):
            list(reply)
    assert turns.accounts.holds_of("kim")
    settled = turns.points.settle_stale(turns.memory.clock.now() + timedelta(days=1))
    assert settled == ((1, 0) if is_kept else (0, 1))
    assert turns.accounts.balance("kim") == (before if is_kept else before + 1)
    assert turns.accounts.holds_of("kim") == []


@pytest.mark.parametrize("kind", [BadRequest, StoreBusy, StoreFull])
def test_a_reply_that_the_journal_refused_holds_no_points(
    turns: Turns, monkeypatch: pytest.MonkeyPatch, kind: type[GieokError]
) -> None:
    def refused(*_: object) -> None:
        raise kind("refused")

    reply, before = turns.begin(_ASKED), turns.accounts.balance("kim")
    with monkeypatch.context() as patch:
        patch.setattr(turns.memory.journal, "say", refused)
        with pytest.raises(kind):
            list(reply)
    assert (turns.accounts.balance("kim"), turns.accounts.holds_of("kim")) == (before + 1, [])


def test_a_reply_that_another_server_gave_meanwhile_is_given_again(
    two_servers: tuple[Turns, Turns], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two_servers
    object.__setattr__(other, "models", ScriptedReplies(("다른 답.",)))
    begun, hold = one.begin(_ASKED), other.accounts.hold

    def hold_late(*values: Any) -> bool:
        list(begun)  # after the other server looked for a reply
        return hold(*values)

    monkeypatch.setattr(other.accounts, "hold", hold_late)
    assert _told(other) == "그래."
    assert _said(one)[1:] == [_ASKED.text, "그래."]
    assert (one.accounts.balance("kim"), one.accounts.holds_of("kim")) == (99, [])


def test_a_server_that_fails_leaves_the_hold_of_another(two_servers: tuple[Turns, Turns]) -> None:
    one, other = two_servers
    object.__setattr__(other, "models", ScriptedReplies((GeneratorFailed("down"),)))
    begun = one.begin(_ASKED)
    with pytest.raises(GeneratorFailed):
        _told(other)
    assert (one.accounts.balance("kim"), len(one.accounts.holds_of("kim"))) == (99, 1)
    list(begun)
    assert (begun.points, one.accounts.balance("kim"), one.accounts.holds_of("kim")) == (1, 99, [])
