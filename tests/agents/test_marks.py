"""The table of marks: each row holds what its example shows, and does not hold what its
counter-example shows.
"""

import re
from collections.abc import Mapping

import pytest
from row_tables import for_each_row

from gieok.agents import table
from gieok.agents.marks.mark import SAID, Mark, Sample, SpeakerKind
from gieok.agents.marks.table import MARKS
from gieok.agents.transcripts import speakers

_LINES = {
    SpeakerKind.FIELD: speakers.find_line_speaker,
    SpeakerKind.HEAD: speakers.find_line_driver,
}


def _line(sample: Sample) -> Mapping[str, object]:
    assert isinstance(sample, Mapping)
    return sample


def _text(sample: Sample) -> str:
    assert isinstance(sample, str)
    return sample


def _name(row: Mark) -> str:
    return f"{row.host or 'any'}-{row.kind}-{row.sign[:40]}-{row.values[:1]}"


def _rows(*kinds: SpeakerKind) -> list[Mark]:
    return [row for row in MARKS if row.kind in kinds]


@pytest.mark.parametrize("row", _rows(SpeakerKind.FIELD, SpeakerKind.HEAD), ids=_name)
def test_a_field_tells_whose_a_line_is(row: Mark) -> None:
    judge = _LINES[row.kind]
    assert judge(row.host, _line(row.example)) is row.speaker
    assert judge(row.host, _line(row.counter)) is not row.speaker


@pytest.mark.parametrize("row", _rows(SpeakerKind.REPLY), ids=_name)
def test_a_field_tells_that_no_model_wrote_a_reply(row: Mark) -> None:
    assert speakers.is_program_reply(row.host, _line(row.example))
    assert not speakers.is_program_reply(row.host, _line(row.counter))


@pytest.mark.parametrize("row", _rows(SpeakerKind.FOLDER), ids=_name)
def test_a_folder_tells_that_a_session_is_another_memorys(row: Mark) -> None:
    assert speakers.is_foreign_folder(_text(row.example))
    assert not speakers.is_foreign_folder(_text(row.counter))


@pytest.mark.parametrize("row", _rows(SpeakerKind.OPENING), ids=_name)
def test_a_first_prompt_tells_that_a_session_is_another_programs(row: Mark) -> None:
    assert speakers.is_foreign_opening(_text(row.example))
    assert not speakers.is_foreign_opening(_text(row.counter))


@pytest.mark.parametrize("row", _rows(SpeakerKind.BRIEF), ids=_name)
def test_one_sign_of_a_brief_is_seen_and_makes_no_program_by_itself(row: Mark) -> None:
    sign = re.compile(row.sign, re.MULTILINE)
    assert sign.match(_text(row.example))
    assert not sign.match(_text(row.counter))
    assert not speakers.is_brief(_text(row.counter))


@for_each_row(_rows(SpeakerKind.WHOLE, SpeakerKind.ENVELOPE))
def test_a_beginning_tells_that_a_program_wrote_all_of_a_text(row: Mark) -> None:
    assert speakers.extract_words(row.host, _text(row.example)) == ""
    assert speakers.extract_words(row.host, _text(row.counter)) == row.counter


@for_each_row(_rows(SpeakerKind.BLOCK, SpeakerKind.FRONT, SpeakerKind.BEHIND))
def test_of_what_lies_around_a_persons_words_they_alone_are_left(row: Mark) -> None:
    assert speakers.extract_words(row.host, _text(row.example)) == SAID
    assert speakers.extract_words(row.host, _text(row.counter)) == row.counter


@pytest.mark.parametrize("row", _rows(SpeakerKind.SETTING), ids=_name)
def test_the_arguments_of_the_programs_own_commands_are_no_words(row: Mark) -> None:
    for command in row.values:
        text = f"<command-name>/{command}</command-name><{row.sign}>{SAID}</{row.sign}>"
        assert speakers.extract_words(row.host, text) == ""
    assert speakers.extract_words(row.host, _text(row.counter)) == SAID


@pytest.mark.parametrize("row", _rows(SpeakerKind.REASON), ids=_name)
def test_a_refusal_tells_what_the_person_said(row: Mark) -> None:
    assert speakers.extract_refusal(row.host, _text(row.example)) == SAID
    assert speakers.extract_refusal(row.host, _text(row.counter)) == ""


@pytest.mark.parametrize("row", _rows(SpeakerKind.BESIDE), ids=_name)
def test_a_field_holds_what_the_person_said_beside_a_decision(row: Mark) -> None:
    assert speakers.extract_comment(row.host, _line(row.example)) == SAID
    assert speakers.extract_comment(row.host, _line(row.counter)) == ""


