"""Patterns for English, by predicate.

Chat is read in lower case and without apostrophes.
"""

from gieok.character.detect.patterns import OF_OTHER, Pattern
from gieok.text import persons
from gieok.text.persons import alternatives

_I = r"\b(?:i'?m|i am|im)\b"
_STOP = (
    r"(?=[.,;!?()]|$| (?:and|but|so|because|bc|cause|cos|since|which|who|where|when|above|with"
    r"|from|at|to|for|in|on|like|lol|lmao|tho|though|btw|now|these|again|instead|actually|after"
    r"|before|by|while|every|though|if|till|until|is|was|has|just|yes)\b)"
)
JOB_END = (
    r"(?:teacher|developer|engineer|designer|nurse|doctor|vet|lawyer|solicitor|barrister"
    r"|paralegal|writer|author|editor|journalist|chef|cook|baker|barista|bartender|waiter"
    r"|waitress|driver|pilot|mechanic|electrician|plumber|carpenter|builder"
    r"|architect|accountant|analyst|scientist|researcher|student|intern|assistant|manager"
    r"|director|adviser|advisor|consultant|librarian|therapist|psychologist|musician|artist"
    r"|painter|illustrator|photographer|actor|dancer|farmer|gardener"
    r"|social worker|specialist|officer|inspector|agent|technician|counsell?or|planner"
    r"|strategist|copywriter|curator|conductor|operator|stylist|welder|surveyor|lecturer"
    r"|banker|broker|marketer|recruiter|nanny|carer|caregiver|midwife|trucker|sailor|ranger"
    r"|lead|flight paramedic|paramedic|firefighter|police officer|cop|soldier|clerk|cashier"
    r"|salesman|realtor|translator|producer|programmer|pharmacist|dentist|surgeon|professor"
    r"|tutor|coach|trainer|receptionist|administrator|freelancer|postdoc|apprentice)"
)
_NAME = r"(?-i:[A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ][a-zà-ÿ]+)?)"
_PLACE = r"(?-i:[A-Z][\w']+(?: [A-Z][\w']+){0,2})"
#: Somebody or something else moved, or was moved.
OTHERS_MOVED = (
    r"(?:^|\s)(?!(?:i|we|ive|i've|weve|we've|i'm|im|we're|me|just|finally|recently|have"
    r"|had|and|both|all"
    r"|since|after|before|actually|then|now|only|already|literally|so|about|been|oh|well|yes|yeah"
    r"|also|still|when|was|of|am|are|keep|from)\b)[\w']+ (?:got |was |is |has |been |be )*"
    r"(?:moved|relocated)\b"
    r"|\b(?:got|be|been) moved\b"
)
_SPORT = (
    r"(?:running|run|jog(?:ging)?|swim(?:ming)?|cycling|cycle|bik(?:e|ing)|bouldering"
    r"|climb(?:ing)?|yoga|pilates|gym|lifting|weights|row(?:ing)?|tennis|football|soccer"
    r"|basketball|boxing|hik(?:e|ing)|walk(?:ing)?|crossfit|dance|dancing|badminton|aqua "
    r"aerobics|aerobics|zumba|spin|barre|kickboxing|surfing|fencing|archery|volleyball|squash"
    r"|karate|judo|skating)"
)
_KIN = alternatives(persons.RELATIVES_EN, persons.SPOUSES_EN, persons.CHILDREN_EN)
_EVERY = (
    r"(?:every (?:morning|day|night|evening|weekend|week|other day)|each (?:morning|day)|most "
    r"(?:mornings|days)|before (?:work|school)|daily|\d times a week)"
)

