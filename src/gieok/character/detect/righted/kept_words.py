"""Finds the words with which a message puts something right, where no rule reads the right value.

A correction is told by its form, whatever it is about. The form is a denial of what was just said
with something else in its place, words that say that a mistake was made, a value said again with
emphasis, what somebody else is that the character took for the user, or what is given up and what
is done now. The words themselves are kept then: they say what is right, and of what, in the user's
own way.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.character.detect import gates, words
from gieok.character.detect.abandonment import cut_word_stem
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.detect.righted.claims import TAG, WHO
from gieok.character.detect.righted.english_values import STOP
from gieok.character.detect.righted.korean_values import NEGATED, PARTICLE, cut_clauses, strip_end
from gieok.character.detect.righted.openings import OPENS_NO, PUTS_RIGHT, PUTS_SELF_RIGHT
from gieok.text.hearsay import is_handed_on
from gieok.text.persons import ANYBODY_EN

#: Longest message of which something is kept, and the most that is kept of it, in characters.
_LONGEST, _MOST_KEPT = 240, 140
#: A reply that states nothing but a value has at most so many words.
_MOST_ALONE = 4
#: Words of a statement that stands beside a joke taken back.
_MOST_OWN = 7
#: Words of a sentence that says one value twice, and of a clause that gives one to another thing.
_MOST_TWICE, _MOST_GIVEN = 2, 4
#: Sentences kept of a message.
_MOST_SENTENCES = 2
#: What a Korean or English sentence denies, with something else in its place.
_DENIED_KO = re.compile(
    rf"(?P<wrong>[가-힣A-Za-z0-9]+?)(?: ?(?:거|것|건|게))?(?:이|가|은|는|도)?\s?(?:{words.NOT_BUT}"
    r"|아니(?:야|에요|예요|요|다|었|거든)|아냐|아녜요|아님|아닙니다|아닌데)"
)
_DENIED_EN = re.compile(
    r"(?:(?P<apart>(?:^|[,;:.…–-])\W*(?:and |but |so |it['’]?s |that['’]?s )?)"
    r"(?:not|isn['’]?t|wasn['’]?t)|\bnot(?= (?:an?|in|at|from|on|for|with) ))\s+"
    r"(?P<wrong>(?:[\w’'-]+\s*){1,3})",
    re.IGNORECASE,
)
#: What is given up, in any tense, and what takes its place.
_STOPPED = re.compile(
    r"끊었|끊고|끊음|관뒀|관두|그만[두뒀둔]|접었|접고|때려치|안 ?(?:먹|마[시십셔신셨]|하|가|다니|다녀|타|써|쓰|키[우워]|좋아)"
    r"|질렸|질려|옛날 ?(?:얘기|이야기|말|일)|때 ?(?:얘기|이야기)|(?<![가-힣])(?:전에|예전에) 하던"
    r"|밀렸|밀려|당겨졌|미뤄졌|미뤘|바뀜|옮겼|옮김|옮긴|바꿨|바뀌|바꼈|팔았|나왔|헤어졌|갈아탔"
    r"|\b(?:i|we)(?:['’](?:ve|m|re|d))?(?: \w+){0,2}? (?:quit|gave|given|giving|stopped|dropped"
    r"|left|sold|switched|moved|swapped|traded|gone off|went off|going off|broke up|no longer"
    r"|used to)\b|\bany ?more\b"
    r"|\b(?:pushed|moved|postponed|rescheduled|brought forward|put back)\b"
    r"|\b(?:i['’]?m|been|we['’]?re) off (?:the |it\b)"
    r"|^\W*(?:off|done with|finished with) (?:the |it\b|them\b)",
    re.IGNORECASE,
)
#: The whole of what was said is denied, and no word of it.
_DENIES_IT = re.compile(
    r"(?:그거|그것|그게|그건|그런 ?거|그 ?말) ?(?:말고|아니고|아니구|아니라|아니야|아닌데|아님)"
    r"|\b(?:that['’]?s|it['’]?s|that was) (?:not|wrong|the wrong)\b(?: (?:it|right|one|quite)\b)?"
    r"|^\W*not (?:that one|quite|exactly)\b",
    re.IGNORECASE,
)
#: Without 말고, with which one asks for something.
_NOT_BUT = re.compile(r"[가-힣A-Za-z0-9](?:은|는|이|가)? ?(?:아니고|아니구|아니라)(?![가-힣])")
_IS_SO_EN = re.compile(r"^\W*(?:it['’]?s|i['’]?m|i am|that['’]?s|we['’]?re)\b", re.IGNORECASE)
_NOT_EN = re.compile(r"\bnot\b|n['’]?t\b", re.IGNORECASE)
_WISHED = re.compile(
    r"싶|좋겠|[으이라하]면(?![가-힣])|꿈|고서야|\b(?:want|wish|if|hope)\b", re.IGNORECASE
)
_OF_OTHER_EN = re.compile(
    rf"^\W*(?:he|she|they|you|your|my (?:\w+ ){{0,2}}?(?:{ANYBODY_EN})s?)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"[,;.]|\b(?:and|but|so)\b")
_IT = re.compile(r"\b(?:it|that|them|those)\b", re.IGNORECASE)
#: A sentence with fewer words that name something may leave out what it is about.
_LEAST_STRANGE = 3
_NOW = re.compile(
    r"(?<![가-힣])(?:이제는?|이젠|요즘은?|요새는?|요샌|요즘엔|지금은|시방은?|담주부터|다음 ?주부터|앞으로는?|대신)(?![가-힣])"
    r"|\b(?:now|instead|these days|nowadays|from now on)\b",
    re.IGNORECASE,
)
#: How a Korean value ends that is said with emphasis, and how one ends that is all that is said.
_INSISTS_KO = re.compile(r"이?라(?:니까요?|고요|구요|고|구)$")
_STATES_KO = re.compile(r"(?:이에요|예요|이야|입니다|이요|이지|인데요?|이올시다)$")
_ASKS_OPEN = re.compile(
    r"뭐|무슨|무엇|어디|언제|누구|누가|몇|왜|어떻게|어떤|어때|어떠|얼마"
    r"|\b(?:what|where|when|who|whose|how|why|which)\b",
    re.IGNORECASE,
)
_SELF_KO = re.compile(
    r"^(?:나는|난|나|내가|저는|전|저|제가|(?:저희|우리)(?: (?:내외|부부|식구|가족))?(?:는|은)?)(?![가-힣])"
)
#: The user is the one whom a Korean clause names: 요리하는 건 저고.
_IS_SELF_KO = re.compile(r"(?:건|게|쪽은|사람은) (?:나|저|내|제)(?:고|예요|야|지|인데|임)?$")
_SELF_EN = re.compile(r"\b(?:not (?:me|mine|i)|mine|i['’]?m|i|we['’]?re)\b", re.IGNORECASE)
#: A Korean question that takes something for so, and an English one that does not.
_GUESSES_KO = re.compile(r"(?:네|군|구나|군요|지|죠|잖아|다며|라며|면서|[는은인]데)요?\?$")
_ASKS_EN = re.compile(
    r"^\W*(?:(?:and|so|oh|ah|well|but)\b\W*)*(?:do|does|did|is|are|was|were|have|has|had"
    r"|can|could|will|would|should|may|any)\b",
    re.IGNORECASE,
)
#: What something is, told of what the character called another thing: its a gerbil.
_IDENTIFIES_EN = re.compile(
    r"^\W*(?:it['’]?s|he['’]?s|she['’]?s|they['’]?re) (?:an? |my )", re.IGNORECASE
)
_OWNED_EN = re.compile(r"\byour (?P<thing>\w+)", re.IGNORECASE)
#: What the user says of what they said themselves: 아까 화요일이라고 했는데.
_RESAID = re.compile(
    r"(?:아까|방금|전에|저번에|지난번에|처음에)[^.!?]{2,40}?(?:라고?|다고|댔|랬) ?[가-힣]{0,5}(?:는데|지만)"
    r"|\b(?:earlier|just now|though|i know|when)\b[^.!?]{0,12}"
    r"\bi (?:said|say|told you|wrote|typed)\b"
    r"|\bi (?:said|told you|wrote|typed)\b[^.!?]{0,40}\b(?:earlier|before|but)\b",
    re.IGNORECASE,
)
#: The user says that it is not they.
_NOT_SELF = re.compile(
    r"\bnot (?:me|mine|us)\b|(?<![가-힣])(?:나|저|내|제|우리)(?:가|는)? ?(?:말고|아니고|아니라|아니야|아니에요|아냐)",
    re.IGNORECASE,
)
_TOPIC_KO = re.compile(r"[가-힣]+ (?:건|게|데는|곳은|쪽은|사람은) ")
_OF_YOU = re.compile(r"(?<![가-힣])(?:너|넌|네가|니)(?![가-힣])|\byou", re.IGNORECASE)
_STATES_EN = re.compile(
    r"^\W*(?:i['’]?m|i am|i was|we['’]?re|it['’]?s|it is|that['’]?s|mine['’]?s|he['’]?s|she['’]?s"
    r"|my \w+['’]?s?)\b",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(r"\b(?:what|who|which|whose)\b", re.IGNORECASE)
_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z'’-]{2,}|\d+")
_NEGATED_EN = re.compile(
    r"\b(?:not|never|no|nothing|none|nobody|without)\b|n['’]?t\b", re.IGNORECASE
)
_STOP_EN = re.compile(STOP, re.IGNORECASE)
_STOP_KO = re.compile(
    rf"{words.NO_NOUN}|아까|방금|그런데|근데|그리고|그래|그거|이거|저거|나는|저는|내가|제가|우리|하는|했는|라고|거든|사실|원래|진짜"
    r"|이제|이젠|요즘|요새|요샌|다들"
)
#: An exclamation that may open any message: 아니 이게 뭐야.
_ONLY_EXCLAIMED = re.compile(r"^\W*(?:(?:아|어|앗|헐)\W+)*아니(?= )")


class RightingWords(NamedTuple):
    """Words that put something right, and the stems of what they say is wrong or over.

    `is_whose`: they tell the user and somebody else apart; what rules read there may be of either.
    """

    kept: str = ""
    denied: frozenset[str] = frozenset()
    is_whose: bool = False


class _LastTurns(NamedTuple):
    """Stems of what was said before a message: by the character just before, and by the user.

    `asks_openly`: the character asked for a value; `guesses`: it took something for so; `owned` are
    the things that it called the user's.
    """

    reply: frozenset[str]
    own: frozenset[str]
    asks_openly: bool
    guesses: bool
    owned: frozenset[str]
    asked: str


def find_righting_words(
    text: str, answers: str, own: Sequence[str], replies: Sequence[str] = ()
) -> RightingWords:
    """Return the words with which a message puts something right; none where it does not.

    `answers` is the character's message before it, `own` what the user said in the last turns, and
    `replies` what the character said in them.
    """
    sentences = split_chat_sentences(text)
    if len(text) > _LONGEST or not sentences:
        return RightingWords()
    talk = _build_talk(answers, own)
    before = talk._replace(reply=talk.reply | list_stems(" ".join(replies)))
    denied = frozenset(_iter_denied(sentences, before))
    asked = WHO.search(talk.asked)
    if asked and talk.asked.endswith("?") and asked[0].lower() not in text.lower():
        return RightingWords()  # it may be them of whom the user speaks
    is_whose = _tells_whose(sentences, talk)
    forms = (_says_mistake, _answers_guess, _denies_guess, _says_again, _tells_change)
    if denied or is_whose or any(has_form(sentences, talk) for has_form in forms):
        return RightingWords(_choose_sentences(sentences, talk), denied, is_whose)
    return RightingWords()


def _build_talk(answers: str, own: Sequence[str]) -> _LastTurns:
    asked = split_chat_sentences(answers)
    last = asked[-1] if asked else ""
    is_question = last.endswith("?")
    return _LastTurns(
        reply=list_stems(answers),
        own=list_stems(" ".join(own)),
        asks_openly=is_question and _ASKS_OPEN.search(last) is not None,
        guesses=bool(last) and (not is_question or _takes_for_so(last)),
        owned=frozenset(cut_word_stem(one["thing"]) for one in _OWNED_EN.finditer(answers)),
        asked=last,
    )


def _takes_for_so(question: str) -> bool:
    """Return whether a question takes something for so, and does not ask whether it is."""
    if re.search(r"[가-힣]", question):
        return _GUESSES_KO.search(question) is not None
    return TAG.search(question) is not None or not _ASKS_EN.match(question)


def is_own_statement(text: str) -> bool:
    """Return whether a text is one short statement of the user about themselves."""
    sentences = split_chat_sentences(text)
    is_one = len(sentences) == 1 and len(text.split()) <= _MOST_OWN and bool(list_stems(text))
    is_own = _STATES_EN.match(text) or _SELF_EN.search(text) or re.search(r"[가-힣]", text)
    return is_one and bool(is_own) and not (text.endswith("?") or _OF_YOU.search(text))


def list_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that may name something; figures as they are."""
    stems = set[str]()
    for word in _WORD.findall(text):
        if "가" <= word[0] <= "힣":
            bare = PARTICLE.sub("", strip_end(word))
            if len(set(bare)) > 1 and not _STOP_KO.match(bare):
                stems.add(cut_word_stem(bare))
        elif word.isdigit():
            stems.add(word)
        elif not _STOP_EN.fullmatch(bare := re.sub(r"['’]s$", "", word)):
            stems.add(cut_word_stem(bare))
    return frozenset(stems)


