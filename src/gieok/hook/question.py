"""Turns a prompt into questions to memory. Imported by the hook: see the package.

A prompt is not a search query: most of its words are common to all prompts (add, please, 해줘), and
often only one of its sentences concerns memory.
"""

import re

from gieok.text.assent import accepts
from gieok.text.keywords import is_statement, query_tokens

#: Shorter prompts ask nothing; a Hangul or Han character counts twice, because it says twice as
#: much.
_SHORTEST = 10
#: Matches `/clear`, `/review this`, `!ls`, `# keep this`; not `/src/a.py`, nor a heading with text
#: below it.
_COMMAND = r"/[\w:-]+(?:\s|$)|!|#[^\n]*$"
#: Characters kept at both ends of a pasted text: the request stands before or after it.
_END_CHARS = 1500
_SENTENCE = re.compile(r"[.!?。？！]+\s|\n+")
_MOST_SENTENCES = 6
#: Words of a sentence beyond this number only cost time.
_MOST_TOKENS = 48
_COMMON_WEIGHT = 0.3
#: Compiled on use, which is rare: compiling takes two milliseconds.
_ABOUT_THE_PAST = (
    r"(?i)\b(remember|recall|memory|last time|previous(ly)?|earlier|we (decide|agree|chose"
    r"|choose|use)d?|did we|had we|our)\b"
    r"|지난번|저번|전에|기억|예전|아까|결정했|정했|기로 ?했|했었|했지|했더라|였지|였더라"
)

#: Tokens (stems, pairs of syllables) common to prompts on any subject. With their full weight, a
#: short question about one remembered word never reaches enough coverage (measured on facts of no
#: project).
COMMON = frozenset(
    """
        add also alway answer ani back becaus befor best better call can chang check choos
        chose code could creat current decid decis did differ doe done edit exampl exist
        explain fail file find first fix follow from function get give go good handl happen
        help here idea implement instead into issu just keep kind know last let like line
        list look lot made make mani mayb mean method much must name need never new next not
        now off old one onli order our out over part pick place pleas possibl problem
        project put question read realli refactor remov replac review right run same say see
        set should show simpl so some someth start still stop suggest support sure take tell
        than then there thing think time too tri two understand updat us use user valu veri
        want way well wonder work would write wrong yes yet 가능 각각 같은 같이 거야 건가 건지 걸까 걸로 게요 겠어
        결정 경우 고싶 고쳐 관련 구현 그거 그게 그냥 그럼 그리 기로 기억 까지 나요 내용 는데 는지 다른 다시 다음 더라 도와 되나 되는 되어 된다 될까
        때문 떻게 려고 려줘 만든 만들 많이 먼저 모든 무슨 문제 뭐로 바꿔 방법 방식 보여 부탁 부터 사용 설명 세요 수정 쓰기 쓰는 쓰지 쓸까 알려 어떤
        어떻 어요 어줘 여기 여줘 우리 은데 을까 이거 이건 이것 이게 이번 이제 있나 있는 있어 있을 작성 작업 저거 정리 정하 정했 제가 주세 줘야 지금
        지난 지요 진행 찾아 쳐줘 추가 코드 파일 하게 하고 하기 하나 하는 하려 하면 하자 하지 한다 할게 할까 할지 해서 해야 해주 해줘 했나 했는 했더
        했어 했었 했지 확인
    """.split()
)


#: Forbids the agent to use its memory. Such a sentence says nothing of the task.
_FORBIDS_MEMORY = (
    r"(?i)^\W*(?:(?:please|just|and|but|now|from now on),? ){0,2}"
    r"(?:(?:(?:do not|don'?t|never|stop|avoid|without)(?: ever)? (?:us|search|read|check|consult"
    r"|look|query|call|rely|access|load|recall)\w*\b.*"
    r"|(?:ignore|disregard|forget|skip|disable|without|no)"
    r"(?: (?:all|any|every|your|the|of|previous|prior|earlier|long-term|what is in)){0,3} )"
    r"\b(?:memory|memories|gieok)\b"
    r"|(?:do not|don'?t|never) recall\b)"
    r"|^.*(?:메모리|기억|gieok).*(?:사용하|쓰|검색하|찾|보|읽|참고하|참조하|조회하|불러오|떠올리)지 ?[마말]\S*[\s.!~]*$"
    r"|^.*(?:메모리|기억|gieok)(?:[은는을를]|들은|들을)? ?(?:다 |모두 |전부 )?"
    r"(?:무시|빼고|없이|금지)(?!\S* ?(?:되|된|됐|돼))\S*[\s.!~]*$"
)
#: Words without which no sentence is tried by `_FORBIDS_MEMORY`.
_OF_MEMORY = ("memor", "recall", "gieok", "메모리", "기억")


