"""Schedules in words, in both languages; what no words fit stays as it was written."""

import pytest

from gieok.commands.schedule_words import describe_schedule


@pytest.mark.parametrize(
    ("expression", "english", "korean"),
    [
        ("0 2 * * 0", "every Sunday at 02:00", "매주 일요일 02:00"),
        ("5 14 * * 7", "every Sunday at 14:05", "매주 일요일 14:05"),
        ("30 3 * * FRI", "every Friday at 03:30", "매주 금요일 03:30"),
        ("0 3 * * *", "every day at 03:00", "매일 03:00"),
        ("15 4 1 * *", "on day 1 of every month at 04:15", "매달 1일 04:15"),
        ("*/15 * * * *", "every 15 minutes", "15분마다"),
        ("7 * * * *", "every hour at minute 7", "매시 7분"),
        ("0 */6 * * *", "every 6 hours", "6시간마다"),
        ("30 */6 * * *", "every 6 hours at minute 30", "6시간마다 30분에"),
        ("00 */12 * * *", "every 12 hours", "12시간마다"),
        ("*/1 * * * *", "every minute", "매분"),
        ("* * * * *", "every minute", "매분"),
        ("5 */1 * * *", "every hour at minute 5", "매시 5분"),
        ("*/1 */1 */1 */1 */1", "every minute", "매분"),
        ("*/30 * * * *", "every 30 minutes", "30분마다"),
        # cron begins anew at each hour and each midnight
        ("*/7 * * * *", "*/7 * * * *", "*/7 * * * *"),
        ("*/60 * * * *", "*/60 * * * *", "*/60 * * * *"),
        ("*/0 * * * *", "*/0 * * * *", "*/0 * * * *"),
        ("0 */5 * * *", "0 */5 * * *", "0 */5 * * *"),
        ("0 */24 * * *", "0 */24 * * *", "0 */24 * * *"),
        ("*/5 */6 * * *", "*/5 */6 * * *", "*/5 */6 * * *"),
        ("* 3 * * *", "* 3 * * *", "* 3 * * *"),
        ("", "never", "안 함"),
        ("never", "never", "안 함"),
        ("0 3 * 6 *", "0 3 * 6 *", "0 3 * 6 *"),
        ("0 3 1 * 5", "0 3 1 * 5", "0 3 1 * 5"),
        ("0 3 * * 1-5", "0 3 * * 1-5", "0 3 * * 1-5"),
        ("0,30 3 * * *", "0,30 3 * * *", "0,30 3 * * *"),
    ],
)
def test_a_schedule_is_said_in_words(expression: str, english: str, korean: str) -> None:
    words = describe_schedule(expression)
    assert words.en == english
    assert words.say("ko") == korean
