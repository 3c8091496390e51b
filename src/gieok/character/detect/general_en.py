"""General patterns for English, by predicate: frames of verbs and of time, with any nouns."""

from gieok.character.detect import words
from gieok.character.detect.patterns import Pattern
from gieok.character.detect.patterns_en import OTHERS_MOVED

_NAME = rf"{words.NOBODY_EN}(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)"
_PLACE = r"(?-i:[A-Z][\w']+(?: [A-Z][\w']+){0,2})"
_I = r"\bi(?:'m| am|m|'ve| have|ve)?\b"
_STOP = (
    r"(?=[.,;!?()]|$| (?:and|but|so|because|since|which|who|where|when|with|from|at|to|for|in|on"
    r"|like|lol|lmao|tho|though|btw|now|these|again|instead|actually|after|before|by|while|every"
    r"|though|if|till|until|is|was|just)\b)"
)
_THEY = (
    r"\b(?:he|she|they|my (?:\w+ )?(?:friend|sister|brother|mum|mom|dad|mother|father|boss"
    r"|roommate|son|daughter|wife|husband)|you)\b"
)
_ANIMAL = (
    r"(?P<kind>cat|dog|puppy|kitten|rabbit|bunny|hamster|parrot|tortoise|turtle|gecko|ferret"
    r"|budgie|horse|lizard|snake|hedgehog|guinea pig|beagle|tabby|terrier|collie|spaniel|labrador"
    r"|poodle|corgi|greyhound|mutt|goldfish|hen|goat|pony)s?"
)
_MATE = r"(?:friend|mate|bestie|pal|buddy|bff|chum)"
_OFTEN = (
    r"(?:every (?:single )?(?:other )?(?:morning|day|night|evening|weekend|week|lunch\w*|(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)day)|each (?:morning|day|night|week)|most (?:mornings|days"
    r"|nights)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| (?:mornings|nights|evenings"
    r"|afternoons))|(?:mon|tue|wed|thu|fri|sat|sun)(?:[ ,/&]+(?:and )?(?:mon|tue|wed|thu|fri|sat"
    r"|sun))+|(?:once|twice|\w+ times) a (?:week|day|month)|daily|nightly|before (?:work|bed"
    r"|school|dawn)|after work|without fail|of an evening|of a \w+day|first thing|at "
    r"(?:dawn|lunch))"
)
_SPORT = (
    r"(?:running|jogging|swimming|cycling|biking|bouldering|climbing|yoga|pilates|lifting|weights"
    r"|rowing|tennis|football|soccer|basketball|boxing|hiking|walking|crossfit|dancing|badminton"
    r"|aerobics|zumba|spin|barre|kickboxing|surfing|fencing|archery|volleyball|squash|karate|judo"
    r"|skating|golf|bowling|kayaking|paddling|tai chi|gardening)"
)
_DOES_SPORT = (
    r"(?:run|jog|swim|cycle|bike|boulder|climb|lift|row|box|hike|walk|dance|skate|surf|paddle"
    r"|kayak)"
)
_NO_THING = (
    r"(?!(?:you|it|that|this|them|him|her|how|when|what|being|the (?:way|idea)|not|no|one|my|your"
    r"|me|us|to|a|an|in|on|at|so|up|out)\b)"
)
_FOOD_VERBS = r"abide|stomach|stand|bear|tolerate|stick|do"

