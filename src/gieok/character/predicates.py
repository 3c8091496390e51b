"""Predicates of facts, one row each, with their wording in Korean and English.

In a wording, `{who}` is the subject and `{o}` the object; the Korean particle to choose from two
stands behind `:`.
"""

from typing import NamedTuple

from gieok.character.facts import FactType

_A, _B, _C, _D, _E = (
    FactType.PERSONAL,
    FactType.PREFERENCE,
    FactType.RELATIONSHIP,
    FactType.HABIT,
    FactType.PLAN,
)


class Telling(NamedTuple):
    """Wordings of a fact: while it holds, and when it held once."""

    now: str
    past: str


class Predicate(NamedTuple):
    """Kind of statement. `is_single`: a new value replaces the old one. `importance` is 0–1."""

    type: FactType
    is_single: bool
    importance: float
    ko: Telling
    en: Telling


def _build_predicate_telling(now: str, past: str) -> Telling:
    return Telling(now, past)


_DAY_KO = _build_predicate_telling("{who:은/는} {o:이/가} 있다", "처음에는 {o:으로/로} 잡혀 있었다")
_DAY_EN = _build_predicate_telling(
    "{who} has this coming: {o}", "first it was to be {o}; that changed"
)

PREDICATES = {
    "name": Predicate(
        type=_A,
        is_single=True,
        importance=1.0,
        ko=_build_predicate_telling("이름은 {o}", "예전에는 이름을 {o:이라고/라고} 했다"),
        en=_build_predicate_telling("the name is {o}", "the name was {o} once"),
    ),
    "birthday": Predicate(
        type=_A,
        is_single=True,
        importance=0.9,
        ko=_build_predicate_telling("{who}의 생일은 {o}", "생일을 {o:으로/로} 알고 있었다"),
        en=_build_predicate_telling("{who}'s birthday is {o}", "the birthday was taken for {o}"),
    ),
    "anniversary": Predicate(
        type=_A,
        is_single=True,
        importance=0.8,
        ko=_build_predicate_telling("기념일은 {o}", "기념일을 {o:으로/로} 알고 있었다"),
        en=_build_predicate_telling("the anniversary is {o}", "the anniversary was taken for {o}"),
    ),
    "age": Predicate(
        type=_A,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who:은/는} {o}", "{who:은/는} 예전에 {o}"),
        en=_build_predicate_telling("{who} is {o} years old", "{who} was {o} once"),
    ),
    "gender": Predicate(
        type=_A,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who}의 성별은 {o}", "예전에는 성별을 {o:이라고/라고} 했다"),
        en=_build_predicate_telling("{who} is a {o}", "{who} said {o} once"),
    ),
    "job": Predicate(
        type=_A,
        is_single=True,
        importance=0.9,
        ko=_build_predicate_telling("{who}의 직업은 {o}", "{who}의 전 직업은 {o}"),
        en=_build_predicate_telling("{who}'s work is {o}", "{who}'s work before was {o}"),
    ),
    "lives_in": Predicate(
        type=_A,
        is_single=True,
        importance=0.9,
        ko=_build_predicate_telling("{who:은/는} {o}에 산다", "{who:은/는} 전에 {o}에 살았다"),
        en=_build_predicate_telling("{who} lives in {o}", "before, {who} lived in {o}"),
    ),
    "major": Predicate(
        type=_A,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who}의 전공은 {o}", "전 전공은 {o}"),
        en=_build_predicate_telling("{who} studies {o}", "{who} used to study {o}"),
    ),
    "mbti": Predicate(
        type=_A,
        is_single=True,
        importance=0.4,
        ko=_build_predicate_telling("{who}의 MBTI는 {o}", "전에는 MBTI를 {o:이라고/라고} 했다"),
        en=_build_predicate_telling("{who}'s MBTI is {o}", "{who} once said {o}"),
    ),
    "hobby": Predicate(
        type=_D,
        is_single=False,
        importance=0.5,
        ko=_build_predicate_telling("{who}의 취미는 {o}", "전 취미는 {o}"),
        en=_build_predicate_telling("{who}'s hobby is {o}", "{who}'s hobby used to be {o}"),
    ),
    "detail": Predicate(
        type=_A,
        is_single=False,
        importance=0.4,
        ko=_build_predicate_telling("{who} 이야기로는 {o}", "{who}의 전 이야기로는 {o}"),
        en=_build_predicate_telling("{who}: {o}", "{who}, before: {o}"),
    ),
    "taste": Predicate(
        type=_B,
        is_single=False,
        importance=0.4,
        ko=_build_predicate_telling("{who}의 취향은 {o}", "{who}의 전 취향은 {o}"),
        en=_build_predicate_telling("{who}'s taste: {o}", "{who}'s taste before: {o}"),
    ),
    "tie": Predicate(
        type=_C,
        is_single=False,
        importance=0.4,
        ko=_build_predicate_telling("{who}의 주변 이야기는 {o}", "{who}의 전 주변 이야기는 {o}"),
        en=_build_predicate_telling("{who}'s people: {o}", "{who}'s people, before: {o}"),
    ),
    "from": Predicate(
        type=_A,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who:은/는} {o} 출신", "출신을 {o:으로/로} 알고 있었다"),
        en=_build_predicate_telling("{who} comes from {o}", "{who} was taken to come from {o}"),
    ),
    "exam_score": Predicate(
        type=_A,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who}의 점수는 {o}", "전 점수는 {o}"),
        en=_build_predicate_telling("{who} scored {o}", "the score before was {o}"),
    ),
    "title": Predicate(
        type=_A,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who}의 작품 제목은 {o}", "전 제목은 {o}"),
        en=_build_predicate_telling("{who}'s work is called {o}", "its title was {o} before"),
    ),
    "health": Predicate(
        type=_A,
        is_single=False,
        importance=0.7,
        ko=_build_predicate_telling("{who}의 건강은 {o}", "전에 {o} 때문에 아팠다"),
        en=_build_predicate_telling("{who}'s health: {o}", "{who} had {o} once"),
    ),
    "allergy": Predicate(
        type=_B,
        is_single=False,
        importance=1.0,
        ko=_build_predicate_telling(
            "{who:은/는} {o:이/가} 있다. 조심해야 한다", "전에는 {o:이/가} 있었다"
        ),
        en=_build_predicate_telling("{who} must not eat or drink this: {o}", "{who} once had {o}"),
    ),
    "likes": Predicate(
        type=_B,
        is_single=False,
        importance=0.5,
        ko=_build_predicate_telling("{who:은/는} {o:을/를} 좋아한다", "전에는 {o:을/를} 좋아했다"),
        en=_build_predicate_telling("{who} likes {o}", "{who} used to like {o}"),
    ),
    "dislikes": Predicate(
        type=_B,
        is_single=False,
        importance=0.7,
        ko=_build_predicate_telling("{who:은/는} {o:을/를} 싫어한다", "전에는 {o:을/를} 싫어했다"),
        en=_build_predicate_telling("{who} dislikes {o}", "{who} used to dislike {o}"),
    ),
    "drink": Predicate(
        type=_B,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who:은/는} 늘 {o:을/를} 마신다", "전에는 {o:을/를} 마셨다"),
        en=_build_predicate_telling("{who}'s usual drink is {o}", "{who} used to drink {o}"),
    ),
    "food": Predicate(
        type=_B,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who:은/는} {o:을/를} 먹는다", "전에는 {o:을/를} 먹었다"),
        en=_build_predicate_telling("{who}'s usual food is {o}", "{who} used to eat {o}"),
    ),
    "before_sleep": Predicate(
        type=_D,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling(
            "{who:은/는} 자기 전에 {o:을/를} 마신다", "전에는 자기 전에 {o:을/를} 마셨다"
        ),
        en=_build_predicate_telling(
            "before sleep, {who} has {o}", "before sleep, {who} used to have {o}"
        ),
    ),
    "exercise": Predicate(
        type=_D,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who}의 운동은 {o}", "전에 하던 운동은 {o}"),
        en=_build_predicate_telling("{who}'s exercise is {o}", "{who}'s exercise used to be {o}"),
    ),
    "study_language": Predicate(
        type=_D,
        is_single=False,
        importance=0.6,
        ko=_build_predicate_telling("{who:은/는} {o:을/를} 배운다", "전에는 {o:을/를} 배웠다"),
        en=_build_predicate_telling("{who} is learning {o}", "{who} was learning {o} once"),
    ),
    "routine": Predicate(
        type=_D,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who}의 하루는 {o}", "전의 하루는 {o}"),
        en=_build_predicate_telling("{who}'s routine: {o}", "{who}'s routine before: {o}"),
    ),
    "habit": Predicate(
        type=_D,
        is_single=False,
        importance=0.5,
        ko=_build_predicate_telling("{who}의 습관은 “{o}”", "{who}의 전 습관은 “{o}”"),
        en=_build_predicate_telling("{who}'s habit: “{o}”", "{who}'s habit before: “{o}”"),
    ),
    "pet": Predicate(
        type=_C,
        is_single=False,
        importance=0.8,
        ko=_build_predicate_telling("{who}의 반려동물은 {o}", "전에 키우던 반려동물은 {o}"),
        en=_build_predicate_telling("{who}'s pet is {o}", "{who} once had {o}"),
    ),
    "partner": Predicate(
        type=_C,
        is_single=True,
        importance=0.9,
        ko=_build_predicate_telling(
            "{who:이/가} 만나는 사람은 {o}", "{who:은/는} 전에 {o:과/와} 만났다"
        ),
        en=_build_predicate_telling("{who} is with {o}", "{who} was with {o} before"),
    ),
    "friend": Predicate(
        type=_C,
        is_single=False,
        importance=0.6,
        ko=_build_predicate_telling("{who}의 친구는 {o}", "전 친구는 {o}"),
        en=_build_predicate_telling("{who}'s friend is {o}", "{who} was friends with {o}"),
    ),
    "colleague": Predicate(
        type=_C,
        is_single=False,
        importance=0.5,
        ko=_build_predicate_telling(
            "{who:과/와} 같이 일하는 사람은 {o}", "전에 같이 일한 사람은 {o}"
        ),
        en=_build_predicate_telling("{who} works with {o}", "{who} worked with {o} once"),
    ),
    "boss": Predicate(
        type=_C,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who}의 윗사람은 {o}", "전 윗사람은 {o}"),
        en=_build_predicate_telling("{who}'s boss is {o}", "{who}'s boss used to be {o}"),
    ),
    "roommate": Predicate(
        type=_C,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling(
            "{who:과/와} 같이 사는 사람은 {o}", "전에는 {o:과/와} 같이 살았다"
        ),
        en=_build_predicate_telling("{who} lives with {o}", "{who} used to live with {o}"),
    ),
    "family": Predicate(
        type=_C,
        is_single=False,
        importance=0.7,
        ko=_build_predicate_telling("{who}의 가족은 {o}", "전에 알던 가족은 {o}"),
        en=_build_predicate_telling("{who}'s family: {o}", "{who}'s family, before: {o}"),
    ),
    "school_year": Predicate(
        type=_C,
        is_single=True,
        importance=0.6,
        ko=_build_predicate_telling("{who:은/는} {o}", "{who:은/는} 전에 {o}"),
        en=_build_predicate_telling("{who} is in {o}", "{who} was in {o}"),
    ),
    "marital_status": Predicate(
        type=_C,
        is_single=True,
        importance=0.5,
        ko=_build_predicate_telling("{who:은/는} {o}", "{who:은/는} 전에 {o}"),
        en=_build_predicate_telling("{who}: {o}", "{who}, before: {o}"),
    ),
    "address_form": Predicate(
        type=_C,
        is_single=True,
        importance=1.0,
        ko=_build_predicate_telling(
            "나는 {who:을/를} '{o}' 하고 부른다", "처음에는 '{o}' 하고 불렀다"
        ),
        en=_build_predicate_telling("I call {who} '{o}'", "at first I said '{o}'"),
    ),
    "speech_level": Predicate(
        type=_C,
        is_single=True,
        importance=1.0,
        ko=_build_predicate_telling("우리의 말투는 {o}", "처음에는 {o:을/를} 썼다"),
        en=_build_predicate_telling(
            "how I am to talk: {o}", "at first I was to talk like this: {o}"
        ),
    ),
    **{
        name: Predicate(type=_E, is_single=False, importance=0.8, ko=_DAY_KO, en=_DAY_EN)
        for name in (
            "interview",
            "exam",
            "trip",
            "appointment",
            "dentist",
            "meeting",
            "deadline",
            "wedding",
            "surgery",
            "discharge",
            "move",
            "job_start",
            "performance",
            "date",
            "plan",
        )
    },
    "class": Predicate(
        type=_E,
        is_single=False,
        importance=0.5,
        ko=_build_predicate_telling(
            "{who:은/는} {o:을/를} 하기로 했다", "{o:을/를} 하려다 그만두었다"
        ),
        en=_build_predicate_telling("{who} signed up for {o}", "{who} gave up {o}"),
    ),
}

