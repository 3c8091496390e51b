"""Rules that bind: a user's statements on what agents must or must not do, until lifted.

This module alone decides what is a rule and what a rule governs, for all code that keeps, shows or
matches rules.

A rule stands by itself. These are no rules: a question, quoted talk, an account of what somebody
does, and an instruction for this once ("don't run it yet", 이번엔 하지 마). A sentence whose words leave
no doubt (never, 반드시, "must be reviewed") is a rule wherever it stands; a bare prohibition ("don't
touch legacy/") is a rule where the turn asks for no work that the prohibition could be meant for.
Standard library, quick to import; patterns are strings, compiled at their first use.
"""

import re

from gieok.text.assent import accepts, is_small_talk
from gieok.text.printed import strip_brought_lines
from gieok.text.quotations import find_quotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Words before the first word of the rule itself: fillers, and the place or time for which the rule
#: holds.
_FILLERS = (
    r"(?:(?:and|but|so|also|oh|ah|btw|by the way|note(?: that)?|remember|reminder|(?:house "
    r"|general |hard |our |one )?rules?"
    r"|important|again|please|ok(?:ay)?|right|one more(?: thing)?|next(?: thing)?|yes|yeah|no"
    r"|well|hey|fyi|just|as a rule"
    r"|because|i (?:said|told you|repeat)|like i said)\b[\s,:;–—-]*)*"
)
_WHERE = (
    r"(?:(?:in|for|on|with|inside|within|at|under|about|as for) [^,.;]{2,60}, ?"
    r"|(?:in|on|within|inside) (?:this|the|our|my) (?:repo(?:sitory)?|project|codebase"
    r"|monorepo|folder|workspace|team|branch),? "
    r"|(?:when(?:ever)?|if|before|after|every time|each time|once|unless|until|while"
    r"|wherever) [^,.;]{2,90}, ?(?:then )?"
    r"|(?:from now on|from here on|going forward|in (?:the )?future|henceforth|by "
    r"default|under no circumstances),? ?)*"
)
_START = rf"^\W*{_FILLERS}{_WHERE}{_FILLERS}"
#: A verb in its base form, as in an order; excluded are forms that report ("works", "worked"), and
#: verbs of habit or state.
_VERB = (
    r"(?!(?:mind|been|had|have|was|were|is|are|am|said|seen|heard|thought|knew|got|again|ever"
    r"|did|could|would|will|might|the"
    r"|an?|on|in|at|by|with|to|from|into|via|through|inside|for|so|too|very|there|here|nice"
    r"|good|great|true|and|or|but|quite|really|more|less|better|worse|came|went"
    r"|took|gave|made|ran|wrote|told|understood|end up|seem|feel|think|know|wonder(?:ed)?|hope"
    r"|worry|forget|love|hate|like"
    r"|struggle|enjoy|wanted|need|happen|bother|sure|possible|easy|hard)\b)"
    r"(?!\w+ed\b)(?!\w+ing\b)(?!\w*[^s\W]s\b)[a-z][a-z-]+"
)
_ORDERS = (
    r"(?:use|run|write|keep|put|add|make|ask|check|commit|open|prefix|answer|reply|respond"
    r"|call|name|avoid|prefer|follow|stick"
    r"|stay|leave|create|include|end|start|begin|update|tell|show|give|sign|format|squash"
    r"|rebase|test|log|document|wait|stop"
    r"|verify|confirm|mention|tag|bump|link|store|save|treat|assume|work|do|get|go|read|look"
    r"|review|push|deploy|pin|cc|copy"
    r"|target|branch|back|mask|redact|escape|validate|round|quote|only|never|always|don'?t|do not)"
)
_STANDING = (
    r"(?:from now on|from here on|going forward|in (?:the )?future|every ?time|each "
    r"time|whenever|before (?:every|each|any|you)"
    r"|after (?:every|each|any)|in (?:this|our) (?:repo(?:sitory)?|project|codebase|monorepo"
    r"|folder|workspace)|by default)"
)
_ARTEFACTS = (
    r"(?:commit messages|commits|(?:pr|pull request) (?:titles|descriptions)|prs|pull "
    r"requests|branch names|branches|answers"
    r"|replies|responses|explanations|comments|docs|docstrings|(?:variable|file|function|test"
    r"|class) names|unit tests|tests|logs"
    r"|log lines|release notes|changelogs?|summaries|e-?mails|messages|titles|identifiers"
    r"|error messages|migrations)"
)
_WHO = (
    r"(?:you|we|agents?|claude|codex|gemini|the (?:agent|assistant|bot|model)|everyone|everybody"
    r"|anyone|one)"
)

