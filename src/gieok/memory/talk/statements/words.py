"""Reader of the words of a sentence, each with its place: in the topic or in the comment.

Korean marks the place with particles, English with word order and prepositions. Both are read
without a parser, so a place is only likely: code that uses places asks for several words that
agree.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gieok.text.josa import get_final, get_vowel
from gieok.text.keywords import keyword_text
from gieok.text.late_pattern import defer_pattern

#: Places of a word: in the topic of the sentence, in the comment on the topic, or not known.
TOPIC, VALUE, UNKNOWN = "topic", "value", "unknown"

_WORD = defer_pattern(r"[A-Za-z][A-Za-z0-9_+#-]*(?:[.'’][A-Za-z0-9]+)*|[가-힣]+|\d(?:[\d.,:]*\d)?")
_TOPIC_PARTICLE = defer_pattern(
    r"(?:께서는|에서는|으로는|한테는|에게는|들은|들이|은|는|이|가|의|께서|이랑은)$"
)
#: The particles of a subject, and the same letters where they end a verb: "자주 가는 카페".
_SUBJECT_PARTICLE = defer_pattern(r"(?:은|는|이|가|도|건|엔|땐)$")
_ADNOMINAL = defer_pattern(
    r"^(?:가|오|쓰|먹|사|보|파|키우|마시|타|받|넣|두|주|내|만드|드|많|높|낮|좋|싫|크|작|다니)[는은]$"
    r"|(?:하|되|있|없|같)[는은]$"
    r"|(?:들어|올라|내려|다녀|걸어|돌아|지나|찾아|따라|뛰어|넘어|가져|데려)가$"
)
_OBJECT_PARTICLE = defer_pattern(r"(?:을|를)$")
_VALUE_PARTICLE = defer_pattern(
    r"(?:으로|로|에서|에|한테|에게|까지|부터|이에요|예요|이야|이다|입니다|이고|이래|인데|이라|이랑|랑|과|와)$"
)
_PARTICLE = defer_pattern(
    r"(?:께서는|에서는|으로는|한테는|에게는|에는|에선|에도|로는|한테|에게|에서|으로|까지|부터|이랑|처럼|이라|이야|이고|이에요|입니다|예요|이다"
    r"|마다|보다|인데|은|는|이|가|을|를|에|의|와|과|로|도|만|서|랑|야)$"
)
_VERB_ENDING = defer_pattern(
    r"(?:[했됐갔왔었았겠꿨렸뒀썼샀줬났볐켰졌쳤]|[하되가오쓰보두주사나]?(?:고|어|아|해|함|됨|는데|던데|대|지|자|기로|습니다|니다|어요|아요|해요|네|음|야지))"
    r"(?:다|어|어요|습니다|는데|거든|지|음|고|서|네|대)?$"
)
_STOP = frozenset(
    """
        the a an of in on at to for and or is are was were be
        been it its it's this that these those with as by from
        we we're we've our us i i'm i've i'll my me you your
        he she they his her their so not no do don't does did
        didn't have has had will would can could should just
        now then than out up over down off into about there
        here use uses using used run runs running keep please
        make get got go goes going one any anymore more all
        only still instead yet also too really actually
        everyone some please finally officially completely
        longer never ever already recently lately currently
        nowadays off rather last next soon late early away
        done sorry ok okay well yeah yes nope nah hey im ive
        dont doesnt isnt arent wont cant mr ms mrs dr prof
        both very much many today every each time who which
        what when where how because since until if but let
        let's ve re ll 우리 우린 나 난 내 나는 내가 저 전 제가 저는 저희 그 이 거 걸
        것 게 건 좀 다 더 안 못 잘 해 하 돼 되 그거 이거 그건 이건 지금 이제 앞으로 그냥 그럼
        근데 그래서 그리고 아 어 응 음 다시 줘 가자 하자 이번 오늘 요즘 진짜 완전 아예 역시 있 없
        쓰 한 할 된 될 중 때 때문 대신 말 아니 거기 여기 이렇게 그렇게 이미 벌써 아직 새벽 오전
        오후 매일 매주 시간 전부 전체 자체 여유 이젠 결국 드디어 싹 다들 그만 요새 더는 이상 거는
        거를 건데 쪽 쪽은 타던 쓰던 하던 먹던 지난달 지난주 저번주 저번달 어제 그제 올해 내년 다음주
        다음달 이번주 이번달 지난 다음 저번 가던 마시던 다니던 보던 두던 받던 오늘부터 내일부터 이제는
        지금은 앞으론 이번엔 이번에 원래
    """.split()
)
#: Words of time and measure: sentences on unrelated topics share them.
_MEASURES = frozenset(
    """
        monday tuesday wednesday thursday friday saturday
        sunday mon tue wed thu fri sat sun januari februari
        march april may june juli august septemb octob novemb
        decemb am pm th st nd rd minut hour second day week
        month year morn even noon night afternoon mg kg km gb
        mb cm mm degre percent dollar euro won time one two
        three four five six seven eight nine ten eleven twelve
        half thing way lot bit new old 월요일 화요일 수요일 목요일 금요일 토요일
        일요일 월욜 화욜 수욜 목욜 금욜 토욜 일욜 아침 밤 낮 주말 평일 주 월 일 년 시 분 초 명
        개 번 원 만 천 백 만원 천원 하나 둘 셋 한두 두 세 네 다섯 여섯 일곱 여덟 아홉 열 반
        마지막 처음 사람 생각 정도 얘기 이야기 definit great good idea tip mind sound plan sure option
        recent help interest excit
    """.split()
)
_SHORT_DAYS = frozenset("mon tue wed thu fri sat sun".split())
#: Nouns that end like a word with a particle.
_WHOLE_NOUNS = frozenset(
    """
        가을 마을 서로 도로 새로 가로 세로 따로 바로 회의 강의 주의 논의 문의 하의 상의 합의 동의
        협의 나이 아이 종이 사이 차이 놀이 먹이 길이 높이 깊이 어린이 고양이 오이 호랑이 지도 온도
        속도 제도 의도 용도 정도 각도 습도 포도 강도 밀도 사과 결과 효과 통과 학과 내과 치과 안과
        외과 소아과 국가 작가 휴가 평가 허가 추가 증가 물가 주가 원가 단가 요가 반려도 카드로 언니
        동생 할머니 어머니 아주머니 스테이지 문서 순서 부서 비서 도서 아버지 강아지 편지 바지 반지
        돼지 휴지 먼지 가지 단지 페이지 메시지 이미지 패키지 스토리지 언어 영어 국어 일본어 한국어
        중국어 피자 의자 모자 감자 과자 상자 환자 기자 투자 여자 남자 사용자 담당자 관리자 개발자
        창고 재고 광고 사고 신고 참고 원고 냉장고
        금고 차고 경고 보고 군대 침대 상대 세대 시대 동네 이해 바다 마음 얼음
        러닝머신
    """.split()
)
#: Nouns of two syllables that end like a particle: 센서, 분야, 사랑. Before 서, a verb's stem and
#: its ending make one open syllable with one of these vowels: 가서, 와서, 켜서.
_SHORT_NOUN = defer_pattern(r"^[가-힣](?:서|야|랑)$")
_VOWELS_BEFORE_SEO = frozenset("ㅏㅐㅑㅓㅔㅕㅘㅙㅝㅞ")
#: Forms of verbs that say little; 하, 해, 쓰 begin nouns too (하체, 해운대), so what follows must be an
#: ending.
_STOP_KOREAN_FORM = defer_pattern(
    r"(?:있|없|했|됐|썼|바꿨|바꾸|바뀌|바꿔|옮겼|옮기|옮겨|갈아|정했|정해|기로|같|이야|거야|거든|이제|그만)"
    r"|(?:하|해|되|돼|쓰|써|씁|쓴|쓸)(?:[고는서요줘야지기게던면도라자네나려시며다러여봐놨놔뒀둠두주니][가-힣]{0,3})?$"
)
#: Verbs that any two sentences share.
_LIGHT_VERB = frozenset(
    """
        is are was were am be has have had do does did will would can could should must may
        might use uses used using run runs ran running go goes went gone going get gets got
        take takes took keep keeps kept like likes love loves liked loved want wants wanted
        need needs needed start starts started end ends ended make makes made become becomes
        became put puts set sets called call calls changed switched moved swapped replaced
        renamed left quit retired stopped decided picked chose lies 's 're 'm being fired
        traded trade cancelled canceled cancel ditched ditch dumped dump dropped scrapped
        abandoned migrated ported turned raised lowered bumped pushed shifted reduced
        resigned gave given killed axed ripped threw exchanged substituted superseded
        replaces replace trading swapping cancelling stop stopping quitting dropping moving
        switching changing migrating said told got been think thinks know knows knew feel
        feels felt guess mean means hope remember see say says try tried trying look looking
        looks find found let lets give gives come comes came turn turns seem seems thought
        wanted
    """.split()
)
#: Verbs that say what a sentence is about as much as its nouns do.
_FULL_VERB = frozenset(
    """
        live lives lived work works worked working prefer prefers drink drinks drank drinking
        eat eats ate eating sit sits sat stay stays stand stands play plays played close closes
        closed open opens opened cost costs pay pays paid meet meets met teach teaches handle
        handles handled own owns drive drives drove ship ships shipped deploy deploys deployed
        store stores stored host hosts hosted bought buy buys sold sell sells sleep sleeps slept
        wake wakes belongs send sends sent write writes written fly flies flew swim swims cycle
        cycles train trains rehearse rehearses practise practice cook cooks bake bakes baked
        build builds built serve serves served listen listens read reads cover covers covered
        expire expires cached logged kept written hosted wear wears smoke smokes smoked park
        parks parked rent rents rented
    """.split()
)
#: What stands behind one of these, or first, is a noun: "the build server".
_BEFORE_NOUN = frozenset(
    "the a an our my your his her their its this that for of in on at with from by".split()
)
#: Beginnings of the forms of Korean verbs that say what a sentence is about → their stems.
_STEM_OF = {
    form: stem
    for stem, forms in {
        "마시": "마시 마셔 마셨 마신 마심 마십",
        "다니": "다니 다녀 다녔 다닌 다님 다닙",
        "먹": "먹어 먹었 먹고 먹는 먹음 먹습 먹기 먹지 먹을 먹네",
        "키우": "키우 키워 키웠 키운 키움",
        "배우": "배우 배워 배웠 배운 배움 배웁",
        "사귀": "사귀 사귄 사귐",
        "피우": "피우 피워 피웠 피운 피움",
        "돌리": "돌리 돌려 돌린 돌림 돌립 돌렸",
        "보내": "보내 보냈 보낸 보냄 보냅",
        "받": "받아 받고 받는 받습 받음 받기",
        "끓이": "끓이 끓여 끓인 끓임",
        "찍": "찍어 찍고 찍는 찍음 찍습",
        "맡기": "맡기 맡겨 맡겼 맡긴 맡김",
        "올리": "올려 올리 올린",
    }.items()
    for form in forms.split()
}
_KOREAN_VERB = defer_pattern("|".join(sorted(_STEM_OF, key=len, reverse=True)))
_ENGLISH_VERB = _LIGHT_VERB | _FULL_VERB
#: Behind a plural and before a preposition, these are no verbs: "cans full of", "boxes and".
_NO_VERB = frozenset("and or but nor than then not also too most all full each both ones".split())
#: Forms that are nothing but a verb.
_FINITE = frozenset("is are was were am has have had does did will can could would must".split())
_CHANGE_VERB = frozenset(
    (
        "moved changed switched swapped migrated pushed bumped raised lowered renamed shifted "
        "rescheduled dropped cut"
    ).split()
)
#: The words behind one of these name the topic of the sentence.
_TOPIC_PREPOSITION = frozenset("for of about".split())
_VALUE_PREPOSITION = frozenset(
    "to with by from at in on into as over under near until till instead".split()
)


#: Words that say since when a statement holds; the sentence is not about that time.
_SINCE_NOW = defer_pattern(r"\b(?:these days|going forward|from here on(?: out)?)\b", re.IGNORECASE)
_SUBJECT_PRONOUNS = frozenset("i we he she they you".split())
_BEHIND_IS = frozenset(
    "in out on at off not a an the now gone no been back over done retired with".split()
)
#: Behind one of these words, a word in -s is a verb: "Priya signs off every release".
_BEHIND_VERB = frozenset(
    """
        off up on in to at with the a an every all over from for behind under near by before after
        without between through around like as my our his her their its your no only one two
    """.split()
)
_SHORTEST_GERUND = 5
_PARTICLES_ALONE = dict.fromkeys("은는이가", TOPIC) | dict.fromkeys("로에을를", VALUE)


class Word(NamedTuple):
    """Content word of a sentence: its stem, its place, and what kind of word it is.

    `place` is TOPIC, VALUE or UNKNOWN. `start` is the position of the word in the text. `is_name`:
    the word is a name. `is_possessor`: the word is a possessor (`Ann's`). `is_bare`: the word
    stands without a particle in a Korean sentence, and so belongs to the next word. `is_contrast`:
    the word is set against others (은, 는). `is_object`: the word is the object (을, 를), or the actor
    where 이 or 가 comes after a topic with 은 or 는. `is_counter`: the word is the unit that a number
    counts. `is_verb` is set for English words only.
    """

    stem: str
    place: str
    is_name: bool
    is_possessor: bool
    start: int
    is_counter: bool
    is_bare: bool = False
    is_contrast: bool = False
    is_object: bool = False
    is_verb: bool = False

    @property
    def is_anchor(self) -> bool:
        """Say whether the word can name a subject: no number, counter, time or lone particle."""
        is_lone_particle = self.stem in _PARTICLES_ALONE  # "20Hz로" is two words
        return not (
            self.stem[0].isdigit() or self.is_counter or is_lone_particle or self.stem in _MEASURES
        )


@lru_cache(50_000)
def read_words(sentence: str) -> tuple[Word, ...]:
    """Return the content words of a sentence in their order, without function words."""
    if re.search("[가-힣]", sentence):
        return tuple(_read_korean(sentence))
    return tuple(_read_english(sentence))


def stem_word(surface: str) -> str:
    """Return the stem that a word shares with its other forms; '' for a function word."""
    if surface[0].isascii():
        lowered = re.sub(r"['’]s$", "", surface).lower()
        if any(char.isdigit() for char in lowered):  # release-4, v2: its parts name nothing
            return lowered
        if lowered in _STOP or re.search(r"n['’]t$", lowered):
            return ""
        stem = keyword_text(lowered).replace(" ", "")
        is_day = lowered.removesuffix("s") == stem  # a wedding is no Wednesday
        return stem if is_day or stem not in _SHORT_DAYS else lowered.removesuffix("s")
    if verb := _KOREAN_VERB.match(surface):
        return _STEM_OF[verb[0]]
    base = (
        _PARTICLE.sub("", surface) if len(surface) > 1 and surface not in _WHOLE_NOUNS else surface
    )
    if surface in _STOP or base in _STOP or _STOP_KOREAN_FORM.match(base):
        return ""
    return surface if not base or _is_short_noun(surface) else base


def _is_short_noun(surface: str) -> bool:
    """Say whether a word of two syllables is likely a noun whose last one looks like a particle."""
    if not _SHORT_NOUN.match(surface):
        return False
    if not surface.endswith("서"):
        return True
    return bool(get_final(surface[0])) or get_vowel(surface[0]) not in _VOWELS_BEFORE_SEO


def is_whole_noun(surface: str) -> bool:
    """Say whether a Korean word is a noun that only looks like one with a particle or an ending."""
    return surface in _WHOLE_NOUNS


def is_korean_topic(surface: str) -> bool:
    """Say whether a Korean word is marked as the topic or the subject of its clause."""
    bare = surface.strip("\"'“”‘’()[]")
    if len(bare) <= 1 or is_whole_noun(bare) or _ADNOMINAL.search(bare):
        return False
    return _SUBJECT_PARTICLE.search(bare) is not None


def is_verb_form(words: Sequence[str], place: int) -> bool:
    """Say whether an English word is a finite verb, by its form and by its neighbours."""
    word = words[place].lower().replace("’", "'")
    behind = words[place + 1].lower() if place + 1 < len(words) else ""
    if re.search(r"'(?:re|m|ve|ll|d)$|n't$", word):
        return True
    if word.endswith("'s"):
        is_plain = word[:-2] in _PRONOUNS
        return is_plain or behind in _BEHIND_IS or not behind[:1].isalpha()
    before = words[place - 1].lower() if place else ""
    if before in _SUBJECT_PRONOUNS or before == "it":
        return True
    is_singular_form = _ends_in_s(word) and before not in _BEFORE_NOUN
    if place and (_ends_in_s(before) or is_singular_form) and behind in _BEHIND_VERB:
        return word not in _BEHIND_VERB and word not in _NO_VERB
    is_noun = word in _FULL_VERB and before in _BEFORE_NOUN
    return not is_noun and (word in _FINITE or word in _ENGLISH_VERB)


def _ends_in_s(word: str) -> bool:
    """Say whether a word ends as plurals do, and verbs behind a singular."""
    return re.search(r"[^su]s$", word) is not None


def _read_korean(sentence: str) -> list[Word]:
    matches = list(_WORD.finditer(sentence))
    surfaces = [match[0] for match in matches]
    has_topic = any(
        _TOPIC_PARTICLE.search(s) for s in surfaces if not s[0].isascii() and len(s) > 1
    )
    first_contrast = next(
        (n for n, s in enumerate(surfaces) if len(s) > 1 and s[-1] in "은는"), len(surfaces)
    )
    words: list[Word] = []
    following, is_object = UNKNOWN, False
    # From the end: a word without a particle belongs to the one behind it.
    for position in range(len(surfaces) - 1, -1, -1):
        surface, start = surfaces[position], matches[position].start()
        place = _korean_place(surface, has_topic=has_topic)
        is_bare = place is None
        place = place or following
        if not is_bare:
            is_object = _is_object(surface, is_behind_topic=position > first_contrast)
        is_counter = _is_counter(sentence, start)
        stem = _PARTICLE.sub("", surface) if is_counter and len(surface) > 1 else stem_word(surface)
        if stem:
            words.append(
                Word(
                    stem,
                    place,
                    is_name=surface[0].isascii() and not surface[0].isdigit(),
                    is_possessor=surface.endswith("의"),
                    start=start,
                    is_bare=is_bare,
                    is_contrast=surface[-1] in "은는",
                    is_object=is_object,
                    is_counter=is_counter,
                )
            )
        following = UNKNOWN if place == UNKNOWN and _VERB_ENDING.search(surface) else place
    return words[::-1]


def _is_object(surface: str, *, is_behind_topic: bool) -> bool:
    return _OBJECT_PARTICLE.search(surface) is not None or (
        is_behind_topic and surface[-1] in "이가"
    )


def _is_counter(sentence: str, start: int) -> bool:
    return start > 0 and sentence[start - 1].isdigit()


def _korean_place(surface: str, *, has_topic: bool) -> str | None:
    """Return the place that a particle marks; None for a word without one."""
    if surface[0].isascii() or surface in _WHOLE_NOUNS:
        return None
    if len(surface) == 1:
        # After a Latin word, a particle stands alone: "vim 을".
        return _PARTICLES_ALONE.get(surface)
    if _OBJECT_PARTICLE.search(surface):
        return VALUE if has_topic else TOPIC
    if _VALUE_PARTICLE.search(surface):
        return VALUE
    if _TOPIC_PARTICLE.search(surface):
        return TOPIC
    return UNKNOWN if _VERB_ENDING.search(surface) else None


def _find_base(word: str) -> str:
    """Return the known base verb of a form in -ing; any other word is returned unchanged."""
    if len(word) > _SHORTEST_GERUND and word.endswith("ing"):
        for base in (word[:-3], word[:-3] + "e", word[:-4]):
            if base in _ENGLISH_VERB:
                return base
    return word


def _read_english(sentence: str) -> list[Word]:
    matches = list(_WORD.finditer(_SINCE_NOW.sub(lambda match: " " * len(match[0]), sentence)))
    surfaces = [match[0] for match in matches]
    lowered = [_find_base(surface.lower()) for surface in surfaces]
    place, is_behind_change = TOPIC, False
    has_target = any(word in ("to", "from", "onto") for word in lowered)
    words: list[Word] = []
    for position, (surface, word) in enumerate(zip(surfaces, lowered, strict=True)):
        is_noun = word in _FULL_VERB and (position == 0 or lowered[position - 1] in _BEFORE_NOUN)
        # "I shop at …": any word that follows the actor is a verb.
        is_done = position > 0 and lowered[position - 1] in _SUBJECT_PRONOUNS
        if word in _CHANGE_VERB:
            # "We moved the deploy to Friday": what is moved is the topic.
            is_behind_change = has_target
            place = TOPIC if is_behind_change else VALUE
        elif (
            is_done
            or (word in _ENGLISH_VERB and not is_noun)
            or re.search(r"n['’]t$", word)
            or (re.search(r"['’](?:s|re|m)$", word) and word[:-2] in _PRONOUNS)
        ):
            place = VALUE
        elif word in _TOPIC_PREPOSITION:
            place = TOPIC
        elif word in _VALUE_PREPOSITION and is_behind_change:
            place = VALUE
        if position and surface == "Go":  # the language
            stem = "go"
        else:
            stem = stem_word(surface)
            if not stem or word in _LIGHT_VERB or word in _CHANGE_VERB:
                continue
        behind = lowered[position + 1] if position + 1 < len(lowered) else ""
        # "Valkey's in": `'s` is the verb "is", no possessive.
        is_possessor = re.search(r"[a-z]['’]s$", surface) is not None and behind not in _BEHIND_IS
        is_name = (surface[0].isupper() and position > 0) or any(char.isdigit() for char in surface)
        words.append(
            Word(
                stem,
                TOPIC if is_possessor else place,
                is_name=is_name,
                is_possessor=is_possessor,
                start=matches[position].start(),
                is_counter=_is_counter(sentence, matches[position].start()),
                is_verb=is_done or (word in _FULL_VERB and not is_noun),
            )
        )
    return words


_PRONOUNS = frozenset("it he she that there what we they i you".split())
