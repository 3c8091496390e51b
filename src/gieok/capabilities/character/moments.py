"""Moments between the two, by rules: comfort, milestones, confessions, promises, fights and reconciliations, forms of address."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from gieok.capabilities.character import gates
from gieok.capabilities.character.detect import Finding
from gieok.capabilities.character.keeping import Told
from gieok.capabilities.character.memory import Moment


class Sign(NamedTuple):
    """Words that tell of a moment. `by`: who says them, `user`, `character` or `` for either."""

    type: str
    words: str
    emotions: tuple[str, str]
    intensity: float
    by: str = "user"


#: Emotions in Korean and English.
SIGNS = (
    Sign("reconcile", r"미안|죄송|사과할게|화해|\bi'?m sorry\b|\bsorry (?:i|about|for)\b|\bwe'?re good\b|\bi was unfair\b|\bforgive\b|\bmy fault\b|\bmy bad\b|\bbeing a jerk\b|\boverreacted\b|\btruce\b|\bapologi[sz]e\b|\bmake up\b", ("미안함", "relief"), 0.7, ""),
    Sign("fight", r"왜 (?:어제|오늘|아무|계속|자꾸)?[^.!?]{0,14}(?:씹|안 ?왔|안 ?와|문 ?닫|대답|답장|답도|답을|무시|읽씹|연락도)|됐어[, ]*(?:나 )?(?:간다|갈게|가)|됐다[, ]*자|(?:진짜|완전|너무|좀|많이) ?(?:서운|실망)|서운한 ?건|화났어|짜증나 너|나 삐|삐졌|전화(?:도|를)? ?안 ?받|너무해|저 갈래|실망이|기다렸는데 (?:진짜|실망)|나 갈래|말 ?안 ?할래"
                  r"|\bwhy didn'?t you (?:answer|call|reply|come)|\bwow ok\b|\byou (?:went quiet|ignored|ghosted|forgot)\b|\bnice friend\b|\bi'?m (?:so )?(?:mad|angry|done) (?:at|with) you\b|\bso im too much\b|\byou never (?:wrote|called|answered|replied|texted|came|showed)\b|\bthanks for nothing\b|\byou stood me up\b|\byou forgot (?:me|about me|my)\b|\bleft me on read\b|\bthat (?:really )?hurt\b|\bcould\'?ve (?:called|told me|texted|honked|said)\b|\bwhatever,? (?:night|bye)\b", ("서운함", "hurt"), 0.7),
    Sign("milestone", r"(?:나|저) (?:진짜 )?(?:붙었|합격|됐다|승진)|붙었어[!요]|합격(?:했|[!이]|$)|(?:정규직|대리|과장|사원|반장|대표)[^.!?]{0,4}됐|상 ?(?:탔|받았)|우수상|대상!|졸업했|첫 ?집|첫 ?월급|등단|데뷔|계약했어!|드디어 [^.!?]{0,10}(?:땄|냈|끝냈|성공)|취직했|취업했|승진했|땄어|땄다|통과했|당선|해냈|성공했"
                       r"|\bgot the job\b|\bi got it\b|\bgot in\b!?|\bgot accepted\b|\bgot promoted\b|\bi passed\b|\bthey picked me\b|\bthey chose me\b|\bi\'?m the new\b|\boffered me\b|\bpassed!|\bi made it\b|\bi did it\b|\bthey said yes\b|\bi\'?m in!|\bi won\b(?! the lottery)|\bgraduated\b|\bfirst day done\b|\bwe'?re engaged\b|\bgot published\b|\bgot hired\b", ("기쁨", "joy"), 0.9),
    Sign("comfort", r"돌아가셨|죽었어|헤어졌(?:어|다|음|네)|또 떨어졌|떨어졌어[요ㅠ]|울었(?:어|거든|네)|눈물이? ?(?:안|나|멈)|너무 ?힘들|진짜 힘들|힘들었|우울|외로|슬퍼|슬픔|무서워|없어졌어|잃어버린 ?것 같|깨졌거든|엄청 깨|혼났|자격 ?없|(?:하나도|다) (?:안 ?예쁜|망한)|망했어ㅠ|속상|눈물만|다 (?:내|제) 탓|자책|못 ?버티|지쳤"
                     r"|\bbroke up\b|\bsplit up\b|\bdied\b|\bpassed away\b|\bfuneral\b|\bcrying\b(?! (?:laughing|thats|that\'s|lol|lmao))|\bi cried\b|\bscattered\b|\bashes\b|\bheartbroken\b|\bsomething rough\b|\bi froze\b|\bkeep seeing it\b|\bnightmares?\b|\bdevastated\b|\bpanic attack\b|\bfalling apart\b|\bso (?:lonely|sad|alone)\b|\bweird day\b|\bworst day\b|\blost my\b|\bi feel like (?:a |such a )?(?:fraud|failure)\b", ("슬픔", "sadness"), 0.8),
    Sign("confession", r"사실 (?:나|저|난|전)\b|(?:나|저) 사실|솔직히 말하면|아무한테도 (?:말|얘기)|처음 말하는|처음으로 말|고백(?:할|하|한)|(?:나도|너를?|네가|너) 좋아해|좋아한다고|사귀는 ?거|모자란 사람|[^.!?]{0,3}안하는거 ?같아|인정할게"
                        r"|\bnever (?:said|told)\b[^.!?]{0,24}\b(?:out loud|anyone|anybody|you)\b|\bnever say out loud\b|\btell you (?:smth|something)\b|\bi (?:love|like) you\b|\bi have to admit\b|\bconfess\b|\bhonestly i\b|\bsecretly i\b", ("두려움", "tenderness"), 0.85),
    Sign("promise", r"약속(?:이다|이야|했다|해|할게|하자|[!?.]|$)|약조|새끼손가락|꼭 [가-힣 ]{1,12}(?:할게|살게|갈게|줄게)$|\bpromise\b|\bpinky\b|\byou have my word\b|\bi'?ll hold you to\b", ("안도", "reassurance"), 0.6, ""),
)  # fmt: skip
_SIGNS = tuple((sign, re.compile(sign.words, re.IGNORECASE)) for sign in SIGNS)
_NO_PROMISE = re.compile(r"약속은 지키|약속 ?있|약속이 ?있|선약|취소")
#: Another sign of a moment within this time belongs to it.
_SAME = timedelta(hours=12)
#: Who fights makes it up within this time.
_UNSETTLED = timedelta(days=10)
_MOST_CHARS = 160


def moments(
    told: Told, is_user: bool, findings: Sequence[Finding], held: Sequence[Moment], is_korean: bool
) -> list[Moment]:
    """Return the moments that a message begins; `held` are those before, oldest first."""
    text = gates.without_quotes(told.text)
    if gates.unmeant(text) not in ("", "sarcasm", "hypothetical"):
        return []
    found: list[Moment] = []
    for sign, words in _SIGNS:
        if (sign.by == "user" and not is_user) or not words.search(text):
            continue
        if _is_open(sign.type, text, held, told):
            found.append(_moment(sign.type, sign.emotions[0 if is_korean else 1], sign.intensity, told))
    if any(f.predicate in ("speech_level", "address_form") for f in findings) and _is_new("address_change", held, told):
        found.append(_moment("address_change", "어색함" if is_korean else "warmth", 0.6, told))
    return found


def _is_open(type_: str, text: str, held: Sequence[Moment], told: Told) -> bool:
    """Say whether a sign begins a moment: none of the type just before; peace needs a fight."""
    if type_ == "promise" and _NO_PROMISE.search(text):
        return False
    if type_ == "reconcile":
        last = [m for m in held if m.type in ("fight", "reconcile")][-1:]
        return bool(last) and last[0].type == "fight" and told.at - last[0].at <= _UNSETTLED
    return _is_new(type_, held, told)


def _is_new(type_: str, held: Sequence[Moment], told: Told) -> bool:
    return not any(m.type == type_ and told.at - m.at < _SAME for m in held)


def _moment(type_: str, emotion: str, intensity: float, told: Told) -> Moment:
    return Moment(type_, told.text[:_MOST_CHARS], told.at, (emotion,), intensity, (told.message_id,))
