"""SQLite and PostgreSQL answer alike: 200 Korean and English questions, the same first five."""

import random
from collections.abc import Callable
from pathlib import Path

from gieok.flow.lifecycle import fill_vectors
from gieok.memory.files.profile import FILES
from gieok.ranking.recall import Question, recall
from gieok.storage.index.postgres.store import PostgresStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import HashEmbedder, ManualClock
from gieok.testing.samples import HOME, build_entry

_WHO = "김민수 박지영 이서준 Mina Kim Anna Park 정산팀 서버팀 design 운영팀".split()
_DID = "결제했다 환불했다 배포했다 점검했다 deployed reviewed refunded cancelled 기록했다 예약했다 moved 미뤘다".split()
_WHAT = """인보이스 invoice 김치찌개 레시피 checkout 서버 backup 고양이 사료 제주도 여행 일정 parseInvoiceDate 회의록
    retry_timeout 보일러 boiler 배포 deploy 캐시 cache 재고 stock 영수증 receipt""".split()
_WHEN = "월요일에 화요일에 어젯밤에 on Monday in March last night 지난달에 아침에 yesterday".split()
_ASK = [
    "{} 언제 {}?",
    "누가 {} {}나?",
    "when was the {} {}",
    "{}를 왜 {}?",
    "{} {}",
    "who {1} the {0}?",
]


def test_two_hundred_questions_get_the_same_first_five(
    tmp_path: Path, make_database: Callable[[], str]
) -> None:
    chance, embedder = random.Random(17), HashEmbedder(384)
    documents = [
        build_entry(f"{n:03d}.md", *_lines(chance), context=chance.choice(_WHAT), day=n)
        for n in range(300)
    ]
    stores = [
        SqliteStore(tmp_path / "memory.sqlite", resident=True),
        PostgresStore(make_database()),
    ]
    for store in stores:
        store.put(documents[:200])
        fill_vectors(store, embedder)
        store.put(documents[150:])
        fill_vectors(store, embedder)
    asked = [
        chance.choice(_ASK).format(chance.choice(_WHAT), chance.choice(_DID)) for _ in range(200)
    ]
    for text in asked:
        question = Question(text=text, scopes=(HOME,))
        first, second = (
            recall(store, embedder, question, FILES, ManualClock()).hits[:5] for store in stores
        )
        assert [(h.passage.key, h.passage.start_line) for h in first] == [
            (h.passage.key, h.passage.start_line) for h in second
        ], text
        assert all(abs(a.score - b.score) < 1e-5 for a, b in zip(first, second, strict=True))
    assert stores[0].hashes(HOME) == stores[1].hashes(HOME)
    for store in stores:
        store.close()


def _lines(chance: random.Random) -> list[str]:
    return [
        " ".join(chance.choice(words) for words in (_WHEN, _WHO, _WHAT, _WHAT, _DID))
        + f" {chance.randrange(90)}"
        for _ in range(chance.randint(1, 6))
    ]
