"""Which earlier sentences a user takes back: "뻥이야", "just kidding", "I lied about the navy".

Words that name what was said ("about the navy diver") take back the earlier sentence that holds
all of them, other words the last sentence of the user's message directly before. Only a whole
clause takes something back, with the user as its subject: what others said in jest, a question, a
denial, and what a message says of itself do not.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from gieok.character.detect.abandonment import cut_word_stem
from gieok.character.detect.patterns import split_chat_sentences
from gieok.model.conversation import Journalled, Message, Role

#: How many messages of the user before it a message may take back, and how far a deletion reaches.
REACH = 20
#: After this time words that name one word or nothing take nothing back.
_LATELY = timedelta(hours=6)
#: Characters of a message that are read.
_MOST_READ = 2_000
_FILLERS_KO = (
    r"(?:(?:아+|어+|오+|음+|앗|아니|야|사실은?|실은|아까|방금|그거|그건|그게|이거|이건|이게|다|전부|그냥|미안|미안해|죄송|근데"
    r"|[ㄱ-ㅎㅠㅜ])(?![가-힣])[\s,.~…!]*)*"
)
_SAYS_KO = (
    r"(?:(?:(?:개?뻥|구라|농담|장난|거짓말)|지어낸 ?(?:거|말|얘기|이야기))"
    r"(?:이?[야다]|이지롱|임|이에요|이예요|예요|입니다|이고|이구|인데(?!요?\?)|이?었(?:어|어요|지|음|습니다)|였(?:어|어요|지|음|습니다))"
    r"|(?:개?뻥|구라) ?(?:[쳤깠]어|친 ?거야|깐 ?거야)요?|거짓말 ?(?:했어|한 ?거야)요?"
    r"|(?:뻥|구라|농담)(?=[\s.!~,…ㄱ-ㅎㅠㅜ]*$))(?=[\s.!~,?…ㄱ-ㅎㅠㅜ]|$)"
    r"(?!\s*(?:아니|(?:그|저|이) |[가-힣]+(?:한테|에게|께)))"
)
#: What was said: 해병대 나왔다고 한 거, 변호사라고 했던 건, 해병대 얘기는.
_NAMED_KO = (
    r"(?P<named>[^.!?]{2,80}?)(?:(?:[다라]고?|단|란) ?(?:한|했던|말한|칸|캤던|그런)? ?(?:거|것|건|게)(?: 다)?"
    r"|[다라]는 ?(?:거|것|건|게)| ?(?:얘기|이야기))[은는도]?[\s,]*"
)
_CLAUSE_KO = re.compile(rf"\W*{_FILLERS_KO}(?:{_NAMED_KO})?{_FILLERS_KO}(?P<says>{_SAYS_KO})")
_FILLERS_EN = (
    r"(?:(?:ok(?:ay)?|oh|ah|so|well|and|but|actually|honestly|sorry|lol|lmao|ha(?:ha)*|hehe|nah"
    r"|yeah|btw|got(?:cha| you| ya)|no(?=[,.!…])|wait|omf?g|oh my (?:god|gosh)|my god|dude|bro"
    r"|man|girl"
    r"|mate|hon|love|dear|lmfao|rofl|heh|aw+|hey|relax|chill|pfft|nope|jokes?)\b[\s,.~…!]*)*"
)
_SAYS_EN = (
    r"(?:(?:(?:i'?m|i am|i was)(?: (?:just|only|totally|obviously))?|just|only|totally|obviously)"
    r" (?:kidding|joking|teasing|messing with you|pulling your leg|having you on)"
    r"(?=\s*(?:$|[,.!?;:)~…]|(?:lol|haha\w*|lmao|about|when)\b))"
    r"|(?:kidding|joking|jk|april fools?)(?=[\s.!?~…]*(?:$|[,;]))"
    r"|(?:i lied|i was lying|i made (?:that|it)(?: all)? up|(?:that|it) was (?:all )?(?:just )?a"
    r" (?:joke|lie|fib))(?=[\s.!?~…]*(?:$|(?:lol|haha\w*|lmao)\b)|\s+(?:about|when)\b))"
)
_CLAUSE_EN = re.compile(
    rf"\W*{_FILLERS_EN}(?P<says>{_SAYS_EN})(?:\s+(?:about|when i said)\s+(?P<named>.*))?",
    re.IGNORECASE,
)
_ONLY_FILLERS = re.compile(rf"{_FILLERS_KO}|{_FILLERS_EN}", re.IGNORECASE)
#: What follows words that are only cited: 뻥이야 하고.
_REPORTED = re.compile(r"\W*(?:라고|이?라며|하[고면며]|이러|그러)")
#: Words of the user that say nothing alone: laughter.
_LETTER = re.compile(r"[가-힣A-Za-z0-9]")
_NAMES = re.compile(r"[가-힣]{2,}|[A-Za-z]{3,}")
#: Words that name no earlier words.
_EMPTY = re.compile(
    r"(?:아까|저번에?|그때|지난번?에?|방금|어제|사실은?|실은|그거|그건|이거|이건|내가|제가|나는|저는|진짜|전부|우리)$"
    r"|(?:about|that|this|what|said|thing|earlier|before|when|told|was|were|had|have|the|and|for"
    r"|you|all|being|from|with|your|our|lol|haha|used|are|his|her|i'm)$",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\W*(?:that|it|this|everything|all of (?:it|that))\b\W*(?:lol|haha)?\W*$")
#: Words that say that the user's are meant.
_OWN = re.compile(r"(?!that|it)[a-z]|.*[쳤깠]어|.*(?:친|깐|한) ?거야|거짓말 ?했", re.IGNORECASE)
#: Words that may also tell what somebody did, where a sentence of another follows.
_MAY_TELL = re.compile(r"i (?:lied|was lying)|거짓말 ?했", re.IGNORECASE)
_OF_USER = re.compile(rf"\W*{_FILLERS_EN}(?:i|i'm|im|it|that)\b|[^A-Za-z]*$", re.IGNORECASE)
#: Words that take back what took something back: 뻥이라는 게 뻥이야.
_OF_ITSELF = re.compile(r"뻥|구라|농담|장난|거짓말|\b(?:kidding|joking|lied|lying|joke|lie)\b")
#: What the character states of itself, which may be what is called a lie.
_OF_CHARACTER = re.compile(
    r"(?<![가-힣])(?:나|난|나는|나도|내|내가|저|전|저는|저도|제|제가)(?![가-힣])|\b(?:i|i'm|my|me)\b"
    r"|[았었했갔왔였](?:어|다|지)요?\W*$",
    re.IGNORECASE,
)
#: Words that a message must share with one that it names, unless that is directly before it.
_LEAST_SHARED = 2


class StandingText(NamedTuple):
    """What is `left` of a message, '' for nothing, and the messages that took the rest back."""

    left: str
    by: tuple[str, ...]


class _TakeBack(NamedTuple):
    """Words that take something back: the words that they name, and whether of a take-back.

    `is_own`: they say whose words they mean, the user's.
    """

    named: frozenset[str] = frozenset()
    is_undone: bool = False
    is_own: bool = False


def find_taken_back(talk: Sequence[Message]) -> dict[str, StandingText]:
    """Return what is left of the user's messages of which something is taken back, by their id.

    `talk` are the messages of both sides, in order.
    """
    taken: dict[str, list[tuple[str, str]]] = {}
    for number, message in enumerate(talk):
        found = _read_take_back(message)
        if found is None:
            continue
        before = _find_message_before(talk[:number], is_own=found.is_own)
        if found.is_undone:
            by = before.id if before else ""
            taken = {
                one: kept
                for one, rows in taken.items()
                if (kept := [row for row in rows if row[0] != by])
            }
            continue
        if len(found.named) >= _LEAST_SHARED:
            told = _find_named(found.named, _list_user_messages(talk[:number])[-REACH:])
        elif before is None or message.at - before.at > _LATELY or _read_take_back(before):
            continue
        elif found.named:
            told = _find_named(found.named, [before])
        else:
            told = _find_last_statement(before)
        if told is not None:
            taken.setdefault(told[0], []).append((message.id, told[1]))
    texts = {one.id: one.text for one in talk}
    return {
        identity: StandingText(
            _strike_sentences(texts[identity], [sentence for _, sentence in rows]),
            tuple(by for by, _ in rows),
        )
        for identity, rows in taken.items()
    }


def list_standing(
    said: Sequence[Journalled],
    taken: Mapping[str, StandingText],
    unquoted: frozenset[str] = frozenset(),
) -> list[Journalled]:
    """Return messages as they stand, without what is taken back and without those in `unquoted`."""
    standing: list[Journalled] = []
    for one in said:
        back = taken.get(one.message.id)
        if one.message.id in unquoted or (back and not back.left):
            continue
        standing.append(one._replace(message=one.message._replace(text=back.left)) if back else one)
    return standing


def takes_back(message: Message) -> bool:
    """Return whether a message takes back what its user said."""
    return _read_take_back(message) is not None


def cut_take_back(text: str) -> str:
    """Return what a user's message says beside taking something back; the text where it does not.

    '' where it says no more.
    """
    sentences = split_chat_sentences(text[:_MOST_READ])
    found = _find_clause_in(sentences)
    if found is None:
        return text
    number, clause = found
    rest = sentences[number][clause.end("says") :]
    left = ". ".join(one.strip(" ,~") for one in (rest, *sentences[number + 1 :]))
    return left.strip(" .") if _LETTER.search(left) else ""


def _read_take_back(message: Message) -> _TakeBack | None:
    """Return what a message takes back; None where it takes nothing back, or only its own words."""
    clause = _find_clause(message)
    if clause is None:
        return None
    words = clause["named"] or ""
    if _OF_ITSELF.search(words):
        return _TakeBack(is_undone=True)
    named = _list_word_stems(words)
    if words and not named and not _POINTS.match(words):
        return None
    return _TakeBack(named, is_own=_OWN.match(clause["says"]) is not None)


def _find_clause(message: Message) -> re.Match[str] | None:
    """Return the clause with which a message takes something back; None for no such clause.

    A message that says something else first speaks of itself, unless it names what was said.
    """
    if message.role is not Role.USER:
        return None
    found = _find_clause_in(split_chat_sentences(message.text[:_MOST_READ]))
    return found[1] if found else None


def _find_clause_in(sentences: Sequence[str]) -> "tuple[int, re.Match[str]] | None":
    """Return the number of the sentence that takes something back, and its clause."""
    is_first = True
    for number, sentence in enumerate(sentences):
        clause = _CLAUSE_KO.match(sentence) or _CLAUSE_EN.match(sentence)
        if clause is not None:
            rest = sentence[clause.end("says") :] or "".join(sentences[number + 1 : number + 2])
            is_told = rest.lstrip().startswith("?") or _REPORTED.match(rest) is not None
            tells = _MAY_TELL.match(clause["says"]) is not None
            is_told |= tells and not all(map(_OF_USER.match, sentences[number + 1 :]))
            is_named = len(_list_word_stems(clause["named"] or "")) >= _LEAST_SHARED
            return None if is_told or not (is_first or is_named) else (number, clause)
        is_first = is_first and (sentence.endswith("?") or _is_filler(sentence))
    return None


def _is_filler(sentence: str) -> bool:
    """Return whether a sentence is nothing but an exclamation."""
    return not _LETTER.search(sentence) or bool(_ONLY_FILLERS.fullmatch(sentence.strip()))


def _find_message_before(talk: Sequence[Message], *, is_own: bool) -> Message | None:
    """Return the user's message directly before the end of a talk; laughter is passed over.

    None where the character said more than one message since, or, unless `is_own`, states
    something of itself, which may be what is called a lie.
    """
    lines = 0
    for message in reversed(talk):
        if message.role is Role.USER and _LETTER.search(message.text):
            return message
        if message.role is Role.ASSISTANT:
            lines += 1
            sentences = split_chat_sentences(message.text[:_MOST_READ])
            states = any(not one.endswith("?") and _OF_CHARACTER.search(one) for one in sentences)
            if lines > 1 or (states and not is_own):
                return None
    return None


def _list_user_messages(talk: Sequence[Message]) -> list[Message]:
    return [one for one in talk if one.role is Role.USER]


def _find_named(named: frozenset[str], earlier: Sequence[Message]) -> tuple[str, str] | None:
    """Return the id and the latest earlier sentence that holds all words that are named."""
    for message in reversed(earlier):
        if _read_take_back(message):
            continue
        for sentence in reversed(split_chat_sentences(message.text[:_MOST_READ])):
            if named <= _list_word_stems(sentence):
                return message.id, sentence
    return None


def _find_last_statement(message: Message) -> tuple[str, str] | None:
    """Return the id of a message and its last sentence that states something."""
    for sentence in reversed(split_chat_sentences(message.text[:_MOST_READ])):
        if _LETTER.search(sentence) and not sentence.endswith("?"):
            return message.id, sentence
    return None


def _strike_sentences(text: str, sentences: Sequence[str]) -> str:
    """Return a text without sentences of it; '' where only marks are left."""
    for sentence in sentences:
        before, _, behind = text.rpartition(sentence.removesuffix("?"))
        text = f"{before} {behind.lstrip('.!~… ')}"
    return text.strip() if _LETTER.search(text) else ""


def _list_word_stems(text: str) -> frozenset[str]:
    return frozenset(cut_word_stem(word) for word in _NAMES.findall(text) if not _EMPTY.match(word))
