"""Which lines with a day state a plan of the user, and which do not.

The lines were written as people of several ages, regions and countries write, half of them traps.
"""

from datetime import UTC, date, datetime

import pytest

from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.facts import USER, Fact
from gieok.character.memory.fact_merge import ToldMessage, join_detected_facts
from gieok.character.predicates import PLANS

_DAY = date(2026, 10, 5)  # a Monday

_STATED = (
    ("담주 수욜에 수행평가 발표 내가 함ㅠ", "2026-10-14"),
    ("나 토욜에 홍대 가서 앞머리 자를거임", "2026-10-10"),
    ("10월 17일에 친구들이랑 롯데월드 가기로 했어", "2026-10-17"),
    ("다음 주 화요일에 운전면허 기능시험 봐요", "2026-10-13"),
    ("저 11월 2일부터 새 회사로 출근합니다", "2026-11-02"),
    ("내 모레 병원 가가 무릎 사진 찍는다 아이가", "2026-10-07"),
    ("토요일에 손주 보러 대구 올라갈 끼다", "2026-10-10"),
    ("나 낼 김치 담글라고 배추 절여놨어잉", "2026-10-06"),
    ("금요일에 광주 가서 형님 만나기로 혔어", "2026-10-09"),
    ("글피에 논에 물 빼야 혀", "2026-10-08"),
    ("이번 일요일에는 성당에서 세례를 받습니다", "2026-10-11"),
    ("아 맞다 나 25일에 이사 들어가 ㅋㅋ", "2026-10-25"),
    ("내일 저녁에 필라테스 체험 예약해놨어", "2026-10-06"),
    ("20일에 휴가 나간다 드디어", "2026-10-20"),
    ("다다음주 목요일에 치과 가서 사랑니 뽑아요", "2026-10-22"),
    ("I'm seeing my nan in Leeds on Saturday", "2026-10-10"),
    ("got my smear test booked for the 14th, dreading it", "2026-10-14"),
    ("Right, I'm handing my notice in on Friday", "2026-10-09"),
    ("I've to be at the garage at 8 tomorrow for the MOT", "2026-10-06"),
    ("my flight to Denver leaves next Thursday", "2026-10-15"),
    ("gonna run my first 10k on October 18", "2026-10-18"),
    ("I have a midterm next Wednesday and i haven't opened the book", "2026-10-14"),
    ("so I'm meeting with the lawyer on the 20th", "2026-10-20"),
    ("Taking the kids trick or treating on the 31st obviously", "2026-10-31"),
    ("I am having my engagement on 25th October only", "2026-10-25"),
    ("tomorrow I will be going to Mysore with cousins", "2026-10-06"),
    ("my semester exams are starting from 2nd November", "2026-11-02"),
    ("I'll be joining Infosys on 12 October", "2026-10-12"),
    ("doctor has given me appointment for Tuesday", "2026-10-06"),
    ("금욜에 조퇴하고 병원 가기로 했음 허리 땜에", "2026-10-09"),
    ("18일에 나 머리 탈색한다 ㅋㅋㅋ 말리지마", "2026-10-18"),
    ("저희 다음 달 3일에 상견례 합니다 떨리네요", "2026-11-03"),
    ("내일모레 애 유치원 운동회라 김밥 싸야 돼", "2026-10-07"),
    ("일요일 아침 일찍 산소 벌초하러 갈라꼬", "2026-10-11"),
    ("나가 모레 읍내 나가서 염색 좀 할라네", "2026-10-07"),
    ("토요일에 사둔네 잔치 가야 쓰겄는디 입을 것이 없네", "2026-10-10"),
    ("다음주 금요일부터 헬스장 다시 나가려고요", "2026-10-16"),
    ("10월 30일에 전세 계약 갱신하러 부동산 들러요", "2026-10-30"),
    ("popping over to my sister's on Sunday with the twins", "2026-10-11"),
    ("I've got parents evening on the 22nd, wish me luck", "2026-10-22"),
    ("we exchange contracts on October 30, finally", "2026-10-30"),
    ("gotta drop the truck at the shop tomorrow morning", "2026-10-06"),
    ("My surgery is scheduled for November 12", "2026-11-12"),
    ("i start at the diner Thursday", "2026-10-08"),
    ("me and Tasha are driving up to Tahoe on the 17th", "2026-10-17"),
    ("will be fasting on 20th October for the puja", "2026-10-20"),
    ("I need to submit my thesis by October 19", "2026-10-19"),
)
_NOT_STATED = (
    "10월 20일에 비 오면 그냥 집에 있으려고",
    "11월 3일에 뭐 할 거야?",
    "수능 11월 19일이래 우리 형 불쌍",
    "걔네 커플 12일에 제주도 간대",
    "나 토요일에 거기 안 가",
    "10월 3일에 부산 갔다왔는데 아직도 피곤",
    "10월 9일 한글날이라 빨간날이네",
    "11월 11일에 콘서트 갔으면 좋겠다 진짜",
    "17일에 결혼하는 친구 땜에 축의금 고민이여",
    "다음 주 수요일에 그 드라마 마지막회 한다더라",
    "월급날이 25일인데 벌써 통장에 돈이 없어",
    "우리 영감이 모레 낚시 간다 카네",
    "너 내일 시험 본다며? 잘 봐",
    "수요일에 가려다가 말았어 귀찮아서",
    "If I'm telling folk about the baby it won't be before November 29",
    "what are you doing on October 31?",
    "my brother flies to Dubai on the 15th, lucky sod",
    "not going to the wedding on Saturday after all",
    "on October 2 we had the worst row of our lives",
    "the clocks go back on the 25th",
    "anyone who books before October 20 gets ten percent off apparently",
    "I wish I was going to Goa on the 24th",
    "the guy I'm supposed to marry is coming on 18th as per my mother",
    "they said the strike is on Thursday",
    "would you come to the market with me on Saturday?",
    "the guy on the phone said October 19 and i just laughed",
    "I was meant to go to Pune on Friday but my leave got rejected",
    "November 5 is bonfire night, dogs hate it",
    "내일 눈 오면 학교 안 갈 거야",
    "형이 15일에 입대한대서 다 같이 밥 먹었어",
    "12일이 대체공휴일인 거 알았어?",
    "아 토요일에 보기로 한 거 걔가 펑크냈어",
    "사장님이 16일에 가게 문 닫는다 하시던디",
    "작년 10월 10일에 여기 처음 왔었지",
    "28일에 여행이나 갈까 싶기도 하고",
    "니 모레 뭐 하노",
    "로또 17일에 당첨되면 회사 때려치운다",
    "my mum's coming on Saturday so the flat has to look human",
    "if the weather holds on Sunday I might do the ridge",
    "did you know October 12 is a holiday in Spain",
    "he told me he's quitting on the 15th",
    "I was going to see them on Friday but they split up lol",
    "I'm not doing anything on the 31st, never do",
    "the new season drops on October 9",
    "should I tell him on Friday?",
    "people keep saying the world ends on the 24th",
)
_TAKEN_BACK = (
    ("나 이번 주 금요일에 부산 간다!!", "아 금요일 부산 취소됨 그냥 집에 있을듯"),
    (
        "I'm going to Manchester on Friday for the gig",
        "scrap that, Friday's off, the gig got cancelled",
    ),
    ("나 20일에 제주 가기로 했어", "제주 20일 그거 못 가게 됐어 엄마가 아프셔서"),
    ("booked Lisbon for the 23rd!!", "Lisbon on the 23rd isn't happening, they cancelled my leave"),
)


