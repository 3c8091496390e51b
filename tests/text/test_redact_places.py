"""Secrets that their place names, in programs, statements, devices, papers and tables: brackets
stand around what is cut of a row; a row without them stays as it is.
"""

import re

from row_tables import for_each_row

from gieok.text.redact import redact, redact_counted, redact_source

_STRUCTURES = [
    "b://kim:⟦abc⟧@h",
    "b://kim:ab@h",
    "b://kim:8080/x@h",
    "b://kim:changeme@h",
    "b://kim:tbd@h",
    "basic abcdefghijklm",
    "INSERT INTO m (id, password) VALUES (1, 'ott')",
    "b://kim:⟦1212⟧@h",
    "http://a:⟦otter7⟧@h,https://b:⟦raft77⟧@k",
    "http://a:80,https://b:⟦raft77⟧@k",
    "Cookie: ⟦a=kQwZrTxvBqLm⟧",
    "Cookie: a=kQwZrTxvBqL",
    "Authorization: Bearer {{token-of-the-7-seas}}",
    "basic ⟦a2ltOm90dGVyNw==⟧",
    "basic b3R0ZXJyYWZ0",
    "basic authentication1",
    "machine h login me password ⟦123456⟧",
    "machine h login me password ⟦12345⟧",
    "machine h login me password pass",
    "default login me password ⟦otterraft⟧",
    "see login me password\notter",
    "CREATE ROLE kim PASSWORD '⟦otter⟧'",
    "CREATE ROLE kim PASSWORD 'required'",
    "CREATE ROLE kim PASSWORD 'otter is required'",
    "CREATE ROLE kim PASSWORD '⟦otter raft⟧'",
    "CREATE ROLE kim PASSWORD ':otter'",
    "CREATE ROLE kim PASSWORD 'pw'",
    "CREATE ROLE kim; the PASSWORD 'otter'",
    "the PASSWORD '⟦otter-7⟧'",
    "ALTER USER kim IDENTIFIED BY ⟦otterraft⟧;",
    "a row IDENTIFIED BY otterraft;",
    "SET PASSWORD FOR kim = '⟦otter⟧'",
    "the PASSWORD FOR kim = 'otter'",
    "INSERT INTO m (id, pin) VALUES (1, '⟦4417⟧'), (2, '⟦4418⟧')",
    "INSERT INTO m (id, pin) VALUES (1, '441')",
    "INSERT INTO m (pin, id) VALUES ('⟦4417⟧', 'otter7')",
    "INSERT INTO m (id, token) VALUES (1, 'otter7')",
    "INSERT INTO m (id, password) VALUES (1, 'required')",
    "INSERT INTO m (id, password) VALUES (otter7, pw7)",
    'strcpy(pw, "required");',
    "requirepass ⟦otter7⟧",
    "requirepass required",
]
_CALLS = [
    'driver.login("kim", "rosebud")',
    'driver.login("kim", "⟦rose-bud⟧")',
    'driver.connect("kim", "rose-bud")',
    'driver.connect("kim", "⟦rosebud7⟧")',
    'driver.connect("h", "kim", "⟦rose-bud⟧")',
    'driver.login("kim", "password1")',
    'driver.login("kim", "kim7@x.example")',
    'driver.login("kim", "⟦rose@bud7⟧")',
    'driver.login("kim", "user-name")',
    'driver.login("kim", "access-token")',
    'user.set_password("⟦rose-bud⟧")',
    'user.forget_password("rose-bud")',
    'user.set_password("required")',
    "bcrypt.hash('⟦rose-bud⟧', 10)",
    "md5.hash('rose-bud', 10)",
    "bcrypt.hash('password', 10)",
    'page.fill("#password", "⟦rosebud⟧")',
    'page.find("#password", "rosebud")',
    'page.fill("#password", "new-password")',
    "el('passwd').type('⟦rosebud⟧')",
    'if (pw == "⟦rose-bud⟧")',
    'if (pw == "rosebud")',
]
_DEVICES = [
    "snmp-server community ⟦BlueGate⟧",
    "snmp-server community public",
    "snmp-server community <string>",
    "see snmp-server community BlueGate",
    "the community BlueGate",
    "password 7 ⟦094F471A1A0A⟧",
    "password 7 required",
    "sw1(config)# enable secret ⟦bluegate⟧",
    "set password bluegate",
    "set password ⟦BlueGate⟧",
    "set password plaintext ⟦bluegate⟧",
    "see password 7 094F471A1A0A",
    "Authorization: AcmeAK ⟦kQwZrTxvBqLm⟧",
    "Authorization: AcmeAK kQwZrTxvBqL",
    "Authorization: AcmeAK otters-raft-7",
    "kind: Secret\ndata:\n  db: ⟦cGluZQ==⟧\n",
    "kind: Secret\ndata:\n  db: cGlu!\n",
    "kind: Secret\nstringData:\n  db: ⟦rose-bud⟧\n  ref: ${PW}\n",
    "kind: Secret\nstringData:\n  db: required\n",
    "data:\n  db: ⟦cGluZQ==⟧\nkind: Secret\n---\ndata:\n  db: cGluZg==\n",
    "data:\n  db: cGluZg==\n---\nkind: Secret\ndata:\n  db: ⟦cGluZQ==⟧\n",
    "kubectl create secret generic p --from-literal=a=⟦otter-77⟧",
    "kubectl create secret generic p --from-literal=a=otter",
    "kubectl create secret generic p --from-literal=aKey=⟦otter⟧",
    "kubectl create configmap p --from-literal=a=otter-77",
    "kubectl create secret generic p --from-literal=aKey=required",
    "FLAG{⟦otter_7_raft⟧}",
    "FLAG{otter_raft}",
    "2FA seed JBSWYDPEHPKAPXPAB",
    "2FA seed ⟦JBSWYDPEHPKAPXPA⟧",
    "2FA seed ⟦JBSWYDPEHPKAPXPA2⟧",
    "La contraseña es ⟦manzano9⟧.",
    "La contraseña es manzano",
    'La contraseña es "⟦manzano⟧"',
    "La contraseña es user-name9",
]
_PAPERS = [
    "please use ⟦NO9386011117947⟧",
    "please use ⟦NO93 8601 1117 947⟧ OK",
    "my passport number is ⟦AB12345⟧",
    "my passport number is ABC1234",
    "my driver's license number is ⟦ABCDE12345⟧",
    "my driver's license number is ABCDEF12345",
    "my driver's license number is ⟦D1234567⟧ OK",
    "my driver's license number is 2031-05-02",
    "my software license number is D1234567",
    "backup codes: ⟦1234⟧",
    "backup codes: ⟦123456789012⟧",
    "backup codes: ⟦ab1cde⟧",
    "backup codes: abcdef",
    "backup codes: ⟦ab1-cde, ab2-cde⟧ ok",
    "backup codes: ⟦8f3k-22mx⟧, ab1cd",
    "backup codes: ⟦8f3k-22mx, ab1cde⟧",
    "backup codes: ⟦8f3k-22mx⟧, abcdef",
    "backup codes: ⟦8f3k-22mx⟧, 2024",
    "backup codes: ⟦8f3k-22mx, 2124⟧",
    "backup codes: ⟦8f3k-22mx⟧, 212",
    "backup codes: ⟦8f3k-22mx⟧, 2024-05-06",
    "backup codes: ⟦ab1-cde⟧; ab2",
    "seed phrase: " + "oyster lantern meadow copper " * 3,
    "seed phrase: ⟦" + "oyster lantern meadow " * 3 + "copper violin meadow⟧",
    "seed phrase: ⟦" + "oyster lantern meadow copper violin " * 2 + "harbor thunder⟧",
    "at 4929-1111-1234-5679",
    "at 4441-1144-1114-4441",
    "at 4111-1111-1111-1111",
    "at 4777-1747-7714-7741",
    "at ⟦4111-4227-7274-1744⟧",
    "order 851231-2000070 ok",
    "주민등록번호 ⟦200229-3234567⟧",
    "주민등록번호 ⟦040229-9234567⟧",
    "주민등록번호 030229-9234567",
    "order 홍길동 (⟦900101-1234567⟧)",
    "주문번호 홍길동 (900101-1234567)",
    "order 홍길 (900101-1234567)",
    "주민번호" + "\n" * 200 + "⟦900101-1234567⟧",
    "주민번호" + "!" * 20 + "⟦9001011234567⟧",
    "주민번호" + "!" * 21 + "9001011234567",
]
_TABLES = [
    "host,user,password\na,kim,⟦otte⟧",
    "host,user,password\na,kim,ott",
    "host,user,password\na,kim,1111",
    "host,user,password\na,kim,⟦1112⟧",
    "user,password\nkim,otter",
    "host,size,password\na,7,otter",
    "host,size,password\na,7,⟦otter-7⟧",
    "host,size,password\na,7,⟦plum-tree-moon⟧",
    "host,size,password\na,7,otter 77",
    "host,user,password=x\na,kim,otter",
    " host,user,password\na,kim,otter",
    "host,user, password\na,kim,otter",
    'host,user,"password"\na,"k,m","⟦otter⟧"',
    "host,user,password\na,kim",
    "| host | user | password |\n|---|---|---|\n| a | kim | ⟦otter⟧ |\n\n| b | lee | raft |",
    "| password | ⟦otter-7⟧ |",
    "| password | otter |",
    "| host | password | ⟦otter-7⟧ |",
    "HOST  USER  PASSWORD\na  kim  ⟦otter⟧",
    "Host  User  Password\na  kim  ⟦otter⟧",
    "host  user  password\na  kim  otter",
]