def is_worth_asking(prompt: str) -> bool:
    """Say whether a prompt may concern memory.

    It must be long enough, and not a bare command (`/clear`, `!ls`).
    """
    if len(prompt) > 4 * _END_CHARS:
        return True
    text = prompt.strip()
    if text.startswith(("/", "!", "#")) and re.match(_COMMAND, text):
        return False
    # A character beyond U+07FF takes three bytes or more in UTF-8: two more than a Latin character.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) // 2
    return len(text) + wide >= _SHORTEST


#: Whole words of a prompt that refers to this session alone: deictics, going on, again, more of the
#: same.
_OF_SESSION = (
    r"(?i)\b(?:continu(?:e|ing)|proceed|resume|carry|keep|going|go|again|re-?try|try|redo|undo"
    r"|repeat|finish(?:ed)?|next|steps?|ones?"
    r"|last|first|second|third|previous|same|other|another|more|less|an?|the|bit|little|to|on"
    r"|of|in|with|as|at|my|me|us|now|just"
    r"|still|works?|working|ok(?:ay)?|yes|yeah|yep|sure|great|good|nice|perfect|thanks?|thank"
    r"|you|it|that|this|for|and|so|but|let'?s|things?|parts?|that'?s|these|those|them|they"
    r"|both|option|either|instead|only|up|back|start|over|from"
    r"|where|left|off|i|is|are|be|not|do(?:n'?t|esn'?t|ing|ne)?|did(?:n'?t)?|run|quick(?:ly)?"
    r"|fully|completely|what|was|were"
    r"|said|please|make|made|fix|change|shorter|longer|simpler|clearer|better|faster|smaller"
    r"|bigger|cleaner|nicer|easier|harder"
    r"|revert|rerun|wait|hold|sorry|oops|hmm+|um+|uh|any|some|once|time|too|also|really"
    r"|actually|maybe|could|would|should|can"
    r"|will|your|yourself|think|want|need|looks?|seems?|everything|all|whole|rest|remaining"
    r"|above|below|previously|then)\b"
)
_OF_SESSION_KO = (
    r"(?:계속|다시|이어서?|마저|진행|재시도|또|한번만?|한|번|더|좀|조금만?|그|이|저|(?:이|그|저)(?:거|것|걸|건|게)|방금|하던|하던거|그대로"
    r"|이대로|똑같이|취소|마무리|시도|전부|모두|다|먼저|다음|단계|첫|두|세|번째|거기|여기|저기|짧게|길게|쉽게|간단히|간단하게|자세히|빨리|천천히"
    r"|그렇게|이렇게|그걸로|이걸로|그럼|그래|그러면|응|어|네|예|넵|넹|아니|아냐|좋아|좋네|오케이|오키|ㅇㅇ|ㅇㅋ|ㄱㄱ|고고|맞아|알겠어|부탁|시작|이제"
    r"|일단|해|하|해서|하고|가|고쳐|바꿔|줄여|늘려|되돌려|돌려|만들어|보여|멈춰|기다려|끝내|처음부터|위에|아까)"
    r"(?:을|를|은|는|도|만|로|으로|부터|까지|처럼)?(?:해|하|가|시켜)?(?:줘요?|주세요|줄래요?|봐요?|봐줘|라|자|죠|고|요|드려요|드립니다|합니다"
    r"|할게요?|하자|하죠)*"
)
#: Asks for general knowledge: what something is, means or does, how it is done.
_OF_WORLD = (
    r"(?i)^\W*(?:hey|hi|ok(?:ay)?|so|and|please|quick question)?[\s,:]*(?:can you |could you "
    r"|please )?(?:explain|define|describe|teach me"
    r"|tell me about|what(?:'s| is| are) (?!the |left|next|new|wrong)|what(?:'s| is| are) the "
    r"(?:difference|meaning|definition|purpose|syntax|point)\b"
    r"|what (?:does|do)\b.*\b(?:do|mean|stand for|return)\b|who (?:invented|discovered)|how "
    r"(?:do|does|to) |why (?:is|are|does|do) "
    r"|(?:the )?(?:difference|differences) between|(?:meaning|definition|syntax) of|translate)"
    r"|^\W*(?:\S+ )?\S+(?:이|가|란|라는 게)\s?(?:뭐야|뭐지|뭔가요|뭐예요|뭐에요|무엇인가요?)"
    r"|(?:무슨 (?:뜻|의미)|뜻이? ?뭐|차이(?:가|점)?(?: 뭐|\s?설명|\s?알려)|개념|문법|원리|어떻게 (?:써|쓰|하|해|동작|작동)"
    r"|왜 (?:써|쓰|필요)|(?:하|쓰|보|푸)는 (?:법|방법|명령어?))"
)
#: Words for this user, project or session.
_OWN = (
    r"(?i)\b(?:our|ours|we|us|my|mine|this|that|these|those|here|repo(?:sitory)?|project|team"
    r"|again)\b"
    # Things that only a user's own world has (an address, a name): nobody asks an agent for these
    # of the world at large.
    r"|(?:주소|이름|포트|번호|비번|계정|담당|날짜|시간|버전|글꼴|폰트|색|값|기준|주기|간격|규칙|방식|절차|일정|채널|경로)(?:이|가)?\s"
    r"|우리|(?<![가-힣])(?:내|나|제|저|이|그)(?:가|는|의)?\s|저희|여기|프로젝트|레포"
)


