"""Prohibitions in polite, indirect and everyday words, as people say them to somebody they trust.

"I'd rather you didn't delete any objects yourself", 레디스 비우는 건 운영팀에 맡겨 주세요: no *never*, no
bare order. Such a sentence sounds like a wish or a single request, so a model that was fitted to
rules misses many of them. What makes it one is its form and what an agent does with its tools: a
form alone also stands in requests about a program ("don't show the sidebar"). A sentence that is
found *may* state a rule: an agent is reminded of it, and nobody is asked.
"""

import re
from functools import lru_cache

from gieok.text import binding

#: Texts that stay known: one is asked about for each stretch that a model marks in it.
_TEXTS_KEPT = 64

#: What an agent does with its tools: the beginnings of verbs, each with a word's end or any ending.
_DOES = (
    r"(?:touch|edit|modif|chang|alter|updat|overwrit|rewrit|refactor|renam|mov(?:e|ing)|mess|fiddl"
    r"|tinker|delet|remov|eras|wip(?:e|ing)|purg|drop|truncat|install|upgrad|downgrad|bump|commit"
    r"|push|merg|rebas|squash|amend|tag(?:s|ged|ging)?\b|releas|deploy|ship(?:s|ping)?\b|roll"
    r"|publish|upload|send|sent|post(?:s|ing)?\b|messag|e?mail|notif|repl(?:y|ie)|call"
    r"|shar(?:e|ing)"
    r"|run(?:s|ning)?\b|execut|restart|reboot|stop|kill|shut|scal(?:e|ing)|migrat|seed|reset|restor"
    r"|connect|ssh|access|approv|pay(?:s|ing)?\b|charg|refund|book(?:s|ing)?\b|order|cancel"
    r"|buy|sign"
    r"|grant|revok|rotat|enabl|disabl|toggl|flip|spin|provision|download|sync|format|skip|bypass"
    r"|force|poke|hit(?:s|ting)?\b|go(?:es|ing)? near|log(?:s|ging)? (?:in|on)|writ(?:e|ing) to"
    r"|us(?:e|ing)|add(?:s|ing)?\b|creat|clean|regenerat|import|export|archiv|reformat)"
)
_DOING = rf"(?=\w+ing\b){_DOES}\w*"
_DONE_BY = (
    r"(?:you|we|nobody|no one|no-one|anyone|anybody|somebody|agents?|the agent|it|claude|codex)"
)
_AWAY = (
    r"(?:stay(?:ed|ing)?|keep(?:ing)?|kept|steer(?:ed|ing)?) (?:\w+ ){0,3}?(?:away|out|off|clear)\b"
)
_SOMEBODY = r"(?:me|us|[A-Z][a-z]+|the [\w-]+ (?:team|people|folks|admins?)|ops|legal|finance)"
#: The same in Korean, up to where an ending begins.
_DOES_KO = (
    r"(?:건드[리려릴린렸]|건들|손(?:도|은|을)?\s?[대댈댄댔]|만[지져질졌]|고[치쳐칠쳤]|수정|편집|바[꾸꿔꿀꿨]|변경|덮어|옮[기겨길]|지[우워울웠]"
    r"|삭제|없[애앨]|날[리려릴]|비[우워울웠]|돌[리려릴렸]|실행|배포|푸시|푸쉬|머지|병합|커밋|리베이스|릴리[스즈]|올[리려릴렸]"
    r"|내[리려릴]|재시작|재부팅|리부팅|[끄끌]|꺼|중단|중지|접속|접근|로그인|들어[가갈]|보[내낼냈]|발송|전송|공유|업로드|다운로드|설치"
    r"|업데이트|업그레이드|호출|[쓰쓸]|써|사용|결제|주문|예약|취소|승인|마이그레이션|롤백|초기화|리셋|스킵|건너[뛰뛸]|우회|추가|생성"
    r"|연락|전화|답장|공지|게시|등록|열람|태그|포맷|정리|동기화|[다달]|뽑|붙[이여일]|[하할해했])"
)
#: Behind a negative form.
_END_KO = r"[가-힣\s]{0,12}?[\s.!~^ㅠㅜㅎㅋ]*$"

