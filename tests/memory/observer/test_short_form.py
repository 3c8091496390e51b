"""The short form of what is kept: what is cut of it, and what is not."""

import re

import pytest

from gieok.memory.observer import short_form
from gieok.memory.observer.short_form import PROPOSAL_FRAMES, ProposalFrame
from gieok.memory.observer.standalone import UserStatement
from gieok.text.assent import is_small_talk


@pytest.mark.parametrize("frame", PROPOSAL_FRAMES)
def test_the_words_that_propose_are_cut_and_what_is_proposed_is_not(frame: ProposalFrame) -> None:
    assert short_form.shorten_proposal(frame.example) == frame.short
    assert short_form.shorten_proposal(frame.other) == frame.other


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("so Postgres 16 it is", "Postgres 16 it is"),
        ("by the way: the zone points to Bunny", "the zone points to Bunny"),
        ("next thing, Vault eats too much memory", "Vault eats too much memory"),
        ("and, oh, the invoices are kept seven years", "the invoices are kept seven years"),
        ("글고 인증서 11월 23일에 끝나", "인증서 11월 23일에 끝나"),
        ("아 맞다 참고로 환불은 14일까지 받아줘", "환불은 14일까지 받아줘"),
    ],
)
def test_words_that_lead_in_are_cut(said: str, short: str) -> None:
    assert short_form.shorten_statement(said) == short
    lead = said.removesuffix(short)
    assert is_small_talk(lead), "a session start knows the short form in the turn by that"


@pytest.mark.parametrize(
    "said",
    [
        "so far nothing is paid",
        "so that the state stays consistent, CI applies it",
        "FYI emails go to the ops team",
        "well water is what the garden gets",
        "또한솔로지스는 창고 담당이야",
        "참 크래커는 품절로 둬",
        "그리고",
    ],
)
def test_words_that_only_seem_to_lead_in_stay(said: str) -> None:
    assert short_form.shorten_statement(said) == said


@pytest.mark.parametrize(
    ("question", "own", "stands"),
    [
        ("언제로 변경할까요?", "재고가 늦게 들어와서 오픈이 9월 29일로 밀렸어", True),
        ("When do we ship?", "we ship on Friday, the tax office closes on Saturday", True),
        ("Who pays for the boxes?", "we absorb it", False),
        ("반품 주소는요?", "망원동 한빛빌딩 2층이야, 창고 말고", False),
        ("What is the budget for the flat?", "1400 for the week, two bedrooms", False),
        ("납기는요?", "20일까지는 무리고 31일", False),
        ("31일 납기가 늦어지면요?", "나머지를 지영 선생님한테 맡겼어", False),
        ("31일 납기가 늦어지면요?", "31일은 지킬 거고 나머지를 지영 선생님한테 맡겼어", True),
    ],
)
def test_an_answer_that_says_of_what_it_speaks_needs_no_question(
    question: str, own: str, stands: bool
) -> None:
    stated = UserStatement(f"{question} – {own}", asked=question, own=own, has_sentence=True)
    assert short_form.stands_without_question(stated) is stands


def test_a_refusal_and_an_agreement_keep_what_they_answer() -> None:
    stated = UserStatement("Ship it? – we wait", asked="Ship it?", own="we wait", has_sentence=True)
    assert short_form.stands_without_question(stated)
    assert not short_form.stands_without_question(stated._replace(is_refused=True))
    assert not short_form.stands_without_question(stated._replace(is_agreed=True))
    assert not short_form.stands_without_question(stated._replace(has_sentence=False))


@pytest.mark.parametrize(
    ("text", "is_only"),
    [
        ("슬랙 봇 토큰은 [redacted:password] 이거 쓰면 돼", True),
        ("the grafana login is admin and the password's [redacted:password]", True),
        ("서버실 출입 비밀번호는 [redacted:password] 이래, 위키엔 올리지 말고", False),
        ("the age key is [redacted:secret-token] for now, I'll rotate it friday", False),
        ("비번이 [redacted:password] 인데 로컬에서만 쓰는 거라 넣어놔", False),
        ("the wifi is GeuruGuest, the passphrase [redacted:password]", False),
        ("the grafana login is admin", False),
    ],
)
def test_what_tells_a_secret_and_nothing_else_is_known(text: str, is_only: bool) -> None:
    assert short_form.tells_only_secret(text) is is_only


def test_the_frames_end_in_linear_time() -> None:
    for frame in PROPOSAL_FRAMES:
        assert re.search(frame.words, "for a " * 5_000 + "하는 " * 5_000) is None
