"""What a name assigns to a secret, and what only looks so: brackets stand around what is cut of a
row; a row without them stays as it is.
"""

import re

from row_tables import for_each_row

from gieok.text.redact import redact, redact_source
from gieok.text.redact.nouns import begin_of, qualifier_of, read_name
from gieok.text.redact.value import (
    is_literal,
    is_password,
    is_phrase,
    is_shaped,
    is_word_of_interface,
    is_wordy,
)

_QUOTED = [
    # A doubled quote belongs to the value.
    "x = {'db_password': '⟦it''s otter⟧', 'b': 1}",
    "x = {'db_password': '⟦otter''s raft''s 77⟧'}",
    "x = {'db_password': '⟦otter⟧'' b'}",
    'x = {"db_password": "⟦a""otter⟧", "b": 1}',
    f"x = {{'db_password': '⟦it''{'o' * 190}⟧'}}",
    # What is no literal.
    'password: "[a-z0-9]+"',
    'password: "/home/kim/word file"',
    'password: "https://kim.example/otter7"',
    'password: List["Otter7(x)"]',
    "password = DB_PASSWORD_7",
    "password = BLUE_GATE_7",
    "f(client_secret=⟦otte7x⟧, x)",
    'obj.password("⟦otter7raft⟧")',
    'obj.password("otter#raft")',
    'obj.password("sun-day-7")',
    'f(password="⟦kim-passwd1⟧")',
    "f(password=kim-passwd1)",
    "f(PASSWORD=⟦kim-passwd1⟧)",
    "f(password=7ab)",
    "f(password=⟦7abc⟧)",
    'row(db_password, "otter7raft")',
    "see csrf_token=kQwZrTxvBqL ok",
    "PASSWORD=⟦BLUE_GATE_7⟧",
    'password = "⟦BLUE_GATE_7⟧"',
    'password = "self.otter"',
    # Pins.
    'DOOR_PIN = "⟦4417⟧"',
    'DOOR_PIN = "441"',
    'DOOR_PIN = "1111"',
    'DOOR_PIN = "⟦1212⟧"',
    'DOOR_PIN = "⟦otter7x⟧"',
    'door_pin = "otter7x"',
    "DOOR_PIN=otter7x",
    # Keys of services.
    'STORE_API = "⟦otter-7x⟧"',
    'STORE_API = "otter-7"',
    'STORE_API = "OTTER-7X"',
    'STORE_API = "otterraft"',
    # Salts.
    'PASSWORD_SALT = "⟦kQwZrTxv⟧"',
    'PASSWORD_SALT = "kQwZrTx"',
    # Secrets whose name leaves it open.
    'secret = "⟦otter-77⟧"',
    'secret = "otter-7"',
    # Tokens and sessions.
    'bot_token: "⟦kQwZrTxvBq⟧"',
    'bot_token: "kQwZrTxvB"',
    'bot_token: "⟦otters-77⟧"',
    'bot_token: "otter-7"',
    "see csrf_token=⟦kQwZrTxvBqLm⟧ ok",
    'sessionid="kQwZrTxvBqLmNpGhJkLw"',
    "sessionid=⟦kQwZrTxvBqLmNpGhJkLw⟧",
    "sessionid=kQwZrTxvBqLmNpGhJkL",
    "sessionid: kQwZrTxvBqLmNpGhJkLw",
    "sessionid=1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    # Keys.
    'NTRIP_KEY = "⟦kQwZrTxv⟧"',
    'NTRIP_KEY = "kQwZrTx"',
    'NTRIP_KEY = "⟦otters77⟧"',
    'NTRIP_KEY = "otter77"',
    'api_key = "⟦otters-7⟧"',
    'NTRIP_KEY = "otters-7"',
    'api_key = "⟦juniper-berry-gin⟧"',
    'api_key = "jun-ber"',
    'api_key = "juniper-berry"',
    'api_key = "access_token_name"',
    'api_key = "kim.auth.Token"',
]
_BARE = [
    # Settings of several words, beside other settings.
    "db.password=⟦otter raft⟧\ndb.user=kim",
    "db.user=kim\ndb.password=⟦otter raft⟧",
    "db.user kim\ndb.password=⟦otter⟧ raft",
    "user: kim\npassword: ⟦otter raft⟧",
    "user:\npassword: ⟦otter raft⟧",
    "  - password: ⟦otter raft⟧\n    user: kim",
    "see password: otter raft\nuser: kim",
    "<password>⟦otter raft⟧</password>",
    "<password>⟦otter⟧ (raft)</password>",
    f"<password>⟦otter {'o' * 79}⟧</password>",
    f"<password>⟦otter⟧ {'o' * 80}</password>",
    # References and expressions.
    "DB_PASSWORD=${PW}",
    "DB_PASSWORD={{pw}}",
    "DB_PASSWORD={otter7",
    "password = get_pw(kim)",
    "f(password=⟦mango_Tree9⟧, x)",
    "f(password=mango_tree, x)",
    "f(password=⟦Sunflower!⟧, x)",
    "f(password=required!, x)",
    "f(password=otter[0]!, x)",
    "f(password=old_passwd1)",
    "f(password=ab1)",
    "f(password=⟦123456⟧)",
    "f(password=12345)",
    'f(password="⟦1234⟧")',
    'f(password="123")',
    "DB_PASSWORD=⟦a,b,c,d7⟧",
    "DB_PASSWORD=a,b,c,d,e7",
    # A line of its own is a setting; a part of a line is an expression.
    "x(a); password = mango_tree",
    "password = ⟦mango_tree⟧",
    "password = ⟦mango_tree⟧ # old",
    "self.password = mango_tree",
    "password = ⟦mango_tree⟧,",
    "- password=⟦mango_tree⟧",
    "call(x) password=mango_tree",
    "run password=⟦mango_tree⟧",
    "run password=mango_tree;",
    "run xpassword=⟦mango_tree⟧",
    "run.password=mango_tree(x)",
    "https://a.b/?x=1&password=⟦mango_tree⟧",
    "export password=⟦mango_tree⟧",
    # Punctuation behind a value.
    "DB_PASSWORD=⟦otter7⟧,",
    "(DB_PASSWORD=⟦otter7⟧)",
    "(DB_PASSWORD=⟦#7(otter)⟧)",
    "DB_PASSWORD=⟦#7(otter)⟧",
    "DB_PASSWORD=⟦#7otter⟧))",
    "[DB_PASSWORD=⟦#7otter⟧]",
    # Names and values beside each other.
    'setenv("DB_PASSWORD", "⟦otter raft⟧")',
    'setenv("db_password", "otter raft")',
    'set_password("⟦otter-77⟧")',
    'splitpasswd("user:a7")',
    'row(PASSWORD, "⟦otterraft⟧")',
    'row(password, "otterraft")',
    # What asks for one.
    'expect "password:"; see "otterraft"',
    # A flag, a macro and a statement.
    "deploy -u kim --password ⟦otterraft⟧",
    "deploy --password ⟦otterraft⟧",
    "cd web && bin/deploy now --password ⟦otterraft⟧ | tee log",
    "deploy --password ⟦otterraft⟧ host-1",
    "deploy --password otterraft works only there",
    "use deploy --password otterraft",
    "deploy --password with",
    "Deploy --password otterraft",
    "deploy -password otterraft",
    "deploy --password id=otterraft",
    "#define DB_PASSWORD otterraft",
    '#define DB_PASSWORD "⟦otterraft⟧"',
    'storePassword "⟦otterraft⟧" // old',
    'storePassword "⟦otterraft⟧"  ',
    'storePassword "otterraft" and',
    'storepassword "otterraft"',
    'see storePassword "otterraft"',
    'storeToken "otterraft77"',
    "kv put app/x db_password=⟦otterraft⟧",
    "arn:aws:secret:otters-77",
    'regex = "(?P<password>otters77)"',
    "app.use(session({ secret: '⟦keyboard walrus⟧' }))",
    "app.use(row({ secret: 'keyboard walrus' }))",
]
#: In source code sentences count for nothing.
_SOURCE = [
    'password = "⟦BLUE_GATE_7⟧"',
    'secret = "otter77"',
    'password = "BLUE_GATE_RAFT"',
    'secret = "⟦otter-77⟧"',
    'secret = "otter-7"',
    'secret = "otters-7"',
    'secret = "ott-77"',
    'secret: "otter-77"',
    'secret = "⟦kQwZrTxv⟧"',
    'secret = "kQwZrTx"',
    'client_secret = "⟦otters⟧"',
    'token = "⟦kQwZrTxvBq⟧"',
    'token = "kQwZrTxvB"',
    'passphrase = "⟦maple syrup 99⟧"',
    'key = "maple syrup 99"',
]
_PHRASES = [
    ("maple syrup 99", True),
    ("maple 99", False),
    ("kq7zx maple", True),
    ("kqzx maple", True),
    ("kqz maple", False),
    ("maple syrup harbor tin", True),
    ("maple syrup harbor", False),
    ("maple syrup harbor at", False),
    ("maple Syrup harbor tin", False),
    ("maple syrup harbor my tin", False),
    ("step 12 maple", False),
    ("kq7zx a b c d e f g", False),
    ("kq7zx b c d e f g h", True),
    ("kq7zx b c d e f g h j", False),
    ("kq7zx password", False),
]
_LITERALS = [
    ("fig", True),
    ("fi", False),
    ("f" + "ig" * 99, True),
    ("fig" * 66 + "fi", True),
    ("fig" * 67, False),
    ("password1", False),
    ("kim://otter", False),
    ("otter %s", False),
    ("#!?", False),
    ("변경하세요", False),
    ("변경하세요7", True),
    ("login-otter", False),
    ("login-otter7", False),
    ("login-otter77", True),
    ("login#otter", True),
    ("login otter#", False),
    ("required!", False),
    ("Otter on a raft", False),
    ("otter on a raft", True),
    ("otter on a raft.", False),
    ("otter wrong raft", False),
    ("a b c d e f g h", True),
    ("a b c d e f g h j", False),
]
_PASSWORDS = [
    ("kq7zx", True),
    ("q7zx", False),
    ("otter", False),
    ("Otter", False),
    ("oTtEr", True),
    ("sha256sum", False),
    ("us-east-1", False),
    ("word.py", False),
    ("db_password2", False),
    ("db_password22", False),
    ("db_password222", True),
    ("db_otter#22", True),
    ("Sun@flower", True),
    ("user@flower", True),
    ("12345678", False),
    ("1234#5678", False),
    ("Herring-88-moon", True),
    ("kim://otter7", False),
    ("your-otter7", False),
]

