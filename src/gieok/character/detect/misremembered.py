"""Finds what a user puts right of what the character, or they themselves, said just before.

A character says things wrongly: a name that it misheard, a brother's knee taken for the user's.
Nothing of that is held, so nothing held says what is corrected. A reply puts right where a value
of the last turn is denied, is told of something else, or is said again as another value of its
kind, and the right value stands beside it. What the value is of says the sentence that had the
wrong one.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from gieok.character.detect import gates, words
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.facts import same_value
from gieok.text import persons
from gieok.text.josa import with_particle
from gieok.text.language import detect_text_language


class Righted(NamedTuple):
    """Wrong value, the right one, the sentence that puts it right, and the one that was wrong.

    `is_own`: the wrong sentence is the user's, not the character's.
    """

    wrong: str
    right: str
    sentence: str
    claim: str
    is_own: bool = False


class ClaimKind(NamedTuple):
    """What a character's sentence says of its user: a predicate, and words around the value `{w}`.

    Of the two texts the first is such a sentence about Busan (부산), the second is none.
    """

    predicate: str
    words: str
    example: str
    counter_example: str


class _Claim(NamedTuple):
    """Sentence of the last turn that may be wrong about the user.

    `is_of_user`: it is surely about the user: it addresses them, or says what they said.
    """

    text: str
    is_own: bool
    is_of_user: bool
    #: What the user had said before it.
    earlier: str = ""
    #: Whether the message says itself that it puts something right that the user said.
    is_open: bool = True


#: The first that a sentence has names its kind.
CLAIM_KINDS = (
    ClaimKind(
        "name",
        (
            r"^\W*(?:hi|hey|hello|welcome(?: back)?|good \w+),? {w}\b|^\W*{w}, is it\b"
            r"|^\W*{w}(?:아|야| ?씨| ?님)(?![가-힣])|이름(?:이|은) {w}"
        ),
        "부산 님, 어서 오세요",
        "부산은 좋겠다",
    ),
    ClaimKind(
        "lives_in",
        (
            r"{w}(?:에|에서)? ?(?:살(?:면|지|잖|았|고|다|아)|사(?:시|신|세|셨))"
            r"|\b(?:live|living|lives|based)\b[^,.]* {w}\b|\bhome (?:in|to) {w}\b"
        ),
        "부산 살면 바다 자주 가겠다",
        "부산 사는 친구는 잘 지내?",
    ),
    ClaimKind(
        "from",
        r"{w} ?(?:출신|사람이|분이)|고향(?:이|은) {w}|\byou(?:'re| are| were)? (?:come )?from {w}\b",
        "부산 출신이라며",
        "부산 다녀왔다며",
    ),
    ClaimKind(
        "age",
        r"(?:{w} ?살|\b{w} years old\b|\byou(?:'re| are) {w}\b(?! \w))",
        "너 부산 살이라며",
        "부산 번 갔다며",
    ),
    ClaimKind(
        "likes",
        (
            r"{w}(?:을|를|이|가)? ?(?:제일 |진짜 )?(?:좋아하|좋다며|최애)|최애(?:가|는) {w}"
            r"|\byou (?:like|love) (?:your )?{w}\b|\byour favou?rite\b[^.]* {w}\b"
        ),
        "너 최애가 부산이랬지",
        "부산은 안 좋아한다며",
    ),
    ClaimKind(
        "hobby",
        r"{w}(?:을|를)? ?(?:친다|치신다|치시|배운다|배우신다|연주)|\byou(?:'re| are)? play(?:ing)?(?: the)? {w}\b",
        "너 부산 친다며",
        "부산 갔다며",
    ),
)
_NEAR_KO = persons.alternatives(gates.ONE_RELATIVE, persons.PARTNERS_KO, persons.CIRCLE_KO)
#: Somebody else whom a sentence names.
_WHO = re.compile(
    rf"(?<![가-힣])(?:{_NEAR_KO}"
    rf"|따님|아드님|사모님|손주)(?!님?이? ?없)|\b(?:{persons.ANYBODY_EN})\b",
    re.IGNORECASE,
)
_MOST_CLAIM, _MOST_VALUE, _ALIKE = 160, 30, 0.6
#: A longer message is a story; patterns with free ends would take seconds for some of them.
_LONGEST_CORRECTION = 1_000
#: Longest sentence that is kept with a value in it put right.
_MOST_KEPT = 70
#: What opens a reply that puts something right, and what says so anywhere.
_NO_KO = (
    r"아니(?:요|야|다|지|네|라니까요?)?|아뇨|ㄴㄴ+|노노|땡|틀렸[가-힣]*|정정[가-힣]*|잘못 ?[가-힣]+"
)
_NO_EN = (
    r"no|nope|nah|wrong|sorry|correction|wait|actually|oops|god no|i tell a lie|scratch that"
    r"|make that|i meant?|what i meant(?: was| is)?|(?:lord|heavens|gosh|hell|oh|good lord) no"
)
_OPENS_NO = re.compile(
    rf"^\W*(?:(?:아|어|앗|헐|ay|oh|ah|er|uh|lol)\W+)*(?:(?:{_NO_KO})(?![가-힣])|(?:{_NO_EN})\b)",
    re.IGNORECASE,
)
_PUTS_RIGHT = re.compile(
    r"정정|잘못 ?(?:말|알|적|썼)|헷갈|착각|\bcorrection\b|\bi (?:misspoke|was wrong|tell a lie)\b"
    r"|\b(?:got|had|have|i['’]d|gave you|told you) (?:that|the|it|you"
    r"|my)(?: \w+){0,2} (?:wrong|mixed up)\b"
    r"|\bmixed (?:it|that|them|those) up\b|틀리게 ?(?:말|알려)|잘못 ?알려"
    r"|\b(?:what )?i meant\b|\bmy mistake\b|\bscratch that\b|\bmake that\b",
    re.IGNORECASE,
)
_DENIES = re.compile(rf"{words.NOT_BUT}|\bnot\b", re.IGNORECASE)
#: What the user cites of their own words in the message that puts them right.
_CITED = (
    re.compile(
        r"\bi (?:told (?:you|u|ya)|said|wrote|typed|put)\s+(?:that )?(?P<said>[^.!?,]{3,60}?)"
        r"(?=,|[.!?]|\s+(?:but|and|when|before|earlier)\b|$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:^|[.!?,] ?)(?:(?:아|어|참|근데|아까|방금|전에|저번에|제가"
        r"|내가) )*(?P<said>[^.!?,]{2,40}?)(?:이라고?|라고|이랬|랬|다고|댔) ?"
        r"(?:했|말했|말씀드렸|적었|그랬)?[가-힣]{0,4}(?:는데|지만)"
    ),
)
#: Words that say that what follows is put right, and nothing else.
_IS_RIGHT = re.compile(
    r"^\W*(?:(?:아|어|근데|그리고|글고|oh|ah|ay|um|so|hey|btw)\W+)*"
    r"(?:정정(?:할게요?|합니다|하겠습니다|하자면|할 게 있[가-힣]*|드릴게요)|correction|i meant to say"
    r"|what i meant(?: was| is)?)"
    r"(?:\s+(?:btw|pala|kuya|there|though|please|na))*[\s:,.\-–]+(?P<right>[^?]{4,80})$",
    re.IGNORECASE,
)
#: A sentence of the character about the user: it addresses them, or says what they said.
_OF_USER_KO = re.compile(
    r"(?<![가-힣])(?:너|넌|너는|네가|니가|네|니|당신|자기|댁)(?![가-힣])"
    r"|[다라](?:며|면서)(?:요)?(?![가-힣])|[다라]고 ?(?:했|하셨|하지|그랬)|[랬댔](?:지|잖|죠|나|던)"
    r"|(?:시|셨|으셨)(?:죠|지|군|네|다|어|나|겠|잖)|세요|님(?![가-힣])|[었았였했]지(?:요)?(?=\W*$)"
)
_OF_USER_EN = re.compile(
    r"\byou(?:'re|r|'ve)?\b|\bi (?:thought|guessed|heard)\b|\bi['’]d have (?:said|guessed"
    r"|thought)\b|,\s*(?:is it|is he|is she|isn't it|right|no|diba|innit|eh|was it)\b"
    r"|^\W*(?:hi|hey|hello|welcome(?: back)?|so|and|how's|how is|how are|no)\b",
    re.IGNORECASE,
)
#: The character speaks of itself.
_OF_CHARACTER = re.compile(
    r"(?<![가-힣])(?:나는|난|내가|나도|내|저는|제가|저도|제)(?![가-힣])|\b(?:i|i'm|i've|my|me|mine)\b",
    re.IGNORECASE,
)
_SELF_KO = re.compile(r"^(?:나는|난|나|내가|내|저는|전|저|제가|제|저희는?|우리는?)(?![가-힣])\s*")
_SELF_EN = re.compile(r"\b(?:i|i'm|i've|my|mine|me)\b", re.IGNORECASE)
#: What denies the word before it, and the word behind it.
_DENIED_KO = re.compile(
    rf"(?P<lead>[가-힣A-Za-z0-9]{{1,30}} )?(?P<wrong>[가-힣A-Za-z0-9]{{1,30}}?)(?:이가|이|가|은|는|도|만|을"
    rf"|를)?\s?(?:{words.NOT_BUT}"
    r"|(?:(?:이제는?|이젠|요즘은?|요새는?|더는|지금은) )?(?:안|못) ?(?:마[시셔십]|먹|좋아|해|하|가|다니|다녀|타|쓰|써|키우|키워)[가-힣]*"
    r"|(?:이제 |요즘 |요새 )?(?:끊었|그만뒀|그만뒀|질렸)[가-힣]*|아니(?:에요|예요|야|고요|거든요?)"
    r"|아녜요|아냐|아님|아닌데요?|아닙니다|(?:은|는)? ?무슨|이?라[뇨니]요?|이?라니요)(?![가-힣])[요,.~;\sㅋㅎ]*(?P<behind>.*)"
)
_LITTLE_EN = (
    r"(?:(?:an?|the|over|out|up|down|got|near|in|on|at|from|to|my|called|for|just|of|with|as|by"
    r"|our)\s+)*"
)
_GIVEN_UP_EN = (
    r"(?:(?:don'?t|do not|no longer|can'?t|never)(?: really)? (?:drink|eat|like|love|do|play|take"
    r"|wear|watch|read|listen to)|(?:gone|went|going|i['’]?m) off|(?:stopped|quit|gave up"
    r"|given up|sold|traded in|left)"
    r"(?: (?:drinking|eating|liking|doing|playing|taking))?)"
)
#: What was given up is named by the character alone: "I've gone off it".
_GIVEN_UP_IT = re.compile(rf"\b{_GIVEN_UP_EN}\s+(?:it|that|them|those)\b", re.IGNORECASE)
_DENIED_EN = re.compile(
    rf"\b(?:(?:not|isn'?t|wasn'?t)|{_GIVEN_UP_EN})\s+{_LITTLE_EN}"
    r"(?P<wrong>[\w'’-]+(?:\s+[\w'’-]+)?)",
    re.IGNORECASE,
)
#: A word of the character said again as the subject of another statement, or as a question.
_SUBJECT_EN = re.compile(
    rf"^\W*(?:(?:{_NO_EN})\b\W+(?:\w+['’]?\w*, )?)?(?P<wrong>[\w’'-]+?)(?:['’]s| is| was| are)\s+"
    r"(?!called\b|named\b)\S",
    re.IGNORECASE,
)
_ECHO_EN = re.compile(r"^\W*(?:an? |the )?(?P<wrong>[\w'’-]+(?: [\w'’-]+)?)(?P<mark>[?!])")
_OF_OTHER_EN = re.compile(
    rf"\b(?:my|the) (?:\w+ )?(?:{persons.ANYBODY_EN}|ate|kuya|in-laws?)"
    r"(?:['’]s|\s+(?:is|was|has|in|works?|lives?))\b",
    re.IGNORECASE,
)
_TOPIC_KO = re.compile(r"^(?P<wrong>[가-힣A-Za-z0-9]+?)(?:이는|이가|은|는|이|가)(?=\s)")
#: Words that are no value, nor part of one.
_STOP_EN = (
    r"(?:an?|the|and|but|or|so|because|since|when|if|that|which|who|what|where|this|these|those|it"
    r"|its|it's|i|i'm|im|i've|i'd|i'll|you|your|you're|he|she|they|we|his|her|their|my|mine|our|is"
    r"|are|was|were|be|been|am|has|have|had|do|does|did|will|would|can|could|should|not|no|never"
    r"|to|of|in|on|at|for|with|from|by|as|than|then|there|here|how|now|too|very|really|just|only"
    r"|still|all|any|some|well|yes|yeah|yep|nope|nah|sorry|wrong|god|gosh|lord|lol|haha+|please"
    r"|thanks|ok|okay|oh|ah|about|going|gonna|sure|glad|fine|afraid|trying|into|off|out|up|one"
    r"|after|before|today|tomorrow|yesterday|getting|being|mean|meant|said|po|na|ko|ako|lang|yung"
    r"|always|love|girl|man|mate|dear|kuya|right|joking|kidding|serious|telling|saying|talking"
    r"|last|week|weeks|year|years|month|day|days|ago|time|told|get|got|make|made|let|keep"
    r"|like|more|much|again|anymore|actually|though|also|even)"
)
_VALUE_EN = rf"(?P<right>(?!{_STOP_EN}\b)[\w'’-]+(?:\s+(?!{_STOP_EN}\b)[\w'’-]+){{0,2}})"
#: Where the right value stands, the likeliest first: said of the user, said to be meant, alone.
_RIGHT_EN = (
    re.compile(rf"\bi (?:meant|said|mean)\s+{_LITTLE_EN}{_VALUE_EN}", re.IGNORECASE),
    re.compile(
        rf"\b(?:i'?m|i am|i['’]?ve|we['’]re|we are|i was)\s+{_LITTLE_EN}(?:(?:taking"
        rf"|studying|doing|working|living|based"
        rf"|playing|learning|drinking|on)\s+)?{_LITTLE_EN}{_VALUE_EN}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bi (?:live|work|study|play|teach|drive|take|do|drink|eat|sell|run|make|fix|bake|write"
        rf"|tutor|come|keep)\s+{_LITTLE_EN}{_VALUE_EN}",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:mine|my \w+)(?:['’]s| is| was)\s+{_LITTLE_EN}{_VALUE_EN}", re.IGNORECASE),
    re.compile(
        rf"(?:\b(?:it|that)['’]?s|\bit (?:is|was)|'twas|'tis|\b(?:he|she)['’]s)\s+{_LITTLE_EN}"
        rf"{_VALUE_EN}",
        re.IGNORECASE,
    ),
)
#: The right value opens a sentence, and what follows tells more: "Hibs till I die", "Kano, madam".
_LEADS_EN = re.compile(
    r"^\W*(?P<right>(?-i:[A-ZÀ-Þ])[\w'’-]{2,}(?: (?-i:[A-ZÀ-Þ])[\w'’-]+)?)(?=\s*(?:,"
    r"|till\b|until\b|every\b|all\b|any day\b|since\b"
    r"|through\b|born\b))",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    rf"{_VALUE_EN}(?=\s+(?:from now on|instead|for me now|these days)\b)", re.IGNORECASE
)
_BARE_NO = re.compile(r"^\W*(?:(?:oh|er|um)\W+)*(?:no|nope|nah|actually)\b\W", re.IGNORECASE)
_ONLY_NO = re.compile(r"\W*(?:\w{1,4}\W+)?(?:no|nope|nah|god no|lord no)\W*", re.IGNORECASE)
#: A statement about the user that ends in a value.
_ENDS_IN_VALUE = re.compile(
    r"^\W*(?:(?:and|so|oh|ah|well|still)\W+)*(?:living|working|based|studying|playing"
    r"|driving|you(?:['’]re|r)?|how['’]?s your)\b(?: \w+){0,4}? ?"
    rf"\b(?:in|at|from|near|for|with|on|an?|the|your|called|play|drive|like|love"
    rf"|hate)\s+{_VALUE_EN}"
    r"(?:,? (?:right|then|isn't it|is it|aren't you|don't you|eh|huh|still))*\W*$",
    re.IGNORECASE,
)
_VERB_OF_USER = re.compile(
    r"\byou (?:still |really |always |do |only )?(?P<verb>(?!are|were|have|had|said|told"
    r"|know)[a-z]{3,}?)"
    rf"(?:d|ed|ing)?\s+{_LITTLE_EN}{_VALUE_EN}",
    re.IGNORECASE,
)
_ALONE_EN = re.compile(
    rf"^\W*(?:(?:{_NO_EN}|oh|ah|ay|it['’]?s|that['’]?s|just)\b\W*)*{_LITTLE_EN}{_VALUE_EN}\W*"
    r"(?:(?:lol|haha+|now|po|please|actually|dear|girl|man|mate|love|then|so it is)\W*)*$",
    re.IGNORECASE,
)
#: Right behind what is denied: "not W, R"; before it: "R, not W".
_BEHIND_EN = re.compile(
    rf"^\W*(?:(?:but|just|rather|it['’]?s|that['’]?s|i['’]?m|i am)\b\s*)*{_LITTLE_EN}{_VALUE_EN}",
    re.IGNORECASE,
)
_BEFORE_EN = re.compile(rf"(?<![\w'’-]){_VALUE_EN}(?![\w'’-])", re.IGNORECASE)
_CLAUSE_KO = re.compile(r"(?<=[가-힣])(?:고|는데|지만|인데)(?:요)?[\s,]+|[.,!?…]+|[ㅋㅎㅠㅜ]{2,}")
_OPENING_KO = re.compile(
    rf"^\W*(?:(?:{_NO_KO}|아|어|앗|음|엥|헐|근데|그게|그건|그거|아니라|아니고|사실은?|실은|참)(?![가-힣])[\s,.~]*)+"
)
_ENDING_KO = re.compile(
    r"(?:이올시다|이라니까요?|라니까요?|이라고요?|라고요?|이라구요?|라구요?|이거든요?|거든요?|이에요|예요|에요|이잖아요?|잖아요?|인데요?"
    r"|입니다|이었습니다|였습니다|이었어요?|였어요?|이야|이지요?|이죠|지요|죠|이네요?|이요|임|이다|이고|고|야|요)$"
)
#: How a Korean noun ends that is a statement of its own.
_INSISTS = re.compile(
    r"(?:이?라니까요?|이?라고요?|이?라구요?|이에요|예요|이요|이야|(?<=[가-힣]{2})[야임]|이?거든요?|입니다)$"
)
_PARTICLE_KO = re.compile(
    r"(?:에서는|에서|으로|에는|에|로|을|를|은|는|이|가|도|만|이랑|랑|하고|의)$"
)
_NO_RIGHT_KO = re.compile(
    rf"(?:{words.NO_NOUN}|맞|몰|말|했|하|되|됐|같|그|이거|저거|그거|제가|내가|나|너|저|제|우리|누가|언제|원래|요즘|요새|예전|전에"
    rf"|괜찮|미안|죄송)"
    r"|.*(?:다|니다|어요|아요|했어|대요|래요|래|대|더라|까|면|서|지만|는데|게|니|냐|려고|네|줘|줄|듯|음)$"
)
_NEGATED_KO = re.compile(r"없|않|(?<![가-힣])(?:안|못) ?[가-힣]")
#: Kinds of values that are told apart by their form alone.
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_KINDS = tuple(
    re.compile(kind, re.IGNORECASE)
    for kind in (
        r"(?<![\d.:])(?P<value>\d{1,2}) ?(?=시(?!간)|o'clock|[ap]\.?m\b)",
        r"(?<![\d.:])(?P<value>\d{1,4}) ?(?=살|세(?![가-힣])|개월|년|번|층|호|학년|명|마리|키로|킬로|센티|cm|kg|km)",
        rf"\b(?P<value>{_WEEKDAY})\b",
        (
            r"\b(?P<value>first|second|third|fourth|fifth|sixth|seventh|eighth"
            r"|ninth)(?= (?:year|grade|floor|form))"
        ),
        r"(?<![가-힣])(?P<value>[일이삼사오육칠팔구]?[십백천만]+) ?(?=평|원|명|년|번|미터|킬로)",
        (
            r"\b(?P<value>(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four"
            r"|five|six|seven|eight|nine))?|(?:thir|four|fif|six|seven|eigh|nine)teen|eleven"
            r"|twelve)\b"
        ),
        r"(?<![가-힣])(?P<value>[월화수목금토일])(?=요일|욜)",
        r"(?<!\d)(?P<value>\d{1,2})(?=일(?! ?(?:동안|간)))",
        r"(?<![\d.:,월-])(?P<value>\d{1,4})(?![\d:%-]|[.,]\d|[시일월년]|(?:st|nd|rd|th)\b)",
        r"(?<!\d)(?P<value>1?\d)(?=월(?!요일))",
        (
            r"\b(?P<value>(?:jan|febr)uary|march|april|june|july|august|(?:sept|nov|dec)ember"
            r"|october)\b"
        ),
    )
)
#: What makes a question of what is believed to be so.
_TAG = re.compile(
    r"(?:isn'?t it|is it|right|wasn'?t it|aren'?t you|don'?t you|no|innit)\?$|(?:죠|지요?|다며"
    r"|라며|다면서|라면서)(?:요)?\?$",
    re.IGNORECASE,
)
#: Contractions as a chat writes them. The neuter "its" owns a thing: a noun follows it, no article.
_CONTRACTED = (
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bive\b", re.IGNORECASE), "I've"),
    (re.compile(r"\bits\b(?= (?:an?|the|not|just|[A-Z]))"), "it's"),
    (re.compile(r"\b(ca|do|is|was)nt\b", re.IGNORECASE), r"\1n't"),
)
#: What may stand behind a value that is all that its clause says.
_STANDS_ALONE = re.compile(
    r"\w{0,4}?(?:인데|임|이야|이에요|예요|입니다|이요|거든|라고|라니까)|\s*(?:[.,!?…]|$|po\b|actually\b)",
    re.IGNORECASE,
)


def iter_righted(
    text: str, answers: str, earlier: Sequence[str], recent: Sequence[str] = ()
) -> Iterator[Righted]:
    """Yield what a message puts right, the surest first, each wrong value once.

    `answers` is the character's message before it, `earlier` what the user had said before that,
    and `recent` what they had said in more of the last turns: of that, what has a word of the
    message may be put right.
    """
    if len(text) > _LONGEST_CORRECTION:
        return
    if all(one.endswith("?") for one in split_chat_sentences(text)):
        return
    for short, written in _CONTRACTED:
        text = short.sub(written, text)
    claims = _list_claims(text, answers, earlier)
    older = recent[: len(recent) - len(earlier)] if _PUTS_RIGHT.search(text) else ()
    names = _list_name_words(text) | frozenset(re.findall(r"\b[a-z]{3,}\b", text))
    claims += [
        _Claim(one.strip(), is_own=True, is_of_user=True)
        for said in reversed(older)
        for one in split_chat_sentences(said[-_MOST_CLAIM:])
        if names & (_list_name_words(one) | frozenset(re.findall(r"\b[a-z]{3,}\b", one.lower())))
    ]
    find = _iter_korean if detect_text_language(text) == "ko" else _iter_english
    seen = set[str]()
    for one in (*find(text, claims), *_iter_same_kind(text, claims)):
        is_same = same_value(one.right) == same_value(one.wrong)
        if not is_same and one.wrong not in seen and len(one.right) <= _MOST_VALUE:
            seen.add(one.wrong)
            yield one


def puts_right(text: str) -> bool:
    """Return whether a message says, or opens as one that says, that something was wrong."""
    return any(one.search(text) for one in (_OPENS_NO, _PUTS_RIGHT, _DENIES))


def find_righted_statement(text: str) -> str:
    """Return what a message states after saying that it puts something right; '' for nothing."""
    found = _IS_RIGHT.match(text.strip())
    return found["right"].strip(" ,.!~") if found and not gates.is_idea(text) else ""


def names_other(text: str) -> bool:
    """Return whether a text names somebody near the user."""
    return _WHO.search(text) is not None


def format_righted(one: Righted) -> str:
    """Return what is put right as a value: 베이스가 아니라 드럼; "drums, not bass".

    A short sentence of the user's own is kept with the right value in it.
    """
    if one.is_own and len(one.claim) <= _MOST_KEPT and not re.search(r"[\"“”]", one.claim):
        return _replace_word(one.claim, one.wrong, one.right).strip(" ,.!~")
    whose = find_other(one)
    lead = f"{whose}: " if whose else ""
    if detect_text_language(one.claim + one.right) == "ko":
        return f"{lead}{with_particle(one.wrong, '이', '가')} 아니라 {one.right}"
    return f"{lead}{one.right}, not {one.wrong}"


def find_other(one: Righted) -> str:
    """Return the person of whom the character said what was wrong, '' for the user."""
    found = None if one.is_own else _WHO.search(one.claim)
    return found[0] if found and found[0] != one.wrong else ""


def name_claim_kind(one: Righted) -> str:
    """Return the predicate of a wrong sentence of the character about the user, '' for none."""
    if one.is_own:
        return ""
    wrong = re.escape(one.wrong)
    return next(
        (
            kind.predicate
            for kind in CLAIM_KINDS
            if re.search(kind.words.replace("{w}", wrong), one.claim, re.IGNORECASE)
        ),
        "",
    )


def restate(one: Righted) -> str:
    """Return the wrong sentence with the right value, as the user would say it of themselves."""
    said = _replace_word(one.claim, one.wrong, one.right)
    return said if one.is_own else _say_as_user(said)


_AS_USER = (
    (re.compile(r"^\W*(?:(?:and|so|ah|oh|well|but|hi|hey)\b\W*)+", re.IGNORECASE), ""),
    (
        re.compile(
            r",?\s*(?:is it|is he|is she|isn't it|aren't you|don't you|right|innit|eh)\W*$",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"\byou(?:'re| are)\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\byou were\b", re.IGNORECASE), "I was"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
    (re.compile(r"(?<![가-힣])(?:너는|넌|너|당신은)(?![가-힣])"), "나는"),
)  # fmt: skip


def _right_claim(claim: _Claim, wrong: str, right: str, text: str) -> Righted:
    """Return a value of a claim that a message puts right."""
    return Righted(
        wrong=wrong, right=right, sentence=text.strip(), claim=claim.text, is_own=claim.is_own
    )


def _say_as_user(sentence: str) -> str:
    """Return a sentence that addresses the user as the user would say it of themselves."""
    for words_, right in _AS_USER:
        sentence = words_.sub(right, sentence)
    return sentence.strip(" ?")


def _replace_word(text: str, old: str, new: str) -> str:
    return re.sub(re.escape(old), lambda _: new, text, count=1, flags=re.IGNORECASE)


def _list_claims(text: str, answers: str, earlier: Sequence[str]) -> list[_Claim]:
    """Return the sentences that a message may put right, the character's first.

    What the user said themselves is looked at where the message says that it puts something right.
    """
    is_of_reply = bool(_SELF_EN.search(text) or any(map(_SELF_KO.match, _cut_clauses(text))))
    names = _list_name_words(" ".join(earlier))
    claims = list[_Claim]()
    for sentence in split_chat_sentences(answers[-_MOST_CLAIM:]):
        who = _WHO.search(sentence) if sentence.endswith("?") else None
        if who and who[0].lower() not in text.lower():
            continue  # it may be them of whom the user speaks
        addresses = _OF_USER_KO.search(sentence) or _OF_USER_EN.search(sentence)
        if addresses or not _OF_CHARACTER.search(sentence):
            is_of_user = bool(addresses or who or is_of_reply or _list_name_words(sentence) & names)
            claims.append(_Claim(sentence.strip(), False, is_of_user, earlier=" ".join(earlier)))
    is_open = bool(_PUTS_RIGHT.search(text) or _OPENS_NO.match(text))
    lately = () if _WHO.search(answers) or not (answers or is_open) else reversed(earlier)
    own = [one for said in lately for one in split_chat_sentences(said[-_MOST_CLAIM:])]
    cited = _list_cited(text)
    claims += [
        _Claim(one.strip(" ,"), is_own=True, is_of_user=True, is_open=is_open or one in cited)
        for one in (*own, *cited)
    ]
    return claims


def _list_cited(text: str) -> list[str]:
    """Return what a text cites of what its user had said."""
    return [found["said"] for pattern in _CITED for found in pattern.finditer(text)]


def _list_name_words(text: str) -> frozenset[str]:
    """Return the words that may name something: Korean ones without particle, Latin ones."""
    korean = (_PARTICLE_KO.sub("", word) for word in re.findall(r"[가-힣]{2,}", text))
    latin = re.findall(r"(?<![.!?] )(?<!^)\b[A-Z][\w'’-]{2,}", text)
    return frozenset(word for word in (*korean, *latin) if len(word) > 1)


def _may_right(claim: _Claim, right: str) -> bool:
    """Return whether a value may be the right one of a claim: that is about the user, or the user
    had said the value before.
    """
    return claim.is_of_user or right.casefold() in claim.earlier.casefold()


def _find_claim(wrong: str, claims: Sequence[_Claim]) -> _Claim | None:
    """Return the sentence that has a word."""
    if len(wrong) < 2 and not wrong.isdigit():
        return None
    behind = r"(?![A-Za-z0-9])"
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(wrong)}{behind}", re.IGNORECASE)
    return next((one for one in claims if word.search(one.text)), None)


def _iter_english(text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    sentences = split_chat_sentences(text)
    if any(gates.is_idea(one) for one in sentences):
        return
    yield from _iter_bare(text, claims)
    for number, sentence in enumerate(sentences):
        others = sentences[number + 1 :] + sentences[:number]
        for found in _DENIED_EN.finditer(sentence):
            wrong, claim = _find_wrong(found["wrong"], claims)
            if claim is None or not claim.is_open:
                continue
            place = found.start("wrong") + len(wrong)
            before, behind = sentence[: found.start()], sentence[place:]
            is_given_up = re.match(_GIVEN_UP_EN, found[0], re.IGNORECASE) is not None
            behind = "" if is_given_up else behind  # a reason stands there
            near = _BEHIND_EN.match(behind)
            right = near["right"] if near else _find_before(before, claim)
            right = right or _find_right_en([behind, *others], wrong)
            if right and _may_right(claim, right):
                yield _right_claim(claim, wrong, right, text)
        if _GIVEN_UP_IT.search(sentence) and not _OF_OTHER_EN.search(sentence):
            yield from _iter_given_up(others, text, claims)
        framed = list(_iter_framed(sentence, text, claims))
        yield from framed
        shouted = f"{sentence}!" if f"{sentence}!" in text else sentence
        for wrong, claim in () if framed else _iter_told_of_other(shouted, claims):
            right = _find_right_en(others, wrong)
            if right and _may_right(claim, right):
                yield _right_claim(claim, wrong, right, text)
        yield from _iter_same_verb(sentence, text, claims)
        yield from _iter_name_again(sentence, text, claims)


def _find_wrong(said: str, claims: Sequence[_Claim]) -> tuple[str, _Claim | None]:
    """Return the longest beginning of some words that stands in a claim, and the claim."""
    parts = said.split()
    for count in range(len(parts), 0, -1):
        wrong = " ".join(parts[:count])
        if re.fullmatch(_STOP_EN, wrong, re.IGNORECASE) or _WHO.fullmatch(wrong):
            continue
        if claim := _find_claim(wrong, claims):
            return wrong, claim
    return "", None


def _iter_given_up(
    sentences: Sequence[str], text: str, claims: Sequence[_Claim]
) -> Iterator[Righted]:
    """Yield what the character's sentence named last, where the user gave it up for another."""
    for claim in [one for one in claims if not one.is_own][-1:]:
        values = _BEFORE_EN.findall(_TAG.sub("", claim.text))
        right = _find_right_en(sentences, values[-1].split()[-1]) if values else ""
        if right:
            yield _right_claim(claim, values[-1].split()[-1], right, text)