#: (pattern, example of a rule, counter-example): where a message says nothing else, the words leave
#: no doubt, whatever a model holds of it. Of the other words that are sure, two in five messages
#: that a model takes for none are about a program, a joke, or a text to be written.
PLAIN = (
    (
        (
            r"(?i)^\W*(?:(?:one|a|the|new)\s+)?(?:(?:our|my|house|project|repo|team|ground|golden)"
            r"\s+)+rules?\s?[:–—]\s*(?:\S+\s+){2,}\S"
            r"|^\W*(?:(?:one|a|the|new)\s+)?rules? of (?:the|this|our) (?:house|repo(?:sitory)?"
            r"|project|team|shop|codebase)\s?[:–—]\s*(?:\S+\s+){2,}\S"
        ),
        "team rule: one migration a pull request",
        "rule 4: the linter fails on generated files",
    ),
    (
        (
            r"^\W*(?:우리|저희|팀|이\s?(?:프로젝트|레포|저장소))\s?(?:\S{1,6}\s)?(?:원칙|규칙|룰|철칙|컨벤션)"
            r"\s?[:：–—]\s*\S+\s\S"
        ),
        "우리 팀 규칙: 마이그레이션 하나에 PR 하나",
        "원칙 3: 파서에서 실패함",
    ),
    (
        r"^[^:：,、]{2,40}\s금지(?:야|다|임|예요|이에요|입니다)?$",
        "주말 배포 금지",
        "금지된 단어 목록이 길어",
    ),
    (
        (
            r"^\W*(?:앞으로\s)?(?:모든\s)?(?:커밋(?:\s?메시지)?|PR|피알|주석|변수(?:명|\s?이름)|함수(?:명|\s?이름)"
            r"|브랜치\s?(?:이름|명)|테스트\s?이름|에러\s?메시지)(?:은|는)\s.{0,20}(?:으?로|체로|말로)\s"
            r"(?:써|적어|작성해|남겨|달아|지어|통일해)\s?(?:줘요?|주세요|라|둬)?$"
        ),
        "함수 이름은 영어로 지어줘",
        "주석은 어디로 갔지",
    ),
)
#: (pattern, example of a rule, counter-example): the words leave no doubt, wherever the sentence
#: stands.
SURE = (
    *PLAIN,
    (
        (
            r"^(?!.*(?<![가-힣])(?:내가|나는|제가|저는)).*(?<![가-힣])(?:앞으로(?:는|도)?|이제부터(?:는)?"
            r"|지금부터(?:는)?)\s.*(?:으?로|만|게)\s(?:써|적어|맞춰|통일해|둬)$"
        ),
        "앞으로 날짜는 전부 UTC로 써",
        "앞으로 이 노트북은 내가 업무용으로 써",
    ),
    (
        rf"{_START}(?:you |we )?(?:never|always)(?: ever)? {_VERB}",
        "Never run migrations straight against prod.",
        "Never mind, it works.",
    ),
    (
        rf"[,;:–—]\s*(?:(?:and|so|but|then|please|you|we)\s+)*(?:never|always) {_VERB}",
        "It's shared, so never force-push to main.",
        "She comes late, and never says why.",
    ),
    (
        rf"\b{_WHO} (?:must (?!be\b)|must(?:n'?t| not| never| always) |(?<!we )may not|may "
        r"(?:only|never)|can (?:never|only)|should (?:never|always|only)"
        r"|shouldn'?t ever|are (?:not|never) (?:allowed )?to|aren'?t allowed to|shall(?: "
        rf"not| never)?) ?{_VERB}",
        "You must ask before you touch the billing module.",
        "You must be tired.",
    ),
    (
        (
            r"\b(?:nobody|no one|no agent) (?:\w+ )?(?:may|can|should|must|is (?:allowed "
            rf")?to|{_ORDERS}s?|touches|pushes)\b"
        ),
        "Nobody pushes to main on Fridays.",
        "Nobody knows how it works.",
    ),
    (
        r"^(?!\W*(?:it|that|this|there|he|she|they|i)\b)[^,]{2,60}\b(?:must(?: only| never| "
        r"always| not|n'?t){1,2} [a-z]+"
        r"|(?:should|shall|may|is to|are to|has to|have to) (?:only|never|always|not ever) "
        r"(?:be|go|leave|appear|contain|hold|get"
        r"|land|touch|reach|live|depend|import))\b",
        "Phone numbers must never be logged.",
        "It should not be hard.",
    ),
    (
        (
            r"^(?!\W*(?:it|that|this|there|he|she|they|i|you|we)\b)[^,]{2,60}\b(?:must|has "
            r"to|have to) be (?!because|due|mistaken)\w+(?:ed|en|pt|ft)\b"
        ),
        "Schema changes must be reviewed by two people.",
        "It must be mistaken.",
    ),
    (
        rf"{_START}(?:every|each|all|any|no) (?!.{{0,40}}\b(?:i|we|they|he|she|that|who"
        rf"|where)\b)[\w -]{{2,40}} (?:must|has to|have to|needs? to"
        r"|may only|may not|shall|should (?:always|never|be \w+ed))\b",
        "Every endpoint needs to check the tenant id.",
        "Every time it rains the roof leaks.",
    ),
    (
        r"^(?!.*\b(?:i|he|she|they|it|that|this|who)\b[^,]{0,20}\bnever)[^,]{3,60}\bnever "
        r"(?:go|be|leave|appear|land|enter|end up"
        r"|get|touch|reach)(?:e?s)?\b",
        "Customer data never leaves the eu region.",
        "He never goes there.",
    ),
    (
        rf"(?:{_START}|[,;:–—]\s*(?:(?:and|so|but|please)\s+)*)(?:do not|don'?t)(?: ever)? "
        rf"(?!you\b){_VERB}\b.*"
        r"\b(?:without|unless|until (?:you|i|we)|before (?:you|i|we|asking)|ever|anywhere"
        r"|under any|directly|straight"
        r"|on your own|by yourself)\b",
        "don't touch the billing module without asking me",
        "don't you have anything without sugar",
    ),
    (
        rf"{_START}(?:do not|don'?t) ever {_VERB}",
        "if a rollout goes bad, don't ever helm rollback",
        "don't worry about it",
    ),
    (
        rf"(?:^|[,;]\s*(?:and |so )?)[^,;]{{0,80}}\b(?:do not|don'?t) ever {_VERB}",
        "and if a rollout goes bad don't ever helm rollback",
        "I don't know if they ever met",
    ),
    (
        r"\b(?:is|are) (?:strictly |absolutely |always )?(?:forbidden|prohibited|off[- "
        r"]limits|not allowed|never allowed|banned"
        r"|mandatory|compulsory|a no[- ]go)\b",
        "Direct writes to the ledger table are forbidden.",
        "Is this allowed by the parser",
    ),
    (
        rf"{_START}(?:you |we )?(?:only ever|only) (?!\w+ (?:thing|way|one|problem)\b){_ORDERS} ",
        "Only deploy from CI.",
        "Only one test fails.",
    ),
    (
        rf"^(?=.*\b{_STANDING}\b).*(?:{_START}|[,;:]\s*|\b(?:you (?:should|must|can|need "
        r"to|have to)|i want you to|make sure"
        rf"(?: to| you)?|be sure to|please) ){_ORDERS}\b",
        "In this repository use tabs.",
        "In this repository there are three packages.",
    ),
    (
        (
            r"^(?!.*\b(?:i|he|she|they|it|who)\b)[^,]{3,60}, never (?:in|to|on|into|from|by|with"
            r"|via|through|inside|at)\b"
        ),
        "Secrets belong in vault, never in the repo.",
        "He came by train, never by car.",
    ),
    (
        rf"{_START}(?:make sure|ensure|be sure|remember)\b.*\b(?:always|never|every|each)\b",
        "Make sure every PR links its ticket.",
        "Make sure it compiles.",
    ),
    (
        rf"{_START}(?:keep|write|make|format|name|prefix|sign|put|end|start|begin|title|number"
        r"|label)"
        rf" (?:all |your |the |every |any |our )?{_ARTEFACTS}\b(?! (?:for|of) (?:the|this)\b)",
        "Write commit messages in Korean.",
        "Write tests for the parser.",
    ),
    (
        r"(?:절대로?|결코)\s.*(?:지\s?(?:마|말)|안\s?(?:돼|된|됩|됨|되)|않(?:기|는다|습니다|게|도록)|금지)",
        "로그에 고객 전화번호 절대 남기지 마",
        "절대 안 줄었어",
    ),
    (
        r"금지(?:야|다|임|예요|이에요|입니다|니까|해줘|해|합니다|한다)?(?=[\s.!~,]|$)",
        "금요일 배포 금지",
        "금지된 단어 목록을 봐",
    ),
    (
        r"반드시\s.*(?:줘|세요|십시오|라|자|기|것|함|야\s?(?:해|한|합|돼|됩|됨|함)\w*|한다|합니다|해|써|둬|봐|거쳐|받아|남겨|돌려)$",
        "배포 전에는 반드시 백업을 떠야 해",
        "반드시 그런 건 아니야",
    ),
    (
        r"(?:꼭|무조건|항상|언제나|매번|앞으로(?:는|도)?|이제부터(?:는)?|지금부터(?:는)?|(?:마다|때는|때마다|전에는?|전엔|후에는?"
        r"|하면|이면|려면))\s.*(?:줘요?|주세요|으?세요|십시오|[해아어려겨여]라|야\s?(?:해요?|한다|합니다|돼요?|됩니다|됨|함)|[가-힣]\s것"
        r"|[가-힣]{1,4}기로?|하자|쓰자|가자|두자|(?<![은는이가] 항상 )(?:돌려|남겨|달아|받아|붙여|적어|물어봐|확인해|올려|맞춰))$",
        "커밋할 때는 항상 테스트를 돌려줘",
        "이 서버는 항상 느려",
    ),
    (
        r"(?:지\s?(?:마|말)(?:고|라|아)?|(?:면|서는|선)\s?안\s?(?:돼|되|된|됩|됨)).{0,24}(?:없이|허락|물어보|묻지|전에는?"
        r"|전엔|때는|항상|한)|"
        r"(?:없이|허락|묻지 않고|전에는?|전엔|때는|마다|[에로]서는|[에로]선|저장소|레포|프로젝트)\s?.{0,40}(?:지\s?(?:마|말)"
        r"|안\s?(?:돼|되|된|됩|됨)|금지)",
        "결제 모듈은 나한테 묻지 않고 건드리지 마",
        "전에는 안 됐어",
    ),
    (
        (
            r"(?:먼저|허락|승인|물어보고|확인\s?받고|리뷰\s?받고|리뷰를?\s?거쳐)\s?.*(?:야\s?(?:해요?|한다|합니다|돼요?|됩니다|됨|함)"
            r"|[가-힣]\s것)$"
        ),
        "DB 스키마는 나한테 먼저 물어보고 바꿔야 해",
        "먼저 물어봤어야 해?",
    ),
    (
        r"(?:우리|여기|저희|팀)\S*\s.*(?:절대로?|아예)\s.*안\s\S+$",
        "우리는 절대 force push 안 해",
        "우리는 절대 못 이겨",
    ),
    (
        r"(?:지|면)\s?(?:말아야|말\s?것|않기로?\b|않는다$|않습니다$|않도록\s?(?:해|하))",
        "main에 직접 푸시하지 않기",
        "아직 푸시하지 않았어",
    ),
    (
        r"(?:커밋(?:\s?메시지)?|PR|피알|풀리퀘|브랜치(?:\s?이름|명)?|로그|답변?|대답|설명|주석|문서|변수(?:명|\s?이름)?|함수명|릴리스\s?노트"
        r"|메일|보고서|요약|제목|테스트\s?이름|에러\s?메시지)(?:은|는|도)?\s.*(?:으?로|게|만|까지만|이내로|체로|말로"
        r"|앞에)\s?(?:\S+\s){0,3}"
        r"(?:써|적어|작성해|남겨|달아|달고|붙여|맞춰|통일해?|답해|말해|지어|유지해|하자|해)\s?(?:줘요?|주세요|라|둬)?$",
        "커밋 메시지는 한글로 써줘",
        "커밋 메시지는 어디로 갔지",
    ),
)
#: Patterns of a rule in a turn that asks for no work for which the prohibition could be meant.
BARE = (
    (
        (
            rf"{_START}(?:do not|don'?t|dont|stop|avoid|no more|quit) (?!(?:it|that|this|them"
            rf"|you)\b){_VERB}(?:\w|\b)(?! (?:it|that|this|them)\b)"
        ),
        "Don't commit generated files.",
        "Don't run it.",
    ),
    (
        (
            rf"{_START}no (?:\w+ )?(?:\w+ing|\w+s|merge|commit|push|deploy) (?:to|in|on|into"
            r"|without|outside|with|after|before|from)\b"
        ),
        "No force pushes to main.",
        "No idea what to do.",
    ),
    (
        (
            rf"{_START}(?:always )?(?:use|stick to|stick with|prefer) [\w ./@-]{{2,40}},? "
            r"(?:not|never|instead of|rather than|over) \w"
        ),
        "Use pnpm, not npm.",
        "Use it later.",
    ),
    (
        (
            rf"\b(?:we|you) (?:do not|don'?t) {_VERB} .*\b(?:here|in this|on (?:fri|mon|tues"
            r"|wednes|thurs|satur|sun)days?|anymore)\b"
        ),
        "We don't deploy on Fridays.",
        "We don't know yet.",
    ),
    (
        r"[가-힣]+(?:지는?|진)\s?(?:마|말)(?:세요|라|아|자|아\s?줘|아\s?주세요|아라|십시오|아요)?$",
        "금요일 이후로는 prod에 손대지 마",
        "걱정하지 마",
    ),
    (r"(?:면|서는|선)\s?안\s?(?:돼요?|된다|됩니다|됨)$", "운영 DB를 직접 고치면 안 돼", "왜 안 돼"),
)

