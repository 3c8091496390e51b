"""Questions of a character to a user: what they ask for, and the words that answer them.

Rows alone; `answers` applies them.
"""

from typing import NamedTuple

from gieok.character.detect import words
from gieok.character.detect.patterns_en import JOB_END

_END = rf"(?:{words.IS}|(?=[.,!?~…^;(ㅋㅎㅠㅜ]|\s*$))"


class Ask(NamedTuple):
    """Question type: what it asks for, the words that ask, and the words that answer (group
    `v`).

    `value` names groups of both. With `is_first`, the answer's first words alone answer: what
    follows says something else.
    """

    predicate: str
    asks: str
    answer: str
    confidence: float = 0.8
    value: str = "{v}"
    is_first: bool = False


_NAME_EN = (
    rf"{words.NOBODY_EN}"
    r"(?P<v>(?:(?:Mrs?|Ms|Miss|Dr)\.? )?(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)(?: (?-i:[A-ZÀ-Þ][a-zà-ÿ]+))?)"
    r"(?=[.,!;]|$| "
    r"and\b| or\b| here\b| next door\b| from\b| who\b)"
)
_PLACE_EN = (
    r"(?:(?:just |right )?(?:home's |i live |i'm |im |out |over |up |down )*(?:in|near|outside"
    r"|by) )?(?P<v>(?-i:[A-Z])[\w']+(?: (?-i:[A-Z])[\w']+)?)(?=[.,!;]|$| but\b| and\b)"
)
#: Words of an English answer that are no thing: who, whether, how much, or none.
_NO_THING_EN = (
    r"(?:i|im|i'?[a-z]+|you|he|she|it|its|it's|they|we|this|that|these|those|there|not?|nah"
    r"|nope|none|nothing"
    r"|never|neither|nobody|any\w*|every\w*|some\w*|what\w*|who\w*|why|how|when|where|which"
    r"|depends|maybe|dunno"
    r"|guess|ask|same|lots?|all|both|either|sorry|ha\w*|lol|oh|well|hm+|good|great|hard|tough"
    r"|tricky|easy|fine|me|my"
    r"|mine|sure|yes|yeah|yep|yup|ok|okay|don'?t|can'?t|won'?t|wouldn'?t|couldn'?t|if|as|to|of"
    r"|in|on|at|for|with"
    r"|because|too|very|really|honestly|actually|see|let|do|is|are|was|were|be|will|would|could"
    r"|can)"
)
_GO_ON_EN = (
    r"(?:and|but|or|because|since|though|if|when|while|with|from|in|on|at|for|of|to|by|is|are"
    r"|was|i|you|we|they|that|mostly|mainly|please|any ?day)"
)
#: A thing, in at most three words that end where the sentence or a clause does.
_THING_EN = (
    r"(?:(?:an?|the|some|any|definitely|probably|mostly|mainly|always|obviously|anything with"
    r"|(?:has|got|have) to be|gotta be"
    rf"|that'?d be|would be|plain old"
    rf"|good old) )*(?P<v>(?!{_NO_THING_EN}\b)[A-Za-z][\w'-]+(?:"
    rf" (?!{_GO_ON_EN}\b)[\w'-]+){{0,2}})"
    rf"(?=\s*(?:[.,;:!?(—–-]|$)| {_GO_ON_EN}\b)"
)
_ONES_EN = "one|two|three|four|five|six|seven|eight|nine"
_AGE_EN = (
    r"(?:(?:only|just|almost|nearly|about) )?(?P<v>[1-9]\d|(?:twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety)"
    rf"(?:[- ](?:{_ONES_EN}))?|(?:thir|four|fif|six|seven|eigh|nine)teen)(?![\w%:-]"
    rf"| (?:years? (?:ago|in)|or|of)\b)"
)
_MONTH_EN = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)"
)
_DATE_EN = (
    rf"(?:on )?(?:the )?(?P<v>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH_EN}"
    rf"|{_MONTH_EN} (?:the )?\d{{1,2}})(?:st|nd|rd|th)?"
)
_DRINK_EN = r"tea|coffee|espresso|cocoa|brew|cuppa|whisk[ey]+|gin|rum|beer"
_MANNER_EN = (
    r"(?P<v>(?:black|white|strong|weak|milky|sweet|plain|neat|straight|iced|(?:one|two|three|no"
    r"|oat|soy|extra|with) \w+)"
    r"(?:,? (?:and |with |no |one |two |a |dash of |splash of )*(?!i\b|you\b|it\b|please\b"
    r"|thanks\b|but\b|love\b)\w+){0,2})(?=[.,;!?]|$| (?:please|thanks|love|but)\b)"
)
#: A thing, in one or two Korean words without particle, stated as the answer.
_THING_KO = (
    rf"(?P<v>(?:(?!{words.NO_NOUN})[가-힣]{{1,5}}[^은는이가을를에서고의도지만\s]"
    rf" )?(?!{words.NO_NOUN})(?:[가-힣](?!지)|[가-힣A-Za-z]{{2,7}}?))"
    rf"(?:이|가|은|는|을|를)?(?: ?(?:제일|젤|가장|진짜|완전) ?)?(?:{_END}|좋아[가-힣]*|(?=지 뭐))"
)
#: More exact questions come first.
ASKS = (
    Ask(
        "age",
        r"몇 ?살|나이(?:가|는) ?(?:어떻|몇|어떤)|연세가|춘추가",
        rf"(?:만(?:으로)? ?|올해 |이제 )*(?P<v>(?:{words.TENS}|[1-9]\d)(?: ?살)?)(?:{_END}|(?= ?(?:먹|됐"
        rf"|되|이여)))",
        is_first=True,
    ),
    Ask(
        "birthday",
        r"생일(?:이|은|날은|날이)? ?(?:언제|며칠|몇)|언제 ?태어났",
        r"(?:음력 )?(?P<v>\d{1,2}월 ?\d{1,2}일)",
        is_first=True,
    ),
    Ask(
        "allergy",
        r"알레르기[^.?!]{0,8}(?:뭐|무슨|어떤|무엇|어디|있)",
        _THING_KO,
        value="{v} 알레르기",
        is_first=True,
    ),
    Ask(
        "dislikes",
        (
            r"(?:싫어하는|못 ?먹는|안 ?먹는|못 ?마시는) ?(?:건|게|거|것|음식|반찬)|(?:뭐|뭘|무엇을|무슨 \S+)(?:을|를)? ?(?:제일 "
            r"|젤 |가장 )?"
            r"(?:싫어|못 ?먹)"
        ),
        _THING_KO,
        is_first=True,
    ),
    Ask(
        "likes",
        (
            r"(?:제일|젤|가장) ?좋아하는(?! ?사람)|좋아하는(?! ?사람) (?:[가-힣]{1,4} ?)?(?:은|는|건|게|거|것)|(?:뭐|뭘"
            r"|무엇을|무슨 \S+|어떤 \S+)(?:을|를)? ?"
            r"(?:제일 |젤 |가장 )?좋아(?:해|하|합)"
        ),
        _THING_KO,
        is_first=True,
    ),
    Ask("age", r"\bhow old are you\b|\byour age\b", _AGE_EN, is_first=True),
    Ask(
        "birthday",
        r"\bwhen(?:'s| is|s) your (?:birthday|bday)|\bwhen were you born|\bwhat day were you born",
        _DATE_EN,
        is_first=True,
    ),
    Ask(
        "allergy",
        r"\b(?:what|anything) (?:are )?you(?:'re| are)? allergic to|\ballergic to (?:what"
        r"|anything)|\ballerg(?:y|ies|ic)\b",
        rf"(?:just |only )?{_THING_EN}",
        value="{v} allergy",
        is_first=True,
    ),
    Ask(
        "dislikes",
        (
            r"\bwhat (?:food |else )?(?:can'?t you (?:stand|abide|bear|eat|stomach)"
            r"|do you (?:hate|dislike|loathe)"
            r"|don'?t you (?:like|eat)|won'?t you eat)"
        ),
        _THING_EN,
        is_first=True,
    ),
    Ask(
        "drink",
        rf"\bhow do you (?:take|like|have|drink) (?:your |a )?(?P<thing>{_DRINK_EN})",
        _MANNER_EN,
        value="{thing}, {v}",
        is_first=True,
    ),
    Ask(
        "likes",
        (
            r"\bwhat(?:'s| is|s| are) your (?:all[- ]time )?favou?rites?\b(?! (?:memory|part"
            r"|day|word|thing about))"
            r"|\bwhat do you (?:like|love|enjoy)(?: (?:best|most|then|to eat|eating))*\?"
            r"|\b(?:which|what|who) (?:team |side |club )?(?:do|are) you (?:follow|support"
            r"|barrack|back|root)"
        ),
        _THING_EN,
        is_first=True,
    ),
    Ask(
        "hobby",
        (
            r"\bwhat do you do (?:for fun|in your (?:spare|free) time|to relax"
            r"|on your days? off|to unwind)"
            r"|\b(?:any|your) hobb(?:y|ies)\b"
        ),
        rf"(?:i (?:mostly |usually )?(?:do|play|like|love) )?{_THING_EN}",
        is_first=True,
    ),
    Ask(
        "job",
        (
            r"\bwhat do you do(?: for (?:a living|a job|work|money|a crust))?\s*\?|\bwhat(?:'s"
            r"| is|s) your (?:job|trade"
            r"|profession|occupation|line of work)|\bwhat(?:'s| is) it you do\b"
        ),
        rf"(?:an? |the )?(?P<v>(?:[\w-]+ ){{0,2}}?(?:{JOB_END}|\w{{3,}}(?:ist|man|woman|smith"
        rf"|wright)))(?![\w-])(?! (?:of|to)\b)",
        is_first=True,
    ),
    Ask(
        "name",
        r"이름|성함|존함|누구(?:냐|세요|신가|시오|니|인|야|지|요)|누가|뉘시|당신은요|너는\?|그대는 누구|뭐라고 (?:불|부르면)|어떻게 (?:불|부르면)",
        rf"(?:{words.ME} )?(?P<v>{words.FULL_NAME}){_END}",
    ),
    Ask(
        "name",
        r"이름|성함|존함|누구(?:냐|세요|신가|시오|니|인|야|지|요)|뉘시|당신은요|그대는 누구",
        (
            rf"^(?:{words.ME} )?(?P<v>[가-힣]{{2,3}}?)(?:이?라고 (?:해|합니다|하는)|이?요|이에요|예요|이야|(?<=[가-힣])야"
            r"|입니다|[.!~]*$)"
        ),
        0.7,
    ),
    Ask(
        "lives_in",
        (
            r"어디 ?(?:살|사(?:세|시|는|니|냐|나)|계시|지내)|어디에? (?:사|살)|집(?:이|은) ?(?:어디|가까|멀)|댁이|어느 ?(?:동네|도시"
            r"|별|나라|지역)|사는 ?(?:곳|데|동네|집)|동네 ?(?:분|사람|사세)"
        ),
        (
            rf"(?P<v>(?:(?!{words.NO_NOUN})[가-힣]{{2,6}} )?(?!{words.NO_NOUN})[가-힣]{{2,7}}?)(?:역|쪽"
            rf"|근처)?(?:에서? (?:살|지내|자취|있|산다|사는)|{_END})"
        ),
    ),
    Ask(
        "job",
        (
            r"무슨 ?일(?:을)? ?(?:하|로)|뭐 ?하(?:는 ?(?:사람|분|녀석|애|인간)|시는|고 ?사|세요|니\?|며)|하는 ?일|직업|어떤 "
            r"?일을|생업|밥을? ?벌|벌어 ?먹|업으로|무엇을 ?하(?:며|는|시)"
        ),
        (
            rf"(?P<v>(?:[가-힣A-Za-z]{{1,7}}[^은는이가을를에서고의\s] "
            rf")??(?!{words.NO_NOUN})[가-힣A-Za-z]{{2,9}}?(?: \d년 ?차)?)(?:에(?:서)? (?:[가-힣]+ "
            r")?(?:다니|다녀|다닙|다닌|일하|일해|일합|근무|있)|(?:을|를)? ?(?:하고 있|해요|합니다|하는|하거든|운영|몹니다|몰아|몬다|만들|그려"
            rf"|키워)|{_END})"
        ),
    ),
    Ask(
        "name",
        (
            r"\b(?:what(?:'s| is|s) (?:his|her|their|its) name|what(?:'s| is|s| are) (?:he|she"
            r"|it|they) called"
            r"|what do you call (?:him|her|it)|who(?:'s| is) the lucky \w+|your name"
            r"|your \w+ called|your \w+'s name"
            r"|(?:have you(?: got)?|you got|got|do you have|any) (?:an? |any |many |good |close )*"
            r"(?:friend|mate|pal|brother|sister|son|daughter|dog|cat|boyfriend|girlfriend"
            r"|husband|wife)s?\b(?! or)"
            r"|call you|who(?:'s| is| are) (?:this|there|you|it|that)|who goes there"
            r"|and you are|whom have i|addressing"
            r"|who am i)\b"
        ),
        _NAME_EN,
    ),
    Ask(
        "lives_in",
        (
            r"\b(?:where (?:do|are) you (?:live|living|based|staying|calling|from)|where's "
            r"home|where(?:'s| is) your|your home|live (?:around|near)|where are you\b)"
        ),
        _PLACE_EN,
    ),
)
