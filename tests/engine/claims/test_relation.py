"""Pairs of statements: changes, parallel subjects, parts, talk, the same again."""

import pytest

from gieok.engine.claims.relation import SURE, UNRELATED, relation

CHANGES = [
    (
        "I'm vegetarian, so keep that in mind for dinner ideas.",
        "I eat meat again since last week, I stopped being vegetarian.",
    ),
    ("나는 아침마다 커피를 마셔.", "이제 커피 끊었어, 보리차만 마셔."),
    ("Our lawyer is Ms. Odenwald.", "Mr. Brandt is our lawyer now, Ms. Odenwald retired."),
    ("I drink coffee every morning; it is my favourite drink.", "I don't like coffee anymore, I drink barley tea now."),
    ("I use Helix.", "I switched to Zed, I don't use Helix anymore."),
    ("We use Jenkins for the release builds.", "We dropped Jenkins for the release builds."),
    ("The API gateway is Kong.", "We traded Kong for Envoy at the gateway."),
    ("The demo is on Thursday.", "The demo is Friday, not Thursday."),
    ("Barley is sown on the lower field.", "Barley's out on the lower field, oats are in."),
    ("I work at Naver.", "I left Naver last month, I'm at Kakao now."),
    ("The wifi is called nabi.", "We renamed the wifi to gosari."),
    ("The review is at 10:30 in room Bergen.", "The review isn't in Bergen any more, it's in Oslo."),
    ("이벤트 큐는 카프카야", "이벤트 큐는 카프카 말고 NATS로 가자"),
    ("안방 에어컨은 26도로 맞춰놔", "안방 26도 아니고 25도로 내렸어"),
    ("국문 뉴스레터는 스티비로 보내요", "국문 뉴스레터 스티비 해지하고 메일리로 갔어요"),
    ("풍경은 소니 미러리스로 찍어", "풍경용 소니 팔고 니콘으로 갈아탔어"),
    ("서울에 살아", "서울에서 부산으로 이사했어"),
    ("나는 네이버 다녀", "나 네이버 퇴사하고 카카오 다녀"),
    ("할머니 댁은 명절마다 기차로 내려가요", "할머니 댁 기차 타던 거 그만두고 고속버스로 가요"),
]
PARALLELS = [
    ("Ann's desk is on the third floor.", "Bob's desk moved from the third floor to the second floor."),
    ("The iOS build uses Fastlane.", "The Android build no longer uses Fastlane."),
    ("Billing is deployed on Tuesdays.", "Search is deployed on Fridays instead of Tuesdays now."),
    ("The login timeout is 30 seconds.", "The export timeout went from 30 seconds to 60 seconds."),
    ("The Berlin office uses Slack for chat.", "The Munich office dropped Slack for chat."),
    ("Class 5b has Ms. Brandt for history.", "Class 6a has a new history teacher, Mr. Yilmaz instead of Ms. Brandt."),
    ("엄마 병원 예약은 목요일이야", "아빠 병원 예약을 목요일에서 월요일로 바꿨어"),
    ("스테이징 DB는 포스트그레스 써", "운영 DB는 포스트그레스 말고 오로라로 바꿨어"),
    ("1층 바닥은 강마루로 깝니다", "2층 바닥은 강마루 빼고 타일로 변경했습니다"),
    ("강아지 사료는 로얄캐닌이야", "고양이 사료는 로얄캐닌 끊고 나우로 바꿨어"),
    ("운영 DB는 포스트그레스야", "DB를 포스트그레스에서 오로라로 옮겼어"),
]
NO_CHANGES = [
    ("점심 메뉴는 제육이랑 순두부 두 개만 팔아요", "점심 메뉴에서 순두부만 빼고 김치찌개로 바꿨어요"),
    ("청년부 모임은 토요일 저녁 7시에 해요", "청년부 모임 시간만 7시에서 6시로 당겼어요"),
    ("스테이징 배포는 젠킨스로 돌려", "스테이징 젠킨스 이제 접을까?"),
    ("스테이징 배포는 젠킨스로 돌려", "스테이징 배포를 젠킨스 말고 아르고로 하면 어떨까 고민 중"),
    ("커트는 예약제로만 받습니다", "커트 예약제 없애달라는 분들이 계시네요"),
    ("The build runs on Jenkins.", "Should we drop Jenkins for the build?"),
    ("The build runs on Jenkins.", "If we drop Jenkins for the build, who migrates it?"),
    ("The build runs on Jenkins.", "We should move the build off Jenkins some day."),
    ("I don't have any dietary restrictions.", "I don't have any dietary restrictions anymore."),
    ("I didn't have simple syrup.", "I used honey instead of simple syrup."),
    ("프론트 리뷰는 보경님이 봐", "프론트 리뷰에 인턴도 넣어줘"),
    ("리포트 쿼리는 빅쿼리에서 돌려", "리포트는 빅쿼리로 뽑아"),
]


@pytest.mark.parametrize(("earlier", "later"), CHANGES)
def test_what_gives_up_the_old_value_takes_its_place(earlier: str, later: str) -> None:
    found = relation(earlier, later)
    assert found.sureness == SURE
    assert found.spoke_for
    assert not found.differing


@pytest.mark.parametrize(("earlier", "later"), PARALLELS)
def test_a_parallel_subject_takes_no_place_and_what_differs_is_named(earlier: str, later: str) -> None:
    found = relation(earlier, later)
    assert not found.is_sure
    assert found.differing


@pytest.mark.parametrize(("earlier", "later"), NO_CHANGES)
def test_a_part_a_question_a_plan_or_the_same_again_takes_no_place(earlier: str, later: str) -> None:
    assert not relation(earlier, later).is_sure


@pytest.mark.parametrize(("earlier", "later"), CHANGES + PARALLELS)
def test_a_statement_never_replaces_itself_and_no_earlier_one_a_later(earlier: str, later: str) -> None:
    assert not relation(earlier, earlier).is_sure
    assert not relation(later, later).is_sure
    assert not relation(later, earlier).is_sure


@pytest.mark.parametrize("earlier", [earlier for earlier, _ in CHANGES])
def test_the_changes_of_others_do_not_take_a_statements_place(earlier: str) -> None:
    own = dict(CHANGES)[earlier]
    others = {later for one, later in CHANGES if one != earlier and later != own}
    sure = [later for later in others if relation(earlier, later).is_sure]
    # Coffee is given up by two of the rows, in one language each.
    assert sure == []


def test_statements_on_nothing_in_common_are_unrelated() -> None:
    assert relation("The rye starter is fed at 6 am.", "Kiran plays the cello.").sureness == UNRELATED


def test_the_sentence_that_was_replaced_is_named_within_a_text() -> None:
    found = relation("It rains. The demo is on Thursday. Bring cake.", "Hello all. The demo is Friday, not Thursday.")
    assert (found.claim, found.by) == ("The demo is on Thursday.", "The demo is Friday, not Thursday.")


@pytest.mark.parametrize("text", ["", " ", "?", "말고", "not", "→", "1", "안"])
def test_texts_of_nearly_nothing_are_judged_without_an_error(text: str) -> None:
    assert not relation(text, "We dropped Jenkins.").is_sure
    assert not relation("We use Jenkins.", text).is_sure
