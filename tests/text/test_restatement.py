"""Two statements are one where they say the same: in other order, case and punctuation; never where
a word says more.
"""

import pytest

from gieok.text.restatement import Restatement, says_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use ruff for linting.", "we use RUFF for linting!"),
        ("We use ruff for linting.", "For linting, we use ruff."),
        ("Deploys go out on Tuesdays", "Deploys go out on tuesdays."),
        ("Run the tests before you deploy.", "Before you deploy, run the tests"),
        ("Don't push to main.", "Do not push to main"),
        ("Never push to main.", "Don't push to main!"),
        ("The API listens on port 8080", "API listens on port 8080."),
        ("Please use tabs in Makefiles", "Use tabs in Makefiles"),
        ("WE USE RUFF", "we use ruff"),
        ("배포는 화요일에 한다.", "배포는 화요일에 합니다"),
        ("배포는 화요일에 한다.", "화요일에 배포한다"),
        ("린터는 ruff를 쓴다", "린터는 ruff를 씁니다."),
        ("우리는 ruff를 린터로 쓴다.", "린터로 ruff를 쓴다"),
        ("보고서는 짧게 쓴다", "보고서는 짧게 쓴다."),
        ("민수가 지수에게 보고한다", "지수에게 민수가 보고한다."),
    ],
)
def test_one_statement_in_two_wordings(one: str, other: str) -> None:
    assert says_same(one, other)
    assert says_same(other, one)
    assert Restatement(one).key == Restatement(other).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys go out on Tuesday.", "Deploys go out on Tuesday mornings."),
        ("Deploys go out on Tuesday.", "Deploys go out on Thursday."),
        ("Push to main.", "Never push to main."),
        ("Migrate from Redis to Postgres.", "Migrate from Postgres to Redis."),
        ("Use Postgres instead of Redis", "Use Redis instead of Postgres"),
        ("Anna manages Ben.", "Ben manages Anna."),
        ("Anna reports to Ben", "Ben reports to Anna"),
        ("Deploy after the tests", "Tests after the deploy"),
        ("Use C++ for the core", "Use C for the core"),
        ("The limit is > 5", "The limit is < 5"),
        ("The offset is -5", "The offset is 5"),
        ("Keep 30 backups", "Keep 31 backups"),
        ("Ship to the US first", "Ship first"),
        ("Test all modules", "Test modules"),
        ("Use red or blue", "Use red blue"),
        ("We must rotate keys", "We rotate keys"),
        ("배포는 화요일에 한다", "배포는 목요일에 한다"),
        ("배포는 화요일에 한다", "배포는 화요일에 안 한다"),
        ("민수가 지수에게 보고한다", "지수가 민수에게 보고한다"),
        ("레디스 대신 포스트그레스", "포스트그레스 대신 레디스"),
        ("배포는 화요일에 했다", "배포는 화요일에 한다"),
        ("Stop the server. Deploy it.", "Deploy it. Stop the server."),
        ("build, test, deploy", "deploy, build, test"),
        ("빌드, 테스트, 배포", "배포, 빌드, 테스트"),
        ("1. stop\n2. deploy", "1. deploy\n2. stop"),
        ("", ""),
        ("네", "응"),
        ("yes", "ok"),
    ],
)
def test_two_statements(one: str, other: str) -> None:
    assert not says_same(one, other)
    assert not says_same(other, one)
