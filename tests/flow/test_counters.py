"""A number with a Korean counter finds the line that has both, not the number alone."""

import pytest

from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.testing import ManualClock, MemoryStore

_CLOCK, _MAIN = ManualClock(), Scope("agent:main")
_LINES = {
    "price": "The invoice was $500, and $500 again in May.",
    "desk": "문의는 내선 500번으로 하면 된다고 들었고, 없으면 메일을 남긴다.",
    "seat": "좌석은 500석이다.",
    "lease": "사무실 계약은 3개월마다 갱신한다.",
    "three": "3 reviewers looked at 3 files in 3 days.",
    "noon": "점심 배포는 12시에 한다.",
    "dozen": "12 of 12 checks passed, 12 in all.",
}


@pytest.mark.parametrize(
    ("asked", "key"),
    [("500번", "desk"), ("500번이 뭐였지?", "desk"), ("3개월", "lease"), ("12시", "noon")],
)
def test_the_line_with_number_and_counter_is_first(asked: str, key: str) -> None:
    store = MemoryStore()
    now = _CLOCK.now()
    store.put(
        [
            Entry(
                Document(
                    scope=_MAIN,
                    key=name,
                    kind="memory",
                    text=text,
                    content_hash=text,
                    created_at=now,
                    updated_at=now,
                ),
                (Passage(0, len(text), 1, 1),),
            )
            for name, text in _LINES.items()
        ]
    )
    found = recall(
        store,
        None,
        Question(asked, (_MAIN,)),
        Profile(name="t", least_best=0.0, min_score=0.0),
        _CLOCK,
    )
    assert found.hits[0].passage.key == key