_WORDY = [
    ("at-the", True),
    ("at-in", False),
    ("The-The", True),
    ("At-The", False),
    ("kqzxvb", False),
    ("Xkqzvb", False),
    ("a1b2c3", False),
    ("otter1raft", True),
    ("otter1raft2", False),
]
_SHAPED = [
    ("kim-login12", True),
    ("kim-login1", False),
    ("otter7", True),
    ("ott7", False),
    ("otters", False),
    ("8-digit", False),
    ("55-lantern-quay", True),
    ("5-lantern-quay", False),
    ("2024-05-06x", False),
]
_LABELS = [
    ("new-otter", True),
    ("otter-login", True),
    ("otter-raft", False),
]


@for_each_row(_WORDY)
def test_words_have_some_letters_and_few_turns(value: str, is_one: bool) -> None:
    assert is_wordy(value) is is_one


@for_each_row(_SHAPED)
def test_a_shaped_value_has_letters_and_a_digit_and_is_no_term(value: str, is_one: bool) -> None:
    assert is_shaped(value) is is_one


@for_each_row(_LABELS)
def test_joined_words_label_where_one_of_them_does(value: str, is_one: bool) -> None:
    assert is_word_of_interface(value) is is_one


@for_each_row(_SOURCE)
def test_in_source_code_the_name_and_the_literal_decide(row: str) -> None:
    clean = redact_source(re.sub("[⟦⟧]", "", row))
    assert re.sub(r"\[redacted:[a-z-]+\]", "⟦⟧", clean) == re.sub("⟦[^⟧]*⟧", "⟦⟧", row)


