"""Words of a rule that nothing in it stands for.

A rule that is half understood is wider than what was said: "never commit videos over 100 MB" is not
"never commit". What is left of a clause once its form, its objects and its place are taken must be
words that narrow nothing: articles, pronouns, politeness, emphasis, verbs of doing. Every other
word may be a qualifier, and the sentence is no rule.
"""

from collections.abc import Set as AbstractSet

from gieok.text.gates.vocabulary import TAKEN, TAKEN_DEED
from gieok.text.late_pattern import defer_pattern

#: Words of grammar, politeness and emphasis, of forbidding, and verbs of doing.
_ENGLISH = frozenset(
    """
    a an the this that these those it its it's them they their there any all every each
    none nothing anything everything something stuff thing things one ones either both neither
    no some whatever i i'm i'd i've i'll me my mine we us our ours you you're you'd you've you'll
    your yours yourself yourselves myself nobody anyone anybody everyone everybody someone
    am is are was be been being do does don't dont doesn't did don n't not never ever have has
    having had get got gets getting let let's go goes going make makes making made can can't
    cannot could may might must mustn't shall should shouldn't will won't would wouldn't need needs
    needed want wants like prefer rather sure keep keeps stay stays remain left leave
    of to in on at by for with from into onto against over about under inside within through via
    out off up down around near away and or nor but so then than as also too even only just again
    please kindly thanks thank ok okay hey hi hello yes yeah really seriously absolutely strictly
    simply completely totally literally definitely certainly always directly direct straight
    blindly silently automatically manually manual hand hands own alone untouched unchanged intact
    way circumstances circumstance whatsoever what forbidden prohibited banned limits off-limits
    no-go verboten allowed permitted acceptable fine avoid refrain stop quit steer clear attempt
    try trying dare bother without unless until after before when if once
    run runs running use uses using call calling execute executing invoke type issue touch touches
    touching edit editing modify modifying change changing alter altering mess fiddle rewrite
    rewriting reformat write writing delete deleting remove removing create creating add adding
    read reading open opening print rename renaming push pushing commit committing pull merge
    merging deploy deploying install installing connect access store execute put puts send sends
    perform start launch trigger apply applying drop dropping truncate restart restarting publish
    publishing amend squash rebase reset wipe close upgrade upgrading update updating downgrade
    upload uploading uploaded share sharing anywhere
    force exec kill killing query changed edited modified deleted touched pushed committed merged
    deployed installed instead together though anymore
    """.split()
)
#: Words by which a person wants to be asked, and says it.
_APPROVAL = frozenset(
    """
    permission approval consent confirmation sign-off go-ahead say-so blessing authorization
    authorisation green light nod explicit explicitly prior first beforehand ask asks asking asked
    tell tells telling told know say says said see check checks checking checked confirm confirms
    confirming confirmed consulted consult consulting approve approves approved review reviews reviewed warn notify alert ping good
    """.split()
)
#: Words before a form that say to whom and how it is said.
_ADDRESS = frozenset(
    """
    agent agents assistant bot ai claude codex gemini cursor opencode qwen
    copilot openclaw gieok rule rules number reminder note notes important heads remember fyi ps btw
    general matter now forward tell say know
    """.split()
)
#: Nouns that say nothing beside the name of what they are, and narrow a rule without it.
_NOUNS = (
    r"(?:commands?|flags?|options?|tools?|files?|folders?|director(?:y|ies)|dirs?|repo(?:sitory|s)?"
    r"|branch(?:es)?|code|paths?|packages?|modules?|scripts?|databases?|dbs?|servers?|systems?"
    r"|environments?|tables?|clusters?|contexts?|namespaces?|services?|projects?|changes|edits|data"
    r"|tests?)"
)
_KOREAN_NOUNS = (
    r"(?:명령어?|커맨드|옵션|플래그|도구|툴|파일|폴더|디렉[터토]리|브랜치|코드|패키지|모듈|라이브러리|서버|디비|DB|환경|데이터(?:베이스)?"
    r"|스크립트|클러스터|프로젝트|레포|저장소|리포|내용|것들?)"
)
_INSIDE = r"(?:in|under|inside|within|below|of|with|from|on|outside|outside of|against)"
#: Such a noun beside a name, or of any kind.
_NAMED_NOUN = defer_pattern(
    rf"(?ai){TAKEN}[\s'\"`)]*{_NOUNS}\b|\b{_NOUNS}[\s'\"`(:]*(?={TAKEN})"
    rf"|\b(?:(?:any|all|every|each|no|some|a|an|the)\s)?{_NOUNS}\s(?:\w+\s)?{_INSIDE}\s"
    rf"(?:the\s|our\s|my\s)?(?={TAKEN})"
    r"|\b(?:any|all|every|each|no|some)\s(?:files?|commands?|changes|code|edits|tools?)\b"
    r"|\b(?:in|for|of|on|within|inside|across)\s(?:this|the|our)\s(?:whole\s|entire\s)?"
    r"(?:repo|repository|project|codebase)\b"
    rf"|{TAKEN}\s?(?:의\s|(?:안|밑|아래)(?:의)?\s|같은\s)?{_KOREAN_NOUNS}|(?:모든|아무|어떤)\s{_KOREAN_NOUNS}"
    rf"|(?<={TAKEN_DEED})\s?(?:스크립트|scripts?\b)|(?:새로운|새|\bnew)\s(?={TAKEN_DEED})"
    rf"|{_KOREAN_NOUNS}\s(?={TAKEN})|(?:이|우리)\s(?:프로젝트|레포|저장소|리포)"
)
#: Words in Hangul that narrow nothing, without their particles.
_KOREAN = frozenset(
    """
    절대 절대로 결코 제발 부디 좀 그냥 바로 직접 함부로 마음대로 멋대로 맘대로 임의로 혼자 알아서
    나 저 내 제 나의 저의 너 네 니 너희 당신 우리 저희 누구 아무 아무도 누구도 아무것도
    꼭 반드시 무조건 항상 늘 언제나 매번 먼저 일단은 미리 앞으로 앞으로는 이제부터 이제 그리고
    또 또한 역시 아예 전혀 영영 다시는 더 더는 자동 수동 손 일 것 거 건 게 걸 짓 경우 어떤 무슨
    있어 있어도 하늘 두 나도 안 밑 아래 하위 내부 쪽 전체 모든 전부 다 뭐든 무엇이든 어느 하나 규칙 원칙 부탁
    참고 주의 중요 금지 불가 허락 승인 동의 확인 컨펌 허가 결재 상의 보고 오케이 의견 말 얘기 이야기
    없이 전 전에 전에는 전엔 때 때는 때만 때마다 땐 후 후에 뒤 뒤에 대신 말고 지 마 하지 같은 등
    아 어 음 참 한번 한 번 진짜 진짜로 정말 정말로 진심 레알 업로드
    배포 푸시 커밋 머지 병합 설치 실행 수정 변경 삭제 편집 사용 접근 접속 적용 작업
    강제 강제로 진행 호출 도커 테라폼 헬름 깃 물어보고 물어봐 지금부터
    """.split()
)
_PARTICLE = defer_pattern(
    r"(?:에서는|에서만|에서도|에서|에는|에게|에도|에만|엔|에|으로는|으로|로는|로|한테는|한테|부터|까지는|까지|이나"
    r"|입니다|이랑|랑|면|은|는|이|가|을|를|의|도|만|와|과|나|고|야|임|요)$"
)
#: A clause that ends so is a reason, and narrows nothing.
_REASON_ENDINGS = ("니까", "테니", "거든", "어서", "라서")
#: Verbs of doing, and of forbidding, with any ending.
_KOREAN_VERB = defer_pattern(
    r"(?:하|해|했|할|한|함|합|돼|되|된|될|됩|됨|말|마|않|쓰|써|쓸|쓴|건드|손대|손댈|만지|만져|고치|고쳐|고칠|바꾸|바꿔|바꿀|지우"
    r"|지워|지울|돌리|돌려|돌릴|날리|날려|날릴|올리|올려|올릴|넣|만들|만드|만든|열|읽|치|쳐|묻|물어|물|여쭤|여쭙|받|구하|구해|알려|말하|말해"
    r"|말씀|시키|시킬|시킨|보지|보고|봐|볼|보|주|줘|줄|달|두|둬|놔|놓|내버려|남|켜|끄|꺼|붙|떼|덮어|옮기|옮겨|보내|보낸|보낼|띄우|띄워|내리|내려|밀"
    r"|푸|있|없|싶|좋|가|오|나|싫)[가-힣]*$"
)
#: A consonant that is written once where the usual spelling doubles it.
_SINGLE = defer_pattern(r"(?<=[aeiou])([b-df-hj-np-tv-z])(ing|ed)$")
_WORD = defer_pattern(r"[A-Za-z][A-Za-z0-9_'-]*|\d[A-Za-z0-9_.]*|[가-힣]+")


