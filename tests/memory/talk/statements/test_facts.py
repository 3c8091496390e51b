"""A sentence is cut where a clause with a subject of its own begins, and nowhere else."""

import pytest

from gieok.memory.talk.statements.facts import find_joined_subjects, list_facts

#: Sentences with `|` between their facts, which stands for what joins them.
_CUT = [
    ("The kiln sits in the barn| and |glazes are mixed on Fridays", "and"),
    ("The van is a Transit|, |my brother drives it|, and |the insurance ends in May", "lists"),
    ("Oda signs off every menu| while |Pell orders the fish", "names with verbs"),
    ("The choir's in the chapel|; |tickets are four euros", "a semicolon"),
    (
        "for the site: the glue is at 60 degrees|, |Marek does the bows| and |they pay in cash",
        "lead",
    ),
    ("The masks hang in the hall| and |drums stand by the door", "plurals with verbs"),
    ("I ring the bell at six| but |Jonas has the key", "a contrast"),
    ("닭장은 뒷마당에 있고| |달걀은 목요일에 걷어", "-고"),
    ("배는 통영에 묶어 뒀는데| |엔진은 창고에 있어", "-는데"),
    ("서버는 안양|, |백업은 대전이야", "a comma"),
    ("간판은 파란색이고| |영업은 열한 시부터고| |사장은 우리 이모야", "three"),
    ("학원은 그만뒀지만| |피아노는 계속 쳐", "-지만"),
]
#: Sentences that tell one fact, though they have several clauses.
_WHOLE = [
    "I eat no gluten, so keep recipes free of it",
    "The shelf is oak, 28 mm thick",
    "If it rains, the class is in the hall",
    "We have two goats, Hilde and Moss",
    "We always meet at Pru's because she has the big table",
    "For the record: the gate is green",
    "우리 강아지 이름은 보리고 세 살이야",
    "비가 오면 수업은 강당에서 해",
    "약을 먹고 있고 나아지는 중이야",
    "역까지 걸어가서 거기서 버스를 타",
    "창고 문은 내가 잠가",
    "간판은 새로 달자고 이모가 그래",
    "We keep cans full of nails and boxes of screws",
    "새로 산 우산은 자주 가는 카페에 두고 왔어",
]


@pytest.mark.parametrize(("marked", "_why"), _CUT)
def test_each_clause_with_its_own_subject_is_a_fact(marked: str, _why: str) -> None:
    parts = marked.split("|")
    sentence = "".join(parts)
    assert [sentence[start:end] for start, end in list_facts(sentence)] == parts[::2]


@pytest.mark.parametrize("sentence", _WHOLE)
def test_what_hangs_on_a_clause_stays_with_it(sentence: str) -> None:
    assert list_facts(sentence) == [(0, len(sentence))]


@pytest.mark.parametrize(
    ("fact", "subjects"),
    [
        ("Staging and production run in Seoul", ("stage", "product")),
        ("both the red van and our trailer are insured until May", ("van", "trailer")),
        ("The van runs on diesel and petrol", None),
        ("We live with Ana and Jun", None),
        ("스테이징이랑 운영 둘 다 AWS 서울 리전에 있어.", ("스테이징", "운영")),
        ("형이랑 누나는 부산에 살아", ("형", "누나")),
        ("백업과 로그는 수요일에 지워", ("백업", "로그")),
        ("우유랑 빵 사다 놔", None),
        ("우리 치과 주차는 지하에 있어", None),
        ("주말엔 준호랑 등산을 가", None),
    ],
)
def test_two_subjects_of_one_verb_are_told_from_one(
    fact: str, subjects: tuple[str, str] | None
) -> None:
    assert find_joined_subjects(fact) == subjects