def _list_plans(*messages: str) -> list[Fact]:
    """Return the plans that hold behind messages of one user."""
    held: dict[str, Fact] = {}
    for number, text in enumerate(messages):
        told = ToldMessage(datetime(2026, 10, 5, 12, number * 5, tzinfo=UTC), f"m{number}", text)
        spoken = Spoken(text, is_user=True, day=_DAY, earlier=messages[:number])
        changes = join_detected_facts(
            detect_statements(spoken, list(held.values())), list(held.values()), told
        )
        held |= {fact.key: fact for fact in changes.put}
        for fact in changes.forget:
            del held[fact.key]
    return [
        fact
        for fact in held.values()
        if fact.predicate in PLANS and fact.day and fact.is_current and not fact.is_idea
    ]


def _list_own_days(*messages: str) -> list[str]:
    return [plan.day for plan in _list_plans(*messages) if plan.subject == USER]


@pytest.mark.parametrize(("text", "day"), _STATED)
def test_a_statement_of_what_the_user_will_do_is_a_plan(text: str, day: str) -> None:
    assert _list_own_days(text) == [day]


@pytest.mark.parametrize("text", _NOT_STATED)
def test_what_is_not_surely_a_plan_of_the_user_is_none(text: str) -> None:
    assert _list_own_days(text) == []


@pytest.mark.parametrize(("planned", "denied"), _TAKEN_BACK)
def test_a_plan_that_is_taken_back_holds_no_longer(planned: str, denied: str) -> None:
    assert _list_own_days(planned)
    assert _list_own_days(planned, denied) == []


def test_a_denied_day_takes_no_other_plan_of_that_day_back() -> None:
    planned = "토요일에 손주 보러 대구 올라갈 끼다"
    assert _list_own_days(planned, "토요일에는 술 안 마실 거야") == ["2026-10-10"]


def test_a_plan_of_a_relative_is_theirs() -> None:
    (plan,) = _list_plans("my brother flies to Dubai on the 15th, lucky sod")
    assert (plan.subject, plan.day) == ("brother", "2026-10-15")


def test_who_only_goes_somewhere_is_on_no_trip() -> None:
    (plan,) = _list_plans("금욜에 조퇴하고 병원 가기로 했음 허리 땜에")
    assert plan.object == "10월 9일 병원 가기"


def test_the_house_of_a_relative_makes_the_plan_not_theirs() -> None:
    (plan,) = _list_plans("popping over to my sister's on Sunday with the twins")
    assert plan.subject == USER
