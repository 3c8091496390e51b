"""Makes a user's statements intelligible alone.

A statement is joined with the question it answers, the proposal it accepts, or the words before it.
The words stay the user's. Of an agent, only a question, or a proposal that the user accepted, is
ever included: never a plan of the agent's own, and nothing that the agent reports of a page or a
tool.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.memory.observer import repeats
from gieok.memory.observer.sentences import is_filler, own_sentences, split_sentences
from gieok.memory.talk.statements.statement import read_sentence
from gieok.text import binding
from gieok.text.language import detect_text_language
from gieok.text.late_pattern import defer_pattern
from gieok.text.printed import strip_brought_lines

#: Words of a bare value, which answers a question without speaking of its subject: "9090"; and of a
#: refusal that does not say by itself what it refuses.
_VALUE_WORDS = 2
#: A turn narrower than this many columns may answer, accept or choose. A Hangul syllable counts
#: double.
_FEW_COLUMNS = 60
_ANSWER_COLUMNS = 80
_LONGEST_JOINED, _LONGEST_ASKED = 320, 200
#: Characters at the end of a long answer that are searched for a proposal, and the most items of a
#: list.
_END_CHARS, _MOST_ITEMS = 2_500, 12
_AGREED = {"en": "(agreed)", "ko": "(동의함)"}

_LEANS = defer_pattern(
    r"^(?:(?:and|but|so|because|also)\s+)?(?:it|it's|its|that|that's|they|they're|those|these"
    r"|he|she|he's|"
    r"she's|then|there|because|which|both|neither|this one|that one)\b"
    r"|^\w+ (?:it|them|these|those)\b"
    r"|^(?:please )?remember (?:this|that)(?= (?:for|when|in|on|from|next|too|please)\b|[.!,]|$)"
    r"|^(?:꼭 |잘 )?(?:(?:기억해|명심해)(?: ?[둬두놔놓줘주]\S*)?|(?:적어|메모해|기록해) ?[둬두놔놓]\S*)[.!~]*$"
    r"|^(?:그거|그건|그게|그걸|그것|이거|이건|이게|이걸|걔|거기|그래서|그러니까|그니까|그때|그쪽|그분|그 사람|"
    r"왜냐|둘 다|안 그러면|아니면|저번에|때문에)",
    re.IGNORECASE,
)
_QUESTION = defer_pattern(
    r"[?？]\s*$|(?:까요?|나요|는지|인가요|은가요|던가|더라|었지|였지|을까|냐|(?<!^아)니|뭐야|어때|어디야|어디 있어|"
    r"어딨어|누구야|언제야|맞지|되나|하나)\s*[.!~ㅋㅎ]*$"
    r"|^(?:what|why|how|when|where|who|which|is|are|do|does|did|can|could|should|would|will"
    r"|have you|any idea)\b(?!.*[.!]$)"
    r"|[,:;]\s*(?:what's|what (?:did|do|does|is|are|was|were)|how (?:long|much|many|do|does|is"
    r"|are|come)|"
    r"where(?:'s| is| are)|who(?:'s| is)|"
    r"why (?:is|are|do|does|did)|which \w+ (?:is|are|do))\b(?!.*[.!]$)",
    re.IGNORECASE,
)
_ACCEPTS = defer_pattern(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|yup|sure|right|perfect|great|good|nice|cool|fine|agreed"
    r"|deal|exactly|"
    r"absolutely|definitely|lgtm|sounds (?:good|great|right|fine)|"
    r"love it|works for me|makes sense|that works|good (?:idea|call|plan)|please do|go for "
    r"it|go ahead|"
    r"go with (?:it|that|this)|let'?s (?:do|go with) (?:that|it|this)|"
    r"do (?:it|that)|(?:that|this)(?:'s| is) (?:fine|good|perfect)|i (?:agree|like "
    r"(?:it|that))|please|then|"
    r"so|and|thanks?|thank you|it|that|this|way|like|with|do|"
    r"오|와|우와|응|어|네|예|넵|넹|ㅇㅇ|ㅇㅋ|ㅇㅋㅇㅋ|ㄱㄱ|오케이|오키|좋아요?|좋네요?|좋습니다|그래요?|"
    r"맞아요?|콜|굿|알겠어|그걸로|그렇게|그대로|이대로|그럼|그러자|그러죠|그러면|"
    r"(?:가자|하자|갑시다|합시다|해줘|해주세요|해 ?주세요|해 줘|진행해줘|진행해|부탁해요?|부탁드려요|가죠|"
    r"하죠|해요?|고고|고)|"
    r"그걸로 (?:가자|하자|해줘|갈게|할게)|좋은 생각이(?:야|네요?|에요)|동의해요?|찬성)[\s,.!~ㅋㅎ^:)👍🙏]*)+$",
    re.IGNORECASE,
)
#: A refusal or an objection, which chooses nothing.
_REFUSES = defer_pattern(
    r"^\W*(?:no|nope|nah|not|don'?t|stop|wait|아니(?:요|오|야)?|아뇨|노|싫|됐|안|잠깐|말고)(?![가-힣])",
    re.IGNORECASE,
)
#: A refusal of what was asked: no request to wait, and no ignorance.
_DENIES = defer_pattern(
    r"^\W*(?:no(?! (?:idea|clue|problem|worries|rush)\b)|nope|nah|not(?! (?:sure|yet|now)\b)|don'?t"
    r"(?! know\b)|아니(?:요|오|야)?|아뇨|노|싫|안|말고)\b",
    re.IGNORECASE,
)
_CHOICE = defer_pattern(
    r"^\W*(?:(?:let'?s go with |go with |i'?d go with |i prefer |take |use )?(?:the "
    r")?(?:option|number|no\.?|"
    r"choice|#)?\s*(?P<mark>[1-9a-e])\b(?:번|안)?"
    r"|(?P<ko>[1-9a-eA-E])\s?(?:번|안|으로|로)|(?:the )?(?P<word>first|second|third|fourth|last) (?:one|"
    r"option)|(?P<kw>첫|두|세|네|마지막) ?번?째? ?(?:거|것|안|걸))"
    r"(?:(?:으?로)? ?(?:가자|하자|할게|해줘|해주세요|갈게|갑시다|please|it is|then|sounds good|is "
    r"(?:good|fine)))?[\s,.!~]*$",
    re.IGNORECASE,
)
_ORDER = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "last": -1,
    "첫": 0,
    "두": 1,
    "세": 2,
    "네": 3,
    "마지막": -1,
}
_ITEM = defer_pattern(
    r"^\s*(?:[-*•]\s*)?(?:\*\*)?(?:option |plan |옵션 |방안 )?(?P<mark>[1-9a-eA-E])\s?(?:[.):]|번[.:]?|"
    r"안[.:])(?:\*\*)?\s+(?P<text>\S.*)$",
    re.IGNORECASE,
)
_PROPOSES = defer_pattern(
    r"\b(?:suggest|recommend|propose|how about|what about|what if we|should we|shall we|shall "
    r"i|should i|"
    r"could we|we (?:could|should|can)|let's|"
    r"i'd (?:go with|use|keep|make|put|set|store|call|name|drop|say|rather)|i would (?:go "
    r"with|use|keep|make|"
    r"set)|would you (?:prefer|be ok)|do we|"
    r"want (?:it|them|that) to|option|is .{2,60} (?:ok|fine|all right)|(?:ok|okay|fine) "
    r"(?:to|if|with)|(?:go|stick) with)\b"
    r"|제안|추천|권장|권해|어떨까|어떠세요|어때요|어떤가요|[가-힣]까요|좋겠|좋을 (?:것|듯)|나을 (?:것|듯)|"
    r"낫겠|하시죠|가시죠|하면 될|하는 (?:게|것이|편이|방식|걸로)|걸로|안을",
    re.IGNORECASE,
)
#: An agent's plan for the next minute is no decision of the user's.
_DEED = defer_pattern(
    r"\b(?:want|like|need) me to\b|\b(?:shall|should|can|could|may|do) i (?:go ahead|run|open"
    r"|fix|commit|push|"
    r"continue|proceed|start|explain|check|look|show|refactor|"
    r"create a (?:pr|pull|branch|commit|file|test|ticket|issue)|write (?:a|the|some)? "
    r"?tests?|also|now|"
    r"do (?:that|it|so)|try|apply|update the|add (?:a|some|the) tests?|"
    r"make (?:that|this|these|the) (?:change|edit)s?|implement)|\b(?:let me|i'll|i will|i "
    r"can|i could|"
    r"i am going to|i'm going to|i've|i have)\b|\bwould you like\b|\bready to\b"
    r"|드릴까요|해 ?볼까요|볼까요|겠습니다|할게요|볼게요|드릴게요|드리겠|진행할까요|수정할까요|고칠까요|"
    r"돌릴까요|커밋할까요|푸시할까요|시작할까요|계속할까요|확인할까요|작성할까요|"
    r"넘어갈까요|이어서|구현할까요|적용할까요|실행할까요|추가로 필요|더 필요",
    re.IGNORECASE,
)
#: A question that says nothing of its subject, or asks for a mere go.
_EMPTY = defer_pattern(
    r"^(?:and |ok,? )?(?:by when|until when|since when|which (?:type|one|number|kind|size|way"
    r"|file|day|"
    r"colou?r)|how (?:many|much|long|often)|when|where|who|why)\?$"
    r"|^(?:언제까지|언제|어디|누구|왜|어떤 거|어느 거|몇 개|얼마)(?:인가요|일까요|요|죠|예요)?\?$|"
    r"^\W*(?:(?:그럼|이제|다음(?:은|에는)?|so|then|and|now)\b,?\s*)*"
    r"(?:(?:does|do) (?:that|this|it) |(?:is|are|would|will|should|shall|may|can) "
    r"(?:that|this|it|i|"
    r"we) (?:ok|okay|good|right|work|fine|go|do|proceed|start)|sound|shall i\W*$|ok\b|okay|right\b"
    r"|agreed|"
    r"anything|what do you think|thoughts|any (?:other|more|questions)|ready|continue|proceed"
    r"|go ahead|"
    r"good to go|want (?:that|this|it|more)\b|could you|can you|would you|how can i|what "
    r"(?:can|would you like|next|else|now|should (?:i|we) (?:do|start|work)|do you (?:want|need)\b)|"
    r"(?:무엇|뭐|뭘|어디)(?:부터|을|를)? ?(?:할|해|시작)|"
    r"(?:그렇게|이렇게|이대로|그대로|그걸로|이걸로|그럼|어떠|어떻|괜찮|맞나|맞을|더 |다른|무엇을 도와|계속|"
    r"진행|또|그 외|혹시 더))",
    re.IGNORECASE,
)
#: Nothing of this kind is taken from an agent's words: the words may come from a page.
_NOT_TAKEN = defer_pattern(
    r"https?://|curl|wget|sudo|rm -|\||\b(?:says?|said|reads?|output|according|error|ignore"
    r"|override|password|"
    r"token|secret)\b|라고|다고|오류|에러|출력|무시|비밀번호",
    re.IGNORECASE,
)
_LINE_MARKUP = defer_pattern(r"^(?:#+|>)\s*")
_CODE_SPAN = defer_pattern(r"(?<!`)(`{1,3})(?!`)(?P<code>.+?)(?<!`)\1(?!`)")
#: Emphasis stands at the edges of words and is paired: `2*3*4`, MAX_SIZE and __init__ have none.
_EMPHASIS = defer_pattern(
    r"(?<![A-Za-z0-9_*])(\*{1,3})(?=[^\s*])(?P<stars>.*?[^\s*])\1(?![A-Za-z0-9_*])"
    r"|(?<![\w*])(?:_(?=[^\s_])(?P<line>[^_]*[^\s_])_"
    r"|__(?=[^\s_])(?P<lines>[^_]*\s[^_]*[^\s_])__)(?![\w*])"
)
#: End of emphasis whose beginning stood before the text, as in "**1. Redis**".
_LEFT_OVER = defer_pattern(r"(?<=[^\s*])\*{2,3}(?=[\s.,:;!?]|$)")
#: Stands for code while the marks around it are taken away.
_CODE_PLACE = "\ue000"


#: Reminder in the form of a question: it states what the agent knows.
_REMINDS = defer_pattern(
    r"(?:거|것) ?(?:알지|알죠|알고 ?있지|기억하지|기억나지)요?\s*[?？]$"
    r"|^(?:and |but |so )?you (?:know|remember) .{8,}, (?:right|yes|ok)\?$",
    re.IGNORECASE,
)
#: Supposition, or the opposite of what is meant.
_NOT_MEANT = defer_pattern(
    r"^(?:(?:and|so|but|ok|now),? )?(?:suppose|imagine|pretend|what if|let'?s say|assume"
    r"|hypothetically|"
    r"say we|if (?:i|we) (?:were|was|had)\b)"
    r"|\b(?:what could go wrong|yeah,? right|oh,? sure|sure,? who needs|exactly what (?:i|we) "
    r"needed|/s)\b|"
    r"(?:brilliant|genius|so much fun)\s*[.!]*$"
    r"|^(?:만약|만일|가령)|(?:치자|쳐보자|친다면|가정하|가정해)|(?:정말|참|아주|진짜) (?:좋은 (?:생각|"
    r"아이디어)이?네|잘하는 짓|훌륭하)|(?:대단하|용감하)네",
    re.IGNORECASE,
)
#: Statements that are over tomorrow: intentions of the moment, and opinions on what was just said.
_PASSING = defer_pattern(
    r"^(?:(?:plus|and|so|but|also|then|maybe|actually|by the way),? )?(?:i think i(?:'ll| "
    r"will)|i(?:'ll|"
    r" will) (?:also|definitely|probably|make sure|try|start|keep that|take a look|check)|"
    r"i(?:'m| am) (?:also )?(?:excited|looking|thinking|considering|interested|curious|hoping"
    r"|wondering|"
    r"not sure|glad|happy)|i was (?:thinking|wondering)|i can't wait|"
    r"i(?:'d| would) (?:also )?(?:love|like) to|i(?:'ve| have) (?:also )?(?:heard|been "
    r"(?:thinking|eyeing|"
    r"meaning))|i (?:feel|guess|wonder|hope|wish|believe|noticed that the|see)\b|"
    r"i (?:really |especially |also )+(?:like|love) (?:the|how|that|your|this)|plus\b|that "
    r"(?:would|could|"
    r"might)\b|ugh|wow|maybe\b)"
    r"|^(?:(?:so|and|but|ok|no|well|yeah|also|now),? )?(?:let'?s (?:address|proceed|consider"
    r"|see|do|take|look|"
    r"try|start|continue|move|go|"
    r"add|fix|change|get|make sure|work|keep going|allow|think)|presumably|seems?|it "
    r"(?:seems|looks|feels)|"
    r"looks like|i (?:don'?t love|suppose|assume|"
    r"ran|tried|committed|pushed|restarted|merged|suggested|was|thought|think|have a "
    r"(?:feeling|question))|"
    r"we(?:'re| are) (?:missing|back|on)|"
    r"there(?:'s| is| are| were)|this (?:is|was|will|function|file|test|code|line)|that "
    r"(?:is|was|file)|"
    r"the (?:test|tests|function|method|"
    r"code|file|output|result|error|build|log|page|button|dialog|command|class|lookup|watcher"
    r"|component))\b"
    r"|(?:것|거|듯) ?(?:같아|같은데|같네|같아요|싶어)\s*[.!~ㅋㅎㅠ]*$|(?:볼까 해|볼까 봐|볼게|할까 생각|"
    r"고민 중|려나)\S*\s*[.!~]*$"
    r"|\s좀\s*[.!~]*$|\b(?:pls|plz)\s*[.!]*$",
    re.IGNORECASE,
)
#: A name in code, a place in a file: a statement about it can be read in the code tomorrow.
_IDENTIFIER = defer_pattern(
    r"\b\w+\(\)|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z][a-z]\w+\b|\b\w+_\w+_\w+\b"
    r"|@[\w./~-]*/[\w./-]+|(?<!\w)--\w[\w-]+"
    r"|\b[\w/-]+\.(?:py|[jt]sx?|mjs|go|rs|java|rb|c|cpp|h|css)\b|\bline \d+|\d+ ?번째 ?줄"
)
#: Speaks of software. Its present state can be read in the code; only what it shall become is worth
#: a memory.
_TECHNICAL = defer_pattern(
    r"\b(?:flags?|functions?|tests?|providers?|sessions?|commits?|parsers?|logs?|logging"
    r"|output|markdown|json|"
    r"jsonl|files?|code|branch|tools?|"
    r"commands?|callbacks?|engine|watchers?|apis?|endpoints?|quer(?:y|ies)|index|cache|fields?"
    r"|columns?|"
    r"loops?|methods?|class|struct|"
    r"errors?|messages?|formatter|helper|comments?|attributes?|config|args?|params?|types?"
    r"|imports?|packages?|"
    r"repo|merge|release|events?|"
    r"rows?|blob|schema|linter|lint|prompts?|tokens?|rendering|component|theme|heuristic"
    r"|library|lib|db|dir|"
    r"folder|path|paths)\b",
    re.IGNORECASE,
)
_NORMATIVE = defer_pattern(
    r"\b(?:should|shouldn't|must|mustn't|always|never|want|wanted|don't want|need to|needs "
    r"to|has to|have to|"
    r"only|not allowed|require[sd]?|"
    r"let'?s (?:not|use|keep|limit|call|have|allow|disallow)|decided|agreed|instead of|rather "
    r"than|no more|"
    r"at most|at least|from now on|"
    r"prefer|policy|rule|by default|default is|default for|goes? (?:in|to|into|under)|lives? "
    r"(?:in|at)|"
    r"keep|use|avoid|no desire|private|public|open source|support(?:s|ed)?|precedence|point "
    r"of|stays?|"
    r"we're (?:using|going|on)|we (?:use|ship|keep|run|have|are)|"
    r"is called|are called|named|belongs?|owner|owns|deadline|due|until|before|by (?:mon|tues"
    r"|wednes|thurs|"
    r"fri)day|because)\b",
    re.IGNORECASE,
)
_TECHNICAL_WORDS = 2
#: Requests for work now; a remark about later in one is worth keeping only if it is surely worth
#: it.
_WORK = defer_pattern(
    r"^(?:(?:please|now|then|also|and|so|can you|could you|next|first|just|go ahead and|let'?s"
    r"|i (?:need|want) (?:you )?to|"
    r"i(?:'d| would) like (?:you )?to),? )*"
    r"(?:add|analy[sz]e|assess|assign|build|change|check|clean|commit|compare|complete"
    r"|continue|convert|copy|create|debug|"
    r"describe|do|draft|evaluate|execute|explain|find|finish|fix|generate|get|give|go|help"
    r"|implement|improve|install|"
    r"investigate|list|look|make|mark|merge|move|open|plan|print|push|put|read|refactor|remove"
    r"|delete|rename|replace|report|"
    r"research|restart|revert|review|run|search|see|set up|show|split|start|stop|summari[sz]e"
    r"|take|tell|test|try|undo|"
    r"understand|update|verify|wait|write)\b"
    r"|(?:틀어|보여|찾아|알려|추천해|열어|꺼|켜|읽어|만들어|고쳐|지워|돌려|실행해|확인해|설명해|정리해|계속해|진행해|시작해|"
    r"해결해|수정해|비교해|검토해|리뷰해)\s?(?:줘|주세요|줄래|봐)?\s*[.!~]*$",
    re.IGNORECASE,
)
_LASTS = defer_pattern(
    r"\b(?:always|never|from now on|every time|whenever|every|all our|by (?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|anymore|"
    r"because|since)\b|앞으로|항상|언제나|매번|절대|이제부터|무조건",
    re.IGNORECASE,
)
#: No answer, although it follows a question: it speaks of something else, or in whole sentences.
_NO_ANSWER = defer_pattern(
    r"^(?:wait|actually|hold on|let me|let's|can you|could you|please|i(?:'d| would) "
    r"like|i(?:'m| am|'ve|"
    r" have|'ll| want| need)\b|one more|also|before|first)|^(?:잠깐|아 참|근데|그전에|일단|먼저|그리고)",
    re.IGNORECASE,
)
#: Asks for a go on the sentence before.
_OF_THAT = defer_pattern(
    r"\b(?:it|that|this|so|them|those)\b|\bshall i\?$|그렇게|이렇게|그걸|이걸|이대로|그대로",
    re.IGNORECASE,
)

#: A recommendation, if the next sentence asks for a go on it.
_FITS = defer_pattern(
    (
        r"\b(?:would|could|should|might|best|better|fits?|simplest|cleanest|easiest|i'd)\b|[겠듯]|낫"
        r"|충분|적합"
    ),
    re.IGNORECASE,
)
#: Proposes something that another sentence names.
_OF_IT = defer_pattern(
    r"\b(?:do|use|recommend|suggest|propose|with|like|keep|doing|using) (?:it|that|this|them)\b",
    re.IGNORECASE,
)


class UserStatement(NamedTuple):
    """Statement that may be kept.

    `text` are its words; flags say whether it leans on words that are missing, and whether the user
    accepted or refused what was asked. Where `text` is joined with words of the agent, `asked` are
    those, and `own` is what the user said to them, '' for a mere assent; `has_sentence`: `own` says
    something without them. `is_rule`: the statement is binding, whatever it is worth.
    """

    text: str
    is_leaning: bool = False
    is_agreed: bool = False
    is_refused: bool = False
    asked: str = ""
    own: str = ""
    has_sentence: bool = False
    is_rule: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether the user answers the agent's question that the statement is joined with.

        The user does so by words on something that the question names, or by a bare value.
        """
        own = repeats.content(self.own)
        return self.is_refused or not own.isdisjoint(repeats.content(self.asked)) or self._is_bare

    @property
    def is_choice(self) -> bool:
        """Whether the user accepts, refuses, names what the question named, or gives a value."""
        if self.is_agreed or self.is_refused:
            return True
        own = repeats.content(self.own)
        return self._is_bare or (bool(own) and own <= repeats.content(self.asked))

    @property
    def _is_bare(self) -> bool:
        return (
            0 < len(repeats.content(self.own)) <= _VALUE_WORDS
            and not is_filler(self.own)
            and not _WORK.search(self.own)
            and not _LEANS.search(self.own)
        )