PATTERNS = (
    Pattern(
        "name",
        rf"^\W*(?:\w+\W+)?(?P<v>{_NAME}(?: {_NAME})?) (?:here|speaking|reporting)\b",
        unknown=True,
    ),
    Pattern(
        "birthday",
        (
            r"\b(?P<v>\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
            r"|nov|dec)[a-z]*)"
        ),
        near=r"(?<!her )(?<!his )(?<!'s )\b(?:birthday|bday)",
        unless=r"\b(?:her|his|interview|appointment|trip|wedding)\b",
    ),
    Pattern(
        "birthday",
        r"\b(?P<v>(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]* \d{1,2})\b",
        near=(
            r"(?<!her )(?<!his )(?<!'s )\b(?:birthday|bday)'?s? "
            r"(?:is )?(?:coming|soon|next|in|on)"
        ),
        unless=r"\b(?:her|his|interview|wedding)\b",
    ),
    # What the user does for a living.
    Pattern(
        "job",
        (
            r"\bi (?:mostly |still |now |currently )?(?P<v>(?:haul|teach|deliver|weld|tattoo|groom"
            r"|tend|farm|nanny|tutor|code|cater|translate|design|restore|repair) (?!you|it|that"
            r"|this|my|me|with|at|the way)[\w ]{2,24}?)"
        )
        + _STOP,
        unless=rf"\bused to\b|{_THEY}",
    ),
    Pattern(
        "job",
        (
            r"\bi (?:mostly |still |now )?drive (?:an? |the )?(?P<v>(?:[\w-]+ )?(?:bus|truck|lorry"
            r"|cab|taxi|uber|ambulance|forklift|tram|train|van|rig))"
        ),
        value="{v} driver",
    ),
    Pattern(
        "job",
        (
            r"\b(?:i was|i used to be|i'm|i am|im|i've been|i worked as|retired) an? "
            r"(?P<v>(?:[\w-]+ ){0,2}?\w+(?:ist|er|or|ian|ect|eur|man|woman|smith|wright))\b(?: "
            r"at| in| for| lol| haha| now| by trade|,|\.|$)"
        ),
        unless=(
            r"\b(?:monster|lover|loser|(?:grand|step|god)?(?:sister|brother|mother|father|daughter)"
            r"|member|customer"
            rf"|stranger|better|bigger|later|fan of|(?-i:[A-Z]{{4,}})|morning person|believer"
            r"|listener|sleeper|eater|drinker|beginner|driver seat|wonder|disaster|matter|quitter"
            rf"|over|never)\b|{_THEY}"
        ),
        confidence=0.75,
    ),
    Pattern(
        "job",
        (
            r"\b(?:started|starting|hired|job|gig|position|work|working|shifts?|employed) "
            rf"(?:at|with|by|for) (?P<v>(?:the |a |an )?(?:{_PLACE}|[a-z']+ (?:shop|school"
            r"|hospital|bakery|cafe|clinic|museum|library|office|restaurant|garage|store|lab|firm"
            r"|startup|company|paper|yard|farm)))"
        ),
        unless=rf"\bif\b|{_THEY}",
        confidence=0.75,
    ),
    # Where the user lives.
    Pattern(
        "lives_in",
        (
            r"\b(?:home(?:'s| is|s)|house is|place is) (?:now |actually |just )?(?:in |near "
            rf"|outside |over in |out in )?(?P<v>{_PLACE})"
        ),
    ),
    Pattern(
        "lives_in",
        (
            r"\b(?:based|living|settled|set up|staying|moved|relocated|rent|renting|live)(?: "
            rf"\w+){{0,3}}? (?:out of|in|to|near|outside) (?P<v>{_PLACE})"
        ),
        unless=rf"{_THEY}|{OTHERS_MOVED}|\bif\b|\bmight\b|\bwants?\b|\bused to\b",
    ),
    Pattern(
        "lives_in",
        (
            r"\b(?:flat|apartment|apt|house|cottage|room|studio|condo|place|bungalow|loft|trailer"
            rf"|farmhouse)\b[^.!?]{{0,16}} (?:in|outside|near|by) (?P<v>{_PLACE})"
        ),
        unless=rf"{_THEY}|\bsold\b|\b(?:i|we) had an?\b|\bused to\b|\bif\b|\bdreamt?\b|\bhotel\b"
        r"|\bvisit",
    ),
    Pattern(
        "lives_in",
        (
            rf"(?P<v>{_PLACE})\b[^.!?]{{0,12}}[.,!]* (?:just )?(?:found|got|rented|signed "
            r"for|bought) an? (?:little |tiny |small )?(?:room|place|flat|apartment|house"
            r"|studio) there"
        ),
        whole=True,
    ),
    Pattern(
        "lives_in",
        rf"\bmov(?:ing|ed) in with \w+[.,!]? (?:in |over in )?(?P<v>{_PLACE})",
        whole=True,
        unless=r"\bif\b|\bmight\b",
    ),
    Pattern(
        "lives_in",
        (
            r"\b(?:we|i)(?:'re|'m| are| am|re|m) (?:both |all |now |actually )?(?:(?:over|up|down"
            rf"|out|back) )?in (?P<v>{_PLACE})(?: now| these days| at the moment)"
        ),
        unless=r"\bif\b|\bmight\b",
    ),
    # What the user likes and dislikes.
    Pattern(
        "food",
        (
            r"\b(?:gone|going|went|turned|i'm|i am|im|been|become|stayed) (?:fully |totally "
            r"|completely |strictly |now |also |still |properly )?(?P<v>vegan|vegetarian"
            r"|pescatarian|pescetarian|veggie|plant[- ]based|keto|kosher|halal|gluten[- "
            r"]free|dairy[- ]free)\b"
        ),
        unless=rf"\bif\b|\bmight\b|\bnot (?:a )?vegan\b|{_THEY}(?:'s| is| went| has)",
    ),
    Pattern(
        "food",
        (
            r"\b(?:haven'?t|have not|not|don'?t|do not|no longer|not|never|stopped) (?:eat|eaten"
            r"|eating|touch|touched|touching) (?:any )?(?P<v>meat|red meat|pork|beef|dairy|fish"
            r"|animals)\b(?: since| for| any ?more|[.,!]|$)"
        ),
        value="no {v}",
        unless=rf"\bif\b|{_THEY}",
    ),
    Pattern(
        "allergy",
        (
            r"(?:^|[,.;] ?|\bthat |\bmention )(?P<v>[a-z]+(?: [a-z]+)?) (?:very )?(?:nearly"
            r"|almost) (?:killed|finished|hospitali[sz]ed) me\b"
        ),
        value="{v} allergy",
        unless=r"\b(?:laughing|it|that|this|he|she|traffic|work|today|boss)\b nearly",
    ),
    Pattern(
        "allergy",
        (
            r"\b(?:deathly|badly|severely|very|super|really)? ?(?:intolerant of|intolerant "
            r"to|sensitive to) (?P<v>[a-z]+)|\bi have (?P<w>coeliac|celiac|asthma|diabetes)\b"
        ),
        value="{v}{w} allergy",
    ),
    Pattern(
        "dislikes",
        (
            r"\b(?:never been able to|can ?not|cannot|can't|cant|could never|never could) "
            rf"(?:{_FOOD_VERBS}) {_NO_THING}(?P<v>[a-z]+(?: [a-z]+)?)"
        )
        + _STOP,
        unless=_THEY,
    ),
    Pattern(
        "dislikes",
        (
            r"\b(?P<v>[a-z]{4,}) (?:turns my stomach|makes me (?:gag|sick|heave)|is (?:evil|vile"
            r"|not food|a crime))"
        ),
        unless=r"\b(?:it|that|this|which|work|school)\b (?:turns|makes|is)",
    ),
    Pattern(
        "drink",
        (
            r"\b(?:i(?:'m| am|m)? (?:now )?on|i take|i(?:'ve| have)? (?:switched|moved|gone) "
            r"(?:over )?(?:on)?to|i(?:'ve| have)? (?:stick|stuck|sticking) to|only "
            r"drink|drinking) (?P<v>(?:[a-z]+ )?(?:tea|coffee|camomile|chamomile|rooibos|decaf"
            r"|matcha|cocoa|kombucha|water|soda|beer|wine|oolong|espresso|lattes?|milk))\b"
        ),
        unless=_THEY + r"|\bif\b",
    ),
    Pattern(
        "drink",
        (
            r"^\W*(?:just |now )?(?P<v>(?:\w+ )?(?:tea|coffee|camomile|chamomile|rooibos|decaf"
            r"|matcha|cocoa|kombucha))\b(?! shop| break| maker)"
        ),
        near=(
            r"\b(?:off|quit|no more|gave up|instead of) (?:\w+ )?(?:coffee|tea|wine|beer|alcohol"
            r"|caffeine|soda)"
        ),
    ),
    Pattern(
        "health",
        (
            r"\b(?:i(?:'ve| have|ve)? been (?:having|getting)|i (?:still |often )?(?:get|have"
            r"|suffer from|struggle with|live with)|i(?:'ve| have)(?: got)?|diagnosed with) "
            r"(?P<v>(?:\w+ )?(?:panic attacks?|anxiety|migraines?|insomnia|depression|adhd"
            r"|arthritis|epilepsy|vertigo|tinnitus|eczema|psoriasis|anaemia|anemia|ibs|sciatica"
            r"|high blood pressure|endometriosis))\b"
        ),
        unless=rf"\bif\b|\bused to\b|{_THEY}",
    ),
    Pattern(
        "age",
        (
            r"(?:^|[.,!?;] ?|\bi |\bi've |\bi just |\bjust |\band )turned (?P<v>[1-9]\d)\b(?! "
            r"(?:down|up|off))"
        ),
        unless=_THEY,
    ),
    Pattern(
        "anniversary",
        (
            r"\b(?:our|my) (?:wedding )?anniversary(?:'s| is|s)?(?: on| the)? (?P<v>(?:the "
            r")?\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may|june|july"
            r"|august|september|october|november|december)|(?:january|february|march|april|may"
            r"|june|july|august|september|october|november|december) \d{1,2})"
        ),
    ),
    # What the user does regularly.
    Pattern(
        "exercise",
        (
            rf"(?:^|\bi'?ve |\bive |\band )been (?P<v>{_SPORT}(?: (?!instead)[\w ]{{2,24}}?)?) "
            rf"{_OFTEN}"
        ),
        unless=rf"{_THEY}|\bif\b",
    ),
    Pattern(
        "exercise",
        (
            rf"(?:^|[.,;!] ?|\bso |\bnow )(?:it's |i'm |im )?(?P<v>{_SPORT}(?: (?:at|in|on|along"
            rf"|by|round) [\w ]{{2,20}}?)?) instead\b"
        ),
        near=r"\b(?:gi?ve?n? up|gave up|quit|stopped|no more|had to stop|packed in|instead)\b",
        unless=_THEY,
        whole=True,
    ),
    Pattern(
        "study_language",
        (
            r"\b(?:i'?m|i am|i'?ve been|ive been|i'?ve started|started|been|taken up|took up) "
            r"(?:learning|studying|doing|teaching myself) (?P<v>(?-i:Welsh|Irish|French|German"
            r"|Spanish|Italian|Portuguese|Japanese|Korean|Mandarin|Chinese|Russian|Arabic|Dutch"
            r"|Swedish|Norwegian|Danish|Finnish|Polish|Greek|Turkish|Hindi|Latin|Hebrew|Czech"
            r"|Ukrainian|Vietnamese|Thai)|sign language)\b"
        ),
        unless=rf"{_THEY}|\bif\b|\bmight\b",
    ),
    Pattern(
        "exercise",
        (
            rf"{_I}[^.!?]{{0,14}}?\b(?:been|started|took up|taken up|do|doing|into|back "
            rf"to|switched to|swapped to|go|went back to) (?P<v>{_SPORT}(?: {_OFTEN})?)"
        ),
        unless=rf"\b(?:quit|used to|stopped|no more|might|if|never)\b|{_THEY}",
    ),
    Pattern(
        "exercise",
        (
            rf"\bi (?:just |only |mostly |now )?(?P<v>{_DOES_SPORT}(?: [\w ]{{2,24}}?)?) "
            rf"(?:{_OFTEN}|instead|now|these days)\b"
        ),
        unless=(
            r"\b(?:used to|stopped|might|if|never|will|can't|cant|don't|dont)\b|\b(?:run|walk) "
            rf"(?:out|into|away|over|the)\b|{_THEY}"
        ),
    ),
    Pattern(
        "habit",
        (
            r"\b(?P<v>i (?!was|went|had|did|got|saw|felt|thought|said|told|cried|am so|hate|love "
            r"you|miss|feel|think|need|want|guess|know|have|haven|split|broke|saw|left|meet"
            r"|met)(?:'?(?:m) )?(?:now |always |usually |still |just |mostly "
            rf")?[a-z]+[^.!?,;]{{2,40}}? {_OFTEN})"
        ),
        unless=(
            r"\b(?:used to|stopped|might|if|never|will|could|would|can't|cant|don't|dont|ask|see "
            r"you|talk to you)\b"
        ),
        confidence=0.7,
    ),
    Pattern(
        "habit",
        (
            r"\b(?:i(?:'ve| have|ve)?|have) (?:taken up|took up|got(?:ten)? (?:really "
            r")?into|picked up|joined (?:a|the)) (?P<v>(?!(?:with|it|that|this|the phone|a "
            r"fight|trouble)\b)[\w ]{3,30}?)"
        )
        + _STOP,
        unless=rf"{_THEY} (?:has|took|took|got)",
        confidence=0.75,
    ),
    Pattern(
        "habit",
        (
            r"\bi(?:'ve|'m| have| am)? (?P<v>(?:quit|given up|gave up|off|stopped|done with) "
            r"(?:smoking|vaping|drinking|cigarettes|sugar|meat|alcohol|booze|caffeine|nicotine"
            r"|the cigs))"
        ),
        confidence=0.75,
    ),
    Pattern(
        "habit",
        (
            r"(?:^|\b(?:also|and|so|i) )(?P<v>(?:quit|quitting|stopped) (?:smoking|vaping|drinking"
            r"|sugar|meat|alcohol|caffeine))"
        ),
        confidence=0.75,
        unless=_THEY,
    ),
    # People and animals near the user.
    Pattern(
        "partner",
        rf"\b(?:her|his|their) name(?:'s| is|s) (?P<v>{_NAME})",
        near=(
            r"\b(?:there'?s someone|theres someone|seeing|dating|girlfriend|boyfriend|a date|met "
            r"(?:a |this )?(?:girl|guy|woman|man|someone)|crush|partner|engaged)\b"
        ),
        looks_back=True,
    ),
    Pattern(
        "partner",
        (
            rf"\b(?:me and {_NAME}|{_NAME} and (?:i|me)|{_NAME}|we|my (?:boyfriend|girlfriend"
            r"|husband|wife|partner)) (?:just |finally |have |are |got )?(?:broke up|split|split "
            r"up|called it off|ended (?:it|things)|getting divorced|divorced|dumped me|left me)\b"
        ),
        value="single (broke up)",
        unless=r"\bif\b|\bshe and\b|\bfriend",
    ),
    Pattern(
        "partner",
        (
            r"\b(?:me and|with my (?:new )?(?:girlfriend|boyfriend|partner|fianc\w+)|my (?:new "
            rf")?(?:girlfriend|boyfriend|partner|fianc\w+|husband|wife)) (?P<v>{_NAME})\b"
        ),
        unless=r"\bex\b|\bif\b|\bbroke\b|\bsplit\b|\bended\b",
    ),
    Pattern(
        "partner",
        (
            r"\b(?:my (?:late )?(?:husband|wife) (?:passed|died)|since my (?:husband|wife) "
            r"(?:passed|died)|i'?m a widow(?:er)?|widowed)\b"
        ),
        value="widowed",
    ),
    Pattern(
        "pet",
        (
            rf"\b(?:the|my|our|a|an) (?:\w+ ){{0,2}}?{_ANIMAL}\b[^.!?]{{0,20}}[.,:!] "
            rf"?(?P<v>{_NAME})\b(?=[.,]| the| is|$)"
        ),
        value="{v} ({kind})",
        whole=True,
        unless=r"\b(?:neighbou?r|friend)'?s\b",
    ),
    Pattern(
        "pet",
        rf"\b(?P<v>{_NAME}),? (?:is |the |my |our |a |an )+(?:\w+ ){{0,2}}?{_ANIMAL}\b",
        value="{v} ({kind})",
        unless=r"\b(?:neighbou?r|friend|his|her|their)'?s?\b",
    ),
    Pattern(
        "pet",
        rf"\b(?:her|his|its|their) name(?:'s| is|s) (?P<v>{_NAME})",
        near=(
            r"\b(?:i have|i got|i've got|adopted|rescued|got) (?:an? |my |this )(?:\w+ "
            rf"){{0,2}}?{_ANIMAL}\b"
        ),
        value="{v} ({kind})",
        looks_back=True,
    ),
    Pattern("friend", rf"\bmy (?:\w+ )?{_MATE},? (?P<v>{_NAME})\b", unless=r"\bthinks\b"),
    Pattern(
        "friend", rf"\b(?P<v>{_NAME}),? (?:who is |is |she's |he's )?(?:my |an? )(?:\w+ )?{_MATE}\b"
    ),
    Pattern(
        "family",
        (
            r"\bmy (?P<kin>(?:little |big |younger |older |twin |baby |only |eldest |youngest "
            r")?(?:sister|brother|son|daughter|niece|nephew|cousin|aunt|uncle|grandson"
            r"|granddaughter))(?:,| is called| is| called| named)? (?P<v>NAME)\b"
        ).replace("NAME", _NAME),
        value="{kin} {v}",
    ),
    Pattern(
        "boss",
        (
            r"\b(?:our|my|the) (?:new |old )?(?:boss|manager|supervisor|choirmaster|head "
            r"chef|foreman|captain|director|chief|professor|advisor|coach|editor|principal"
            r"|dispatcher|lead)(?:'s| is|,)? (?:a |called |named )?(?P<v>(?:(?:Mrs?|Ms|Dr)\.? "
            rf")?{_NAME})\b"
        ),
    ),
    Pattern(
        "colleague",
        (
            rf"\b(?P<v>{_NAME}),? (?:who i work with|from work|at work|my (?:coworker|colleague"
            r"|workmate))\b"
        ),
    ),
    Pattern(
        "roommate",
        rf"\b(?:room ?mate|flat ?mate|house ?mate)(?:'s name is|'s| is|,)? (?P<v>{_NAME})\b",
    ),
    Pattern(
        "roommate",
        r"\b(?:i live alone now|moved out|living alone|on my own now|place to myself)\b",
        value="lives alone",
        near=r"\broommate|flatmate|housemate|alone|to myself|just me|got (?:her|his|their) own\b",
        unless=r"\bif\b|" + _THEY + r" (?:lives|is)",
        needs_known=True,
    ),
    Pattern(
        "address_form",
        (
            r"\b(?:just|make it|it's|go with) (?P<v>(?-i:[A-ZÀ-Þ])[a-zà-ÿ]+),? (?:please|from now "
            r"on|will do|for you)\b"
        ),
    ),
    Pattern(
        "address_form",
        (
            r"\b(?:call me|calling me|address me as|just|use) (?P<v>(?:(?:Mrs?|Ms|Miss|Dr)\.? "
            r")?(?-i:[A-ZÀ-Þ])[a-zà-ÿ]+)(?: (?:is fine|will do|works|if|then|from now)|[.!,]|$)"
        ),
        near=r"\b(?:call|calling|address|name)\b",
        unless=(
            r"(?:don'?t|dont|do not|never|stop|quit) call(?:ing)? me|(?:kids|they|she|he|everyone"
            r"|people) calls? me"
        ),
    ),
)

#: Statements of the character about itself.
OF_CHARACTER = (
    Pattern(
        "likes",
        (
            r"\b(?:i(?:'m| am)? (?:rather |quite |very )?(?:partial to|fond of|live on|live "
            r"for|crazy about|mad about|keep a weakness for|have a (?:weakness|soft spot) "
            r"for|can'?t resist|swear by)|a (?:weakness|soft spot) for) "
            rf"{_NO_THING}(?P<v>[a-z]+(?: [a-z]+)?)"
        )
        + _STOP,
    ),
    Pattern(
        "likes",
        (
            r"\b(?:my (?:one )?weakness is|nothing beats|give me|i'd kill for) "
            rf"{_NO_THING}(?P<v>[a-z]+(?: [a-z]+)?)"
        )
        + _STOP,
        confidence=0.75,
    ),
)
