import pytest

from gieok.memory.observation import Category
from gieok.memory.observer.categories import (
    asks_to_keep,
    classify_statement,
    directs_thing,
    gives_value,
    is_done,
    is_instruction,
    is_labelled,
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("remind me to call the landlord", Category.TASK),
        ("지원서 마감은 11월 4일이야", Category.TASK),
        ("the certificate has to be renewed by tomorrow", Category.TASK),
        ("The invoice needs to be sent before March 3", Category.TASK),
        ("The rent has to be paid by Friday", Category.TASK),
        ("the slides must be ready by the end of the week", Category.TASK),
        ("the file must be closed before the end of the function", Category.STATE),
        ("every PR must be reviewed before merging", Category.STATE),
        ("To do: pay the water bill", Category.TASK),
        ("할 일: 도서관 책 반납", Category.TASK),
        ("ok then SQLite it is", Category.DECISION),
        ("로고는 초록색으로 정했어", Category.DECISION),
        ("SQLite로 할까요? (동의함)", Category.DECISION),
        ("always run the formatter first", Category.PREFERENCE),
        ("main에 바로 푸시하지 마", Category.PREFERENCE),
        ("나는 커밋 메시지를 한국어로 쓰는 게 좋아", Category.PREFERENCE),
        ("긴 설명을 읽는 게 싫어", Category.PREFERENCE),
        ("설정부터 보는 게 좋겠어", Category.STATE),
        ("여기는 그렇게 좋은 날씨야", Category.STATE),
        ("the accountant is Lee Seoyeon", Category.STATE),
        ("No meeting with Hana tomorrow", Category.STATE),
        ("No emojis in reports", Category.PREFERENCE),
        ("창고는 여섯 시에 닫아", Category.STATE),
    ],
)
def test_words_say_what_kind_of_statement_it_is(text: str, category: Category) -> None:
    assert classify_statement(text) is category


@pytest.mark.parametrize(
    ("text", "is_label"),
    [
        ("Todo: return the drill to Jun", True),
        ("- TODO - call the plumber", True),
        ("할 일: 도서관 책 반납", True),
        ("Reminder: the dentist is on Friday", True),
        ("메모: 관리실은 아홉 시에 연다", True),
        ("add a todo: list to the app", False),
        ("Todo: ok", False),
        ("To do: nothing for now", False),
        ("Todo - none, all done", False),
        ("할 일: 오늘은 특별히 없음", False),
        ("할 일: 더 이상 없습니다.", False),
        ("할 일: 재고 없음 표시하기", True),
        ("메모: 회의실 비번은 따로 없음", True),
        ("오늘 할 일은 뭐야?", False),
        ("todo-list 앱을 만들자", False),
    ],
)
def test_a_label_says_that_a_statement_is_to_be_kept(text: str, is_label: bool) -> None:
    assert is_labelled(text) is is_label


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("support has to hear of the new code, write that down", True),
        ("create the table first. remember that for all imports", True),
        ("배포 코드는 저장소 밖에 있어, 기억해 둬", True),
        ("열쇠는 화분 밑에 있어. 적어 놔", True),
        ("write that down", False),
        ("기억해 둬", False),
        ("can you remember that I moved to Mapo?", False),
        ("그때 내가 뭐라고 했는지 기억해?", False),
        ("I remember the old office", False),
    ],
)
def test_who_asks_to_write_something_down_wants_it_kept(text: str, asks: bool) -> None:
    assert asks_to_keep(text) is asks


@pytest.mark.parametrize(
    ("text", "directs"),
    [
        ("목록은 콤마만.", True),
        ("그리고 서수는 숫자로", True),
        ("긴 주소는 잘리면 못 쓰니까 그대로 둬", True),
        ("반올림하지 말고 버려", True),
        ("우리는 점심 먹으러 가자", False),
        ("오늘은 여기까지", False),
        ("로그 좀 보여줘", False),
        ("목록은 어떻게 해?", False),
        ("목록은 비어 있네", False),
    ],
)
def test_a_direction_names_the_thing_that_it_is_on(text: str, directs: bool) -> None:
    assert directs_thing(text) is directs


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("runs at 02:30 UTC on build-07", True),
        ("make it 45", True),
        ("일당은 15만원", True),
        ("ko_KR만 따로 컴파일해", True),
        ("we call it `lamp`", True),
        ("a real-time report", False),
        ("add views", False),
        ("is 45 enough?", False),
    ],
)
def test_a_value_is_a_number_or_a_name_of_a_program(text: str, gives: bool) -> None:
    assert gives_value(text) is gives