#: Phrases of which a word alone would narrow: "from now on" is no "now".
_PHRASES = defer_pattern(
    r"(?ai)\b(?:from now(?: on)?|going forward|on (?:my|our) behalf|for (?:any|whatever) reason"
    r"|no matter what(?: happens)?|at any time|at all|of any kind)\b"
)


def list_unread_words(rest: str, *, asks: bool = False, is_front: bool = False) -> list[str]:
    """Return the words of a text's rest (`NamedObjects.rest`) that may narrow what is said.

    `asks`: the rule wants the person to be asked; `is_front`: the text stands before its form.
    """
    known = _ENGLISH | (_APPROVAL if asks else set())
    known |= _ADDRESS if is_front else set()
    rest = _NAMED_NOUN.sub(TAKEN, _PHRASES.sub(" ", rest))
    words = (match[0].lower() for match in _WORD.finditer(rest))
    return [word for word in words if not _is_known(word, known)]


def _is_known(word: str, known: AbstractSet[str]) -> bool:
    if "가" <= word[0] <= "힣":
        return _is_known_korean(word)
    if word in known or word.removesuffix("'s") in known:
        return True
    return _SINGLE.sub(r"\1\1\2", word) in known  # "runing", "commited"


def _is_known_korean(word: str) -> bool:
    """Return whether a word is known, alone, with particles, or before a verb of doing."""
    stems = {word, _PARTICLE.sub("", word)}
    stems |= {_PARTICLE.sub("", stem) for stem in stems}
    if stems & _KOREAN or "" in stems or word.endswith(_REASON_ENDINGS):
        return True
    return any(
        _KOREAN_VERB.match(word[place:])
        for place in range(len(word))
        if place == 0 or word[:place] in _KOREAN
    )