def find_user_statements(said: str, before: str) -> list[UserStatement]:
    """Return the statements in a user's turn.

    `before` are the agent's last words, '' for none.
    """
    own = own_sentences(said)
    if not own and not strip_brought_lines(said).strip():
        return []  # all of it is somebody else's
    if before and is_short_reply(said):
        return [*_read_short_reply(said.strip(), own, before)]
    units = list(_join_leaning_sentences(own))
    if (
        before
        and units
        and units[0].text.startswith(own[0])
        and (answered := _join_with_question(units[0].text, before))
    ):
        units[0] = answered
    accepted = own_accepts(said, before) if before else ()
    return [*accepted, *units]


def is_mere_reply(said: str, before: str) -> bool:
    """Say whether a short turn does nothing but accept, refuse or choose what an agent asked."""
    stated = find_user_statements(said, before) if before and is_short_reply(said) else []
    asks_for_other = bool(stated) and stated[0].is_refused and binding.asks_for_work(said)
    return bool(stated) and stated[0].is_choice and not asks_for_other


def is_short_reply(said: str) -> bool:
    """Say whether a turn is short enough to do no more than reply."""
    return _count_text_columns(said) <= _FEW_COLUMNS and "\n" not in said.strip()


def own_accepts(said: str, before: str) -> Iterator[UserStatement]:
    """Yield the proposal that the first sentence of a longer turn accepts."""
    first = next(split_sentences(said.strip().split("\n")[0]), "")
    if _is_mere_yes(first):
        yield from _iter_agreed_statement(_find_last_proposal(before))
    elif chosen := _find_chosen_item(first, before):
        yield from _iter_agreed_statement(chosen)