def is_of_this_session(prompt: str) -> bool:
    """Say whether a prompt refers only to what is before the agent now.

    Such a prompt consists of nothing but words for going on, assent and deictics.
    """
    text = prompt[:_END_CHARS]
    if asks_about_the_past(text):
        return False
    if re.search("[가-힣]", text):
        left = [word for word in re.findall(r"\w+", text) if not re.fullmatch(_OF_SESSION_KO, word)]
        text = " ".join(left)
    return (
        accepts(text)
        or re.search(r"\w", re.sub(_OF_SESSION, " ", re.sub(r"\d+", " ", text))) is None
    )


def asks_the_world(prompt: str) -> bool:
    """Say whether a prompt asks for general knowledge rather than for what was told.

    For such a prompt, only a memory of level HIGH, or one that the prompt names, is shown.
    """
    text = prompt[:_END_CHARS]
    return (
        re.search(_OF_WORLD, text) is not None
        and re.search(_OWN, text) is None
        and not asks_about_the_past(text)
    )


def asks_about_the_past(prompt: str) -> bool:
    """Say whether a prompt asks for a memory.

    Only then is it worth reporting that nothing was found.
    """
    return bool(re.search(_ABOUT_THE_PAST, prompt[:_END_CHARS]))


def texts(prompt: str) -> list[str]:
    """Return the texts to search memory for: the whole prompt and each of its sentences.

    Sentences that cannot concern memory are left out; [] if nothing is left. The whole prompt is
    without those that forbid memory: else what an attacker adds would make the rest look like talk
    of something else.
    """
    prompt = _leave_out_bans(prompt)
    if not is_worth_asking(prompt) or is_of_this_session(prompt):
        return []
    if len(prompt) > 2 * _END_CHARS:
        prompt = f"{prompt[:_END_CHARS]}\n{prompt[-_END_CHARS:]}"
    sentences = [part for part in _SENTENCE.split(prompt) if is_worth_asking(part)]
    many = (
        [prompt, *sentences]
        if 1 < len(sentences) <= _MOST_SENTENCES
        else [prompt, *sentences[:3], *sentences[-3:]]
    )
    questions: dict[str, dict[str, float]] = {}
    for text in many:
        weights = _weigh_question_tokens(text)
        if weights and weights not in questions.values():
            questions[text] = weights
    return list(questions)


def _leave_out_bans(prompt: str) -> str:
    """Return a prompt without its sentences that forbid memory; as it is where nothing is left."""
    folded = prompt.lower()
    if len(prompt) > 2 * _END_CHARS or not any(word in folded for word in _OF_MEMORY):
        return prompt
    sentences = [part for part in _SENTENCE.split(prompt) if part]
    others = [part for part in sentences if not re.search(_FORBIDS_MEMORY, part)]
    return "\n".join(others) if others and len(others) < len(sentences) else prompt


def build_prompt_questions(prompt: str) -> list[dict[str, float]]:
    """Return token → weight for the whole prompt and for each sentence.

    Empty when there is nothing to ask.
    """
    return [_weigh_question_tokens(text) for text in texts(prompt)]


def _weigh_question_tokens(text: str) -> dict[str, float]:
    # Most prompts end in a full stop and are questions to memory all the same: interrogatives are
    # always dropped.
    tokens = query_tokens(text + "?" if is_statement(text) else text)
    weights = {
        token: _COMMON_WEIGHT if token in COMMON else 1.0 for token in list(tokens)[:_MOST_TOKENS]
    }
    return weights if 1.0 in weights.values() else {}
