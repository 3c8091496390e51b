"""Rules that find moments between user and character in a message.

Moments are comfort, milestones, confessions, promises, fights and reconciliations, and changed
forms of address.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from gieok.character.detect import gates
from gieok.character.detect.detect import Finding
from gieok.character.detect.patterns import split_chat_sentences
from gieok.character.facts import USER, Moment
from gieok.character.memory.fact_merge import ToldMessage


class Sign(NamedTuple):
    """Pattern of words that mark a moment of a type.

    `words` is a regular expression; `emotions` name the emotion in Korean and in English. `by` is
    who says the words: `user`, `character`, or '' for either.
    """

    type: str
    words: str
    emotions: tuple[str, str]
    intensity: float
    by: str = "user"


#: Signs of all moments but changed forms of address; a type may have several signs.
SIGNS = (
    Sign(
        type="reconcile",
        words=(
            r"오해(?:했|해서|였)|용서|화(?:내서|냈던|낸 거)|\bsharp with you\b|\bi was (?:a jerk|wrong|unkind"
            r"|out of line)\b|미안|죄송|사과할게|화해|\bi'?m sorry\b|\bsorry (?:i|about|for)\b|\bwe'?re "
            r"good\b|\bi was unfair\b|\bforgive\b|\bmy fault\b|\bmy bad\b|\bbeing a "
            r"jerk\b|\boverreacted\b|\btruce\b|\bapologi[sz]e\b|\bmake up\b"
        ),
        emotions=("미안함", "relief"),
        intensity=0.7,
        by="",
    ),
    Sign(
        "fight",
        r"왜 (?:안 ?(?:와|왔|옴|나와|나왔|해줬|들어줬)|불)|(?:진짜 |나 |얼마나 )?기다렸(?:다고|단|는데|잖|어요)|거짓말 ?하지|말 ?걸지 "
        r"?마|실망이|서운해|짜증나|(?:약속|기억)(?:했|한다|한다고 했)잖|약속했으면서|말은 하고 가|혼자 [^.!?]{0,12}(?:줄 "
        r"알았|얼마나)|\bwhere were you\b|\bforget it\b|\bshould(?:n\'?t| not) have counted\b"
        r"|\bangry\b[^.!?]{0,20}\bwith you\b|\bi wish you had\b|\bsay goodnight\b|\byou "
        r"(?:said|told me) (?:always|you)\b|왜 (?:어제|오늘|아무|계속|자꾸)?[^.!?]{0,14}(?:씹|안 ?왔|안 ?와|문 "
        r"?닫|대답|답장|답도|답을|무시|읽씹|연락도)|됐어[, ]*(?:나 )?(?:간다|갈게|가)|됐다[, ]*자|(?:진짜|완전|너무|좀|많이) "
        r"?(?:서운|실망)|서운한 ?건|화났어|짜증나 너|(?:나|저) ?(?:완전 |진짜 )?삐|전화(?:도|를)? ?안 ?받|너무해|저 "
        r"갈래|실망이|기다렸는데 (?:진짜|실망)|나 갈래|말 ?안 ?할래"
        r"|\bwhy didn'?t you (?:answer|call|reply|come)|\bwow ok\b|\byou (?:went quiet|ignored"
        r"|ghosted|forgot)\b|\bnice friend\b|\bi'?m (?:so )?(?:mad|angry|done) (?:at|with) "
        r"you\b|\bso im too much\b|\byou never (?:wrote|called|answered|replied|texted|came"
        r"|showed)\b|\bthanks for nothing\b|\byou stood me up\b|\byou forgot (?:me|about "
        r"me|my)\b|\bleft me on read\b|\bthat (?:really )?hurt\b|\bcould\'?ve (?:called|told "
        r"me|texted|honked|said)\b|\bwhatever,? (?:night|bye)\b",
        ("서운함", "hurt"),
        0.7,
    ),
    Sign(
        "milestone",
        r"뽑혔|뽑힘|붙음|붙었다|합격했|통과(?:했|함|됐)|사귀기로|사귄다|사표 ?(?:를 )?냈|임신(?:했|이)|취직(?:했|됐|함)|승진|입상|(?:상"
        r"|대상|최우수상|금상) ?(?:을 )?(?:탔|받)|계약(?:했|함)|첫 ?(?:월급|출근|무대|책|전시)[^.!?]{0,10}(?:받았|했|나왔|끝)"
        r"|찢었다|(?:딸|아들)[^.!?]{0,6}(?:취직|합격|결혼)|^\W*passed\b|\bpassed (?:it|the|my)\b"
        r"|\bnothing (?:is )?(?:amiss|wrong)\b[^.!?]{0,6}!|\bgot engaged\b|\bwe\'?re "
        r"(?:pregnant|expecting)\b|\bi\'?m pregnant\b|\bhanded in my notice\b|\bgot the "
        r"(?:keys|offer|part|place)\b|(?:나|저) (?:진짜 )?(?:붙었|합격|됐다|승진)|붙었어[!요]|합격(?:했|[!이]|$)"
        r"|(?:정규직|대리|과장|사원|반장|대표)[^.!?]{0,4}됐|상 ?(?:탔|받았)|우수상|대상!|졸업했|첫 ?집|첫 ?월급|등단|데뷔|계약했어!"
        r"|드디어 [^.!?]{0,10}(?:땄|냈|끝냈|성공)|취직했|취업했|승진했|땄어|땄다|통과했|당선|해냈|성공했"
        r"|\bgot the job\b|\bi got it\b|\bgot in\b!?|\bgot accepted\b|\bgot promoted\b|\bi "
        r"passed\b|\bthey picked me\b|\bthey chose me\b|\bi\'?m the new\b|\boffered "
        r"me\b|\bpassed!|\bi made it\b(?! up\b(?! the))|\bi did it\b|\bthey said yes\b|\bi\'?m in!|\bi "
        r"won\b(?! the lottery)|\bgraduated\b|\bfirst day done\b|\bwe'?re engaged\b|\bgot "
        r"published\b|\bgot hired\b",
        ("기쁨", "joy"),
        0.9,
    ),
    Sign(
        "comfort",
        r"우는 ?거|우는중|울고 ?있|울었|눈물|망쳤|망함|망했|깨졌(?!다고)|혼나|서럽|서러|보고 ?싶어|겁나|겁난|못 ?하(?:나|겠) "
        r"?싶|바본가|아무것도 못|쓰러지|다쳤|삐끗|큰일났|엉엉|\bstroke\b|\bicu\b|\bhospital\b|\bfrightened\b"
        r"|\bterrified\b|\bscared\b|\bcan\'?t stop\b|\bbroke down\b|\bi miss (?:my|her|him)\b"
        r"|돌아가셨|죽었어|헤어졌(?:어|다|음|네)|또 떨어졌|떨어졌어[요ㅠ]|울었(?:어|거든|네)|눈물이? ?(?:안|나|멈)|너무 ?힘들|진짜 "
        r"힘들|힘들었|우울|(?<!의)외로(?:워|웠|움|운)|슬퍼|슬픔|무서워|없어졌어|잃어버린 ?것 같|깨졌거든|엄청 깨|혼났|자격 ?없|(?:하나도|다) "
        r"(?:안 ?예쁜|망한)|망했어ㅠ|속상|눈물만|다 (?:내|제) 탓|자책|못 ?버티|지쳤"
        r"|\bbroke up\b|\bsplit up\b|\bdied\b|\bpassed away\b|\bfuneral\b|\bcrying\b(?! "
        r"(?:laughing|thats|that\'s|lol|lmao))|\bi cried\b|\bscattered\b|\bashes\b"
        r"|\bheartbroken\b|\bsomething rough\b|\bi froze\b|\bkeep seeing it\b|\bnightmares?\b"
        r"|\bdevastated\b|\bpanic attack\b|\bfalling apart\b|\bso (?:lonely|sad|alone)\b"
        r"|\bweird day\b|\bworst day\b|\blost my\b|\bi feel like (?:a |such a )?(?:fraud"
        r"|failure)\b",
        ("슬픔", "sadness"),
        0.8,
    ),
    Sign(
        type="comfort",
        words=(
            r"아무 ?말(?:도)? 안 ?해도|울어도 ?(?:돼|된다|괜찮)|(?:이리|여기) 와(?:서)? ?(?:앉|기대|\.)|곁에 ?있|옆에 "
            r"?있을게|앉거라|많이 (?:힘들|속상|창피|아프|놀라)[가-힣]*(?:겠|으셨)|안아 ?(?:줄|주)|\byou'?re not "
            r"alone\b|\byou are not alone\b|\btake all the time\b|\bi'?m (?:right )?here\b|\bsit "
            r"(?:down|by)\b|\bso sorry\b"
        ),
        emotions=("슬픔", "sadness"),
        intensity=0.7,
        by="character",
    ),
    Sign(
        "confession",
        r"고백할|실은 |사실은? (?:나|저|내|제|아무|말)|말 ?못 ?했|말 ?안 ?했는데|털어놓|이건 (?:아무도|친구들도|비밀)|좋아하는 "
        r"?(?:거|것) ?같|\btruth is\b|\bi have never told\b|\bnever told (?:a soul|anyone)\b"
        r"|\bcarried that\b|\bcan i tell you\b|\bi haven\'?t told\b|사실 (?:나|저|난|전)\b|(?:나|저) "
        r"사실|솔직히 말하면|아무한테도 (?:말|얘기)|처음 말하는|처음으로 말|고백(?:할|하|한)|(?:나도|너를?|네가|너) 좋아해|좋아한다고|사귀는 "
        r"?거|모자란 사람|[^.!?]{0,3}안하는거 ?같아|인정할게"
        r"|\bnever (?:said|told)\b[^.!?]{0,24}\b(?:out loud|anyone|anybody|you (?:this"
        r"|that i))\b|\bnever say "
        r"out loud\b|\btell you (?:smth|something)\b|\bi (?:love|like) you\b|\bi have to "
        r"admit\b|\bconfess\b|\bhonestly i\b|\bsecretly i\b",
        ("두려움", "tenderness"),
        0.85,
    ),
    Sign(
        type="promise",
        words=(
            r"맹세|기억해 두(?:마|겠|리)|(?:문|불)[^.!?]{0,8} 열어 ?두|꼭 [가-힣 ]{1,14}(?:두리|하마|으마|겠소|올게|줄게|놓을게)"
            r"|\bmy word\b|약속(?:한다|한 ?거|합니다|이다|이야|했다|해|할게|하자|[!?.]|$)|약조|새끼손가락|꼭 [가-힣 ]{1,12}(?:할게"
            r"|살게|갈게|줄게)$|\bpromise\b|\bpinky\b|\byou have my word\b|\bi'?ll hold you to\b"
        ),
        emotions=("안도", "reassurance"),
        intensity=0.6,
        by="",
    ),
)
_SIGNS = tuple((sign, re.compile(sign.words, re.IGNORECASE)) for sign in SIGNS)
_NO_PROMISE = re.compile(r"약속은 지키|약속 ?있|약속이 ?있|선약|취소")
#: Words that settle a fight, whether or not the fight was noticed.
_MADE_UP = re.compile(
    (
        r"(?:화내|화낸|소리 ?질|심하게|오해|탓|성질|서운하게|말 ?안 ?해)[^.!?]{0,14}(?:미안|죄송)|(?:미안|죄송)[^.!?]{0,14}(?:화내"
        r"|소리|오해|심했)|\b(?:i was (?:sharp|a jerk|rude|unfair)|forgive me)\b"
    ),
    re.IGNORECASE,
)
#: Within this time after a moment, a sign of the same type begins no new moment.
_SAME = timedelta(hours=12)
#: Longest time from a fight to its reconciliation.
_UNSETTLED = timedelta(days=10)
_MOST_CHARS = 160
#: The day that is kept as the 100th counts the first one; within so many days a day is made up for.
_HUNDRED, _LATE_DAYS = 100, 7
_SAME_DAY_AGAIN = timedelta(days=30)
#: A changed form of address is a moment from this confidence on.
_SURE = 0.8


def moments(
    told: ToldMessage,
    is_user: bool,
    findings: Sequence[Finding],
    held: Sequence[Moment],
    is_korean: bool,
) -> list[Moment]:
    """Return the moments that begin with a message.

    `held` are the earlier moments, oldest first; `findings` are what was detected in the message. A
    message that quotes, tells fiction, plays a role, jokes or denies begins no moment.
    """
    text = gates.without_quotes(told.text)
    if gates.unmeant(text) not in ("", "sarcasm", "hypothetical"):
        return []
    for sentence in split_chat_sentences(text):
        if gates.unmeant(sentence) == "hypothetical":
            text = text.replace(sentence, " ")
    new_moments: list[Moment] = []
    for sign, words in _SIGNS:
        if (sign.by and (sign.by == USER) != is_user) or not words.search(text):
            continue
        if _may_begin_moment(sign.type, text, held, told):
            new_moments.append(
                _build_moment(sign.type, sign.emotions[0 if is_korean else 1], sign.intensity, told)
            )
    if any(
        f.predicate in ("speech_level", "address_form") and f.confidence >= _SURE for f in findings
    ) and _is_new("address_change", held, told):
        new_moments.append(
            _build_moment("address_change", "어색함" if is_korean else "warmth", 0.6, told)
        )
    return new_moments


def find_shared_day(
    first_day: date, day: date, told: ToldMessage, held: Sequence[Moment], is_korean: bool
) -> list[Moment]:
    """Return the moment of a day that counts since the first talk: the 100th, or an anniversary.

    It begins with the first message of that day, or of the days after it where nobody talked then.
    """
    if day < first_day:  # an old log that was taken in later
        return []
    days = (day - first_day).days + 1
    years = day.year - first_day.year - ((day.month, day.day) < (first_day.month, first_day.day))
    since = (day - _add_years(first_day, years)).days if years else _LATE_DAYS
    if 0 <= days - _HUNDRED < _LATE_DAYS:
        type_, text = "hundred_days", ("처음 이야기한 지 100일", "100 days since the first talk")
    elif since < _LATE_DAYS:
        type_ = "anniversary"
        years_en = f"{years} years" if years > 1 else "one year"
        text = (f"처음 이야기한 지 {years}년", f"{years_en} since the first talk")
    else:
        return []
    if any(one.type == type_ and told.at - one.at < _SAME_DAY_AGAIN for one in held):
        return []
    return [
        Moment(
            type=type_,
            text=text[0 if is_korean else 1],
            at=told.at,
            emotions=("기쁨" if is_korean else "joy",),
            intensity=0.7,
            message_ids=(told.message_id,),
            is_told=True,
        )
    ]


def _add_years(day: date, years: int) -> date:
    """Return the same day so many years later; the last of February for the 29th."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)


def _may_begin_moment(type_: str, text: str, held: Sequence[Moment], told: ToldMessage) -> bool:
    """Return whether a sign of this type may begin a moment.

    A reconciliation needs a fight in the last ten days that is not reconciled yet, or words that
    settle a fight by themselves. In this last case, and for all other types, the last moment of the
    type must be at least 12 hours ago.
    """
    if type_ == "promise" and _NO_PROMISE.search(text):
        return False
    if type_ == "reconcile":
        if _MADE_UP.search(text):
            return _is_new(type_, held, told)
        last = [m for m in held if m.type in ("fight", "reconcile")][-1:]
        return bool(last) and last[0].type == "fight" and told.at - last[0].at <= _UNSETTLED
    return _is_new(type_, held, told)


def _is_new(type_: str, held: Sequence[Moment], told: ToldMessage) -> bool:
    return not any(m.type == type_ and told.at - m.at < _SAME for m in held)


def _build_moment(type_: str, emotion: str, intensity: float, told: ToldMessage) -> Moment:
    return Moment(
        type=type_,
        text=told.text[:_MOST_CHARS],
        at=told.at,
        emotions=(emotion,),
        intensity=intensity,
        message_ids=(told.message_id,),
    )