def _iter_denied(sentences: Sequence[str], talk: _LastTurns) -> Iterator[str]:
    """Yield the stems that sentences deny of what was said before, with others in their place.

    What the user said themselves is denied where the message says that it puts something right: a
    contrast may be of anything.
    """
    text = ". ".join(sentences)
    is_marked = any(one.search(text) for one in (OPENS_NO, PUTS_RIGHT, _RESAID))
    for sentence in sentences:
        if sentence.endswith("?") or gates.is_idea(sentence) or _is_unmeant(sentence):
            continue
        for pattern in (_DENIED_KO, _DENIED_EN):
            for found in pattern.finditer(sentence):
                is_apart = found.groupdict().get("apart", "") is not None
                said = talk.reply | talk.own if is_apart and is_marked else talk.reply
                denied = list_stems(found["wrong"]) & said
                rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
                others = list_stems(". ".join(sentences)) - talk.reply - denied
                yield from denied if others or re.search(r"\w{2}", rest) else ()


def _is_unmeant(sentence: str) -> bool:
    """Return whether a sentence wishes, supposes, hands on, or tells of somebody else."""
    verbs = re.findall(r"[가-힣]+", sentence)[-1:]
    who = gates.topic(sentence, frozenset()).who
    is_of_other = (who and not _denies_topic(sentence, who)) or _OF_OTHER_EN.match(sentence)
    return bool(_WISHED.search(sentence) or is_of_other or any(map(is_handed_on, verbs)))