#: (pattern, example, counter-example)
FORMS = (
    (
        (
            r"(?i)\b(?:could|can|would|will) (?:you|we|everyone|everybody) (?:all |please |kindly "
            rf"|just |maybe )*(?:not {_DOES}|avoid {_DOING}|refrain from|{_AWAY}"
            r"|leave .{2,60}(?:alone|untouched|as (?:it|they)|to (?:me|us)\b))"
        ),
        "could you please stay away from the legacy/ directory",
        "could you show me the legacy/ directory",
    ),
    (
        rf"(?i)\bwould you mind (?:not {_DOING}|{_AWAY}|leaving .{{2,60}}(?:alone|to (?:me|us)\b))",
        "Would you mind not committing generated files?",
        "Would you mind running the tests?",
    ),
    (
        (
            r"(?i)\b(?:i|we)(?:['’]d| would) (?:much |really |kind of )?(?:rather|prefer|appreciate"
            r"|like|love|be (?:glad|happy|grateful|happier))(?: it)?(?: if| that)? "
            rf"(?:{_DONE_BY} )(?:\w+ )?(?:(?:didn|don|wouldn|weren)['’]?t |not |never |did"
            rf" not |do not "
            rf"|wouldn['’]?t )(?:\w+ ){{0,2}}?{_DOES}"
            r"|\b(?:i|we)(?:['’]d| would) (?:much |really )?(?:rather|prefer|appreciate|like|love)"
            rf"(?: it)?(?: if| that)? (?:{_DONE_BY} )(?:would )?(?:{_AWAY}|left"
            rf" .{{2,60}}(?:alone|to (?:me|us)\b)"
            r"|asked|checked)"
        ),
        "I'd rather you didn't delete any S3 objects yourself",
        "I'd rather you added a test.",
    ),
    (
        (
            r"(?i)\b(?:it|that)(?:['’]d| would| will|['’]ll)? (?:be )?(?:really |so"
            r" )?(?:great|nice|good"
            r"|best|better|lovely|cool|safer|wise|wiser|help) (?:if (?:you|we|nobody|no one"
            r"|agents?) "
            rf"(?:could |would |all |just )*(?:(?:didn|don|wouldn|could|couldn)['’]?t {_DOES}"
            rf"|not {_DOES}"
            rf"|never {_DOES}|avoid(?:ed)? (?:all |any )?(?:\w+ )?{_DOING}|{_AWAY}|stopped {_DOING}"
            r"|left .{2,60}(?:alone|to (?:me|us)\b))"
            rf"|(?:to avoid|not to) {_DOES})"
        ),
        "it would be great if we could avoid force pushing altogether",
        "it would be great if the page didn't flicker",
    ),
    (
        (
            r"(?i)\b(?:i|we) (?:really )?(?:don['’]?t|do not|wouldn['’]?t) (?:really )?(?:want|like"
            r"|feel (?:comfortable|good|easy|safe|great|happy)|trust)(?: it when| with| about"
            r"| having)? "
            rf"(?:you|anyone|anybody|agents?|bots?|scripts?|claude|codex) (?:to )?(?:\w+ )?{_DOES}"
        ),
        "I don't feel comfortable with agents touching the DNS records",
        "I don't feel good about the color",
    ),
    (
        (
            rf"(?i)\blet['’]?s (?:please )?(?:not {_DOES}|avoid {_DOING}|{_AWAY}|stop {_DOING}"
            r"|leave .{2,60}(?:alone|as (?:it|they)|to (?:me|us)\b))"
        ),
        "maybe let's not message customers from scripts any more",
        "let's not overthink the layout",
    ),
    (
        rf"(?i)^\W*(?:please |and |so |just )*(?:{_AWAY}|hands off\b)",
        "keep out of the prod cluster please",
        "keep the footer at the bottom",
    ),
    (
        rf"(?i)^\W*(?:please |and |so |just )*(?:stop|quit|no more|avoid|no) {_DOING}",
        "stop bumping dependency versions on your own",
        "stop the server on port 3000",
    ),
    (
        (
            r"(?i)^\W*(?:please |and |so |just )*leave (?!me\b|it\b)[^,;]{2,60}?\b(?:alone|be"
            r"|untouched"
            r"|as (?:it is|they are|is))(?=\W*$|[,;.])"
        ),
        "leave the nginx config on the gateway alone",
        "leave a comment there",
    ),
    (
        (
            rf"\b(?:[Ll]eave|[Hh]and|[Pp]ass) .{{2,60}} (?:to|with|for) {_SOMEBODY}(?=\W*$"
            rf"|[,;.]| (?:please"
            r"|when|once|and|thanks))"
        ),
        "I don't touch it, please leave those to me",
        "Pass the path to the function.",
    ),
    (
        (
            rf"(?i)\b(?:is|are|as) (?:something|things?|stuff|the \w+) (?:that )?(?:only"
            rf" )?(?:i|we) "
            rf"(?:like|prefer|want|need|have|always)(?: to)? {_DOES}"
            rf"|\bi(?:['’]ll| will| want to| like to| prefer to|['’]d rather) (?:always"
            rf" )?{_DOES}\w*\b"
            r".{0,50}\b(?:myself|by hand|personally)\b"
        ),
        "migrations are something I like to run by hand, thanks",
        "the parser is something I like",
    ),
    (
        (
            r"\b[Oo]nly (?:I|me|we|[A-Z][a-z]+|the [\w-]+ team|ops) (?:get|gets|may|can|is"
            r" allowed|are "
            rf"allowed|should|has|have|ever)? ?(?:to )?{_DOES}"
        ),
        "Only Minho gets to merge into release",
        "Only two tests fail.",
    ),
    (
        (
            rf"(?i)\b(?:you['’]re|you are|we['’]re|we are|agents are) not (?:allowed |supposed "
            rf"|meant )?to {_DOES}"
        ),
        "You're not to restart the ingest workers during office hours.",
        "You are not too late.",
    ),
    (
        (
            rf"(?i)\b(?:nobody|no one|no-one|no agent|none of you)(?: but \w+| except \w+|"
            rf" here)? (?:ever )?"
            rf"(?=\w+s\b){_DOES}\w*"
        ),
        "We freeze the API schema until the 14th, so nobody changes openapi.yaml.",
        "Nobody touched it for years.",
    ),
    (
        (
            rf"(?i)\b(?:nothing|no \w+)(?: \w+)? (?:gets?|is|are|goes|ever gets) (?:to be"
            rf" )?(?:{_DOES}\w*"
            r"|live|out|in)\b.*\b(?:without|unless|until|before)\b"
        ),
        "Nothing gets published to PyPI without Dana's ok.",
        "Nothing is without risk.",
    ),
    (
        (
            r"(?i)\b(?:stays?|remains?) (?:exactly )?(?:as (?:it is|they are|is)|put"
            r"|untouched|frozen"
            r"|where (?:it is|they are)|out of|away from)(?=\W*$|[,;. ])"
        ),
        "the feature flags in prod stay as they are.",
        "the button stays green",
    ),
    (
        rf"{_DOES_KO}[가-힣]{{0,2}}?지(?:는|도|를|들)?\s?(?:마|말)(?!해|씀|투|로){_END_KO}",
        "결제 모듈은 건들지 말라니까",
        "내가 한 말은 잊어버려",
    ),
    (
        (
            rf"(?:안|못)\s(?:\S+\s)?{_DOES_KO}[가-힣]{{0,4}}으면\s?(?:하|해|합|좋|싶)"
            rf"|{_DOES_KO}\s?안\s\S{{1,4}}(?:\s\S{{1,4}})?으면\s?(?:하|해|합|좋|싶)"
            rf"|{_DOES_KO}[가-힣]{{0,2}}?지\s?않(?:았|으셨)으면\s?(?:하|해|합|좋|싶)"
            rf"|{_DOES_KO}[가-힣]{{0,2}}?는\s?(?:일|경우)(?:은|는|이)?\s?(?:\S+\s)?없(?:었으면|으면|도록|게)"
        ),
        "죄송하지만 main 브랜치에는 직접 커밋 안 하셨으면 해요",
        "서버가 안 죽었으면 좋겠다",
    ),
    (
        rf"{_DOES_KO}[가-힣]{{0,3}}?(?:면|서는|선)\s?안\s?(?:돼|됩|된|됨|되(?!나|냐|는지)){_END_KO}",
        "내 허락 없이 배포하면 안 돼",
        "왜 배포하면 안 되나",
    ),
    (
        (
            rf"{_DOES_KO}[가-힣]{{0,2}}?는\s?(?:거|것|게|건)\s?(?:은|이|가)?\s?(?:절대\s)?"
            r"(?:아니(?:다|야|에요|예요|지|니까|거든)|아님|아닙니다|금물)"
        ),
        "도커 볼륨은 지우는 거 아니다",
        "버튼을 누르는 게 아니라 끌어야 해",
    ),
    (
        (
            rf"(?:안|못)\s(?:\S+\s)?{_DOES_KO}[가-힣]{{0,2}}?는\s?(?:게|것이|편이)\s?(?:더\s)?(?:좋겠|낫겠"
            rf"|나을|맞을|나아|좋을)"
            rf"|{_DOES_KO}[가-힣]{{0,2}}?지\s?않는\s?(?:게|것이|편이)\s?(?:더\s)?(?:좋|낫|나을|맞|나아)"
        ),
        "슬랙 공지 채널에는 안 올리는 게 좋겠습니다",
        "이 색은 안 좋은 게 좋겠지",
    ),
    (
        (
            r"\S(?:에|에게|한테|께)\s(?:\S+\s)?맡(?:겨|기(?:세|시|고|면|자|도록)|길)"
            rf"|(?<![가-힣])(?:제가|내가|나만|저만|우리가|저희가)\s(?:\S+\s){{0,3}}?{_DOES_KO}[가-힣]{{0,2}}?"
            r"(?:게요?|께요?|테니까?|테니)(?![가-힣])"
        ),
        "레디스 비우는 건 운영팀에 맡겨 주세요",
        "가방은 짐칸에 맡겼어",
    ),
    (
        (
            rf"{_DOES_KO}[가-힣]{{0,2}}?기?\s?전에(?:는|도)?\s.*(?:물어|여쭤|확인|허락|말해|말씀|알려|상의|공유)"
            r"(?!.*(?:었|았|했)(?:어|다|지|는데))"
        ),
        "인프라 코드 바꾸기 전에 저한테 한 번만 물어봐 주시겠어요?",
        "배포하기 전에 로그를 봐",
    ),
    (
        rf"(?:아무도|누구도)\s.*(?:못|안)\s?{_DOES_KO}[가-힣]{{0,2}}?(?:다|는다|ㄴ다|음|게)[\s.!~]*$",
        "월말 정산 끝날 때까지 아무도 settlement 테이블 못 건드린다",
        "그때는 아무도 결제 모듈을 못 건드렸지",
    ),
    (
        (
            rf"(?:확인|허락|승인|리뷰|결재|동의)(?:을|를)?\s?(?:받고|받은|거치고|거친|없이)\s.*"
            rf"(?:{_DOES_KO}|진행)[가-힣]{{0,3}}?\s?(?:주세요|줘요?|달라|바랍니다|부탁|[해하]자|할 것)"
        ),
        "스키마 변경은 수진 님 확인 받고 진행해 주세요",
        "확인 받고 왔어",
    ),
    (
        (
            r"(?<![가-힣])그(?:냥|대로)\s?(?:좀\s)?(?:놔\s?|놔)?두(?:세요|시면|시고|면|라|고|자)"
            r"|(?:자제|삼가|지양|엄금)(?:해|하|바|할|부탁)"
        ),
        "릴리스 태그는 제가 달 테니까 그냥 두시면 됩니다",
        "그냥 두 번 돌렸어",
    ),
)
#: A polite request has the form of a question, and asks nothing.
_POLITE = (
    r"(?i)^[^?]*\b(?:could|can|would|will) (?:you|we|everyone|everybody)\b(?! (?:tell|explain"
    r"|say|see"
    r"|find|recall|remember)\b)[^?]*\??\s*$"
    r"|(?:주시겠어요|주시겠습니까|주실래요|주실 수 있(?:나요|을까요|어요)|줄래요?|주시면 안 될까요|될까요)\s*\?*\s*$"
)
#: What somebody reports, remembers, doubts or wishes of something else than an agent.
_REPORTED = (
    r"(?i)\b(?:was|were|had|has|have|did|used to|why|because nobody|apparently|turns out|i wonder"
    r"|i wish|i hope|not sure|looks like|seems)\b(?!.*\b(?:please|from now on|stay away|hands off"
    r"|leave (?:it|them|those|that) to)\b)"
    r"|(?<![가-힣])(?:예전|그때|전에는|작년|지난|어제|원래는?|왜|혹시)(?![가-힣]*\s?(?:처럼|같이))"
    r"|(?:더라|더라고|더니|던데|다면서|대요?|래요?|네요?|구나|군요?|는데요?|나\s?봐|모르겠[가-힣]*|것\s?같[가-힣]*)[\s.!?~ㅋㅎㅠ]*$"
    rf"|[{binding.PAST_KO}](?:어|다|지|네|음|습니다|어요|거든|는데)(?:요)?[\s.!~ㅋㅎㅠ]*$"
)
#: A clause behind the rule that tells what happened, and a wish that supposes what it wants.
_REASON = (
    rf"[,.]\s[^,]*[{binding.PAST_KO}](?:어|다|지|네|음|습니다|어요|거든|는데)(?:요)?[\s.!~ㅋㅎㅠ]*$"
)
_WISH = r"(?i)\b(?:it|that)(?:['’]d| would) (?:be |help)"
#: Of a program that is written, and not of an agent's work.
_OF_PROGRAM = (
    r"(?i)\b(?:the )?(?:user|users|button|page|function|method|class|endpoint|parser|handler"
    r"|component"
    r"|form|sidebar|modal|it) (?:must|should|may|can|shall|does|do|is|are)(?:n['’]?t| not)\b"
    r"|(?:않|안|못)[가-힣\s]{0,6}(?:게|도록)\s(?:해|고쳐|바꿔|만들|처리|수정)"
    r"|말고\s"
    r"|(?<![가-힣])(?:챗?봇|사용자|유저|회원|손님)(?:은|는|이|가)\s"
    r"|(?<![가-힣])(?:앱|서비스|사이트|화면|페이지|버튼|함수|백그라운드에서)(?:이|가)\s"
    r"|(?<![가-힣])우리 (?:앱|서비스|사이트)(?:은|는)\s"
)


