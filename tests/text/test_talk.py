"""What was said in a month reads back as it was, whatever was said."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gieok.model.conversation import Journalled, Message, Role
from gieok.text import talk

_AT = datetime(2025, 3, 2, 9, 14, 5, 123_000, tzinfo=UTC)
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    [
        "",
        "\n",
        "> > x",
        "--> <!-- gieok [1]",
        "\r\n---\r",
        "# heading\n```\n> quote\n```",
        "a\n\n\nb",
        "\u2028x\x00\x1f",
        "가나\n다",
    ]
)


@given(st.lists(st.tuples(_TEXTS, _TEXTS, st.sampled_from(list(Role)), st.integers(0, 10**8))))
def test_any_text_comes_back(said: list[tuple[str, str, Role, int]]) -> None:
    found = [
        Journalled(
            n,
            Message(
                f"{n}-->{source}",
                role,
                text,
                _AT + timedelta(milliseconds=ms),
                source,
                "a",
                n,
                source,
                n,
            ),
        )
        for n, (text, source, role, ms) in enumerate(said)
    ]
    written = talk.format_month_talk("agent:main", "2025-03", found)
    assert talk.parse_month_talk(written) == {one.seq: one for one in found}
    assert talk.parse_month_talk(
        written.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")
    ) == talk.parse_month_talk(written)


def test_a_person_can_read_it() -> None:
    message = Message(
        "m1", Role.USER, "결제는 화요일에\n정산하자.", _AT, "s1", "claude-code", 9, "/t/a.jsonl", 3
    )
    lines = talk.format_month_talk("agent:main", "2025-03", [Journalled(7, message)]).splitlines()
    assert lines[:6] == [
        "---",
        "gieok: talk",
        'scope: "agent:main"',
        'month: "2025-03"',
        "messages: 1",
        "---",
    ]
    assert "# 2025-03-02" in lines
    assert "## 09:14 user, claude-code s1" in lines
    assert lines[-2:] == ["> 결제는 화요일에", "> 정산하자."]