_ADVERBS_KO = (
    r"(?:절대로?|함부로|꼭|반드시|무조건|항상|먼저|일단|우선|그냥|제발|좀|참고로|다시는?|이제|앞으로는?|미리"
    r"|나한테|저한테|내게|나에게|저에게)"
)
#: (pattern, example, counter-example): nothing in the sentence says what must not be touched, done
#: or changed. That stands in the sentence before.
OBJECTLESS = (
    (
        rf"^\W*(?:{_ADVERBS_KO}[\s,]+)*(?:허|하|건드리|만지|손대|바꾸|고치|지우|쓰|올리|내리|돌리|열|닫|끄|켜|버리"
        r"|넣|빼|보내|옮기|치우|합치|만들)지(?:는|도|를)?\s?(?:마|말)\S*"
        rf"(?:[\s,]+(?:{_ADVERBS_KO}|물어\S*|묻고\S*|말하고\S*|말해\S*|보고|봐\S*|해\S{{0,3}}|하고\S*))*\W*$",
        "함부로 허지 말고 꼭 먼저 물어봐",
        "절대 커밋하지 마",
    ),
    (
        r"(?i)^\W*(?:(?:please|and|so|but|also|just)[\s,]+)*(?:never|always|don['’]?t|do not)"
        r" (?:ever )?(?:touch|change|edit|modify|break|remove|delete|drop|use|do|run|move|rename"
        r"|open|rewrite|alter|replace)(?: (?:it|that|this|them|those|these|any))?"
        r"(?: (?:without|before|unless|until) .{1,40})?(?: (?:again|please|ever))?\W*$",
        "Don't touch it without asking me.",
        "Never delete the release branch.",
    ),
)
#: (pattern, example, counter-example): the words bind an instruction to the moment in which it is
#: said, or to the piece of work at hand. It is over with that, whatever day it is.
MOMENT = (
    (
        r"(?i)\b(?:right now|just now|for now|for the moment|at the moment"
        r"|(?<!even )just once|for once"
        r"|(?<!even )this (?:time|once))\b",
        "Don't run the migrations right now",
        "Never push right after a merge, not even just once.",
    ),
    (
        r"(?i)^(?!.*\b(?:never|always|any|that|which|who|if|unless)\b).*\byet\b(?=\W*$|[,.;])",
        "Do not push the branch yet",
        "Never merge a branch that nobody has reviewed yet",
    ),
    (
        r"(?i)(?:\b(?:in|for|during|within|with|on|of) this (?:run|round|turn|step|session|message"
        r"|task|ticket|issue|commit|patch|diff|pr|mr|pull request)"
        r"|^\W*this (?:commit|patch|diff|pr|mr|pull request)(?= (?:should|must|may|can|does)\b))"
        r"(?=\W*$|\s*[,.;:!–—]| (?:only|alone|please|do|don|never|no|not|leave|keep|avoid|use|skip"
        r"|stop|we|you|i|should|must|may|can|does)\b)",
        "for this commit only, don't touch the changelog",
        "Never store passwords in this session table",
    ),
    (
        r"(?i)^(?!.*\b(?:never|always)\b).*\bwhile (?:i['’]?m|i am|we['’]?re|we are)\b",
        "don't restart the server while I'm debugging",
        "Never call a client while I'm asleep.",
    ),
    (
        r"(?<![가-힣])(?:지금(?:은|만)|지금(?![가-힣])(?! \S+(?:는|던|된|한|인) \S+(?:은|는|을|를|도|만|에는?) )"
        r"(?! \S+ ?(?:말고|빼고|외에)))",
        "지금은 배포하지 마",
        "지금 쓰는 DB는 절대 지우지 마",
    ),
    (
        r"(?<![가-힣])(?:아직(?!.{0,15}(?:안|못|않|없)\s?\S{0,4}[된한난은는린친진킨인간온쓴둔본준든]\s)|당장(?!.{0,8}도\s)"
        r"|잠깐만?|잠시만?|이번만|이번에(?:는|만)?|이번엔)(?![가-힣])",
        "아직 푸시하지 마",
        "아직 리뷰가 안 끝난 브랜치는 절대 머지하지 마",
    ),
    (
        r"(?<![가-힣])이번 ?(?:커밋|PR|피알|작업|세션|턴)"
        r"|(?<![가-힣])이 ?(?:PR|피알|커밋|작업|티켓|이슈)(?=에서|에는?|에선|은|는|만|동안|\s(?:안에|동안|한정|끝))",
        "이 PR에서는 절대 의존성 올리지 마",
        "이 작업 폴더는 절대 지우지 마",
    ),
    (
        r"^(?!.*(?:절대|항상|함부로)).*(?<![가-힣])(?:내가|제가|우리가) "
        r"(?:.{1,20}동안|\S+ ?중(?:에|이니까?|이라)?)(?:은|는|엔|에는)?(?![가-힣])",
        "내가 디버깅하는 동안 서버 재시작하지 마",
        "내가 만든 파일 중에 설정 파일은 건드리지 마",
    ),
)
#: (pattern, example, counter-example): the words bind an instruction to an absence. Of what was
#: said for the moment it alone may last for weeks, and nobody says when it is over.
ABSENCE = (
    (
        r"(?i)^(?!.*\b(?:never|always|ever)\b).*(?:\b(?:during|over|throughout) (?:my|our|this) "
        r"(?:vacation|holidays?|absence|honeymoon|time off"
        r"|(?:leave|trip|break)(?! (?!(?:in|from|until|next|please"
        r"|or|and|without|unless|so)\b)[a-z]))\b"
        r"|\bwhile (?:i['’]?m|i am|we['’]?re|we are) (?:on (?:vacation|holidays?|leave|a trip|sick"
        r"|parental|maternity|paternity)|away|abroad|off|travell?ing|gone"
        r"|out(?! of (?!(?:the )?(?:office|town|country))))\b"
        r"|\b(?:until|till) (?:i['’]?m|i am|we['’]?re|we are|i get|i come|we get) back\b)",
        "don't merge anything during my vacation",
        "Never merge on your own, least of all during my vacation",
    ),
    (
        r"^(?!.*(?:절대|항상|함부로|매번|때마다)).*(?<![가-힣])(?:내|우리|제|이번)? ?"
        r"(?:(?:휴가|출장|여행|병가|연차|부재|입원)(?: ?가 ?있는)? ?(?:동안|기간(?! \S+(?: \S+)?[은는을를] )|중|내내)"
        r"|(?:없는|비운|비우는) (?:동안|사이))(?:에)?(?:은|는|엔|만)?(?![가-힣])",
        "휴가 동안은 배포하지 마",
        "휴가 중이라도 절대 배포하지 마",
    ),
    (
        r"^(?!.*(?:절대|항상|함부로|매번|때마다)).*(?:돌아올|복귀할|(?:내가|제가|우리가) (?:다시 )?올) 때까지(?:는|만)?(?![가-힣])",
        "내가 돌아올 때까지는 서버 끄지 마",
        "돌아올 때까지는 절대 서버 끄지 마",
    ),
)
#: (pattern, example, counter-example): the sentence tells what would be done in a case that is only
#: supposed, and so asks for nothing.
SUPPOSED = (
    (
        r"(?i)\bif\b[^.!?]*?\b(?:we|i|they|he|she|it|there)(?:['’]d|\s+(?:would|might|could))\b"
        r"(?! (?:like|love|rather|prefer|want|need|appreciate|be (?:glad|grateful|happy)))"
        r"(?!.*\b(?:never|don['’]?t|do not|must|ask|nobody|no one|hands off)\b)",
        "if we ever get a second shop we'd split the stock by shop, not now",
        "if a migration fails I'd like you to ask me before you retry it",
    ),
    (
        r"^(?=.*(?<![가-힣])(?:만약|만일|언젠가)).*(?:으?면|다면|라면)\s(?!.*(?:지\s?(?:마|말)|금지|물어|허락))"
        r".*(?:자|텐데|겠지|겠네|[을를일할될갈쓸둘눌뀔] 거야|[을를일할될갈쓸둘눌뀔]게)[\s.!~]*$",
        "언젠가 지점이 둘이 되면 지점별로 나눌 거야",
        "만약 배포가 실패하면 나한테 먼저 물어보자",
    ),
)
#: Words by which a request says more than which work it wants: who, when, what not, from when on.
_SAYS_MORE = (
    r"(?i)[,;:]|\b(?:i|me|my|mine|myself|we|us|our|no|not|never|nothing|nobody|none|only|just|but"
    r"|except|before|until|unless|without|always|after|every|any|when|if|instead|rather|stay"
    r"|leave|hands|off|out|alone|keep)\b|['’](?:ll|m|d|ve|t|s|re)\b"
    r"|(?<![가-힣])(?:나|내|저|제|우리|본인|직접|먼저|일단|절대|항상|꼭|앞으로|담부턴|무조건|늘|그대로|안|못|전에|때|땐|핑|콜|톡)"
    r"|[가-힣](?:만|말고|빼고|전에|전엔|때|땐|면|마다|까지|부터|대신|고)(?![가-힣])|(?:다음|뒤|후)에|지\s?(?:마|말)|금지|않|없"
    r"|놔|냅|둬|두고|남기|맡|물어|확인|허락|노터치"
)
#: Words that take an instruction beyond the moment that it names: "right now or ever".
_BEYOND_MOMENT = (
    r"(?i)\b(?:ever|always|from now on|going forward|any other|every time|from this)\b"
    r"|앞으로|항상|매번|언제나|뿐\s?(?:만\s?)?아니라|(?<=[가-힣])부터(?:는|도)?(?![가-힣])"
)
#: Words for a beginning, behind which an instruction has no end: 이번부터는, "from now on".
_FROM_NOW = (
    r"(?i)^(?!.*(?:\b(?:until|till)\b|까지)).*(?:\b(?:or ever|from now on|going forward|from this)\b"
    r"|앞으로|(?<=[가-힣])부터(?:는|도)?(?![가-힣]))"
)
#: Words for a day, or a part of one, with which an instruction ends.
_OF_DAY = r"(?i)\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week))\b|오늘|내일|이따|방금"
#: An instruction for this once, or for this one thing.
_ONCE = (
    r"(?i)\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week|one|function|file|test"
    r"|pr|commit|story|essay|poem|answer|reply"
    r"|message|scene|article|post|question|conversation|chat)|in (?:this|your|the) "
    r"(?:case|answer|reply|response|story|essay"
    r"|poem|text|list|email|next message))\b"
    r"|이번|오늘|일단|내일|이따|방금"
    r"|(?<![가-힣])(?:이|그|저)(?:거|건|걸|것)(?:은|는|을|만)?(?![가-힣])"
)
_ASKS = (
    r"(?i)[?？]\s*$|(?:(?<!니)까요?|[습입합됩십갑옵봅줍립킵랍겁]니까|나요|냐|는지|던가|더라|었지|였지|는가|은가요|인가요|을래|할래)[\s.!~]*$"
    r"|^\W*(?:should|shall|do|does|did|can|could|may|would|will|is|are|was|were|why|what|who"
    r"|how|when|where|which|must|have) "
    r"(?:i|we|you|it|they|he|she|the|that|this|there|a|an|is|are|was|were|do|does|did|should"
    r"|would|can)\b"
)
#: Syllables that end a past form before its ending (했, 올렸): all with a final ㅆ but 있 and 겠.
PAST_KO = "".join(
    syllable for syllable in map(chr, range(0xAC00 + 20, 0xD7A4, 28)) if syllable not in "있겠"
)
#: Words of somebody else, past or hypothetical events, the content of a text to be written.
_TOLD = (
    r"(?i)(?<!\bi )(?<!\bwe )\b(?:said|says|saying|told (?:me|us|him|her|them)|tells (?:me|us)"
    r"|wrote|(?:he|she|it|who) writes|claims?|claimed"
    r"|according to|reads:|quote[sd]?|sings?)\b"
    r"|\b(?:used to|would have|could have|should have|back then|imagine|suppose|pretend|what "
    r"if|as if|if i were|joking"
    r"|just kidding|lyrics|proverb)\b"
    r"|(?:라고|다고|냐고|자고)\s?(?:했|하더|하던|하셨|들었|그러|쓰여|써\s?있|적혀|나와|하네|되어)"
    r"|(?:한|된|인|는|은|린|쓴|간|온|준|신)대요?[\s.!~]*$|(?:말|마|하|쓰|주|가)래요?[\s.!~]*$|(?:다|라)(?:던데|더라|더군)"
    r"|던데[\s.!~]*$"
    rf"|[{PAST_KO}](?:어|다|지|네|음|습니다|어요|거든|는데)[\s.!~]*$"
)
#: Comfort, and reminders of what was said: they forbid no deed.
_REMINDS = (
    r"(?i)(?:걱정|신경\s?쓰|잊|까먹|까묵|오해|미안|놀라|겁내|기대|실망|부담|서두르|무리하)\S*\s?(?:지\s?)?(?:마|말)"
    r"|\b(?:don'?t|do not|never) (?:you )?(?:worry|forget|lose (?:it|this|that)|mind|panic|hesitate"
    r"|get me wrong|give up|be (?:shy|afraid|sad))\b"
)
#: What may follow a reminder that says no more: an ending, or what is not to be forgotten.
_ENDS_REMINDER = (
    r"(?i)(?:세요|십시오|라|아|요|자|쇼)?[\s.!~…ㅋㅎㅠ]*$|(?=[\s.,!~…])(?! to\b)(?!.*[가-힣])"
)
#: Statements about oneself, which look like rules.
_NONE = (
    r"(?i)^\W*(?:나는?|난|저는?|전|내가|제가|우리 (?:애|엄마|아빠|집)\S*)\s(?!.*(?:줘|세요|지\s?(?:마|말)))"
    r"|^\W*(?:(?:by the way|also|and|so|well|yes|ok|but)[\s,]+)*(?:i|i'?m|i'?ll|i'?ve|i'?d"
    r"|my)\b(?!.*\b(?:you|agents?)\b)"
    r"|^[^,]{0,60}, i(?:'ll| can| could| will|'m|'ve)?\b(?!.*\byou\b)"
    r"|^\W*(?:never say never|always and forever|no (?:worries|problem|idea|need|thanks))"
)
_REQUEST = (
    r"(?i)^\W*(?:(?:please|now|then|ok(?:ay)?|so|and|also|next|first|just|hi|hey"
    r"|yes)[\s,]+)*(?:can|could|would|will) you\b"
    r"|^\W*(?:(?:please|now|then|ok(?:ay)?|so|and|also|next|first|just)[\s,]+)*(?:add|fix"
    r"|write|implement|create|refactor|update"
    r"|make|build|remove|delete|rename|run|explain|summari[sz]e|translate|generate|draft|give"
    r"|show|tell|help|convert|check"
    r"|find|move|extract|replace|split|merge|change|set|act|list|describe|suggest|compose"
    r"|design|plan|review|look|rewrite"
    r"|i (?:want|need|would like|'d like)|let'?s)\b"
    r"|(?<!지 말아)(?<!지 말아 )(?:줘요?|주세요|줄래\S*|해봐|봐줘|부탁\S*|하자|해라)[\s.!~]*$"
)
#: Beginning of a sentence that continues the rule before it.
_GOES_ON = (
    r"(?i)^\W*(?:instead|otherwise|unless|except|only if|if (?:you|it|that|there|not)|ask "
    r"(?:me|first)|use \w+ instead|and if"
    r"|대신|아니면|안\s?그러면|그래야|단,|다만|예외|먼저|꼭\s?물어)\b"
)
#: Between two clauses, of which one may allow and the other forbid.
_CLAUSE = r"[,;–—]\s+|\s+(?:but|and|so)\s+|(?<=[가-힣]데)\s+|(?<=[가-힣]고)\s+"
#: Words of a text that forbids, bounds or demands something, whatever it allows beside.
_BOUNDS = (
    r"(?i)\b(?:never|not|cannot|no|nobody|none|hardly|scarcely|barely|rarely|seldom|ask|check with"
    r"|hands off|leave|only|must|except|unless"
    r"|but|avoid|stop|quit|forbid\w*|prohibit\w*|bann?ed|off[- ]limits)\b|n['’]t\b"
    r"|지\s?(?:마|말|않|못)|금지|안\s?(?:돼|됩|된|됨|되)|못\s?(?:해|하)|물어|는데|지만|만\s|단[,\s]"
)
#: What does not work: "로그인이 안 돼", and not "거기는 푸시하면 안 돼".
_FAILS = r"(?<=[가-힣][이가])\s(?:(?:잘|또|자꾸|계속|아예)\s)?안\s?(?:돼|되|된|됨|됩)"
#: Words by which a permission is somebody else's, doubted, for this once or for some cases, and so
#: ends no rule.
_NOT_GRANTED = (
    r"(?i)\b(?:said|says|told|thinks?|thought|claims?|heard|doubt\w*|rather|instead|if|when|while"
    r"|once|as long as|provided|until|go ahead)\b|\b(?:this|right|for) (?:time|now)\b"
    r"|[다라]고|다는|아니|한 적|(?:하|되|으|이|라|다|가|나)면(?=[\s,])|때만|동안|지금"
    r"|(?:^|[된돼했\s])(?:었|대(?:요)?[\s.!]*$)"
)
#: What need not be done before something.
_NEED_NOT = (
    r"(?i)\b(?:no need to|(?:you )?(?:(?:don'?t|do not|no longer) (?:have|need) to|needn'?t))\s"
    r"(?:ask|check|wait|confirm|leave (?:it|that|this) to)(?: with)?(?: me)?(?: first| before)?\b"
    r"|(?:나한테|저한테)?\s?(?:묻|물어\s?보|확인\s?받|허락\s?받)지\s?않아도|안\s?물어\s?봐도"
    r"|(?:묻|물어\s?볼|확인\s?받을|허락\s?받을)\s?(?:을\s?)?필요(?:는|도)?\s?없"
)
#: "you can push without asking", "it's fine to commit without asking me", 허락 없이 푸시해도 돼: allowed,
#: and nothing need be asked.
_WITHOUT_ASKING = (
    r"without (?:(?:asking|checking with|telling)(?: me)?(?: first)?"
    r"|my (?:ok(?:ay)?|permission|approval))"
)
_FINE = r"(?:fine|ok(?:ay)?|all ?right|allowed|good|cool|happy)"
_MAY_WITHOUT = (
    r"(?i)\b(?:(?:you|we|agents?)"
    r"(?: (?:can|may|are (?:free|allowed) to)\b|['’]re (?:free|allowed) to\b)"
    r"|(?:it|that)(?:['’]?s| is) (?:\w+ly )?"
    + _FINE
    + r"\b|i(?:['’]?m| am) (?:\w+ly )?"
    + _FINE
    + r" "
    r"(?:with|for)\b|" + _FINE + r" (?:for you|with me) to\b|feel free to\b|go ahead and\b)"
    r"(?!['’]?\s?(?:t|not|never|no|only)\b)"
    r"[^.,;]*?(\b" + _WITHOUT_ASKING + r")"
    r"|(\b" + _WITHOUT_ASKING + r")(?= (?:is|are) (?:\w+ly )?" + _FINE + r"\b)"
    r"|(?<=\bfine )(" + _WITHOUT_ASKING + r")"
    r"|((?:(?:내|제)?\s?허락\s?없이|(?:나한테|저한테)?\s?(?:안\s?(?:물어\s?보고|묻고)"
    r"|(?:묻|물어\s?보)지\s?(?:않고|말고))))"
    r"(?=[^.,;]*도\s?(?:돼|된다|됩니다|괜찮|좋))"
)
_LIFTS = (
    r"(?i)\b(?:no longer (?:need|have|applies|holds|binds|forbidden|required|necessary)"
    r"|(?:doesn'?t|don'?t|does not|do not|needn'?t) (?:need|have|apply)\b.*\b(?:any ?more|any "
    r"longer|now)"
    r"|(?:drop|forget|lift|scrap|ignore|cancel|revoke|retire|remove|undo) (?:the|that|this|my"
    r"|our) (?:\w+ ){0,4}(?:rule|ban|freeze"
    r"|restriction|policy|requirement|convention)|(?:ban|rule|freeze|restriction|policy"
    r"|convention)\b.*\b(?:is|was|has been) (?:lifted"
    r"|gone|over|dropped|cancelled|revoked|off)|(?:you|we|agents?) (?:can|may|are allowed "
    r"to)\b(?!['’]?\s?(?:t|not|never|no)\b).*\b(?:again|now|after all|from now on)"
    r"|(?:it'?s|is) (?:fine|ok(?:ay)?|allowed) (?:again|now) to|(?:fine|ok(?:ay)?|allowed) to "
    r".* (?:again|now)\b|(?:is|are) (?:fine|ok(?:ay)?|allowed) (?:again|now|from (?:now|here) on))"
    r"|(?:이제|앞으로|더\s?이상|그냥|다시).*(?:해|써|돼|어|아|려|켜|쳐|워|고쳐|올려)도\s?(?:돼|된다|됩니다|괜찮|좋)"
    r"|(?:지\s?않아도|안\s?\S+도)\s?(?:돼|된다|됩니다|괜찮)|(?:규칙|금지|원칙|제한)(?:은|는|을|를)?\s?(?:이제\s?)?(?:해제|취소"
    r"|폐지|없던|풀|없애|끝)"
)
#: Words of duration in an agent's offer of how things shall be from now on.
_LASTS = (
    r"(?i)\b(?:always|never|from now on|going forward|every time|each time|whenever|(?:before"
    r"|after) (?:every|each|any))\b"
    r"|앞으로|항상|매번|언제나|절대|때마다"
)
_OFFERS = (
    r"(?i)\b(?:(?:should|shall|could|can) (?:i|we)|i(?:'ll| will| can| could|'d)|want me "
    r"to|would you like|do you want"
    r"|let'?s|we (?:could|should)|how about|i(?:'d)? (?:suggest|propose|recommend))\b|할까요|할게요"
    r"|하겠습니다|드릴까요|둘까요"
    r"|(?:ㄹ|을|릴|줄|올릴|돌릴|남길|쓸)까요|하죠|어떨까요|어때요"
)
_PROPOSED_LAST = 4
_SENTENCE = r"(?<=[.!?。！？])[\"'”’)\]]*\s+|\n+|;\s+"
#: Question at the end of a rule that asks nothing.
_TAG = r"(?i),?\s*(?:ok(?:ay)?|right|alright|understood|got it|알았지|알겠지|알겠어)\s*[?？]$"
#: A part to play: rules in such a text belong to the play.
_PLAYED = (
    r"(?i)\b(?:act as|you are (?:an?|the) |you're an? |pretend|role-?play|text adventure|imagine "
    r"(?:you|that)|(?:write|tell|compose|continue|draft|invent|make|give|need|want|play|sing)\b[^.\n]{0,60}"
    r"\b(?:story|poem|song|novel|essay|screenplay|lyrics)|in (?:this|the|a) (?:story|poem|song|novel)"
    r")\b|역할(?:을|극)"
)
_QUOTED_LINE = r"(?m)^\s*>.*$"
_BULLET = r"^\s*(?:[-*•·+]|\d{1,2}[.)])\s+"
#: A longer turn was pasted, not said.
LONGEST_TURN, _LONGEST_RULE = 1_200, 320


