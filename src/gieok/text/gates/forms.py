"""Forms of a rule: how people forbid, or ask to be asked, in English and Korean.

Rows of (pattern, example, counter-example). What the rule is about stands around the form and is
found by `objects`.
"""

import re

from gieok.text.gates.vocabulary import KNOWN

_PROGRAMS = "|".join(sorted(map(re.escape, KNOWN)))
#: The words leave no exception: the tool is stopped.
STRICT = (
    (r"\b(?:are|you'?re) not to\b", "You're not to push to main", "You're not too late"),
    (
        (
            r"(?<!\bi )(?<!\bhe )(?<!\bshe )(?<!\bit )(?<!\bthey )(?<!\bthat )\bnever\b(?! "
            r"(?:mind|been"
            r"|had|have|was|were|is|are|seen|heard|thought|knew|got|again|the same|before|works?"
            r"|worked"
            r"|happens?|happened|said|say never)\b)"
        ),
        "Never run supabase db reset",
        "It never works",
    ),
    (r"\b(?:must ?n[o']?t|must not|shall not)\b", "You must not push to main", "You must push"),
    (
        r"\b(?:not|never) (?:be )?(?:allowed|permitted)\b|n't (?:be )?(?:allowed|permitted)\b",
        "You are not allowed to deploy",
        "You are allowed to deploy",
    ),
    (
        r"\b(?:forbidden|prohibited|banned|off[- ]limits|no[- ]go|verboten)\b",
        "Force pushes are forbidden",
        "A forbidding place",
    ),
    (r"\bunder no circumstances\b", "Under no circumstances deploy", "Under the circumstances"),
    (r"\b(?:do not|don'?t) ever\b", "Don't ever force-push", "Don't you like it"),
    (
        (
            r"\b(?:nobody|no one|no agent) (?:\w+ )?(?:may|can|should|must|is|touch\w*|push\w*"
            r"|edit\w*"
            r"|deploy\w*|run\w*|merg\w*|commit\w*)\b"
        ),
        "Nobody pushes to main",
        "Nobody knows",
    ),
    (r"\babsolutely no\b", "Absolutely no force pushes", "Absolutely nothing"),
    (
        r"절대로?|결코|무슨\s?일이\s?있어도|어떤\s?(?:경우|일)에도|하늘이\s?두\s?쪽",
        "절대 푸시하지 마",
        "절반만 해",
    ),
    (r"금지(?!된|어|선)", "main 직접 푸시 금지", "금지된 목록"),
)
#: A plain prohibition: the person is asked.
PLAIN = (
    (
        r"\b(?:can|could|would|will) you (?:please )?(?:not|never) [a-z]",
        "Could you not touch legacy/",
        "Could you touch it",
    ),
    (
        (
            rf"(?:^|[,;:.(–—]\s*|\b(?:so|and|but|please|then) )no (?:more )?(?:--?[a-z]"
            rf"|(?:{_PROGRAMS}) [a-z-])"
        ),
        "So no git stash please",
        "No git",
    ),
    (r"(?:^|[,;:.(–—]\s*)no `", "No `sudo` please", "No idea"),
    (
        r"\b(?:not|never) (?:ok(?:ay)?|fine|acceptable|cool) to\b",
        "It's not okay to force push",
        "It's okay to push",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\b(?:please|and|so|but|also|you|we|agents?|then|just|or|rule|to"
            r"|on|forward|repo|repository|project) )"
            r"(?:please )?(?:do not|don'?t|dont|should ?n'?o?t|should not|may not|cannot|can'?t) "
            r"(?!(?:you|we|they|i|worry|forget|mind|know|think|care|need|have|want|hesitate|panic"
            r"|see|get|remember|understand|believe|like|love|bother|seem)\b)[a-z]"
        ),
        "Please don't touch legacy/",
        "I don't know",
    ),
    (
        (
            r"\bi (?:do not|don'?t) want (?:you|agents?|anyone|any agent|claude|codex)\b"
            r"|\bi'?d rather you (?:didn'?t|did not|not)\b"
        ),
        "I don't want you to touch legacy/",
        "I don't want coffee",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\bplease |\band )(?:avoid|refrain from|stop|quit) "
            r"(?:running|using|pushing|touching|editing|changing|modifying|committing|deploying"
            r"|merging|installing|deleting|removing|calling|making|force|doing|amending|rebasing"
            r"|[\w-]+ing|`)"
        ),
        "Stop pushing to main",
        "Stop it",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\band |\bso )no (?:more )?(?:direct |manual |unreviewed |new )?"
            r"(?:(?:[\w-]+ )?[\w-]*(?:ing|es|ts|ys|ments|ies)|deploys?|commits?|merges?|pushes"
            r"|edits?|changes|force push\w*|`[^`]+`|sudo|[\w-]*s)\b"
            r"(?! (?:matter|longer|problem|idea|worries|way|one"
            r"|need)\b)(?<!no matters)(?<!no worries)"
            r"(?<!no problems)(?<!no thanks)(?<!no yes)"
        ),
        "No force pushes",
        "No idea",
    ),
    (
        (
            r"\b(?:hands off|keep (?:your )?(?:hands )?(?:off|out of|away from)|stay (?:out of"
            r"|away from"
            r"|off)|leave (?!me\b|us\b)"
            r"(?:[^,.;]|\.(?=\S)){2,60} (?:alone|as (?:it|they) (?:is|are)|untouched)"
            r"|steer clear of)\b"
        ),
        "Leave the vendor folder alone",
        "Leave me alone",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\b(?:but|and|so|please) )(?:nothing|no) (?:[\w/.-]+ ){0,4}?"
            r"(?:gets?|(?:is|are) to be|(?:may|should|can|must) be) (?:ever )?"
            r"(?:[a-z]+(?:ed|en|wn)|put|run|cut|set|sent|built|rebuilt)\b"
        ),
        "Nothing gets restarted on db01",
        "Nothing is broken",
    ),
    (
        r"\b(?:instead of|rather than)\b|, ?not (?:`|[\w./@-]+\b)",
        "Use pnpm instead of npm",
        "It is not so",
    ),
    (
        (
            r"지(?:는|도)?\s?(?:마|말|않(?:기(?:로|를|\s?바|$)|(?:도록|게)\s?(?:해|하|합|부탁|주의|조심)|았으면))|지마|질\s?마"
            r"|진\s?마"
        ),
        "main에 바로 푸시하지 마",
        "푸시했지만 늦었어",
    ),
    (
        r"(?:면|서는|선|어도|아도)\s?안\s?(?:돼|되|된|됩|됨|되고)|안\s?(?:돼|됩니다|됨)[\s.!~]*$",
        "운영 DB를 직접 고치면 안 돼",
        "왜 안 될까",
    ),
    (
        (
            r"\b(?:must|should|has to|have to|needs? to) (?:stay|remain|be left) (?:untouched|alone"
            r"|unchanged|intact|the same|as (?:it|they) (?:is|are))\b"
        ),
        "The file must stay untouched",
        "You must stay",
    ),
    (
        (
            r"^\W*only (?:i|we|humans?|the user|people) (?:may |can |should |ever )?(?:deploy"
            r"|push|merge"
            r"|publish|release|run|commit|touch|edit|change)"
        ),
        "Only I deploy to production",
        "Only I know",
    ),
    (
        r"\s말고(?=[\s,]|$)|말고는?\s|\s대신(?:에)?\s(?=.*(?:써|쓰|사용|해|돌려|실행))",
        "npm 말고 pnpm 써",
        "말고삐를 잡아",
    ),
    (
        r"(?:하지|쓰지|건드리지|만지지)\s?않(?:는다|습니다|아)$",
        "force push는 쓰지 않는다",
        "쓰지 않았다",
    ),
)
#: The person wants to be asked first.
ASKING = (
    (
        (
            r"\b(?:without|unless|until|before) (?:first )?(?:asking|checking|confirming|telling me"
            r"|talking to me|consulting)\b"
        ),
        "Don't deploy without asking",
        "Without tests",
    ),
    (
        (
            r"\b(?:without|before getting|unless (?:you (?:have|get|got)|i give)"
            r"|until (?:you (?:have|get)"
            r"|i give)|(?:get|need|needs|require|requires|want|ask for|with|have|wait for|after"
            r"|given) ?"
            r"(?:you )?)(?: \w+)? ?(?:my |explicit |an? |prior |written |the )*"
            r"(?:ok(?:ay)?|permission|approval|consent|confirmation|go-?ahead|sign-?off|say-so"
            r"|blessing"
            r"|authori[sz]ation|green light|nod)\b"
            r"(?! (?:file|slip|error|system|denied|bit|mode))"
        ),
        "Deploys need my approval",
        "I need a permission file",
    ),
    (
        (
            r"\b(?:unless|until|before|only (?:\w+ ){0,6}?(?:when|if|after|once)|except when"
            r"|only when"
            r"|not until) "
            r"(?:i|i'?ve|we) (?:\w+ )?(?:say|tell|ask|told|asked|said|approve|confirm|agree"
            r"|allow|request"
            r"|explicitly|okay|ok|give|sign|review|reviewed|approved|confirmed|agreed)\b"
        ),
        "Never push unless I tell you to",
        "Unless it rains",
    ),
    (
        r"\bonly (?:when|after|once) (?:i|i'?ve|i'?m|we|we'?ve)\b",
        "vercel --prod only once I've looked at the preview",
        "only once a week",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\b(?:please|always|must|should|to|sure|and|you|then|just|so|but"
            r"|do|also) )"
            r"(?<!did you )(?:first )?(?:ask|check with|confirm with|consult|ping|warn|tell|notify"
            r"|alert) "
            r"(?:me|us|the user|before|first)\b"
        ),
        "Ask me before you touch the billing folder",
        "Did you ask me",
    ),
    (
        r"\bi'?d (?:rather|prefer) (?:that |if )?you (?:asked|checked|told|consulted|confirmed)\b",
        "I'd rather you checked with me before installing packages",
        "I'd rather check it myself",
    ),
    (
        (
            r"(?:^|[,;:.(–—]\s*|\b(?:please|always|must|should|to|sure|and) )(?:ask|confirm|check)"
            r"(?:[^,.;]{0,20})? (?:first|before|beforehand|prior to)\b"
        ),
        "Always confirm before deploying",
        "Did they ask before",
    ),
    (
        (
            r"\b(?:let me (?:know|review|approve|see|check|confirm|look)[^,.;]{0,30} (?:before"
            r"|first)"
            r"|run (?:it|[^,.;]{2,40}) (?:by|past) me|clear (?:it|[^,.;]{2,40}) with me"
            r"|i (?:want|need) to (?:approve|review|confirm|sign off|see|okay|be asked)"
            r"|check (?:in )?with me|ask for (?:permission|confirmation|approval))\b"
        ),
        "Run migrations by me before you apply them",
        "Let me see",
    ),
    (
        (
            r"(?:물어|묻|확인|허락|승인|동의|컨펌|허가|결재|상의|말|얘기|이야기|알려|보고|여쭤)[가-힣]*\s?"
            r"(?:\S+\s){0,2}?(?:없이|않고|안\s?하고|전에는|전엔|전까지|보고|받고|받은|구하고|하고|맡고|받아|구해|받|보지|지)\s?.*"
            r"(?:마|말|안\s?(?:돼|되|된|됩|됨)|금지|해|하세요|진행|실행|써|고쳐|바꿔|설치|푸시|배포|하도록|할\s?것|하기)"
        ),
        "결제 모듈은 나한테 묻지 않고 건드리지 마",
        "물어본 적 없어",
    ),
    (
        (
            r"(?:나(?:한테|에게)|저(?:한테|에게)|먼저|꼭|반드시|무조건|항상|전에(?:는|도)?|전엔|때는?|때마다|하려면|려면|미리|매번|일단"
            r"|건|것은|거는|은|는)\s"
            r"(?:\S+\s){0,4}?(?:물어\s?(?:봐|보|줘)|여쭤|물어|확인\s?(?:받|부탁|해\s?줘|요청|을|먼저|하|해)|허락\s?(?:받|을|구)"
            r"|승인\s?(?:받|을|요청)|컨펌|알려\s?(?:줘|주)|말해\s?(?:줘)?|얘기해|보고해|동의\s?(?:받|를|구)|상의|허가)"
        ),
        "배포하기 전에 꼭 물어봐",
        "먼저 밥 먹어",
    ),
    (
        r"(?:내|제|나의|저의)\s?(?:허락|승인|동의|확인|컨펌|허가)(?:을|를|이|가)?\s?(?:필요|받|있|없|후|하에|거쳐)",
        "배포는 내 승인이 필요해",
        "네 확인",
    ),
    (
        (
            r"(?:내가|제가)\s?(?:\S+\s){0,2}?(?:라고|하라|시키|시킬|말|말하|요청|허락|승인|지시|부탁|오케이|ok)[가-힣]*\s?"
            r"(?:\S+\s){0,2}?(?:때만|때에만|전에는|전엔|전까지|경우에만|않(?:으면|는 한)|이상|없으면|후에만|면만)"
        ),
        "커밋은 내가 하라고 할 때만 해",
        "내가 말한 거",
    ),
)
#: Sentences that state no rule although they look like one.
NO_RULE = (
    (
        r"(?:묻|물어\s?보|여쭤\s?보|허락\s?받|확인\s?받|물어)지\s?(?:않아도|안 해도|말고 그냥|말고 바로)",
        "rm 쓸 때 물어보지 않아도 돼",
        "rm 쓸 때 물어보지 않고 쓰면 안 돼",
    ),
    (
        r"\b(?:what|how|why|which) (?:would|will|should|do|did|does|is|are|happens)\b",
        "If I say never push, what would you do",
        "Never push, whatever they say",
    ),
    (
        r"\b(?:don'?t|do not|never) (?:let|allow|make|have) (?!yourself|me\b|us\b|sure\b)",
        "Don't let users delete files",
        "Don't let yourself push",
    ),
    (
        (
            r"(?:까요?|나요|[느으]?냐|는지|던가|는가|은가요|인가요|을래|할래|돼요)[\s.!~]*$|^\W*(?:should|shall|do|does"
            r"|did|can"
            r"|could|may|would|will|is|are|was|were|why|what|who|how|where|which|have) (?:i|we"
            r"|you|it|they|he"
            r"|she|the|that|this|there)\b"
        ),
        "Should I never push",
        "Never push",
    ),
    (
        (
            r"(?:마|말)(?:아)?라(?:고|는|던|더|며|길래|\s?그|\s?하|\s?했)|(?:마|말)(?:랬|란다|래요?(?=[\s.,!]|$))"
            r"|지\s?(?:말자고|말기로)"
        ),
        "git merge 쓰지 말라 그랬거든",
        "git merge 쓰지 마라",
    ),
    (r"\bnever [a-z]*[^s\W]s\b(?! ?/)", "The script never pushes", "Never access it"),
    (
        (
            r"^\W*(?:i|he|she|they|it) (?:never|don'?t|do not|didn'?t|won'?t|usually"
            r"|always)\b(?! want you)"
            r"(?! want (?:any|agents|claude|codex))"
        ),
        "I never force-push",
        "You never push",
    ),
    (
        (
            r"\b(?:did|didn'?t|why|how come|who|what if|suppose|imagine|pretend|would have"
            r"|could have"
            r"|should have|used to|joking|kidding)\b"
        ),
        "Why did you never push",
        "Never push",
    ),
    (
        r"^\W*(?:나는|난|저는|전|걔는|그는|우리\s?팀장은)\s(?!.*(?:줘|세요|지\s?(?:마|말)|물어|허락|승인))",
        "나는 절대 야근 안 해",
        "나는 네가 푸시하지 마라고 했어 줘",
    ),
    (
        r"(?:했|었|았|였|됐|갔|왔|봤|썼)(?:어|다|지|네|음|습니다|어요|거든|는데|더라|대|니|나)?[\s.!~ㅋㅎ]*$",
        "절대 안 줄었어",
        "줄이지 마",
    ),
    (
        r"(?:걱정|신경\s?쓰|잊지|잊어|오해|미안|놀라|겁내|실망|부담|서두르|무리하)\S*\s?(?:지\s?)?(?:마|말)",
        "걱정하지 마",
        "건드리지 마",
    ),
    (
        r"\b(?:never|do not|don'?t) (?:worry|forget|mind|panic|hesitate|get me wrong|give up)\b",
        "Don't forget the tests",
        "Don't touch it",
    ),
)
#: Continuations of a rule that name what to do instead.
POSITIVE = (
    r"^\W*(?:(?:and|but|so|then|instead|please|just|always|only|better|rather)\s+)*(?:use|run"
    r"|prefer"
    r"|stick (?:to|with)|go (?:with|through)|open|create|write|keep|make|do|leave|put|ask|tell"
    r"|work|it|we|i|they|that|this|there|those|you (?:can|may|should)|because|since|otherwise"
    r"|everything|which|even if|as|read|reading|let|show|edit|change|install|branch|feel free"
    r"|deploy|push|commit)\b"
)
EN_EXCEPT = (
    r"\b(?:except(?:ing)?(?: for| in| on| to| when| if| that)?|other than|apart from|aside from"
    r"|with the exception of|excluding)\b"
)
EN_FINE = (
    r"\b(?:is|are|it'?s|that'?s) (?:fine|ok(?:ay)?|allowed|good|no problem|free)\b|\bfeel free\b"
    r"|\b(?:excepted|exempt(?:ed)?|excluded|exceptions?|fine|okay)\b"
    r"|\b(?:you|we) (?:can|may)\b"
)
KO_FINE = r"(?:괜찮|ㄱㅊ|해도\s?(?:돼|되|좋|된다|됩)|[가-힣]도\s?(?:돼|된다|됩니다|괜찮|좋)|상관\s?없|자유|예외|허용|가능)"
KO_EXCEPT = r"(?:은|는|을|를)?\s?만?\s?(?:빼고는?|제외하고는?|제외한|말고는|외에는?|이외에는?|아닌\s?(?:이상|한))"
#: A sentence, a clause or a bracket beside a rule makes an exception to it.
ALLOWS = (
    r"(?ai)(?<=\S\s)(?<![,.!]\s)(?:fine|ok(?:ay)?|good)\b(?!\s*\?)"
    r"|\b(?:except(?:ed|ing|ions?)?|exempt(?:ed|ions?)?|exclud(?:ed|ing)|allowed"
    r"|permitted|acceptable"
    r"|no problem|other than|apart from|aside from|(?:doesn'?t|don'?t|does not|do not) count)\b"
    r"|(?<![가-힣])(?:단|다만)(?=[,\s])|예외|괜찮|빼고|제외|이외|상관\s?없|허용"
)
#: A sentence behind a rule that says what may be done: an exception, or something else.
OFFERS = r"(?ai)\b(?:you|we) (?:can|may)\b|\bfeel free to\b|자유|가능|[가-힣]도\s?(?:돼|되|된다|됩니다|좋)"
#: Words that stand for what the rule is about.
REPEATS = r"(?ai)\b(?:it|that|this|so|them|those)\b|그건|그거|그렇게"
#: A clause that tells of a rule as of something past.
PAST_RULE = (
    r"(?ai)\b(?:was|were|used to be|had been)\b[^,.;]{0,40}\b(?:rules?|polic(?:y|ies)|bans?"
    r"|conventions?|law|motto|advice)\b"
    r"|\b(?:rules?|polic(?:y|ies)|bans?|conventions?)\b[^,.;]{0,20}\b(?:was|were|used to|ended)\b"
    r"|(?:규칙|원칙|방침|정책|룰|지침)(?:이었|였|이던|이더)"
)
EN_REASON = (
    r"(?:,|\s[-–—])?\s\b(?:because|since (?!when)|as (?:it|that|this|they|we)|cause|so that"
    r"|otherwise"
    r"|or else|in case|to avoid|that'?s (?:why|how|what)|they|the last time|last time)\b.*$"
)
EN_CONDITION = r"\b(?:if|when|whenever|while|during|once|as long as|in case)\b"
#: Conditions of which nobody but a person knows whether they are met.
KO_CONDITION = (
    r"(?:[으]?면|때는?|때에는|동안(?:에는|은|엔)?|중에는|중엔|[는인은]\s?경우(?:에는|엔)?)(?=[\s,])"
)
DAYS = (
    ("mondays?|월요일", 0),
    ("tuesdays?|화요일", 1),
    ("wednesdays?|수요일", 2),
    ("thursdays?|목요일", 3),
    ("fridays?|금요일", 4),
    ("saturdays?|토요일", 5),
    ("sundays?|일요일", 6),
)
WEEKEND = r"weekends?|주말"
WEEKDAYS = r"weekdays|평일"
EVERYWHERE = (
    r"\b(?:in|across|for|on) (?:any|all|every|each)(?: of my| my)? (?:projects?|repo(?:sitorie)?s?"
    r"|repository|codebases?)\b|\b(?:any|every)where\b(?! (?:in|else|but|except|on|outside"
    r"|inside|under|within|near)\b)|모든\s?(?:프로젝트|레포|저장소|리포)|어느\s?(?:프로젝트|레포|저장소)|어디서든"
)