@lru_cache(_TEXTS_KEPT)
def find_indirect_rules(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the sentences of a turn that may state a rule in polite or everyday words.

    Each as (start, end, sentence), as `binding.place_own_sentences` has them.
    """
    plain = binding.blank_quotations(text)
    return tuple(
        (start, end, sentence)
        for start, end, sentence in binding.place_own_sentences(text)
        if may_forbid_indirectly(" ".join(plain[start:end].split()))
    )


def may_forbid_indirectly(sentence: str) -> bool:
    """Return whether a sentence may state a rule in polite or everyday words."""
    sentence = re.sub(_REASON, "", sentence)
    if (binding.asks_question(sentence) and not asks_politely(sentence)) or any(
        re.search(veto, sentence) for veto in (_REPORTED, _OF_PROGRAM)
    ):
        return False
    if (
        binding.is_reported(sentence)
        or binding.names_once(sentence)
        or (binding.is_supposed(sentence) and re.search(_WISH, sentence) is None)
        or binding.forbids_only_worry(sentence)
        or binding.lifts(sentence)
    ):
        return False
    return any(re.search(pattern, sentence) for pattern, _, _ in FORMS)


def asks_politely(sentence: str) -> bool:
    """Return whether a sentence has the form of a question, and is a request."""
    return re.search(_POLITE, sentence) is not None