def _is_mere_yes(text: str) -> bool:
    """Say whether a text is a mere yes.

    Only a short text is checked, because its words are tried in every order.
    """
    return _count_text_columns(text) <= _FEW_COLUMNS and _ACCEPTS.match(text) is not None


def is_question_sentence(text: str) -> bool:
    """Say whether a sentence is a question."""
    return _QUESTION.search(text) is not None and _REMINDS.search(text) is None


def _read_short_reply(said: str, own: Sequence[str], before: str) -> Iterator[UserStatement]:
    if chosen := _find_chosen_item(said, before):
        yield from _iter_agreed_statement(chosen)
    elif _is_mere_yes(said):
        yield from _iter_agreed_statement(_find_last_proposal(before))
    elif answered := _join_with_question(" ".join(own) or said, before):
        yield answered._replace(has_sentence=bool(own))
    else:
        yield from _join_bare_reply(said, before)
        yield from own_accepts(said, before)
        yield from _join_leaning_sentences(own)


def _join_with_question(answer: str, before: str) -> UserStatement | None:
    """Return an answer joined with the agent's final question; None if it is no answer."""
    if (
        _count_text_columns(answer) > _ANSWER_COLUMNS
        or is_question_sentence(answer)
        or _REFUSES.match(answer)
        or is_filler(answer)
        or _NO_ANSWER.search(answer)
    ):
        return None
    question = _find_final_question(before)
    if not question:
        return None
    return UserStatement(f"{question} – {answer}", asked=question, own=answer, has_sentence=True)