def rules_in(text: str, question: str = "") -> list[str]:
    """Return the rules that a user states in a turn, with the sentences that continue them.

    What a program printed, and what a document or somebody else says, states none.
    `question` is the agent's question or proposal before the turn, '' for none: the answer "yes, do
    that" makes a proposed rule a rule.
    """
    if len(text) > LONGEST_TURN or is_played(text):
        return []
    sentences = _split_rule_sentences(text)
    kinds = [_classify_rule(sentence) for sentence in sentences]
    is_task = any(
        kind == 0 and asks_for_work(sentence)
        for kind, sentence in zip(kinds, sentences, strict=True)
    )
    rules: list[str] = []
    goes_on = False
    for number, (kind, sentence) in enumerate(zip(kinds, sentences, strict=True)):
        if goes_on and re.search(_GOES_ON, sentence) and not re.search(_ASKS, sentence):
            rules.append(sentence)
        elif kind == _SURE or (kind == _BARE and not is_task):
            rules.append(join_object(sentence, () if goes_on else sentences[:number]))
            goes_on = True
        else:
            goes_on = False
    if not rules and question and accepts(text) and not _is_refusal(text):
        rules = [
            sentence
            for sentence in _split_rule_sentences(question)[-_PROPOSED_LAST:]
            if _is_lasting_proposal(sentence)
        ]
    return rules