def _find_before(text: str, claim: _Claim) -> str:
    """Return the last value in a text that is none of a claim's words; '' for none."""
    if not re.search(r"[,;:–-]\s*$", text):
        return ""
    known = {same_value(word) for word in claim.text.split()}
    values = [found["right"] for found in _BEFORE_EN.finditer(text)]
    new = [one for one in values if known.isdisjoint(map(same_value, one.split()))]
    return new[-1] if new else ""


def _iter_told_of_other(sentence: str, claims: Sequence[_Claim]) -> Iterator[tuple[str, _Claim]]:
    """Yield the words of a claim that an English sentence asks back, or tells of something else."""
    for pattern in (_ECHO_EN, _SUBJECT_EN):
        if found := pattern.match(sentence):
            wrong, claim = _find_wrong(found["wrong"], claims)
            is_asked = found.groupdict().get("mark") != "!"
            if claim is not None and not claim.is_own and (is_asked or _is_thing(wrong, claim)):
                yield wrong, claim
    if _OF_OTHER_EN.search(sentence):
        for word in re.findall(r"[A-Za-z'’-]{3,}", sentence):
            wrong, claim = _find_wrong(word, claims)
            if claim is not None and not claim.is_own:
                yield wrong, claim


def _is_thing(wrong: str, claim: _Claim) -> bool:
    """Return whether a word is a name or has an article in an English claim."""
    thing = rf"\b(?:an?|the|your) {re.escape(wrong)}\b|(?-i:\b{re.escape(wrong.capitalize())}\b)"
    return re.search(thing, claim.text, re.IGNORECASE) is not None