def find_questions(before: str) -> str:
    """Return the questions among the last sentences of an agent's words; '' for none."""
    return " ".join(_list_last_questions(before))


def _list_last_questions(before: str) -> list[str]:
    ending = _split_ending_sentences(before)[-3:]
    return [sentence for sentence in ending if sentence.endswith(("?", "？"))]


def _join_bare_reply(said: str, before: str) -> Iterator[UserStatement]:
    """Yield a refusal that does not say what it refuses, or one value for several questions.

    It is joined with all questions: which of them is answered is not said.
    """
    questions = _list_last_questions(before)
    is_bare = len(repeats.content(said) - repeats.NEGATIONS) <= _VALUE_WORDS
    if not questions or not is_bare or said.endswith(("?", "？")):
        return
    asked = " ".join(questions)
    joined = UserStatement(f"{asked} – {said}", asked=asked, own=said)
    if _DENIES.match(said):
        yield joined._replace(is_refused=True)
    elif (
        len(questions) > 1
        and joined.is_choice
        and not any(_EMPTY.match(one) or _DEED.search(one) for one in questions)
        and not _REFUSES.match(said)
        and not _NO_ANSWER.search(said)
    ):
        yield joined


def _join_leaning_sentences(own: Sequence[str]) -> Iterator[UserStatement]:
    """Yield statements, each with the sentences that lean on it.

    Questions are left out, and what is asked or forbidden for one piece of work or for the moment:
    it is over with that.
    """
    unit, is_leaning = "", False
    for number, sentence in enumerate(own):
        if (
            is_question_sentence(sentence)
            or _NOT_MEANT.search(sentence)
            or (read_sentence(sentence).asks_once and not _LASTS.search(sentence))
            or binding.is_of_moment(sentence)
        ):
            if unit:
                yield UserStatement(unit, is_leaning)
            unit = ""
            continue
        if _is_mere_yes(sentence):
            continue
        lacks_object = binding.lacks_object(sentence)
        leans = lacks_object or _LEANS.search(sentence) is not None
        if lacks_object and not unit:  # also a question says what is spoken of
            unit = binding.join_object(sentence, own[:number])
            is_leaning = unit == sentence
            continue
        if leans and unit and len(unit) + len(sentence) < _LONGEST_JOINED:
            unit = f"{unit} {sentence}"
            continue
        if unit:
            yield UserStatement(unit, is_leaning)
        unit, is_leaning = sentence, leans or _is_of_now(sentence)
    if unit:
        yield UserStatement(unit, is_leaning)