def plain_rules_in(text: str) -> list[str]:
    """Return the rules of a turn that says nothing else, in words that leave no doubt even then."""
    if len(text) > LONGEST_TURN or is_played(text) or blank_quotations(text) != text:
        return []
    sentences = _split_rule_sentences(text)
    return sentences if all(map(_is_plain_rule, sentences)) else []


def _is_plain_rule(sentence: str) -> bool:
    bare = sentence.rstrip(" .!~…ㅋㅎㅠ")
    is_plain = any(re.search(pattern, bare) for pattern, _, _ in PLAIN)
    return is_plain and _classify_rule(sentence) == _SURE


def has_binding_rule(text: str) -> bool:
    """Return whether a statement is a rule, or contains one."""
    return bool(rules_in(text))


def lifts(text: str) -> bool:
    """Return whether a user withdraws a rule, or allows something that a rule forbade."""
    return (
        len(text) <= _LONGEST_RULE
        and (re.search(_LIFTS, text) is not None or _grants_freely(text))
        and not re.search(_ASKS, text)
    )


def _grants_freely(text: str) -> bool:
    """Return whether a text says, for good and as the user's own word, that nothing need be asked.

    Example: "it's fine to push without asking", and not "he said it's fine to push without asking".
    """
    if not allows_only(text) or names_once(text):
        return False
    return re.search(_NOT_GRANTED, cut_permission(text)) is None