@pytest.mark.parametrize("row", _rows(SpeakerKind.ANSWER), ids=_name)
def test_a_dialogue_tells_what_the_person_chose(row: Mark) -> None:
    assert row.sign in speakers.list_asking_tools(row.host)
    assert [said for _, said in speakers.extract_answers(_text(row.example))] == [SAID]
    assert speakers.extract_answers(_text(row.counter)) == []


def test_every_host_whose_transcripts_are_read_has_rows_and_no_other_has() -> None:
    read = {row.name for row in table.ROWS} - {"cursor"}
    assert {row.host for row in MARKS} == {*read, ""}


def test_no_two_rows_say_the_same_thing_differently() -> None:
    seen: dict[tuple[object, ...], Mark] = {}
    for row in MARKS:
        same = seen.setdefault((row.host, row.kind, row.sign, row.values), row)
        assert same is row


_PEOPLE = (
    "You are right, the conversation was too long. Summarize this for Kim.",
    "Generate the title page of the report, and only the title page.",
    "Please write a test for the session module and run it.",
    "Your task list is empty, so take the next issue.",
    "I am building a memory agent that stores conversations. What should it forget?",
    "이 대화의 제목을 뭐라고 할까?",
    "Review the following: is the proofing room at 27 degrees?",
)


@pytest.mark.parametrize("text", _PEOPLE)
def test_what_people_begin_with_is_no_programs_prompt(text: str) -> None:
    assert not speakers.is_foreign_opening(text)
    assert not speakers.is_brief(text)


@pytest.mark.parametrize(
    "text",
    [
        (
            "You are a strict grader.\n\n<conversation>\nUser: hi\n</conversation>\n\nScore it "
            "from 1 to 5."
        ),
        "Classify the following ticket:\nprinter on fire\n\nRespond with only the label.",
        "당신은 요약 전문가입니다. 아래 글을 한 줄로 줄이고 결과만 출력하세요.\n<document>\n…\n</document>",
        (
            "Extract the facts.\nUser: I moved to Busan.\nAssistant: Noted.\nReturn valid JSON, "
            "no prose."
        ),
    ],
)
def test_what_programs_ask_of_a_model_is_a_brief(text: str) -> None:
    assert speakers.is_brief(text)


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("openclaw", "[cron:7f job 2026-02-11 10:23 KST] Tidy up"),
        (
            "openclaw",
            (
                "[Wed 2026-02-11 10:23 KST] A scheduled reminder has been triggered. The reminder "
                "content is:\n\nwater"
            ),
        ),
        (
            "openclaw",
            (
                "System: [2026-03-28 19:02 GMT] off\nSystem: \nSystem: python3 x.py\n\nA "
                "scheduled reminder has been triggered. x"
            ),
        ),
        (
            "claude-code",
            (
                "<system-reminder>\nx\n</system-reminder>\n[SYSTEM NOTIFICATION - NOT USER "
                "INPUT]\nA build ended."
            ),
        ),
        (
            "codex",
            (
                "<environment_context>x</environment_context>\n# AGENTS.md instructions for "
                "/w\nUse tabs."
            ),
        ),
    ],
)
def test_an_envelope_around_a_programs_text_makes_it_nobodys(host: str, text: str) -> None:
    assert speakers.extract_words(host, text) == ""


def test_envelopes_lie_in_each_other() -> None:
    text = (
        "[Queued messages while agent was busy]\n\n---\nQueued #1\n"
        "Conversation info (untrusted metadata):\n```json\n{}\n```\n\n"
        "[Telegram Kim 2026-02-11 10:23 KST] [media attached: a.jpg (image/jpeg) | "
        f"a.jpg]\n{SAID}\n[message_id: 7]"
    )
    assert speakers.extract_words("openclaw", text) == SAID


def test_answers_are_joined_with_their_questions_in_every_hosts_form() -> None:
    asked = {
        "questions": [
            {"id": "where", "header": "Region", "question": "Which region?"},
            {"question": "How many?"},
        ]
    }
    wanted = [("Which region?", "Busan"), ("How many?", "2")]
    for told in (
        {"answers": {"Which region?": "Busan", "How many?": "2"}},
        {"answers": {"0": "Busan", "1": ["2"]}},
        {"answers": {"where": {"answers": ["Busan"]}, "How many?": {"answers": ["2"]}}},
        {"answers": [["Busan"], ["2"]]},
        (
            'User has answered your questions: "Which region?"="Busan", "How many?"="2". You can '
            "now continue."
        ),
        'Questions asked:\n- "Which region?"\n  Answer: Busan\n- "How many?"\n  Answer: 2\n',
    ):
        assert speakers.extract_answers(told, asked) == wanted, told
    clarify = (
        'The user wants to clarify these questions.\n- "Which region?"\n  (No answer provided)'
    )
    assert speakers.extract_answers(clarify, asked) == []
