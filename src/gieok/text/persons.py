"""Words for the persons around a user, in Korean and English.

One list for whoever asks of whom a sentence tells. Each name is a group of alternatives, of which
`alternatives` makes a part of a pattern. A word stands in one group; NEAREST_KO, CALLED_EN, MEN_EN
and WOMEN_EN pick words out of the groups. The hook imports this module: standard library alone.
"""

#: Korean words for the kin with whom one grows up.
NEAREST_KO = "엄마|아빠|어머니|아버지|언니|오빠|누나|형|남동생|여동생|동생"
#: Korean words for kin of which a user has one, or names one.
RELATIVES_KO = (
    f"{NEAREST_KO}|어머님|아버님|매형|형수|할머니|할아버지"
    "|이모부|이모|삼촌|고모|시어머니|시아버지|장모님?|장인|처제|처남|사위|며느리"
)
SPOUSES_KO = "아내|와이프|남편|신랑|마누라|집사람|안사람|바깥양반"
CHILDREN_KO = "딸래미|딸|아들|손자|손녀"
PARTNERS_KO = "남자친구|여자친구|남친|여친|애인"
#: Those whom a user knows, of whom there may be several.
CIRCLE_KO = "부모님|조카|사촌|친구|동기|동창|짝꿍|짝지|룸메이트|룸메|이웃"
#: Those whom a user meets at work, at school or in the army, by what they are there.
ROLES_KO = (
    "선배|후배|상사|팀장님?|원장님?|사장님?|과장님?|부장님?|대리님?|실장님?|회장님?|소장님?|점장님?|교수님?|선생님?|쌤|수쌤|교장|반장"
    "|조교|감독|코치|매니저|사수님?|주임|팀원|직원|손님|후임|선임|소대장|중대장|병장|상병|일병|회사 ?사람들?"
)
#: Words that stand for a person who was named, or need no name.
OTHERS_KO = (
    "사람들|애들|막내|첫째|둘째|걔|걘|얘|쟤|금마|점마|그 ?사람|그분|녀석|놈|옆자리"
    "|아저씨|아줌마|아주머니|아재|할매|할배"
)
RELATIVES_EN = (
    "mother|mom|mum|mam|father|dad|da|sister|brother|twin|aunt|auntie|uncle|cousin|niece|nephew"
    "|grandmother|grandma|gran|granny|nan|nana|grandfather|grandpa|granda|parent"
)
#: Kin whom one calls by the word alone, without "my": "mum's gone vegan".
CALLED_EN = "mother|mom|mum|mam|father|dad|auntie|grandma|gran|granny|nan|nana|grandpa|granda"
SPOUSES_EN = "husband|wife"
CHILDREN_EN = "son|daughter|grandson|granddaughter|kid|wean"
PARTNERS_EN = "partner|boyfriend|girlfriend"
CIRCLE_EN = (
    "friend|mate|bestie|buddy|pal|neighbour|neighbor|roommate|flatmate|housemate|teammate"
    "|landlord|landlady"
)
#: Those of them who are "he", and who are "she".
MEN_EN = (
    "father|dad|da|brother|uncle|nephew|grandfather|grandpa|grandson|granda|husband|son|boyfriend"
)
WOMEN_EN = (
    "mother|mom|mum|mam|sister|aunt|auntie|niece|grandmother|grandma|granddaughter|gran|granny|nan"
    "|nana|wife|daughter|girlfriend"
)
ROLES_EN = "boss|manager|colleague|coworker|teacher|coach"

#: Animals who live with people.
ANIMALS_EN = (
    "cat|dog|puppy|pup|kitten|rabbit|bunny|hamster|parrot|tortoise|turtle|gecko|ferret|budgie"
    "|horse|lizard|snake|hedgehog|guinea pig|goldfish|hen|goat|pony"
)


def alternatives(*groups: str) -> str:
    """Return the words of groups as alternatives of a pattern, a longer word before its start."""
    words = {word for group in groups for word in group.split("|")}
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


#: Anybody of whom a user speaks in English as "my …".
ANYBODY_EN = alternatives(RELATIVES_EN, SPOUSES_EN, CHILDREN_EN, PARTNERS_EN, CIRCLE_EN, ROLES_EN)