def _is_of_now(sentence: str) -> bool:
    """Say whether a sentence is only about the present moment, about code, or a request for work.

    A sentence that says something about later is none of these.
    """
    code = len(_TECHNICAL.findall(sentence)) + (2 if _IDENTIFIER.search(sentence) else 0)
    if code >= _TECHNICAL_WORDS and not _NORMATIVE.search(sentence) and not _LASTS.search(sentence):
        return True
    return _PASSING.search(sentence) is not None or (
        _WORK.search(sentence) is not None and not _LASTS.search(sentence)
    )


def build_agreed_statement(proposal: str) -> UserStatement:
    """Return the statement that a user makes by accepting a proposal."""
    text = f"{proposal} {_AGREED[detect_text_language(proposal)]}"
    return UserStatement(text, is_agreed=True, asked=proposal)


def _iter_agreed_statement(proposal: str) -> Iterator[UserStatement]:
    if proposal:
        yield build_agreed_statement(proposal)


def _find_final_question(before: str) -> str:
    """Return the question at the end of an agent's words.

    '' for none, or for a question without content.
    """
    sentences = _split_ending_sentences(before)
    questions = [sentence for sentence in sentences[-3:] if sentence.endswith(("?", "？"))][-1:]
    if sum(sentence.endswith(("?", "？")) for sentence in sentences[-8:]) > 1:
        return ""  # which of them is answered is not said
    is_usable = (
        bool(questions)
        and _is_taken(questions[0])
        and not _EMPTY.match(questions[0])
        and not _DEED.search(questions[0])
    )
    return questions[0] if is_usable else ""


