"""Korean words and endings from which the rows of patterns are built."""

B = r"(?<![가-힣A-Za-z])"
#: The user, as the subject of a sentence.
ME = rf"{B}(?:저는|나는|난|전|저도|나도|제가|내가|저|나|제|내)"
#: The same as a whole word.
USER = rf"{ME}(?![가-힣])"
SURNAMES = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
FULL_NAME = rf"[{SURNAMES}][가-힣]{{2}}"
#: An ending of a clause that states what something is: 이에요, 인데, 이고, 이야, 임, 라서.
IS = (
    r"(?:이에요|예요|에요|이여요|(?:이)?여(?![가-힣])|이요|요(?![가-힣])|입니다|이구요|구요|이고요|이고|고(?=[ ,])|이야|야(?![가-힣])"
    r"|이다(?![가-힣])"
    r"|다(?=[\s.!]|$)|인데요?|이거든요?|거든요?|이라서|라서|이라|라(?=[ ,.])"
    r"|임(?![가-힣])|(?:이)?지(?:요|만)?(?=[\s.!,]|$)|(?:이)?죠|이네요?|네요|이잖아요?|잖아요?|이래|(?:이)?랍니다)"
)
#: Words with which no noun begins.
NO_NOUN = (
    r"(?:아니|모르|몰라|비밀|그냥|별로|없|있|아무|왜|글쎄|안녕|좀|그게|이게|그건|여기|거기|저기|맞|싫|좋|잘|못|안 |다시|아직|진짜|그런|이런|뭐|무슨|어떻게"
    r"|이미|지금|오늘|내일|어제)"
)
NO_VALUE = (
    r"(?:안|못|더"
    r"|비밀|나가|통|도통|걸|뒤로|[가-힣]+씩|몰라|글쎄|그냥|사람|여기|거기|저기|그거|이거|저거|맞아|아니|없어|있어|네네|그래|진짜|진심|혼자|지나가던"
    r"|손님|안녕|반가워|처음|뭐야|아직"
    r"|우리|바로|근처|가까이|젤|제일|가장|내|나|저|너|제|나도|저도|저는|나는|내가|제가|이제|요즘|요새|느낌|기분|건|게|것|생각|마음|정말|완전|너무|그게"
    r"|이게|그건|이건|뭐든|다들|둘다|하나|의외|새로|바로|서로|따로|그대로|제대로|별로|진짜로|실제로|달부터|다음|이번|일이|말이|얘기|회사|직장|집|방|창문"
    r"|베란다|거실|침대|이불|마음|가슴|꿈|머리|세상|하늘|바다|옥상|새벽|아침|점심|저녁|밤|오전|오후|주말|평일|야간|주간|첫|오늘|내일|어제"
    r"|(?:한|두|세|\d) ?(?:잔|캔|병|모금|개|입|번)|.*(?:해서|해요|어요|아요|는데|다가|이러고|그러고|하고|되고|있긴|하긴|하는거|는 ?거|는 "
    r"?게|기가|하기|[는은] 것))"
)
ANIMAL = (
    r"고양이|강아지|멍멍이|냥이|고냥이|댕댕이|햄스터|토끼|앵무새|거북이|고슴도치|푸들|말티즈|포메|진돗개|시바|코숏|금붕어|도마뱀|기니피그|물고기|반려견|반려묘|길냥이"
    r"|리트리버|웰시코기|비숑|치와와|페르시안|먼치킨"
)
#: Parts of the body: what is not good there is not what somebody dislikes.
BODY = r"무릎|허리|어깨|목|눈|귀|손목|발목|다리|팔|관절|심장|간|위|장|폐|신장|갑상선|잇몸|이빨|치아|피부|기관지|혈압|디스크|건강"
UNWELL = rf"(?:{BODY}|몸|속|배|머리|기분|컨디션|상태)(?:이|가|은|는|도) ?[^.!?]{{0,6}}?안 ?좋"
ONES = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열"
ONES_END = "하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉"
TENS = rf"(?:열|스무|스물|서른|마흔|쉰|예순|일흔|여든)(?: ?(?:{ONES_END}))?"
#: Days of a month by their native Korean names, as the old tell them: 초사흘, 열이레, 스무날.
DAY_OF_MONTH = (
    r"(?:초|열|스무)?(?:하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레)|초?열흘|스무날|보름|그믐"
)

#: Endings and words that no name of a person has.
NO_NAME = (
    r".*(?:이랑|랑|만|보고|예|고|서|데|게|면|지만|은|는|을|를|도|에|의|처럼|부터|까지|한테|에게|님|들)|이름.*|최고.?|나보고|생일.*|결혼.*|진짜.*"
    r"|요즘.*|오늘.*|어제.*|이번.*|그냥.*|우리.*|자꾸.*|아직.*|갑자.*|맨날.*"
)

#: What stands between a wrong and a right value: 15일 아니고 16일.
NOT_BUT = r"아니고|아니구|아니라|말고"

#: Words with a capital letter that open a sentence and name nobody.
NOBODY_EN = (
    r"(?!(?:not|none|no ?one|nobody|nothing|neither|nope|yup|dunno|depends|both|lots|plenty"
    r"|once|one|two|three|four|five|six|right(?:o|io)?|anyway|well|sorry|yes|yeah|yep|nah|no|so"
    r"|oh|ooh|ah|aw|and|but|then|now|just|here|there"
    r"|that|this|it|he|she|they|we|i|you|only|also|even|maybe|apparently|otherwise|luckily"
    r"|sadly|hello|hey|hi"
    r"|cheers|thanks|ta|bless|okay|ok|god|lord|mate|love|poor|bloody|got|gotta|was|is|had|have"
    r"|met|saw|mum|dad|mom"
    r"|morning|evening|night|today|tomorrow|yesterday|never|still|because|since|when|while|what"
    r"|who|how|why)\b)"
)