def allows_only(text: str) -> bool:
    """Return whether a text says that nothing need be asked before, and bounds it by nothing."""
    rest = cut_permission(text)
    return rest != text and re.search(_BOUNDS, rest) is None


def cut_permission(text: str) -> str:
    """Return a text without the words by which nothing need be asked."""
    rest = re.sub(_NEED_NOT, " ", text)
    for found in reversed([*re.finditer(_MAY_WITHOUT, rest)]):
        start, end = found.span(found.lastindex or 0)
        rest = f"{rest[:start]} {rest[end:]}"
    return rest


def lifts_at(sentence: str, start: int, end: int) -> bool:
    """Return whether all clauses of a sentence that reach into [start, end) lift something."""
    clauses: list[str] = []
    at = 0
    for part in re.split(_CLAUSE, sentence):
        begin = sentence.index(part, at)
        at = begin + len(part)
        if begin < end and start < at:
            clauses.append(part)
    return bool(clauses) and all(map(lifts, clauses))


def asks_question(sentence: str) -> bool:
    """Return whether a sentence asks something."""
    return re.search(_ASKS, sentence) is not None


def forbids_only_worry(sentence: str) -> bool:
    """Return whether all that a sentence forbids is to worry about or to forget something.

    Such as 까먹지 마세요, and not "don't forget to ask me" or 잊지 말고 테스트 돌려.
    """
    found = re.search(_REMINDS, sentence)
    if found is None or not re.match(_ENDS_REMINDER, sentence[found.end() :]):
        return False
    rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
    return re.search(_BOUNDS, rest) is None and not orders_or_forbids(rest)


