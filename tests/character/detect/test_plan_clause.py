"""Which lines with a day state a plan of the user, and which do not.

The lines were written as people of several ages, regions and countries write, half of them traps.
"""

from datetime import UTC, date, datetime

import pytest

from gieok.character.detect.detect import Spoken, detect_statements
from gieok.character.detect.spelling import spelled
from gieok.character.facts import USER, Fact
from gieok.character.memory.fact_merge import ToldMessage, join_detected_facts
from gieok.character.memory.voice import is_well_supported
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
    ("We fly to Lisbon on the 14th of November for three weeks", "2026-11-14"),
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
    "내일은 뭐 먹을지 생각해놓고 잔다",
    "I read to the small ones of a Wednesday",
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
#: Of others, or not meant: the event is a known one, or the person stands without a particle.
_OF_OTHERS = (
    "민수 12월 5일에 군대 가",
    "우리 선생님 12월 5일에 결혼하셔",
    "부장님 12월 5일에 출장 간다",
    "내 친구 12월 5일에 유학 간다",
    "지훈이 12월 5일에 이사해",
    "우리 언니 12월 5일에 면접 봄",
    "우리 아들 12월 5일에 수능 봐",
    "화요일에 쌤이 수행평가 본다고 하심",
    "12월 5일에 비 온다",
    "옆집 12월 5일에 이사 온다",
    "12월 5일에 여행 갈 리가 없잖아",
    "12월 5일에 여행 가기 싫다",
    "12월 5일에 여행은 무슨",
    "12월 5일에 시험 볼 뻔",
    "12월 5일에 갈 수도 있어",
    "12월 5일에 결혼한다 해놓고 도망간 주인공 웃겨",
    "12월 5일에 제주도 간다는 소설 읽고 있어",
    "Tom's wedding is on December 5th",
    "Dave's having a party on December 19th, can't make it though",
    "Priya is having interview on December 5th",
    "Dave and Sue are moving to Wales on December 5th",
    "My father-in-law's surgery is on 14th December at 10 am",
    "Our neighbour's moving out on December 5th",
    "Aunty is coming on December 5th",
    "I doubt I'm going to the wedding on December 5th",
    "I hate that he's moving out on December 5th",
    "I know you have an exam on December 5th",
    "I think she's having an interview on December 5th",
    "I hear the exam is on December 5th",
    "Imagine I'm moving to Paris on December 5th lol",
    "I am happy that my friend is getting married on December 5th",
    "I'm told Dave is flying out on December 5th",
    "I'm sick of hearing about Dave's wedding on December 5th",
    "I can hardly wait for you to have surgery on December 5th",
    "Neither of us is going to Goa on December 5th",
    "I refuse to go to the party on December 5th",
    "We have no exam on December 5th",
    "No way am I flying to Rome on December 5th",
)
#: The same persons and verbs in plans of the user.
_WITH_OTHERS = (
    "엄마 모시고 12월 5일에 병원 가",
    "친구들이랑 12월 5일에 롯데월드 가기로 했어",
    "부장님이랑 12월 5일에 출장 가",
    "25일에 친구 결혼식 가",
    "going to Tom's wedding on December 5th",
    "Tom is coming to my party on December 5th",
    "job interview on December 5th",
)
_TAKEN_BACK = (
    ("나 이번 주 금요일에 부산 간다!!", "아 금요일 부산 취소됨 그냥 집에 있을듯"),
    (
        "I'm going to Manchester on Friday for the gig",
        "scrap that, Friday's off, the gig got cancelled",
    ),
    ("나 20일에 제주 가기로 했어", "제주 20일 그거 못 가게 됐어 엄마가 아프셔서"),
    ("booked Lisbon for the 23rd!!", "Lisbon on the 23rd isn't happening, they cancelled my leave"),
    ("토요일에 민지랑 홍대 가기로 함", "아 토욜 홍대 안 가"),
    ("토요일에 민지랑 홍대 놀러가기로 함ㅋㅋ", "아 토욜 홍대 못 가 민지 아프대ㅠ"),
    ("I'm going to Leeds on Saturday", "Not going to Leeds any more"),
    ("나 12월 20일에 부산 가", "부산 안 가기로 했어"),
    ("12월 15일에 피아노 콩쿠르 나가", "콩쿠르 취소됨 ㅋㅋ 개꿀"),
    (
        "I am going to Goa with colleagues on 24th December",
        "Goa plan cancelled, boss is not giving leave",
    ),
    (
        "Me and my husband are going Lonavala on 19th December",
        "Actually husband is not free so Lonavala is not happening on 19th December",
    ),
)
#: What is said behind a plan and leaves it as it was: of others, of another event, of the manner.
_STANDING = (
    ("I fly to Rome on December 20th", "Dave is not going to Rome on December 20th"),
    ("I'm going to Rome on December 20th", "My sister can't make it to church on December 20th"),
    ("I'm going to Goa with Dave on December 20th", "Dave isn't going to Goa on December 20th"),
    (
        "I'm going to Goa on December 20th",
        "I'm not going alone on December 20th, my wife is coming",
    ),
    ("I'm going to Goa on December 20th", "Why wouldn't I be going on December 20th"),
    ("I'm going to Goa on December 20th", "Goa isn't cancelled"),
    ("I'm going to Goa on December 20th", "I thought I'm not going to Goa but I am"),
    ("I'm going swimming in Goa on December 20th", "I can't swim"),
    ("I'm going to Leeds on December 20th", "I'm not going to the pub on December 20th"),
    ("나 12월 20일에 부산 가", "민지는 12월 20일에 학원 안 간대"),
    ("나 12월 20일에 수술 있어", "12월 20일에 회식 취소됨"),
    ("나 12월 20일에 부산 가기로 했어", "엄마가 12월 20일에 회식 취소됐대"),
    ("나 12월 20일에 부산 가", "12월 20일에 혼자 안 가고 언니랑 가"),
    ("나 12월 20일에 부산 가", "아 12월 20일에 못 갈 줄 알았는데 갈 수 있대"),
    ("나 12월 20일에 부산 가", "12월 20일에 안 가면 안 돼"),
    ("나 12월 20일에 시험 봐", "동생 시험 취소됐어"),
    ("나 12월 20일에 시험 봐", "시험 취소 안 됐어"),
    ("나 12월 20일에 부산 가", "부산 음식 안 먹을래"),
    ("I've got Tom's wedding on the 22nd and I'm cooking", "I'm not cooking on the 22nd"),
    ("나 18일에 강릉 서핑하러 가", "18일에 비 와서 서핑 수업 취소됐대"),
    ("20일에 발레 공연 보러 가", "지민이 발표가 23일로 밀렸대"),
    ("I've a smear test on the 14th", "the bins got moved to the 16th"),
    ("I've a smear test on the 14th", "can't do the 14th for coffee"),
    ("나 12월 20일에 시험 봐", "동생 시험이 12월 22일로 바뀌었대"),
    ("I have an exam on December 20th", "My brother's exam got moved to December 22nd"),
    ("I have an exam on December 20th", "My flight got moved to December 22nd"),
    ("I have an exam on December 20th", "Dave's exam is now on December 22nd"),
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


@pytest.mark.parametrize("text", _OF_OTHERS)
def test_a_plan_of_somebody_else_or_not_meant_is_none_of_the_user(text: str) -> None:
    assert _list_own_days(text) == []


@pytest.mark.parametrize("text", _WITH_OTHERS)
def test_a_plan_of_the_user_with_others_is_theirs(text: str) -> None:
    assert len(_list_own_days(text)) == 1


@pytest.mark.parametrize(("planned", "after"), _STANDING)
def test_a_plan_that_is_not_surely_taken_back_or_moved_stands(planned: str, after: str) -> None:
    (plan,) = _list_plans(planned)
    assert plan.day in _list_own_days(planned, after)


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


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [
        ("The wedding is on December 5th", False),
        ("12월 5일에 아이유 콘서트 해", False),
        ("I have an exam on December 5th", True),
        ("언니랑 12월 5일에 부산 가", True),
    ],
)
def test_a_plan_said_again_is_known_only_where_it_says_whose_it_is(
    text: str, *, is_sure: bool
) -> None:
    (plan,) = _list_plans(text, text)
    assert plan.mentions > 1
    assert is_well_supported(plan) is is_sure


