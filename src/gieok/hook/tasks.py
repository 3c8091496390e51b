"""Second question for prompts that are tasks: which rules govern this kind of task?

Rules govern a task in other words than the prompt's: "PR 올려줘" names no rule, "every title begins
with the ticket" names no task. So a second question is made of the task's kind, in both languages,
and texts that read like a rule or a preference answer it best. Imported by the hook: see the
package.
"""

import re

#: Pattern of a request for a kind of work → words of the rules about that work. Patterns are
#: strings, compiled on use, which is rare.
_KINDS = (
    (
        r"\b(pull request|PR|merge request|MR)\b|풀 ?리퀘|머지해",
        "pull request PR title description screenshot reviewer rule. PR 제목, 설명, 스크린샷, 리뷰어 규칙",
    ),
    (
        r"\bcommit\b|커밋",
        "commit message language, format and what to run before a commit. 커밋 메시지 언어와 형식, 커밋 전에 할 일",
    ),
    (
        r"change ?log|release notes?|변경 ?(이력|사항|로그)|릴리스 ?노트|패치 ?노트|체인지 ?로그",
        "changelog and release note style, tense, length. 변경 이력, 릴리스 노트 쓰는 방식과 길이",
    ),
    (
        r"\b(release|publish a version|tag v?\d)\b|릴리스|릴리즈|출시",
        "release procedure, tag, checks before a release. 릴리스 절차, 태그, 배포 전 확인",
    ),
    (
        r"\b(deploy|ship|roll ?out|apply|terraform|rollback|roll back)\b|배포|롤백|적용해",
        (
            "deploy rules: when and from where to deploy or apply, freeze windows. 배포 규칙, 배포 "
            "금지 시간, "
            "어디서 적용하는지"
        ),
    ),
    (
        r"\b(dependency|dependencies|package|library|install|upgrade|npm|pip)\b|의존성|패키지|라이브러리|설치",
        "package manager to use and the machine's operating system. 패키지 매니저, 쓰는 운영체제와 컴퓨터",
    ),
    (
        r"\b(chart|graph|plot|dashboard|diagram|palette|visuali[sz]e)\b|차트|그래프|대시보드|시각화|도표",
        "colours and style of charts that the user can see or wants. 차트 색, 그래프 스타일, 색 구분",
    ),
    (
        r"\b(blog post|article|post|draft|essay|newsletter)\b|블로그|포스트|후기|초안|기사|원고|글 ?(써|작성)",
        (
            "rules for writing posts: names of clients, tone, length, images. 글 쓸 때 규칙: 거래처 "
            "이름, 말투, "
            "길이, 이미지"
        ),
    ),
    (
        r"\b(e-?mail|reply to|message to|letter|slack)\b|메일|답장|메시지 ?(써|보내)|슬랙|안내문|공지",
        (
            "tone, honorifics and signature of mails and messages, whom to copy. 메일과 메시지의 말투, 존댓말, "
            "서명, 참조"
        ),
    ),
    (
        r"\b(write|add|run)\b.{0,20}\btests?\b|테스트 ?(를 |도 )?(작성|추가|짜|써|돌려)",
        "how tests are written, named and run here. 테스트 작성과 이름, 실행 규칙",
    ),
    (r"\b(review)\b|리뷰해|검토해", "what reviews must look at, who reviews. 리뷰 기준과 리뷰어"),
    (
        r"\b(migrat\w+|schema change|alter table)\b|마이그레이션|스키마",
        "rules for database migrations and backups. 데이터베이스 마이그레이션과 백업 규칙",
    ),
    (
        r"\b(hand ?over|on-?call|runbook|incident report|post-?mortem)\b|인수인계|당직|장애 보고",
        "who is on call and whom to contact. 당직과 연락할 사람",
    ),
    (
        r"\b(explain|summari[sz]e|report|brief me|outline)\b|설명해|요약해|정리해|보고서|보고해",
        (
            "how the user wants answers and explanations: length, order, language. 설명과 요약의 길이, "
            "순서, 말투 선호"
        ),
    ),
    (
        r"\b(translate|localiz|locali[sz]ation)\b|번역|현지화",
        "terms and tone for translation. 번역 용어와 말투",
    ),
    (
        r"\b(readme|documentation|docs|docstring)\b|문서화|문서 ?(써|작성)|주석",
        "language and style of documentation and comments. 문서와 주석의 언어, 방식",
    ),
    (
        r"\b(branch|rename|name) (a|the|this|it|for)\b|브랜치|이름 ?(지어|정해|짓)",
        "naming conventions of branches, files and variables. 브랜치, 파일, 변수 이름 규칙",
    ),
    (
        r"\b(schedule|book|meeting|calendar|reserve|reservation)\b|회의|일정 ?(잡|추가)|예약",
        "when the user is free and how meetings are arranged. 일정, 회의 시간, 비는 시간 선호",
    ),
    (
        r"\b(order|buy|restaurant|recipe|menu|lunch|dinner|snack)\b|메뉴|식당|점심|저녁 ?(추천|메뉴)|간식|요리|주문해",
        "food the user cannot or does not eat, allergies. 못 먹는 음식, 알레르기, 식성",
    ),
)
#: A question asks to be answered; a task asks for work.
_ASKS = (
    r"[?？]\s*$|^\s*(what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can|may"
    r"|could|should)\b"
    r"|(더라|했지|였지|었지|었나|였나|뭐야|뭐지|인가|는가|나요|까요|할까|될까|어디야|언제야|누구야)\s*[?？]?$"
)
_RULE = (
    r"(?i)\b(always|never|must|only|should|shouldn't|do not|don't|no \w+ing|please|prefer|rule"
    r"|convention|policy|from now on"
    r"|instead of|need to|has to|have to|want|like|can't|cannot|keep|use|make sure|before|at "
    r"most|at least|allerg\w+)\b"
    r"|항상|절대|반드시|꼭|마세요|말아|지 ?마|말고|금지|규칙|원칙|앞으로|기본|통일|이내|이상|써 ?줘|해 ?줘|주세요|해야"
    r"|좋아|싫|선호|못 ?(먹|봐|해)|안 ?(돼|되|써|쓰|해)|붙여|적어|까지만|먼저|없이|로만|으로만"
)
_MOST_CHARS = 600


def question_of(prompt: str) -> str:
    """Return the question to memory for the kinds of task in a prompt; '' if it is no task."""
    text = prompt[:_MOST_CHARS].strip()
    if is_prompt_question(text):
        return ""
    topics = [about for asks, about in _KINDS if re.search(asks, text, re.IGNORECASE)]
    return " ".join(topics[:2])


def is_prompt_question(prompt: str) -> bool:
    """Say whether a prompt asks to be answered rather than for work."""
    return re.search(_ASKS, prompt[:_MOST_CHARS].strip(), re.IGNORECASE) is not None


def is_rule_text(text: str) -> bool:
    """Say whether a text reads like a rule or a preference."""
    return re.search(_RULE, text) is not None