def _find_last_proposal(before: str) -> str:
    """Return the agent's last proposal; '' for none.

    It is the last sentence that proposes something, or the sentence before an empty question.
    """
    is_asked_of = False
    for sentence in reversed(_split_ending_sentences(before)[-4:]):
        is_question_of = sentence.endswith(("?", "？")) and (
            _OF_THAT.search(sentence) or _EMPTY.match(sentence)
        )
        if is_question_of and not is_asked_of:
            is_asked_of = True
        elif _DEED.search(sentence):
            return ""
        elif _PROPOSES.search(sentence) or (is_asked_of and _FITS.search(sentence)):
            says_what = not _OF_IT.search(sentence)
            return sentence if says_what and _is_taken(sentence) else ""
    return ""


def _find_chosen_item(said: str, before: str) -> str:
    """Return the item of an agent's list that a turn chooses by number, letter or place.

    '' for none.
    """
    choice = _CHOICE.match(said)
    if choice is None:
        return ""
    items = [item for line in before[-_END_CHARS:].split("\n") if (item := _ITEM.match(line))][
        -_MOST_ITEMS:
    ]
    if word := choice["word"] or choice["kw"]:
        place = _ORDER[word.lower()]
        item = items[place] if -len(items) <= place < len(items) else None
    else:
        mark = (choice["mark"] or choice["ko"]).lower()
        item = next((item for item in reversed(items) if item["mark"].lower() == mark), None)
    text = next(split_sentences(_strip_line_markup(item["text"])), "") if item else ""
    return text if text and _is_taken(text) and not _DEED.search(text) else ""


def _split_ending_sentences(before: str) -> list[str]:
    lines = (
        _strip_line_markup(line)
        for line in before[-_END_CHARS:].split("\n")
        if not line.startswith(("    ", "|", ">", "```"))
    )
    return [sentence for line in lines for sentence in split_sentences(line)]


def _is_taken(text: str) -> bool:
    return len(text) <= _LONGEST_ASKED and not _NOT_TAKEN.search(text)


def _strip_line_markup(line: str) -> str:
    """Return a line without the marks of Markdown; what stands in code is kept as it is."""
    line = _LINE_MARKUP.sub("", line.replace(_CODE_PLACE, ""))
    codes = [match["code"] for match in _CODE_SPAN.finditer(line)]
    text, before = _CODE_SPAN.sub(_CODE_PLACE, line), ""
    while text != before:
        before = text
        text = _EMPHASIS.sub(lambda match: match["stars"] or match["line"] or match["lines"], text)
    first, *pieces = _LEFT_OVER.sub("", text).split(_CODE_PLACE)
    text = first + "".join(f"{code}{piece}" for code, piece in zip(codes, pieces, strict=True))
    return text.strip(" -•\t")


def _count_text_columns(text: str) -> int:
    return len(text) + sum(char > "\u10ff" for char in text)
