"""Mails to users who stay away, in Korean and English: plain text, without any memories."""

from datetime import datetime
from typing import NamedTuple


class Letter(NamedTuple):
    """Mail in two languages.

    `{days}` is the number of days that have passed, `{day}` the day on which the episodes are
    deleted.
    """

    title_ko: str
    title_en: str
    ko: str
    en: str

    def title_in(self, lang: str) -> str:
        """Return the subject."""
        return self.title_ko if _is_korean_letter(lang) else self.title_en

    def text_in(self, lang: str, days: int, day: datetime) -> str:
        """Return the text."""
        if _is_korean_letter(lang):
            return self.ko.format(days=days, day=f"{day.year}년 {day.month}월 {day.day}일")
        return self.en.format(days=days, day=f"{day:%B} {day.day}, {day.year}")


_STAYS_KO = "알고 있는 사실과 둘 사이의 순간, 주고받은 메시지는 그대로 남습니다. 누구에게든 한마디만 하면 아무것도 지워지지 않습니다."
_STAYS_EN = (
    "Facts, moments and your messages stay. Say a word to any character, and nothing is deleted."
)
REMINDER = Letter(
    "캐릭터들이 기다리고 있습니다",
    "Your characters remember you",
    f"마지막으로 이야기한 지 {{days}}일이 지났습니다. 이대로 {{day}}이 되면 지난 이야기의 요약(에피소드)이 지워집니다.\n\n{_STAYS_KO}",
    "It has been {days} days since you last talked. If it stays so, the summaries of your "
    "talks (episodes) are deleted on "
    f"{{day}}.\n\n{_STAYS_EN}",
)
FINAL = Letter(
    "마지막 안내: 지난 이야기의 요약이 곧 지워집니다",
    "Final warning: summaries of your talks are about to be deleted",
    (
        f"마지막으로 이야기한 지 {{days}}일이 지났습니다. {{day}}에 지난 이야기의 요약(에피소드)이 지워집니다. 더는 안내하지 "
        f"않습니다.\n\n{_STAYS_KO}"
    ),
    "It has been {days} days since you last talked. The summaries of your talks (episodes) "
    "are deleted on {day}. This is the "
    f"last mail about it.\n\n{_STAYS_EN}",
)


def _is_korean_letter(lang: str) -> bool:
    return lang.lower().startswith("ko")