def test_only_what_is_finished_is_done() -> None:
    assert all(
        map(
            is_done, ("the security review is done", "보안 점검 끝냈어", "we shipped 2.1 yesterday")
        )
    )
    assert not any(
        map(
            is_done,
            (
                "once it is done, tell Ana",
                "끝나면 알려줘",
                "it will be released next week",
                "아직 안 끝났어",
            ),
        )
    )


@pytest.mark.parametrize(
    ("done", "undone"),
    [
        ("the firewall migration is finished", "the firewall migration is nearly finished"),
        ("half the team left; the audit is done", "the audit is half done"),
        ("The 20% discount is live", "the import is 80% complete"),
        ("the ops team finished the audit", "nobody finished the audit"),
        ("the invoice has been sent", "the invoice should have been sent"),
        ("we merged the audit branch", "we almost merged the audit branch"),
        ("the audit is done", "I doubt the audit is done"),
        ("방화벽 이전은 다 끝났어", "방화벽 이전은 거의 끝났어"),
        ("방화벽 이전은 100% 완료됐어", "방화벽 이전은 70% 완료됐어"),
        ("일부러 밤에 배포했어", "데이터 이전은 일부 완료됐어"),
        ("방화벽 이전이 끝났어", "방화벽 이전이 벌써 끝났을 리가 없어"),
        ("안전 점검 끝냈어", "점검 안 끝났어"),
        ("안내 메일 보냈어", "메일은 못 보냈어"),
        ("화면 개편 끝났어", "점검이 끝났으면 알려줘"),
        ("면접 결과 보냈어", "점검 끝났으면서 왜 말 안 했어"),
    ],
)
def test_what_is_done_in_part_or_doubted_is_not_done(done: str, undone: str) -> None:
    assert is_done(done)
    assert not is_done(undone)


@pytest.mark.parametrize(
    ("done", "undone"),
    [
        ("we deployed the map", "the deployed version has a bug"),
        ("I submitted the form", "check whether the form was submitted"),
        ("the migration is done", "Bob says the migration is done"),
        ("the invoice is paid", "the invoice is paid by Hana every month"),
        ("the ticket is closed", "the shop is closed"),
        ("they finished the audit", "they finished third in the cup"),
        ("I submitted it, and the board has it", "submitted it but it was rejected"),
        ("계약서 보냈어", "계약서 보냈는지 모르겠어"),
        ("계약서는 어제 보냈습니다", "누가 계약서 보냈어?"),
        ("보고서 제출했고 답을 기다려", "보고서 제출했다가 반려됐어"),
        ("지도 배포했어", "배포했던 서버가 또 죽었어"),
        ("정산은 마쳤음", "정산은 민수가 마쳤대"),
    ],
)
def test_what_is_asked_heard_of_or_taken_back_is_not_done(done: str, undone: str) -> None:
    assert is_done(done)
    assert not is_done(undone)


@pytest.mark.parametrize(
    "said",
    [
        "We finished the migration at night",
        "I submitted the report last week",
        "deployed first thing today",
        "I merged the fix for the failed build",
        "I submitted the form to check that the API works",
        "배포했구요",
        "보고서 제출했는데 회신이 없어",
        "롤백 스크립트 배포했어",
        "매일 도는 배치 배포했어",
        "마다가스카르 비자 갱신했어",
    ],
)
def test_words_about_what_was_done_take_nothing_back(said: str) -> None:
    assert is_done(said)


def test_decisions_and_preferences_are_instructions() -> None:
    assert is_instruction("From now on always run it.")
    assert not is_instruction("The warehouse closes at six.")