@for_each_row(_PHRASES)
def test_a_phrase_holds_what_is_no_word_or_several_small_ones(value: str, is_one: bool) -> None:
    assert is_phrase(value) is is_one


@for_each_row(_LITERALS)
def test_a_literal_is_no_placeholder_and_no_message(value: str, is_one: bool) -> None:
    assert is_literal(value) is is_one


@for_each_row(_PASSWORDS)
def test_a_password_is_no_word_and_no_term(value: str, is_one: bool) -> None:
    assert is_password(value) is is_one


@for_each_row([*_QUOTED, *_BARE])
def test_the_value_of_a_name_is_cut_where_it_is_a_secret(row: str) -> None:
    clean = redact(re.sub("[⟦⟧]", "", row))
    assert re.sub(r"\[redacted:[a-z-]+\]", "⟦⟧", clean) == re.sub("⟦[^⟧]*⟧", "⟦⟧", row)


#: Names of which any literal is a secret, of which only what looks like one is, and of none.
_WHOLE_NAMES = (
    "password2 PASSWORD_1 password_value api_key2 GET_TOKEN bot_token bot_token_prod "
    "bot_token_2_prod KIM_TOKEN dbpass rootpw mydbpass ap_phrase SECRET kim_secret masterkey "
    "api_keys app.password masterpassword oldpassphrase use.password"
)
_OPEN_NAMES = (
    "token kim_token kim_auth jwt next_a_b_token secret secret_id secret_value NTRIP_KEY "
    "routing_key ROUTING_KEY pin SIM_PIN door_code STORE_API"
)
_OTHER_NAMES = (
    "key keys ntrip_key PRIMARY_KEY publickey server_public_key getToken get use_key show_pin "
    "no_pin api_key_id token_value next_kim_token tokenizer code error_code store_api API "
    "kim_phrase xpass verify_password app.getPassword password_length 77"
)


@for_each_row(
    [
        *((name, True) for name in _WHOLE_NAMES.split()),
        *((name, False) for name in _OPEN_NAMES.split()),
        *((name, None) for name in _OTHER_NAMES.split()),
    ]
)
def test_a_name_says_whether_any_literal_is_its_secret(name: str, is_whole: bool | None) -> None:
    noun = read_name(name)
    assert (noun and noun.is_whole) is is_whole


def test_a_name_without_a_word_before_its_noun_takes_the_one_before_it() -> None:
    assert read_name("key", "api") == read_name("api_key")
    assert read_name("key", "primary") is None
    assert read_name("app_key", "primary") == read_name("app_key")
    assert qualifier_of("an API key", 7) == "api"
    assert qualifier_of("api-key", 4) == "api"
    assert qualifier_of("apikey", 3) == ""
    assert qualifier_of("api: key", 5) == ""
    assert qualifier_of(f"{'a' * 16} key", 17) == "a" * 16
    assert qualifier_of("key", 0) == ""


def test_a_name_begins_behind_what_no_name_holds_and_not_further_than_it_is_read() -> None:
    assert begin_of("x = my.db-pass", 10) == 4
    assert begin_of("pass", 0) == 0
    assert begin_of("a" * 70, 66) == 2