def _denies_topic(sentence: str, who: str) -> bool:
    """Return whether a Korean sentence denies the person with whom it begins."""
    denied = _DENIED_KO.search(sentence)
    return denied is not None and who in denied["wrong"]


def _denies_guess(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a message denies what the character took for so, and says what is so.

    It denies it as a whole (그거 아니고 수요일), or in a clause beside one that affirms.
    """
    if not talk.reply or talk.asks_openly:
        return False
    for sentence in sentences:
        if sentence.endswith("?") or _is_unmeant(sentence):
            continue
        clauses = [one for one in _split_clauses(sentence) if list_stems(one)]
        negated = [one for one in clauses if NEGATED.search(one) or _NEGATED_EN.search(one)]
        affirmed = [one for one in clauses if one not in negated and list_stems(one) - talk.reply]
        is_reply = talk.guesses or talk.asked.endswith("?")
        contrast = _NOT_BUT.search(sentence)
        if is_reply and contrast and list_stems(sentence[contrast.end() :]) - talk.reply:
            return True
        if _DENIES_IT.search(sentence) and list_stems(_DENIES_IT.sub("", sentence)) - talk.reply:
            return True
        is_denied = any(list_stems(one) & talk.reply for one in clauses) and bool(negated)
        is_stated = any(_IS_SO_EN.match(one) for one in affirmed)
        if talk.guesses and is_denied and is_stated and _NOT_EN.search(sentence):
            return True
    return False


def _split_clauses(sentence: str) -> list[str]:
    if re.search(r"[가-힣]", sentence):
        return cut_clauses(sentence)
    return [one for one in re.split(r"[,;]|\bbut\b", sentence) if one.strip()]


def _says_mistake(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a message says that a mistake was made, in what it names or said just now."""
    text = ". ".join(sentences)
    if any(map(PUTS_SELF_RIGHT.match, sentences)):
        return any(_states_anew(one, talk) for one in sentences)
    if _RESAID.search(text):
        return True
    return PUTS_RIGHT.search(text) is not None and bool(list_stems(text) & (talk.own | talk.reply))


def _answers_guess(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a message opens with a denial of a guess and states something else."""
    told = [one for one in sentences if not one.endswith("?")][:_MOST_SENTENCES]
    if told and _IDENTIFIES_EN.match(told[0]) and talk.owned - list_stems(told[0]):
        return _states_anew(told[0], talk) and not (
            _ASKS_WHAT.search(talk.asked) or WHO.search(talk.asked)
        )
    if talk.asks_openly or not talk.reply or not told or not OPENS_NO.match(told[0]):
        return False
    is_exclaimed = _ONLY_EXCLAIMED.match(told[0]) is not None
    for one in told:
        bare = OPENS_NO.sub("", one).strip(" ,.~")
        if not _states_anew(one, talk):
            continue
        if list_stems(bare) & talk.reply:
            return True
        if talk.guesses and _INSISTS_KO.search(bare):
            return True
        is_own = bool(_STATES_EN.match(bare) or _SELF_KO.match(bare))
        is_short = len(bare.split()) <= _MOST_ALONE
        if (talk.guesses or _NOW.search(one)) and not is_exclaimed and (is_own or is_short):
            return True
    return False


def _states_anew(sentence: str, talk: _LastTurns) -> bool:
    """Return whether a sentence states something that the character did not say."""
    bare = OPENS_NO.sub("", sentence)
    is_statement = not sentence.endswith("?") and not gates.is_idea(bare)
    is_negated = NEGATED.search(bare) or _NEGATED_EN.search(bare)
    return is_statement and not is_negated and bool(list_stems(bare) - talk.reply)


def _says_again(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a sentence says a value of the user again, in the place of the character's."""
    if talk.asks_openly or not talk.reply:
        return False
    for sentence in sentences:
        said = list_stems(sentence)
        again = (said & talk.own) - talk.reply
        if talk.guesses and _is_said_twice(sentence, talk):
            return True
        if sentence.endswith("?") or not again:
            continue
        words_ = [word for word in sentence.split() if list_stems(word) & again]
        if any(_INSISTS_KO.search(word.strip(" ,.~")) for word in words_):
            return True
        if (
            talk.guesses
            and said <= again
            and any(_STATES_KO.search(word.strip(" ,.~")) for word in words_)
        ):
            return True
    return False


def _is_said_twice(sentence: str, talk: _LastTurns) -> bool:
    """Return whether a sentence is one new value said twice: 초등이요 초등."""
    words_ = [strip_end(word) for word in sentence.split()]
    is_one = len(words_) == _MOST_TWICE and words_[0] == words_[1]
    return is_one and bool(list_stems(words_[0]) - talk.reply)


def _tells_whose(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a sentence gives what the character said to another, and names the user."""
    if talk.asks_openly:
        return False
    for sentence in sentences:
        is_apart = talk.reply and list_stems(sentence) and _NOT_SELF.search(sentence)
        if is_apart and not sentence.endswith("?"):
            return True
        if sentence.endswith("?") or not list_stems(sentence) & talk.reply:
            continue
        clauses = cut_clauses(sentence)
        others = [
            one
            for one in clauses
            if (WHO.search(one) or _names_topic(one, talk)) and not _SELF_KO.match(one)
        ]
        own = [one for one in clauses if _SELF_KO.match(one) or _IS_SELF_KO.search(one)]
        is_given = any(list_stems(one) & talk.reply for one in (*others, *own))
        if others and own and is_given and not any(NEGATED.search(one) for one in own):
            return True
        if talk.guesses and _gives_to_another(clauses, talk):
            return True
    return False


def _gives_to_another(clauses: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether Korean clauses give what the character said to another thing: 북한산은 지난주고
    이번엔 관악산.
    """
    if len(clauses) != _MOST_TWICE or any(len(one.split()) > _MOST_GIVEN for one in clauses):
        return False
    is_given = _names_topic(clauses[0], talk) or _TOPIC_KO.match(clauses[0]) is not None
    return (
        is_given
        and not any(map(NEGATED.search, clauses))
        and bool(list_stems(clauses[1]) - talk.reply)
    )


def _names_topic(clause: str, talk: _LastTurns) -> bool:
    """Return whether a Korean clause begins with a word of the character's as its topic."""
    topic = re.match(r"(?P<who>[가-힣]{2,})(?:은|는|이|가)\s", clause)
    return topic is not None and bool(list_stems(topic["who"]) & talk.reply)


def _tells_change(sentences: Sequence[str], talk: _LastTurns) -> bool:
    """Return whether a message tells that something is over, and what is so now."""
    text = ". ".join(sentences)
    over = [one for one in sentences if _STOPPED.search(one) and not one.endswith("?")]
    is_own = any(
        not gates.is_idea(one) and (not gates.names_person(one) or list_stems(one) & talk.reply)
        for one in over
    )
    is_of_other = re.search(rf"\bmy (?:{ANYBODY_EN})\b", text, re.IGNORECASE)
    if not is_own or is_of_other or not _tells_next(text, talk):
        return False
    is_of_reply = any(list_stems(one) & talk.reply for one in over)
    is_known = any(
        list_stems(one) & talk.own or len(list_stems(one)) < _LEAST_STRANGE or _IT.search(one)
        for one in over
    )
    return is_of_reply or (is_known and _NOW.search(text) is not None)


def _tells_next(text: str, talk: _LastTurns) -> bool:
    """Return whether a message states something else than what is over, behind it or as what is
    so now.
    """
    stopped = next(_STOPPED.finditer(text), None)
    behind = text[stopped.end() :] if stopped else ""
    is_korean = re.search(r"[가-힣]", text) is not None
    # an English verb has what is over behind it
    told_next = [behind.partition(" ")[2]] if is_korean else _CLAUSE_END.split(behind)[1:]
    clauses = [*told_next, *(text[now.end() :] for now in _NOW.finditer(text))]
    return any(
        list_stems(one) - talk.reply and not _STOPPED.match(one.strip()) and not _WISHED.search(one)
        for one in clauses
    )


def _choose_sentences(sentences: Sequence[str], talk: _LastTurns) -> str:
    """Return the sentences that say something new, in their order."""
    marked = [number for number, one in enumerate(sentences) if PUTS_SELF_RIGHT.match(one)]
    told = [
        one
        for one in sentences[marked[0] if marked else 0 :]
        if not one.endswith("?") and list_stems(one)
    ]
    new = [one for one in told if list_stems(one) - talk.reply] or told
    kept = ". ".join(one.strip(" ,~") for one in new[:_MOST_SENTENCES])
    return kept[:_MOST_KEPT].rsplit(" ", 1)[0] if len(kept) > _MOST_KEPT else kept