def asks_for_work(sentence: str) -> bool:
    """Return whether a sentence asks for work, as in "Add a test." or "고쳐줘"."""
    return re.search(_REQUEST, sentence) is not None


def is_plain_request(sentence: str) -> bool:
    """Return whether a sentence asks for a piece of work, and bounds it by nothing.

    Such as "Write a script that merges duplicates.", and not "Show me the list before you merge."
    """
    return asks_for_work(sentence) and re.search(_SAYS_MORE, sentence) is None


def is_supposed(sentence: str) -> bool:
    """Return whether a sentence tells what would be done in a case that is only supposed."""
    return any(re.search(pattern, sentence) for pattern, _, _ in SUPPOSED)


def is_played(text: str) -> bool:
    """Return whether a text gives the agent a part to play, or asks for a story."""
    return re.search(_PLAYED, text) is not None


def is_reported(sentence: str) -> bool:
    """Return whether a sentence tells what somebody said, what was, or what is supposed."""
    return re.search(_TOLD, sentence) is not None


_SURE, _BARE = 2, 1


def lacks_object(sentence: str) -> bool:
    """Return whether a sentence forbids or orders something, and does not say what it is about."""
    return any(re.search(pattern, sentence) for pattern, _, _ in OBJECTLESS)


def join_object(sentence: str, befores: "Sequence[str]") -> str:
    """Return a sentence with the last one before it, where that alone says what it is about.

    Thanks, assent and rows of signs between the two are about nothing.
    """
    if not lacks_object(sentence):
        return sentence
    named = next((before for before in reversed(befores) if not is_small_talk(before)), "")
    return f"{named} {sentence}" if named else sentence


def names_moment(sentence: str) -> bool:
    """Return whether a sentence bounds itself by the moment, or the work, in which it is said."""
    return re.search(_BEYOND_MOMENT, sentence) is None and any(
        re.search(pattern, sentence) for pattern, _, _ in (*MOMENT, *ABSENCE)
    )


def names_absence(sentence: str) -> bool:
    """Return whether a sentence bounds itself by an absence, such as a vacation."""
    return any(re.search(pattern, sentence) for pattern, _, _ in ABSENCE)


def is_of_moment(sentence: str) -> bool:
    """Return whether a sentence would be a rule if it were not for this once ("not right now")."""
    return names_moment(sentence) and orders_or_forbids(sentence)


def is_all_of_moment(text: str) -> bool:
    """Return whether each sentence of a turn would be a rule if it were not for this once.

    What is bounded by an absence may hold still.
    """
    return _holds_of_all(text, lambda one: is_of_moment(one) and not names_absence(one))


def is_all_for_once(text: str) -> bool:
    """Return whether all that a turn says is forbidden or ordered for this once, or for a day."""
    return _holds_of_all(text, is_for_once)


def _holds_of_all(text: str, judge: "Callable[[str], bool]") -> bool:
    """Return whether a judgement holds of each sentence of a turn, and there is one."""
    sentences = [sentence for _, _, sentence in place_own_sentences(text)]
    return bool(sentences) and all(map(judge, sentences))


def is_for_once(sentence: str) -> bool:
    """Return whether a sentence forbids or orders something for the moment, or for a day named.

    An absence is no moment: what is forbidden during a vacation is still to be known next week.
    """
    if names_absence(sentence):
        return False
    is_bounded = names_moment(sentence) or (
        re.search(_OF_DAY, sentence) is not None and re.search(_FROM_NOW, sentence) is None
    )
    return is_bounded and orders_or_forbids(sentence)


def orders_or_forbids(sentence: str) -> bool:
    """Return whether a sentence says what must or must not be done, for good or for once."""
    return _classify_instruction(sentence) > 0


def bounds_something(sentence: str) -> bool:
    """Return whether a sentence forbids, bounds, orders or demands something by its words.

    That something does not work ("로그인이 안 돼") forbids nothing.
    """
    said = re.sub(_FAILS, " ", sentence)
    return re.search(_BOUNDS, said) is not None or orders_or_forbids(said)


def names_once(sentence: str) -> bool:
    """Return whether a sentence bounds itself by this once, a day or an absence."""
    is_once = re.search(_ONCE, sentence) is not None and re.search(_FROM_NOW, sentence) is None
    return is_once or names_moment(sentence)


def _classify_rule(sentence: str) -> int:
    return 0 if names_once(sentence) else _classify_instruction(sentence)


def _classify_instruction(sentence: str) -> int:
    """Return how surely a sentence says what must or must not be done, for good or for once."""
    if len(sentence) > _LONGEST_RULE or any(
        re.search(veto, sentence) for veto in (_ASKS, _TOLD, _REMINDS, _NONE)
    ):
        return 0
    if lifts(sentence):
        return 0
    clauses = [
        sentence,
        *(
            part
            for part in re.split(r"[,，]\s+|\s[-–—]\s|(?<=[가-힣]데)\s", sentence)
            if part != sentence
        ),
    ]
    for kind, rows in ((_SURE, SURE), (_BARE, BARE)):
        if any(
            re.search(pattern, clause.rstrip(" .!~…ㅋㅎㅠ"), re.IGNORECASE)
            for pattern, _, _ in rows
            for clause in clauses
        ):
            return kind
    return 0


def place_own_sentences(text: str) -> "Iterator[tuple[int, int, str]]":
    """Yield the sentences of a turn that the user said themselves, as (start, end, sentence).

    Quotations inside of a sentence stay in it.
    """
    if len(text) > LONGEST_TURN or is_played(text):
        return
    own = strip_brought_lines(text)
    plain = blank_quotations(text)
    end = 0
    for part in re.split(_SENTENCE, plain):
        start = plain.index(part, end)
        end = start + len(part)
        if part.strip() and text[start:end].strip() in own:
            yield start, end, re.sub(_TAG, "", re.sub(_BULLET, "", text[start:end]).strip())


def blank_quotations(text: str) -> str:
    """Return a text with spaces in place of what it quotes."""
    blank = list(text)
    for quoted in _iter_quoted(text):
        blank[quoted.start() : quoted.end()] = " " * len(quoted[0])
    return "".join(blank)