#: A value of six characters or more is cut wherever it stands again.
_REPEATED = [
    "DB_PASSWORD=⟦tul7m⟧\nsee tul7m",
    "DB_PASSWORD=⟦tul7mo⟧\nsee ⟦tul7mo⟧",
    "DB_PASSWORD=⟦tul7mo⟧\nsee tul7mon",
]


@for_each_row([*_REPEATED, *_STRUCTURES, *_CALLS, *_DEVICES, *_PAPERS, *_TABLES])
def test_a_secret_is_known_by_its_place_and_what_only_looks_so_stays(row: str) -> None:
    clean = redact(re.sub("[⟦⟧]", "", row))
    assert re.sub(r"\[redacted:[a-z-]+\]", "⟦⟧", clean) == re.sub("⟦[^⟧]*⟧", "⟦⟧", row)


def test_a_table_is_read_for_four_hundred_rows() -> None:
    rows = "host,user,password\n" + "a,kim,ott\n" * 399
    assert redact(f"{rows}a,kim,otter").endswith("a,kim,[redacted:password]")
    assert redact(f"{rows}a,kim,ott\na,kim,otter").endswith("a,kim,otter")


#: What names a secret in settings, statements and papers names a variable or an example in source.
_NOT_IN_SOURCE = [
    "CREATE USER app IDENTIFIED BY 'pear-tree-5'",
    "CREATE ROLE app LOGIN PASSWORD 'pear-tree-5'",
    "ALTER USER sam IDENTIFIED BY greenhouse7;",
    "INSERT INTO users (email, password) VALUES ('a@b.c', 'pear-tree-5');",
    "requirepass h7Kqx2vP",
    "machine api.x.com login me password h7Kqx2vP",
    "db.example.com:5432:prod:app:h7Kqx2vP",
    "주민등록번호 900101-1234568",
    "카드 4929-1111-1234-5678",
    "amex 3782 822463 10005",
    "IBAN DE89 3704 0044 0532 0130 00",
    "my passport number is M12345678",
    "여권번호 M123A4567",
    "driver's license number is D1234567",
    "github recovery codes:\n8f3k-22mx\n91ab-cd34",
    "snmp-server community c0mmun1ty RO",
    "kind: Secret\nstringData:\n  mail: pine-cone\n",
    "kubectl create secret generic p --from-literal=cookieKey=plum-ladder",
    "La contraseña es manzano9",
    "DB_PASSWORD=kangaroo_42",
    "deploy --db-password pear-tree-5 --env prod",
    "nmcli dev wifi connect Home password pear-tree-5",
]


