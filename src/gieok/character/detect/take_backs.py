"""Which earlier messages a user takes back: "뻥이야", "just kidding", "that was a lie".

Such words take back the earlier message whose words stand before them ("about the navy, I was
joking"), else the user's last message. A message that says so of itself takes back no other, and
neither does a question or what is said of somebody else's words.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from gieok.character.detect.abandonment import cut_word_stem
from gieok.character.detect.patterns import split_chat_sentences
from gieok.model.conversation import Message, Role

#: How many messages before it a message may take back: twenty turns.
REACH = 40
#: After this time words that name one word or nothing take nothing back.
_LATELY = timedelta(hours=6)
#: Characters of a message that are read.
_MOST_READ = 2_000
_SAYS_SO = re.compile(
    r"(?<![가-힣])(?:개?뻥|구라|농담|장난|드립)(?:(?:이?[야다]|이지롱|이었[어다지음]\S*|였[어다지음]\S*|임|인데"
    r"|이라니까|이에요|예요|이었어요|였어요|입니다)?(?=[\s.!~,ㅋㅎ]|$)|(?:친|깐|한|친거|깐거|한거) ?(?:거|것|건)\S*)"
    r"|(?<![가-힣])거짓말(?:이었|했|한 ?거)|지어낸 ?(?:거|말|얘기)"
    r"|\b(?:just|only|was|am|i'?m|totally|obviously) (?:kidding|joking|teasing|messing with you"
    r"|pulling your leg)\b|^\W*(?:(?:kidding|joking)\b|(?-i:jk)(?=\W))|\b(?-i:jk)\W*$"
    r"|\bi (?:lied|was lying)\b(?! to\b)"
    r"|\bi made (?:that|it)(?: all)? up\b|\b(?:that|it) was (?:all )?(?:a joke|a lie|a fib)\b"
    r"|\bapril fools?\b",
    re.IGNORECASE,
)
#: What keeps such words from taking anything back: a denial, the other's words, another person.
_NOT_SO = re.compile(
    r"(?<![가-힣])(?:너|니|네|넌|니가|네가|그쪽|당신|걔|쟤|그놈)(?:는|가|도|이)?(?![가-힣])"
    r"|하지 ?마|치지 ?마|그만|같|줄 ?알|\bnot\b|n't\b|\bno (?:kidding|joke)|\byou\b(?!\s*$|r leg)|\b(?:he"
    r"|she|they)\b|\bi wish\b"
    r"|\balmost\b|\bif\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
#: Words that name no earlier words.
_EMPTY = re.compile(
    r"아니|아까|저번|전에|그때|지난|방금|어제|사실|실은|그거|그건|이거|이건|고백|내가|제가|나는|진짜|전부|다들|했던|했는|칸거|캤던|한거|말한|얘기|기분"
    r"|(?:about|that|this|what|said|thing|earlier|before|when|told|just|okay|actually|really|only"
    r"|from|your|with)$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\s*(?:[은는이도]\s?)?(?:아니|아이다|아님|말고|안 ?[치쳤친])")
#: In English, what is taken back stands behind the words that do so.
_ABOUT = re.compile(r"\W*(?:about|when i said|with)\b(.*)", re.IGNORECASE)
#: What begins so goes on with the message before it.
_GOES_ON = re.compile(r"\s*(?:\.\.|…)")
#: Words that a message must share with one that it names.
_LEAST_SHARED = 2


def find_taken_back_messages(talk: Sequence[Message], reach: int = REACH) -> dict[str, str]:
    """Return the id of each message of the user that is taken back, with the one that does so.

    `talk` are the messages of both sides, in order; `reach` is how many messages before it a
    message may take back.
    """
    taken: dict[str, str] = {}
    for number, message in enumerate(talk):
        lead = _find_lead(message)
        if lead is None:
            continue
        earlier = [one for one in talk[max(number - reach, 0) : number] if one.role is Role.USER]
        named = _list_word_stems(lead)
        told = _find_named(named, earlier) if named else earlier[-1:]
        for one in told:
            if len(named) >= _LEAST_SHARED or message.at - one.at <= _LATELY:
                taken[one.id] = message.id
    return taken


def takes_back(message: Message) -> bool:
    """Return whether a message takes back what its user said."""
    return _find_lead(message) is not None


def _find_lead(message: Message) -> str | None:
    """Return what a message says before words that take something back; None without such words."""
    text = message.text[:_MOST_READ]
    if message.role is not Role.USER or not _SAYS_SO.search(text):
        return None
    before = ""
    for sentence in split_chat_sentences(text):
        says_so = _SAYS_SO.search(sentence)
        if says_so is None:
            before = f"{before} {sentence}"
            continue
        is_denied = _NOT_SO.search(sentence) or _DENIED.match(sentence, says_so.end())
        if sentence.endswith("?") or is_denied:
            return None
        about = _ABOUT.match(sentence, says_so.end())
        lead = f"{sentence[: says_so.start()]} {about[1] if about else ''}"
        is_named = _list_word_stems(lead) or _GOES_ON.match(text)
        return lead if is_named else before
    return None


def _find_named(named: set[str], earlier: Sequence[Message]) -> Sequence[Message]:
    """Return the latest earlier message that shares its words with those that are named."""
    for one in reversed(earlier):
        if len(named & _list_word_stems(one.text[:_MOST_READ])) >= min(_LEAST_SHARED, len(named)):
            return (one,)
    return ()


def _list_word_stems(text: str) -> set[str]:
    return {cut_word_stem(word) for word in _NAMES.findall(text) if not _EMPTY.match(word)}