#: Words for an event → predicate of a plan with a day.
EVENTS = (
    ("interview", r"면접|\binterview"),
    (
        "exam",
        (
            r"시험|토익|토플|아이엘츠|자격증|필기|실기|수능|기말|중간고사|모의고사|(?<![a-z])(?:ielts|toefl)(?![a-z])"
            r"|\bexams?\b|\bfinals?\b"
            r"|\btest\b(?! drive)"
        ),
    ),
    ("surgery", r"수술|\bsurgery\b|\boperation\b"),
    ("dentist", r"사랑니|치과|\bdentist|\bwisdom tooth"),
    (
        "appointment",
        (
            r"건강검진|검진|진료|예약|상담|\bconsultant\b|\bappointment|\bcheck-?up\b|\bmri\b|\bphysio"
            r"|\bdoctor\b"
            r"|\bscan\b"
        ),
    ),
    ("deadline", r"마감|제출|\bdeadline|\bdue\b"),
    ("meeting", r"미팅|회의|\bmeeting"),
    ("wedding", r"결혼식|\bwedding"),
    ("discharge", r"제대|전역"),
    ("move", r"(?<![가-힣]{3} )이사(?!님|[회장진])|입주|\bmov(?:e|ing)\b"),
    ("job_start", r"첫 ?출근|출근|입사|\bstarts?\b|\bfirst day\b"),
    ("performance", r"공연|콘서트|발표회|전시|\bconcert|\bgig\b|\bshow\b"),
    (
        "plan",
        (
            r"체육대회|운동회|축제|졸업식|입학식|돌잔치|환갑|장례식|동창회|집들이|엠티|워크숍|세미나|발표|대회|시합|마라톤|\bfestival\b|\bparty\b"
            r"|\breunion\b|\bgraduation\b|\bceremony\b|\bmarathon\b|\brecital\b|\bcompetition\b"
            r"|\bpresentation\b"
        ),
    ),
    (
        "trip",
        (
            r"여행|놀러|다녀오(?:려|기|자|고)|가려고|갈 ?거(?:야|예요|임)|휴가|가기로|가자|떠나|(?<![가-힣])[가-힣]{2,4} "
            r"?(?:간다|갑니다|가요"
            r"|가거든)|캠핑|출장|\btrip|\bflight|\bgoing to\b|\btravel|\bvacation|\bholiday|\bbooked\b"
        ),
    ),
)

#: Predicates of plans. A held plan ends when a change of it is announced, as a fact of a
#: single-valued predicate does.
PLANS = frozenset(name for name, row in PREDICATES.items() if row.type is FactType.PLAN)