def _split_rule_sentences(text: str) -> list[str]:
    plain = _cut_quotations(strip_brought_lines(text))
    parts = (
        re.sub(_TAG, "", re.sub(_BULLET, "", part).strip()) for part in re.split(_SENTENCE, plain)
    )
    return [part for part in parts if part]


def find_own_words(rule: str, text: str) -> str:
    """Return the sentence of a turn that is a rule without what it quotes; '' for none."""
    return next(
        (words for *_, words in place_own_sentences(text) if _cut_quotations(words) == rule), ""
    )


def _cut_quotations(text: str) -> str:
    """Return a text with one space in place of each quotation."""
    pieces, end = list[str](), 0
    for quoted in sorted(_iter_quoted(text), key=re.Match.start):
        if quoted.start() >= end:
            pieces.append(text[end : quoted.start()])
            end = quoted.end()
    return " ".join((*pieces, text[end:]))


def _iter_quoted(text: str) -> "Iterator[re.Match[str]]":
    yield from find_quotations(text)
    yield from re.finditer(_QUOTED_LINE, text)


def _is_refusal(text: str) -> bool:
    return (
        re.search(r"(?i)^\W*(?:no|nope|nah|not|don'?t|아니|노|싫|안)(?![가-힣])", text) is not None
    )


def _is_lasting_proposal(sentence: str) -> bool:
    """Return whether an agent offers in a sentence to do something always or never."""
    return re.search(_LASTS, sentence) is not None and re.search(_OFFERS, sentence) is not None


#: Topics of rules, with one name for both languages: (name, weight, words). A rule bears on a
#: prompt where both are about deploying; that both mention tests says less.
_GOVERNED = (
    (
        "deploy",
        2,
        (
            r"\b(?:deploy\w*|roll ?outs?|ship(?:ping)?|helm"
            r"|rollbacks?|roll back)\b|배포|롤백|릴리[스즈]\s?나가"
        ),
    ),
    (
        "production",
        1,
        (
            r"\b(?:prod|production|live (?:db|database|server|site))\b|운영\s?(?:서버|디비|DB|환경|계)"
            r"|프로덕션|프로드"
            r"|실서버"
        ),
    ),
    (
        "migration",
        2,
        r"\b(?:migrat\w+|alter table|schema changes?)\b|마이그레이션|마이그|스키마\s?변경",
    ),
    ("database", 1, r"\b(?:db|database|postgres\w*|mysql|sql|tables?)\b|디비|데이터베이스|테이블"),
    ("commit", 2, r"\b(?:commit(?:s|ting)?|commit messages?)\b|커밋"),
    ("push", 2, r"\b(?:force[- ]?)?push(?:es|ing)?\b|푸시"),
    ("merge", 2, r"\b(?:merg(?:e|es|ing)|rebas\w+|squash\w*)\b|머지|병합|리베이스"),
    ("pull request", 2, r"\b(?:prs?|pull requests?|merge requests?)\b|풀\s?리퀘|피알"),
    ("branch", 1, r"\b(?:branch(?:es)?|main|master)\b|브랜치"),
    (
        "release",
        2,
        (
            r"\b(?:releas(?:e|es|ing)|change ?logs?|release notes?|tag v?\d\S*)\b|릴리[스즈]|변경\s?이력"
            r"|체인지\s?로그"
        ),
    ),
    ("logging", 2, r"\b(?:log(?:s|ging|ger)?|log lines?)\b|로그(?!인)|로깅"),
    (
        "customer",
        1,
        (
            r"\b(?:customers?|users?' data|personal data|pii|phone numbers?|e-?mail "
            r"address\w*)\b|고객"
            r"|개인\s?정보|전화번호|주민"
        ),
    ),
    (
        "secret",
        2,
        (
            r"\b(?:secrets?|passwords?|credentials?|api keys?|tokens?|\.env)\b|비밀번호|비번|시크릿|토큰"
            r"|인증\s?키"
            r"|API\s?키"
        ),
    ),
    (
        "dependency",
        2,
        (
            r"\b(?:dependenc\w+|packages?|librar\w+|npm|pnpm"
            r"|yarn|pip|poetry|uv)\b|의존성|패키지|라이브러리"
        ),
    ),
    ("billing", 2, r"\b(?:billing|payments?|invoices?|checkout)\b|결제|청구|인보이스"),
    ("delete", 1, r"\b(?:delet\w+|drop(?:s|ping)?|truncate|purge|rm)\b|삭제|지우|지워"),
    ("test", 1, r"\b(?:tests?|testing|test suite)\b|테스트"),
    ("mail", 2, r"\b(?:e-?mails?|newsletters?|slack messages?)\b|메일|공지"),
    ("docs", 1, r"\b(?:docs?|documentation|readme|docstrings?)\b|문서|주석"),
    ("naming", 1, r"\b(?:names?|naming|rename)\b|이름|변수명"),
    (
        "infrastructure",
        2,
        (
            r"\b(?:terraform|kubernetes|k8s|kubectl"
            r"|clusters?|infra\w*)\b|쿠버|클러스터|인프라"
        ),
    ),
    ("friday", 1, r"\bfridays?\b|금요일|금욜"),
)
_BEARS = 2
#: Names of files, folders, commands and identifiers: nothing else is named so.
_NAME = (
    r"[\w.-]*[\w]+(?:/[\w.-]+)+/?|\b\w+\.(?:py|tsx?|jsx?|go|rs|java|sql|ya?ml|toml|json|md|sh|env"
    r"|lock)\b|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b"
)
_LATIN, _HANGUL = r"[a-z][a-z0-9-]{2,}", r"[가-힣]{2,}"
_EVERYDAY = frozenset(
    """
        the and for with without that this you your our must never always not don only use
        run make keep write add any all every each before after when unless until should can
        may are have has ask asking touch first please new from into them they code file
        files change changes want need work let fix get put straight directly against was
        what who how why did does about again repository repo project agent agents team also
        like just then over now one two there their here it's its
    """.split()
)
_PARTICLE = (
    r"(?:에서는|에서|에는|으로|에게|한테|까지|부터|이나|은|는|이|가|을|를|에|의|로|도|만|와|과)$"
)


def bears_on(rule: str, prompt: str) -> bool:
    """Return whether a prompt is about a topic that a rule governs."""
    topics = {name: weight for name, weight, _ in _GOVERNED}
    about = _find_rule_topics(rule)
    shared = sum(topics[name] for name in about & _find_rule_topics(prompt))
    named = _find_rule_names(rule) & _find_rule_names(prompt)
    # A word of a shared topic is already counted with that topic.
    words = {
        word
        for word in _list_rule_words(rule) & _list_rule_words(prompt)
        if not _find_rule_topics(word) & about
    }
    return shared + _BEARS * len(named) + len(words) >= _BEARS


def lifted_by(rule: str, text: str) -> bool:
    """Return whether a text lifts this rule: it lifts a rule, and is about what this rule
    governs.
    """
    return lifts(text) and bears_on(rule, text)


def _find_rule_topics(text: str) -> set[str]:
    return {name for name, _, words in _GOVERNED if re.search(words, text, re.IGNORECASE)}


def _find_rule_names(text: str) -> set[str]:
    return {name.rstrip("/.").lower() for name in re.findall(_NAME, text)}


def _list_rule_words(text: str) -> set[str]:
    latin = {word.rstrip("s") for word in re.findall(_LATIN, text.lower()) if word not in _EVERYDAY}
    return latin | {
        base for word in re.findall(_HANGUL, text) if len(base := re.sub(_PARTICLE, "", word)) >= 2
    }