def _find_right_en(sentences: Sequence[str], wrong: str) -> str:
    """Return the value that sentences give in the place of a wrong one; '' for none."""
    for sentence in sentences:
        if sentence.endswith("?") or re.search(rf"\b{re.escape(wrong)}\b", sentence, re.IGNORECASE):
            continue
        found = [one for pattern in _RIGHT_EN if (one := pattern.search(sentence))]
        found = sorted(found, key=lambda one: one.start()) or [
            one
            for pattern in (_FROM_NOW, _ALONE_EN, _LEADS_EN)
            if (one := pattern.search(sentence))
        ]
        for one in found[:1]:
            right = one["right"]
            if not (_WHO.search(right) or re.fullmatch(_STOP_EN, right, re.IGNORECASE)):
                return right
    return ""


def _iter_framed(sentence: str, text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield a claim that an English sentence says again with another value: Rex is a horse."""
    frame = re.compile(
        rf"^\W*(?:(?:ah|oh|so|and|no)\W+)*(?P<subject>[\w’-]+?)(?:['’]s| is)\s+(?:an?|the|in|my)\s+"
        rf"{_VALUE_EN}",
        re.IGNORECASE,
    )
    now = frame.match(sentence)
    for claim in claims if now else ():
        was = None if claim.is_own else frame.match(claim.text)
        if now is None or re.fullmatch(_STOP_EN, now["subject"], re.IGNORECASE):
            continue
        if was and same_value(was["subject"]) == same_value(now["subject"]):
            yield _right_claim(claim, was["right"], now["right"], text)


def _iter_same_verb(sentence: str, text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield what the user does with another thing than the character says: "it's prunes I hate"."""
    if not _OPENS_NO.match(text):
        return
    for claim in claims:
        was = None if claim.is_own else _VERB_OF_USER.search(claim.text)
        verb = re.escape(was["verb"]) if was else ""
        now = was and re.search(
            rf"\b(?:i|we) {verb}\w*\s+{_LITTLE_EN}{_VALUE_EN}"
            rf"|\bit['’]?s {_LITTLE_EN}(?P<cleft>[\w'’-]+)(?: that)? (?:i|we) {verb}\b",
            sentence,
            re.IGNORECASE,
        )
        if was and now:
            right = now["right"] or now["cleft"]
            yield _right_claim(claim, was["right"], right, text)


def _iter_bare(text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield the value that a claim ends in, where the reply is a denial and another: "No, Hull"."""
    sentences = split_chat_sentences(text)
    first = next(iter(sentences), "")
    alone = _ALONE_EN.search(first) if _BARE_NO.match(f"{first} ") else None
    if _ONLY_NO.fullmatch(first):
        alone = next((one for one in map(_LEADS_EN.match, sentences[1:2]) if one), None)
    for claim in claims if alone else ():
        was = None if claim.is_own else _ENDS_IN_VALUE.search(claim.text)
        if alone and was and not _WHO.search(alone["right"]):
            yield _right_claim(claim, was["right"], alone["right"], text)


def _iter_name_again(sentence: str, text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield a name of a claim that a sentence says alone in another spelling: "Deaglán."."""
    name = re.fullmatch(
        r"\W*(?:(?:no|it['’]s|that['’]s|sorry|i['’]m|it is|i am|the name['’]s|i said)\W+)*"
        r"(?P<right>(?-i:[A-ZÀ-Þ])[\w’-]{3,})(?:,? (?:hon|dear|love|mate|please|actually|girl|man"
        r"|not|with)\b.*)?\W*",
        sentence,
        re.IGNORECASE,
    )
    if name is None or re.fullmatch(_STOP_EN, name["right"], re.IGNORECASE):
        return
    for claim in claims:
        if claim.is_own:
            continue
        for word in re.findall(r"\b[A-ZÀ-Þ][\w’-]{2,}", claim.text):
            ratio = SequenceMatcher(None, word.casefold(), name["right"].casefold()).ratio()
            is_again = name["right"] in claim.earlier and word not in claim.earlier
            is_called = is_again and re.search(rf"(?:^|, ?){word}\W*(?:$|[,!.?])", claim.text)
            if (_ALIKE <= ratio < 1 or is_called) and not re.fullmatch(
                _STOP_EN, word, re.IGNORECASE
            ):
                yield _right_claim(claim, word, name["right"], text)
                return


def _cut_clauses(text: str) -> list[str]:
    """Return the clauses of a Korean text, without what opens a reply."""
    parts = (_OPENING_KO.sub("", part).strip() for part in _CLAUSE_KO.split(text))
    return [part for part in parts if part]


def _iter_korean(text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    if gates.is_idea(text):
        return
    for sentence in split_chat_sentences(text):
        if sentence.endswith("?"):
            continue
        for found in _DENIED_KO.finditer(sentence):
            lead = found["lead"] or ""
            wrong = f"{lead}{found['wrong']}" if len(found["wrong"]) < 2 else found["wrong"]
            named = next((one for one in claims if len(wrong) > 1 and wrong in one.text), None)
            claim = _find_claim_ko(wrong, claims) or named
            behind = _cut_clauses(found["behind"])
            right = _find_right_ko(behind, wrong, claim, is_pair=" " in wrong)
            if not right and not behind:
                right = _find_right_ko(_cut_clauses(sentence[: found.start()]), wrong, claim)
            is_meant = claim is not None and claim.is_open and _may_right(claim, right)
            if claim is not None and right and (is_meant or _is_alike_ko(wrong, right)):
                yield _right_claim(claim, wrong, right, text)
    yield from _iter_insisted(text, claims)
    clauses = _cut_clauses(text)
    for number, clause in enumerate(clauses):
        topic = _TOPIC_KO.match(clause)
        claim = _find_claim_ko(topic["wrong"], claims) if topic else None
        if topic is None or claim is None or claim.is_own or _WHO.fullmatch(topic["wrong"]):
            continue
        others = clauses[number + 1 :] + clauses[:number]
        own = [
            one
            for one in others
            if _SELF_KO.match(one) or _topic_of(one, claim) or _repeats_value(one, claim)
        ]
        right = _find_right_ko(own, topic["wrong"], claim)
        if right and _may_right(claim, right):
            yield _right_claim(claim, topic["wrong"], right, text)


def _find_claim_ko(wrong: str, claims: Sequence[_Claim]) -> _Claim | None:
    """Return the sentence about the user that has a Korean word, perhaps as part of a name."""
    if len(wrong) < 2 or re.match(r"그게|그건|이게|그거|내가|제가|나는", wrong):
        return None
    return next((one for one in claims if wrong in one.text), None)


def _repeats_value(clause: str, claim: _Claim) -> bool:
    """Return whether a clause is one value that the user had said before: 불가사리라니까요."""
    topic = _TOPIC_KO.match(clause)
    is_of_kin = topic is not None and _WHO.fullmatch(topic["wrong"]) is not None
    tokens = clause[topic.end() :].split() if topic and is_of_kin else clause.split()
    value = _strip_end(tokens[0]) if len(tokens) == 1 else ""
    return len(value) > 1 and value in claim.earlier


def _iter_insisted(text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield a name that the user says again, which a claim has in another spelling: 채원이에요."""
    first = next(iter(text.split()), "").strip(" ,.~!?ㅋㅎㅠㅜ")
    end = _INSISTS.search(first)
    right = first[: end.start()] if end else ""
    for claim in claims if len(right) > 1 else ():
        if claim.is_own or right not in claim.earlier:
            continue
        for word in re.findall(r"[가-힣]{2,}", claim.text):
            for start in range(len(word) - len(right) + 1):
                named = word[start : start + len(right)]
                if _is_alike_ko(named, right) and named not in claim.earlier:
                    yield _right_claim(claim, named, right, text)
                    return


def _is_alike_ko(one: str, other: str) -> bool:
    """Return whether two Korean words differ in one syllable, as names that are misheard do."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _topic_of(clause: str, claim: _Claim) -> "re.Match[str] | None":
    """Return the topic with which a clause begins, where a claim has it too."""
    topic = _TOPIC_KO.match(clause)
    return topic if topic and topic["wrong"] in claim.text else None


def _find_right_ko(
    clauses: Sequence[str], wrong: str, claim: _Claim | None, *, is_pair: bool = False
) -> str:
    """Return the value that clauses give in the place of a wrong one; '' for none.

    `is_pair`: it is two words, as the wrong one is.
    """
    for clause in clauses:
        said = _SELF_KO.sub("", clause)
        topic = _topic_of(said, claim) if claim else None
        if topic is None and claim and _repeats_value(said, claim):
            topic = _TOPIC_KO.match(said)
        said = said[topic.end() :].strip() if topic else said
        tokens = said.split()
        if not tokens or gates.names_person(said) or wrong in said or _NEGATED_KO.search(said):
            continue
        value = _strip_end(tokens[0])
        if is_pair and len(tokens) > 1:
            value = f"{tokens[0]} {_ENDING_KO.sub('', tokens[1])}"
        if len(value) < 1 or _NO_RIGHT_KO.fullmatch(value):
            continue
        if len(value) > 1 or value.isdigit() or len(tokens[0]) - len(value) > 1:
            return value
    return ""


def _strip_end(word: str) -> str:
    """Return a Korean word without the ending that states it, and without its particle."""
    word = word.strip(" ,.~!ㅋㅎㅠㅜ;")
    bare = _ENDING_KO.sub("", word)
    if bare != word and (len(bare) > 1 or len(word) - len(bare) > 1):
        return bare
    bare = _PARTICLE_KO.sub("", word)
    return bare if len(bare) > 1 else word


def _iter_same_kind(text: str, claims: Sequence[_Claim]) -> Iterator[Righted]:
    """Yield values of which a message gives another of the same kind: 168 for 162, Thursday.

    The message opens with the value, or says that it puts something right, and each of the two is
    the only one of its kind where it stands; the message may name the wrong one, too.
    """
    is_put_right = puts_right(text) or bool(_list_cited(text))
    for kind in _KINDS:
        now = _list_values(kind, text)
        first = next(kind.finditer(text), None)
        is_opening = first is not None and _opens_alone(text, first)
        own_first = sorted(claims, key=lambda claim: not claim.is_own)
        for claim in own_first if is_opening or (is_put_right and now) else ():
            was = _list_values(kind, claim.text)
            right = [value for value in now if value not in was]
            right = now[:1] if is_opening and now[0] in right else right
            is_repeated = bool(was) and any(
                was == _list_values(kind, one.text) for one in claims if not one.is_own
            )
            is_denied = bool(was) and _denies_value(text, was[0])
            if claim.is_own and not (claim.is_open or is_denied or is_repeated):
                continue
            is_asked = claim.text.endswith("?") and not _TAG.search(claim.text)
            if len(was) == len(right) == 1 and claim.is_of_user and not is_asked:
                yield _right_claim(claim, was[0], right[0], text)
                return


def _denies_value(text: str, value: str) -> bool:
    """Return whether a text says of a value that it is not the one."""
    named = re.escape(value)
    return (
        re.search(
            rf"{named}[가-힣]{{0,4}} ?(?:{words.NOT_BUT})|\bnot (?:the |on |at |my )?{named}\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def _list_values(kind: "re.Pattern[str]", text: str) -> list[str]:
    return list(dict.fromkeys(found["value"] for found in kind.finditer(text)))


def _opens_alone(text: str, found: "re.Match[str]") -> bool:
    """Return whether a message opens with a value that is a statement of its own: 168인데."""
    before = re.findall(r"\w+", text[: found.start()])
    return len(before) <= 1 and _STANDS_ALONE.match(text[found.end() :]) is not None