PATTERNS = (
    Pattern("name", rf"\bmy name(?:'s| is|s) (?P<v>{_NAME})"),
    Pattern(
        "name",
        (
            rf"^(?:\W|\b(?:uh|um|hi|hey|hello|lol|ok|hah|haha|so|well|oh)\b)*{_I} "
            rf"(?P<v>{_NAME})(?=[.,!]|$| \w)"
        ),
        unless=r"(?i:\bi'?m (?:so|not|in|at|a|an|the|on)\b)",
    ),
    Pattern(
        "name",
        rf"^\W*(?:uh |um |its |it's |i'm |im )*(?P<v>{_NAME})",
        asked=r"\b(?:your name|call you|who am i (?:speaking|talking))\b[^.!]*\?\s*$",
        confidence=0.8,
    ),
    Pattern(
        "birthday",
        (
            r"\b(?P<v>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2})(?:st|nd"
            r"|rd|th)?\b"
        ),
        near=r"\bmy (?:own )?(?:birthday|bday|b-day)\b",
        confidence=0.85,
        unless=r"\binterview|\btrip|\bwedding",
    ),
    Pattern(
        "major",
        (
            r"\bi'?m? ?(?:major(?:ing)?|studying|study) (?:in )?(?P<v>[a-z]+(?: [a-z]+)?)(?= "
            r"at\b|[.,!?]|$)"
        ),
        confidence=0.8,
    ),
    Pattern("hobby", r"\bmy hobby(?:'s| is) (?P<v>[\w ]{3,24}?)(?=[.,!?]|$)"),
    Pattern(
        "gender",
        (
            r"\bi(?:'?m| am) an? (?P<v>woman|man|girl|boy|guy|female|male)"
            r"(?=\s*(?:[.,!;~)]|$|(?:and|so|but|btw)\b))"
        ),
        unless=r"\b(?:imagine|suppose|pretend|says?|said|thinks?|thought)\b",
    ),
    Pattern("mbti", r"\bi'?m an? (?P<v>[EI][NS][TF][PJ])\b"),
    Pattern("birthday", r"\bi was born on (?:the )?(?P<v>[\w ]{5,16}?)(?=[.,!?]|$)"),
    Pattern(
        "job", r"\bi teach (?P<v>[\w ]{3,30}?)" + _STOP, value="{v} teacher", unless=r"guy i teach"
    ),
    Pattern(
        "job",
        (
            rf"{_I} (?:now )?(?:an?|the) (?P<v>(?:[\w-]+ ){{0,3}}?{JOB_END}(?: at (?:the "
            rf")?{_PLACE})?)\b"
        ),
        unless=r"\bnot an?\b|\bSCIENTIST\b|\blike\b|\bfeel\b",
    ),
    Pattern("job", r"\bi work (?:as an? )(?P<v>[\w -]{3,40}?)" + _STOP),
    Pattern(
        "job",
        (
            r"\bi work (?:at|for|in) (?P<v>(?:the |a |an )?[\w' ]{3,30}?)(?=[.,;!?]|$| (?:and|but"
            r"|so|as)\b)"
        ),
        confidence=0.8,
    ),
    Pattern(
        "job",
        (
            rf"(?:^|, )(?P<v>(?:[\w-]+ )?{JOB_END}),? (?:for )?(?:\d+|two|three|four|five|six|ten"
            r"|a few) (?:years?|months?)"
        ),
    ),
    Pattern(
        "job",
        (
            r"\b(?:promoted to|hired as|hired me as|working as|training as|qualified as|made me) "
            rf"(?:an? |the )?(?P<v>(?:[\w-]+ ){{0,3}}?{JOB_END}(?: at (?:the )?{_PLACE})?)\b"
        ),
    ),
    Pattern(
        "job",
        (
            r"\bmy (?:new )?job(?:'s| is)(?: as| being)? (?:an? |the )(?P<v>[\w "
            r"-]{3,40}?)(?=[.,;!?]|$| and\b)"
        ),
        unless=(
            r"\b(?:killing|boring|hard|fine|great|awful|stressful|good|bad|ok|okay|safe|gone"
            r"|draining|exhausting|best|worst|joke|mess|nightmare)\b"
        ),
    ),
    Pattern(
        "job",
        (
            r"\bi (?:run|own) (?:an? |the )(?P<v>(?:small |little |tiny )?(?:\w+ )?(?:bakery|shop"
            r"|cafe|studio|bar|restaurant|farm|business|bookshop|salon|garage|gym|brewery))"
        ),
        value="{v} owner",
    ),
    Pattern(
        "job",
        (
            r"\b(?:i )?(?:start(?:ed|ing)?|got (?:a|the) job|got hired|hired me|am now|now "
            r"working)\b[^.!?]{0,14} as (?:an? |the )?(?P<v>[\w -]{3,40}?(?: at (?:the )?[\w "
            r"]{3,30}?)?)(?=[.,;!?]|$| on\b| in\b| from\b)"
        ),
    ),
    Pattern(
        "job",
        rf"^\s*(?P<v>(?:[\w-]+ ){{0,3}}?{JOB_END} at (?:the )?{_PLACE})",
        near=r"\b(?:got the job|got it|hired|new job)\b",
    ),
    Pattern(
        "job",
        rf"^\s*{_NAME.replace('a-zà-ÿ', 'A-ZÀ-Þ')}, (?P<v>(?:[A-Z]+ )?{JOB_END})\b",
        confidence=0.8,
    ),
    Pattern(
        "lives_in",
        (
            r"\bi(?:'m| am)? (?:liv(?:e|ing) in|stay(?:ing)? in|based in|moved to|moving to) "
            rf"(?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "lives_in",
        (
            rf"\b(?:i've|ive|i|i'm|im)\b[^.!?]{{0,14}}\bmov(?:ed|ing) in\b[^.!?]{{0,24}} in "
            rf"(?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "lives_in",
        rf"\bmov(?:ed|ing)\b[^.!?]{{0,16}} to (?P<v>{_PLACE})",
        unless=rf"\bhe\b|\bshe\b|\bthey\b|\bwants\b|{OTHERS_MOVED}",
    ),
    Pattern(
        "lives_in",
        (
            rf"\bin (?P<v>{_PLACE})\b[^.!?]{{0,24}}\b(?:relocat|mov)(?:ing|ed) (?:up |down |out "
            r"|over )?there\b"
        ),
        unless=r"\b(?:he|she|they)\b",
    ),
    Pattern(
        "lives_in",
        (
            rf"\b(?:i'm|im|i am|i've|ive|i|we|we're)\b[^.!?]{{0,14}}\b(?:relocat(?:ed|ing)"
            rf"|mov(?:ed|ing)|settled)\b[^.!?]{{0,16}}\b(?:to|in) (?P<v>{_PLACE})"
        ),
        unless=r"\b(?:he|she|they|might|wants?)\b",
    ),
    Pattern(
        "lives_in",
        (
            r"\b(?:home is|my (?:new )?(?:place|flat|apartment|apt|house) is)(?: now)?(?: in| "
            rf"over in| down in| up in)? (?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "lives_in",
        (
            rf"\bi(?:'m| am|m) (?:in|out in|over in|up in|down in) (?P<v>{_PLACE}) (?:now|these "
            r"days)\b"
        ),
    ),
    Pattern(
        "lives_in", rf"\bi live (?:near|by|around|over in|out in|up in|down in) (?P<v>{_PLACE})"
    ),
    Pattern(
        "lives_in",
        (
            rf"\bi(?:'m| am|m) (?:over|up|down|out|just) (?:on|at|by|in) (?:{_PLACE} in "
            rf")?(?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "lives_in",
        (
            rf"\b(?:i'm|im|i am|i've been|we're)\b[^.!?]{{0,8}}\b(?:staying|living|crashing"
            rf"|bunking|camped)\b[^.!?]{{0,30}}? in (?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "allergy",
        r"\ballergic to (?P<v>[\w ]{3,24}?)" + _STOP,
        value="{v} allergy",
        unless=(
            r"\bnot allergic|\bshe'?s\b|\bhe'?s\b|\bisn'?t\b|\b(?!(?:I"
            r"|it)\b)(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)(?:'s| is|s) (?:\w+ )?allergic|\b(?:my|her|his|their"
            r"|our) "
            r"\w+(?:'s| is) (?:\w+ )?allergic"
        ),
    ),
    Pattern(
        "allergy",
        (
            r"\b(?:have|got|my|with) an? (?P<v>[\w ]{3,20}?) allergy\b|^\s*(?P<w>[\w ]{3,20}?) "
            r"allergy\b"
        ),
        value="{v}{w} allergy",
        unless=r"\bshe'?s?\b|\bhe'?s?\b|\bhis\b|\bher\b",
    ),
    Pattern(
        "allergy",
        r"\bi'?m (?P<v>lactose intolerant|celiac|coeliac|diabetic|gluten intolerant)",
        value="{v}",
    ),
    Pattern(
        "dislikes",
        (
            r"\bi (?:really |absolutely |just |still )?(?:hate|despise|loathe|detest|can'?t "
            r"stand|cant stand|can'?t bear|don'?t like|dont like|dislike|can'?t eat|cant eat) "
            r"(?!(?:being|that|it|how|when|you|him|her|them|my|myself|to|waiting"
            r"|mondays?)\b)(?P<v>[\w]+(?: [\w]+)?)"
        )
        + _STOP,
    ),
    Pattern(
        "allergy",
        (
            r"(?:^\s*|[,.] ?)(?P<v>[a-z]+(?: [a-z]+)?) (?:makes?|gives?|closes?|swells?"
            r"|shuts?) (?:up )?"
            r"(?:my|me)\b[^.!?]{0,24}\b(?:throat|hives|swell|itchy|rash|wheeze|close up|choke)"
        ),
        value="{v} allergy",
    ),
    Pattern(
        "allergy",
        r"\b(?P<v>[a-z]+) (?:sends?|sent|puts?) me (?:to|in) (?:the )?(?:er|hospital|a&e)\b",
        value="{v} allergy",
    ),
    Pattern(
        "allergy",
        (
            r"\bcan'?t (?:have|touch|do|eat) (?P<v>[a-z]+(?: [a-z]+)?)\b[^.!?]{0,24}(?:\bER\b"
            r"|\ballerg|hives|epi)"
        ),
        value="{v} allergy",
    ),
    Pattern(
        "dislikes",
        (
            r"\b(?:not a fan of|not big on|not into) (?!(?:that|it|this|them|him"
            r"|her)\b)(?P<v>[a-z]+(?: [a-z]+)?)"
        )
        + _STOP,
    ),
    Pattern(
        "dislikes",
        r"(?:^\s*|[,.] ?)(?P<v>[a-z]{4,14}) (?:is|are) (?:gross|disgusting|vile|foul|the devil)\b",
        confidence=0.8,
    ),
    Pattern(
        "allergy",
        (
            r"\bi (?:swell up|break out|puff up|get hives|react badly|stop "
            r"breathing)\b[^.!?]{0,24}\b(?:with|to|from|around|if i (?:eat|touch|have)) "
            r"(?P<v>[a-z]+(?: [a-z]+)?)"
        )
        + _STOP,
        value="{v} allergy",
    ),
    Pattern("dislikes", r"\bgone off (?P<v>[\w]+)\b"),
    Pattern(
        "likes",
        (
            r"\bi (?:really |absolutely |just |do )?(?-i:love|adore|enjoy) (?!(?:you|it|that|this"
            r"|her|him|them|how|when|the kids|being|us|your|to|my|a)\b)(?P<v>[\w]+(?: [\w]+)?)"
        )
        + _STOP,
        confidence=0.8,
    ),
    Pattern(
        "likes",
        (
            r"\bmy (?:all[- ]time )?fav(?:ou?rite)? (?:band|song|food|flower|book|movie|film"
            r"|colou?r|singer|dish|season|thing|place|record)? ?(?:is|are|'s) (?P<v>[\w' "
            r"]{3,30}?)(?=[.,!?]|$)"
        ),
    ),
    Pattern(
        "drink",
        r"\b(?P<v>\w+(?: tea| coffee)?) at night\b",
        near=r"\b(?:tea|coffee|drink|decaf|rooibos|chamomile|herbal)\b",
        value="{v} at night",
        unless=r"\b(?:up|out|alone|late)\b at night",
    ),
    Pattern(
        "drink",
        (
            r"\b(?:it'?s all|i only drink|i always (?:drink|get|order)|switched to|my usual is|i "
            r"drink) (?P<v>[\w]+(?: [\w]+)?(?: tea| coffee)?)"
        )
        + _STOP,
        near=r"\b(?:tea|coffee|drink|cocoa|juice|beer|wine)\b",
    ),
    Pattern(
        "food",
        r"^\s*(?P<v>[\w]+ [\w]+)\s*$",
        near=r"\b(?:i make|im cooking|i'm cooking|i cook)\b[^?]*\b(?:my go[- ]to|signature)\b",
        confidence=0.85,
    ),
    Pattern(
        "exercise",
        (
            rf"\bi (?:go|do|play|hit|train|went back)\b[^.!?]{{0,12}}?\b(?P<v>(?:{_SPORT} "
            rf"?(?:gym|class|club)?|gym))\b[^.!?]{{0,20}}\b(?P<when>(?:\w+ times|twice|once) a "
            r"week|every \w+|most \w+|on \w+days|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
            r"|daily)"
        ),
        value="{v} {when}",
        unless=r"\bused to\b|\bstopped\b|\bif\b",
    ),
    Pattern("exercise", rf"\bi'?ve been (?:doing|going to|into) (?P<v>{_SPORT})\b"),
    Pattern(
        "exercise",
        (
            r"\b(?:switched to|swapped (?:it|that|\w+) for|traded \w+ for|replaced (?:it|\w+) "
            rf"with) (?P<v>{_SPORT})\b"
        ),
    ),
    Pattern(
        "exercise",
        (
            r"\b(?:now (?:i'?m|im|i am)|so now (?:i'?m|im)|i'?ve (?:started|taken up|switched "
            r"to)|ive (?:started|taken up)|i (?:took up|started|switched to)|so i'?ve taken "
            rf"up|i'?m (?:now )?(?:doing|into)) (?P<v>{_SPORT}(?: to work| to school)?)\b"
        ),
    ),
    Pattern(
        "routine",
        r"\bi (?:get|wake) up at (?P<v>\d{1,2}(?::\d\d)? ?(?:am|pm)?)",
        value="gets up at {v}",
    ),
    Pattern(
        "partner",
        (
            r"\b(?:we|us|and i|i and \w+)\b[^.!?]{0,14}\b(?:broke up|split up|split|called it "
            r"off|are over|are done|got divorced)\b|\bi'?m single\b|\bim single\b|\bso\.? "
            r"single\b|\bsingle (?:again|at|now)\b|\bdumped me\b"
        ),
        value="single (broke up)",
        unless=r"\bif\b|\bshe and\b|\bthey\b",
    ),
    Pattern(
        "partner",
        r"^\s*(?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))\b[^.!?]{3,40}$",
        near=r"(?:^|[.!?] )my (?:gf|bf|girlfriend|boyfriend|partner)\b",
        confidence=0.85,
    ),
    Pattern(
        "partner",
        (
            r"\bi(?:'m| am|m|'ve been) (?:now )?(?:seeing|dating|going out with|engaged "
            r"to|married to) (?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))"
        ),
    ),
    Pattern(
        "pet",
        (
            r"\b(?:adopted|got|rescued|brought home) an? (?:\w+ )?(?P<kind>cat|dog|puppy|kitten"
            r"|rabbit|hamster|parrot|tortoise)\b[^.!?]{0,24}?(?:named|called|name is|name's) "
            r"(?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))"
        ),
        value="{v} ({kind})",
    ),
    Pattern(
        "pet",
        (
            r"\bmy (?P<kind>cat|dog|puppy|kitten|rabbit|hamster|parrot|tortoise|horse)(?:'s name "
            r"is|s name is|'s called| is called| named|,)? (?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))"
        ),
        value="{v} ({kind})",
    ),
    Pattern(
        "pet",
        (
            r"\b(?:i have|i've got|ive got|we have) an? (?P<kind>cat|dog|puppy|kitten|rabbit"
            r"|hamster|parrot|tortoise)(?: called| named|,) (?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))"
        ),
        value="{v} ({kind})",
    ),
    Pattern(
        "friend",
        (
            r"\b(?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))\b[^.!?]{0,24}\b(?:my|she'?s my|hes my|he'?s my"
            r"|shes my) "
            r"(?:best |old |oldest |good )?(?:friend|mate|bestie|pal)\b"
        ),
    ),
    Pattern(
        "boss",
        (
            r"\bmy (?:new )?(?:boss|manager|supervisor|line manager)(?:'s called|s called|'s "
            rf"name is| is called| is|'s|,)? (?P<v>{_NAME})"
        ),
    ),
    Pattern(
        "boss",
        (
            r"\b(?:captain|boss|manager|chief|supervisor|head nurse|director|editor|principal"
            rf"|head chef|team lead)(?: [a-z]+){{0,3}} is (?P<v>{_NAME})"
        ),
    ),
    Pattern(
        "colleague",
        (
            r"\bmy (?:coworker|co-worker|colleague|workmate|deskmate)(?:'s name is| is|,)? "
            rf"(?P<v>{_NAME})"
        ),
    ),
    Pattern(
        "roommate",
        r"\bmy (?:roommate|flatmate|housemate)(?:'s name is| is|,)? (?P<v>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))",
    ),
    Pattern(
        "age",
        r"\b(?:s?he'?s|she is|he is|shes|hes|turned|is) (?:now )?(?P<v>\d{1,2})\b",
        about=OF_OTHER,
    ),
    Pattern(
        "marital_status",
        (
            r"\b(?:hes|he'?s|shes|she'?s|theyre|they'?re|is|are) (?P<v>getting (?:re)?married"
            r"|getting divorced)\b"
        ),
        about=OF_OTHER,
        near=rf"\bmy (?:{_KIN})s?\b",
    ),
    Pattern(
        "class",
        (
            r"\bsigned up for (?:an? |some )?(?P<v>[\w ]{3,24}?(?:class(?:es)?|course|lessons?"
            r"|workshop))"
        ),
        confidence=0.7,
    ),
    Pattern(
        "speech_level",
        (
            r"\b(?:talk to me|be|you can be|you talk to me|speak to "
            r"me)\b[^.!?]{0,24}\b(?P<v>blunt(?:er|ly)?|ruder?|direct(?:ly)?|honest(?:ly)?"
            r"|informal(?:ly)?|casual(?:ly)?|polite(?:ly)?|formal(?:ly)?|gentle|gently"
            r"|straight)\b(?! of)"
        ),
        unless=r"\bdon'?t\b[^.]{0,12}be",
    ),
    Pattern("speech_level", r"\b(?P<v>tease me|roast me|be mean to me|don'?t sugarcoat)\b"),
    Pattern("speech_level", r"\bjust (?P<v>take the mick|take the piss|tease me|roast me)\b"),
    Pattern(
        "address_form",
        (
            r"\b(?:mom|mum|dad|mother|everyone|friends|family|sister|grandma) (?:calls?|called) "
            r"me (?P<v>(?-i:[A-Z])\w+)"
        ),
        near=r"\byou can\b|\bcall me\b|\btoo\b",
    ),
    Pattern(
        "address_form",
        r"\bmy \w+ (?:all )?calls? me (?P<v>(?-i:[A-Z])\w+)",
        near=(
            r"\byou can\b|\byours\b|\byou too\b|\bfeel free\b|\bgo ahead\b|\buse that\b|\btry "
            r"that\b"
        ),
    ),
    Pattern("address_form", r"\bi (?:just )?go by (?P<v>(?-i:[A-Z])\w+)"),
    Pattern("address_form", r"(?P<v>(?-i:[A-Z])\w+) is fine\b", near=r"\bcall me\b"),
)

OF_CHARACTER = (
    Pattern("likes", r"\bmy fav(?:ou?rite)? (?:\w+ )?(?:is|are) (?P<v>[\w ]{3,30}?)(?=[.,!?]|$)"),
    Pattern(
        "drink",
        (
            r"\bfor the record i drink (?P<v>[\w ]{3,40}?)(?=[.,!?]|$)|^\s*i (?:always |only "
            r")drink (?P<w>[\w ]{3,40}?)(?=[.,!?]|$)"
        ),
        value="{v}{w}",
    ),
    Pattern(
        "speech_level",
        r"\bi keep an? (?P<v>[\w ]*(?:polite|formal|blunt|casual)[\w ]*?)(?= on| with| for|[.,]|$)",
    ),
)