@for_each_row(_NOT_IN_SOURCE)
def test_what_settings_and_papers_name_stays_in_source_code(text: str) -> None:
    assert redact_source(text) == text
    assert redact(text) != text


def test_what_is_counted_is_no_source_code_unless_it_is_said_to_be() -> None:
    assert redact_counted("the pin is 4417") == (
        "the pin is [redacted:password]",
        {"password": 1},
    )
    assert redact_counted("the pin is 4417", source=True) == ("the pin is 4417", {})


#: What is cut stands around what was cut before, where four letters or digits are left of it.
_AROUND_PLACEHOLDERS = [
    (
        "Cookie: a=kQwZrTxvBqLm; b=[redacted:jwt]; c=d4e",
        "Cookie: [redacted:cookie][redacted:jwt][redacted:cookie]",
    ),
    (
        "Cookie: a=kQwZrTxvBqLm; b=[redacted:jwt]; c=d4",
        "Cookie: [redacted:cookie][redacted:jwt]; c=d4",
    ),
    (
        "Cookie: a=[redacted:jwt]; b=kQwZrTxvBqLm; c=[redacted:jwt]",
        "Cookie: a=[redacted:jwt][redacted:cookie][redacted:jwt]",
    ),
    (
        "[redacted:jwt] Cookie: a=kQwZrTxvBqLm\n[redacted:jwt] Cookie: b=kQwZrTxvBqLn",
        "[redacted:jwt] Cookie: [redacted:cookie]\n[redacted:jwt] Cookie: [redacted:cookie]",
    ),
]


@for_each_row(_AROUND_PLACEHOLDERS)
def test_a_placeholder_inside_a_secret_stays_as_it_is(text: str, clean: str) -> None:
    assert redact(text) == clean
