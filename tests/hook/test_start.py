"""What a session begins with, as text."""

from gieok.hook import start
from gieok.hook.start import SaidTurn, StartPart
from gieok.text import active


def test_what_stands_in_two_scopes_is_shown_once() -> None:
    parts = [
        StartPart("Of the user", [(1.0, "- 2026-11-22 I prefer tabs. (0e33d4d9.15)")], 0.5),
        StartPart(
            "Of the project",
            [
                (1.0, "- 2026-11-22 I prefer tabs. (0e33d4d9.15)"),
                (0.5, "- 2026-11-22 We use Loki."),
            ],
            0.5,
        ),
    ]
    text, shown = start.render_session_start(parts, "the user", 400)
    assert (text.count("I prefer tabs."), text.count("We use Loki."), shown) == (1, 1, 2)


def test_the_end_of_a_session_is_shown_without_thanks_and_with_the_question_that_a_few_words_answer() -> (
    None
):
    turns = [
        ("user", "Let's do the wheel."),
        ("assistant", "Which platform first?"),
        ("user", "arm64"),
        ("assistant", "Built. The test fails on musl."),
        ("user", "그건 다음에 보자"),
        ("assistant", "musl은 열어 둘게요."),
        ("user", "응 고마워. 오늘은 여기까지"),
        ("assistant", "네, 수고하셨습니다! 다음에 이어서 하면 됩니다."),
    ]
    shown = [line for _, line in start.last_lines(turns)]
    assert shown == [
        "| User: Let's do the wheel.",
        '| User: arm64 (to: "Which platform first?")',
        "| User: 그건 다음에 보자",
        "| Assistant: musl은 열어 둘게요.",
    ]
    assert start.is_about_something([(role, text, 0) for role, text in turns])
    assert not start.is_about_something(
        [("user", "hello", 0), ("assistant", "What shall we do?", 0), ("user", "ok bye", 0)]
    )


def test_what_is_told_is_known_again_in_other_words_and_another_value_is_not() -> None:
    said = SaidTurn(0.2, 0.0, "2026-11-20", "배포는 금요일 오전에 하기로 했다", "0c31fa11.3")
    told = start.ShownBefore([said.line], ["The gateway listens on port 9090"])
    rows = ("금요일 오전에 배포하기로 결정", "gateway: port 9090", "gateway: port 8080")
    lines = active.iter_active_lines(
        "## Pending\n" + "".join(f"- 🔴 2026-11-20 {row}\n" for row in rows)
    )
    assert [told.holds(line) for line in lines] == [True, True, False]


def test_what_is_said_and_fits_is_not_observed_beside_it_and_what_does_not_fit_is() -> None:
    said = [
        (1.0 - n / 100, f"- 2026-11-20 Module {n} is written in language {n}. (0c31fa11.{n})")
        for n in range(1, 60)
    ]
    part = StartPart("What the user said", said, start.LASTING)
    lines = "".join(
        f"- 🔴 2026-11-20 Module {n} is written in language {n}.\n" for n in range(1, 60)
    )
    rest = list(active.iter_active_lines(f"## Critical decisions\n{lines}"))
    told = start.told_beside([part], rest, ["x" * 400], set(), 800)
    left = [line for line in rest if not told.holds(line)]
    assert 0 < len(left) < 59
    assert "Module 1 is" not in "".join(line.text for line in left)
    assert "Module 59 is" in "".join(line.text for line in left)


def test_a_sentence_of_a_turn_is_known_and_its_denial_is_not() -> None:
    asked = SaidTurn(
        0.2, 0.0, "2026-11-20", "세 번, 30초 간격", "0c31fa11.3", "몇 번까지 다시 보낼까요?"
    )
    told = start.ShownBefore(
        [asked.line],
        ["아 그리고 마이그레이션은 Flyway만 써. 손으로 돌리지 마", "please don't use pnpm here"],
    )
    rows = (
        "그리고 마이그레이션은 Flyway만 써.",
        "몇 번까지 다시 보낼까요? – 세 번, 30초 간격",
        "손으로 돌리지 마 (2026-11-20)",
        "use pnpm here",
    )
    lines = active.iter_active_lines(
        "## Pending\n" + "".join(f"- 🔴 2026-11-20 {row}\n" for row in rows)
    )
    assert [told.holds(line) for line in lines] == [True, True, True, False]


def test_turns_that_state_nothing_are_left_out() -> None:
    assert start.is_worth_showing(0.2, "The office closes at six on Fridays.", "")
    assert not start.is_worth_showing(0.02, "why is this slow", "")
    assert not start.is_worth_showing(0.3, "응 고마워!", "")
    assert start.is_worth_showing(
        0.1, "yes", "Shall I make the release on Fridays only, before noon?"
    )