@pytest.mark.parametrize(
    "text",
    [
        "My viva got moved to Friday",
        "I moved to Thursday",
        "Dave moved to Leeds",
        "My exam got moved to December 22nd",
        "치과 예약 금요일로 옮겼어",
        "금붕어가 어항에 살아 있어",
    ],
)
def test_nobody_lives_in_a_day_nor_where_something_else_is(text: str) -> None:
    found = detect_statements(Spoken(text, is_user=True, day=_DAY), ()).findings
    assert not [one for one in found if one.predicate == "lives_in"]


def test_the_user_lives_where_they_moved_to() -> None:
    found = detect_statements(Spoken("I just moved to Leeds", is_user=True, day=_DAY), ()).findings
    assert [one.object for one in found if one.predicate == "lives_in"] == ["Leeds"]


@pytest.mark.parametrize(
    ("planned", "put_right", "told"),
    [
        ("나 12월 20일에 수술해", "아 20일 수술 아니고 21일이야", "12월 21일 수술"),
        ("12월 7일에 면접 봐", "7일 말고 9일에 봐", "12월 9일 면접"),
        ("12월 7일에 면접 봐", "면접 7일 말고 9일에", "12월 9일 면접"),
        (
            "I am having viva on 10th December",
            "Viva got preponed to 8th December",
            "December 8 viva",
        ),
        (
            "On 3rd January I have to do the needful at passport office",
            "Passport office is not 3rd, it is 4th January",
            "January 4 do needful passport office",
        ),
        (
            "나 12월 20일 오후 두시에 미용실 예약했어",
            "미용실 오후 네시로 바뀜",
            "12월 20일 오후 네시 미용실 예약",
        ),
        ("담주 토욜 오후 세시에 학원 보충 있어", "보충 네시로 바뀜", "10월 17일 네시 학원 보충"),
        (
            "I have an interview on December 20th at 3pm",
            "Interview moved to 4pm",
            "December 20 4pm interview",
        ),
        (
            "나 12월 20일에 미용실 예약했어 오후 네시에",
            "미용실 21일 오후 네시로 바뀜",
            "12월 21일 오후 네시 미용실 예약",
        ),
        ("12월 20일 오후 두시에 시험 봐", "동생 시험 네시로 바뀌었대", "12월 20일 오후 두시 시험"),
        ("I have an exam on December 20th", "Dave's exam moved to 4pm", "December 20 exam"),
    ],
)
def test_a_day_or_a_time_is_put_right(planned: str, put_right: str, told: str) -> None:
    assert [plan.object for plan in _list_plans(planned, put_right)] == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "12월 22일에 방학식이고 23일에 할머니 댁 가",
            ["12월 22일 방학식", "12월 23일 할머니 댁 가기"],
        ),
        (
            "I am having viva on 10th December. I'm flying to Goa on 12th December",
            ["December 10 viva", "December 12 flying to Goa"],
        ),
        ("생일은 12월 1일이고 12월 5일에 시험 봐", ["12월 5일 시험"]),
        (
            "My birthday is on the 3rd. I'm going to Rome on December 5th",
            ["December 5 Rome"],
        ),
        ("모레는 읍내 나가야제", ["10월 7일 읍내 나가기"]),
        ("20일에 여행 가", ["10월 20일 여행"]),
        ("I am free on December 5th", []),
    ],
)
def test_each_day_of_a_message_has_its_plan_in_plain_words(text: str, told: list[str]) -> None:
    assert [plan.object for plan in _list_plans(text)] == told


@pytest.mark.parametrize(
    "text",
    [
        "갔" * 20_000 + " 12월 20일에 서울 간다",
        "I fly to Rome" + " " * 20_000 + "on December 20th",
        "나 12월 20일에 서울 안 가. " * 200,
    ],
)
def test_a_long_message_is_read_in_bounded_steps(text: str) -> None:
    assert len(spelled(text)) < 4000
    held = _list_plans("나 12월 20일에 서울 가")
    assert detect_statements(Spoken(text, is_user=True, day=_DAY), held).gate == ""
