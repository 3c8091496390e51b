"""What names a secret and what is one, in the ways people write it: prose, chat, shells, settings,
programs, logs, papers.

Each row is a secret and a text that holds it; no piece of it may stay. The harmless rows stay as
they are.
"""

import re
import unicodedata

import pytest
from row_tables import for_each_row

from gieok.text.redact import redact, redact_source
from gieok.text.redact.nouns import NAMES, NameRow, read_name

#: Sentences and chat.
_PROSE = [
    ("Quokka-Lime-8", "He reset my password; it is now Quokka-Lime-8."),
    ("6620", "the gate's code is 6620"),
    ("Quokka-Lime-8", "kim: whats the nas pw again\nlee: Quokka-Lime-8"),
    ("BlueHeron!47", "the wifi password is BlueHeron!47"),
    ("sunny-side-7", "wifi password is sunny-side-7 if you need it"),
    ("otter99", "pw is still otter99 btw"),
    ("Sk8erboi!", "login for the printer is admin / Sk8erboi!"),
    ("4471", "my bank pin is 4471"),
    ("9034", "the alarm code is 9034, disarm within 30 seconds"),
    ("winter-fox-19", "the shared secret is winter-fox-19"),
    ("purple-rain-84", "use purple-rain-84 as the vault password"),
    ("purple-rain-84", "I changed the admin password to purple-rain-84 yesterday"),
    ("purple-rain-84", "the passphrase for the backup disk was purple-rain-84"),
    ("correct horse battery staple", 'The passphrase is "correct horse battery staple".'),
    ("sunflower", "the password is 'sunflower'"),
    ("Sunflower!", "Password for the CMS: Sunflower!"),
    ("tiger.lily.40", "access token is tiger.lily.40, expires friday"),
    ("tiger.lily.40", "credentials are kim / tiger.lily.40"),
    ("tiger.lily.40", "what's the wifi password?\n> tiger.lily.40"),
    (
        "marmalade-Otter-12",
        (
            "hey can you store this: the guest wifi is Lindenhof-Gast and the password is "
            "marmalade-Otter-12"
        ),
    ),
    ("Tomatensuppe44", "FYI the shared 1password vault master pw is Tomatensuppe44, don't lose it"),
    ("quiet.pond.1987", "her iCloud login is mina.k@example.com, password quiet.pond.1987"),
    ("X4-finch-hill", "the key for the backup drive encryption is X4-finch-hill"),
    ("tin-kettle-5", 'Generated password for user "kim" is tin-kettle-5'),
    ("482-913", "sms: Your verification code is 482-913"),
    ("violet-harbor-lantern-crow", "the passphrase is violet-harbor-lantern-crow"),
    ("tin-kettle-5", "The router's admin page password was set to `tin-kettle-5`."),
    ("tin-kettle-5", "password for bob@example.com -> tin-kettle-5"),
    ("tin-kettle-5", "type tin-kettle-5 when it asks for the password"),
    ("tin-kettle-5x", "secret key is tin-kettle-5x"),
    (
        "PigeonLoft-1974",
        (
            'Right, before I forget: Wi-Fi in the clinic annex, network "Annex-Staff", password '
            "PigeonLoft-1974."
        ),
    ),
    ("0000-ELM-7731-QF", "licence key for the label printer software is 0000-ELM-7731-QF"),
    ("Brother4ever", "She told me the laptop password, it's Brother4ever."),
    ("7730#", "The gate code: 7730#"),
    ("velvet.moose.91", "You'll need the SFTP password (velvet.moose.91) before you start"),
    ("velvet.moose.91", '"velvet.moose.91" is the password for the zip'),
    ("velvet.moose.91", "He said the password's velvet.moose.91"),
    ("velvet.moose.91", "just use my password velvet.moose.91 for now"),
    ("velvet.moose.91", "I set it to velvet.moose.91 (the admin password)"),
    ("velvet.moose.91", "the api secret for the test shop is velvet.moose.91"),
    ("velvet.moose.91", "k, pw reset done. temp pw velvet.moose.91"),
    ("velvet.moose.91", "The credentials for the demo tenant are demo@x.com / velvet.moose.91"),
    ("velvet.moose.91", 'auth: token "velvet.moose.91" accepted for kim'),
]
#: Korean, in sentences and in settings.
_KOREAN = [
    ("봄날의고양이2026!", "비밀번호: 봄날의고양이2026!"),
    ("천하무적-12#", "비번: 천하무적-12#"),
    ("hunter2moon", "비번은 hunter2moon 인데 까먹지 마"),
    ("lemon_tree_11", "암호가 lemon_tree_11 이던데 맞아?"),
    ("zx81-spectrum-77", "라이선스 키는 zx81-spectrum-77 인데 만료됐나"),
    ("4471", "카드 비번 4471이야"),
    ("0815*", "현관 비번 0815* 누르고 들어와"),
    ("7291", "도어락 번호는 7291 이야"),
    (
        "ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric oyster",
        (
            "지갑 시드 구문은 ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric "
            "oyster 이야"
        ),
    ),
    ("48291 77310", "구글 복구 코드 48291 77310"),
    ("5823-1194, 7731-0042", "백업 코드: 5823-1194, 7731-0042"),
    ("5823-1194, 7731-0042", "백업 코드: 5823-1194, 7731-0042"),
    ("M12345678", "여권번호 M12345678"),
    ("M123A4567", "제 여권 번호는 M123A4567 입니다"),
    ("11-22-333333-44", "운전면허번호: 11-22-333333-44"),
    ("hwanggeum77", "와이파이 비번은 hwanggeum77 이에요"),
    ("hwanggeum77", "비번 hwanggeum77임"),
    ("황금돼지77!", "비번은 황금돼지77! 이야"),
    ("황금돼지77", "관리자 암호: 황금돼지77"),
    ("열려라참깨", '비밀번호="열려라참깨"'),
    ("qwer1234!", "계정 admin / qwer1234!"),
    ("qwer1234!", "아이디는 kim 비번은 qwer1234!"),
    ("1q2w3e4r", "서버 접속 정보: root / 1q2w3e4r"),
    ("dragon_ball_7x", "API 키는 dragon_ball_7x 로 바꿨습니다"),
    ("purple-rain-84", "DB 비밀번호를 purple-rain-84로 변경했습니다"),
    ("purple-rain-84", "비밀번호가 purple-rain-84 로 바뀌었어요"),
    ("purple-rain-84", "purple-rain-84가 새 비번이야"),
    ("purple-rain-84", "패스프레이즈: purple-rain-84"),
    ("tiger.lily.40", "아이디/비번: kim/tiger.lily.40"),
    ("tiger.lily.40", "비밀번호는요 tiger.lily.40 이거예요"),
    ("tiger.lily.40", "핀 말고 암호 쓰세요. 암호 = tiger.lily.40"),
    ("tiger.lily.40", "비번 뭐였지\ntiger.lily.40"),
    ("tiger.lily.40", "비번 바꿨어 tiger.lily.40 으로"),
    ("240817#", "공동현관 비밀번호 240817#"),
    ("77812", "보안 코드는 77812 예요"),
    ("55-lantern-quay", "기기 키: 55-lantern-quay"),
    ("55-lantern-quay", "서명 키가 55-lantern-quay 라는데"),
    ("별하늘#2024", "넷플 비번 별하늘#2024 로 바꿨엉"),
    ("별하늘2024", "비밀번호 별하늘2024 입니다"),
    ("dltkdgo99", "아 그 서버 비번 dltkdgo99 였나"),
    ("dltkdgo99!", "비번 새로 팠다 dltkdgo99! 기억해둬"),
    ("dltkdgo99!", "회사 와이파이 아이디 office5g 비밀번호 dltkdgo99!"),
    ("dltkdgo99", "관리자 계정은 admin이고 암호는 dltkdgo99로 해뒀습니다"),
    ("dltkdgo99", "비번요? dltkdgo99 요"),
    ("dltkdgo99", "db 비번이 뭐냐면 dltkdgo99 야"),
    ("dltkdgo99", "접속정보 공유드립니다. host 10.0.0.3 / user app / pw dltkdgo99"),
    ("dltkdgo99kr", "사내 VPN 공유키 dltkdgo99kr"),
    ("dltkdgo99kr", "암호키=dltkdgo99kr"),
    ("dltkdgo99kr", "api_key 는 dltkdgo99kr 로 설정해줘"),
    ("dltkdgo99kr77", "토큰은 dltkdgo99kr77 이니까 헤더에 넣어줘"),
    ("dltkdgo99", "PIN이 아니라 비밀번호 dltkdgo99 를 입력하세요"),
    ("2580", "우리집 도어락 2580 별표"),
    ("2580별", "현관 비번 2580별 누르면 열려"),
    ("0417", "카드 핀번호 0417"),
    ("5521", "금고 번호 5521이야"),
    ("5521", "집 비번은 5521 이고 경비실 번호는 따로 있어"),
    ("88-12-34", "자물쇠 비번은 88-12-34"),
    ("사과나무77", "시드 말고 패스프레이즈 사과나무77"),
    ("KR1234567", "여권번호는 KR1234567 이고 만료는 2030년"),
    ("13-04-123456-78", "면허번호 13-04-123456-78 이에요"),
    ("안드로메다77", "오빠 넷플 비번 안드로메다77 맞지?"),
    ("andro77meda", "비번 andro77meda 로 통일하자"),
    ("andro77meda", "비번은 전이랑 똑같이 andro77meda"),
    ("andro77meda", "위키 계정 pm / andro77meda 로 들어가면 돼"),
    ("andro77meda", "스테이징 어드민: admin@x.kr / andro77meda"),
    ("andro77meda", "루트 암호 andro77meda로 초기화함"),
    ("andro77meda", "SSH 키 패스프레이즈는 andro77meda"),
    ("andro77meda", "암호 : andro77meda"),
    ("andro77meda", "와이파이 : cafe_5G / 비번 : andro77meda"),
    ("andro77meda", "비번(임시): andro77meda"),
    ("andro77meda", "비밀번호 변경 완료 → andro77meda"),
    ("'andro77meda", "관리자 비밀번호는 'andro77meda'입니다."),
    ("andro77meda", "혹시 db 비번 andro77meda 아니야?"),
    ("andro77meda", "PW는 andro77meda 이고 OTP 는 없어요"),
    ("andro77meda", "계정정보) id: test01 pw: andro77meda"),
    ("andro77meda", "서버 접속정보: 10.0.0.5 root/andro77meda"),
    ("andro77meda-kr", "라이선스키 andro77meda-kr"),
    ("andro77meda-kr", "시크릿키: andro77meda-kr"),
    ("andro77meda-kr", "API키는 andro77meda-kr 이에요"),
    ("andro77meda-kr", "웹훅 시크릿 andro77meda-kr 로 맞췄음"),
    ("#3391", "아파트 공동현관 #3391 누르세요"),
    ("3391", "사물함 비밀번호 3391입니다"),
    ("339120", "인증번호 339120 입력했어"),
    ("339120", "OTP 339120 불러줘"),
]
#: Commands, settings and logs.
_SHELL = [
    ("Quokka-Lime-8", "consul kv put app/db_password Quokka-Lime-8"),
    ("Quokka-Lime-8", "api:\n  key: Quokka-Lime-8"),
    ("Quokka-Lime-8", "username admin password 0 Quokka-Lime-8"),
    ("kangaroo_42", "DB_PASSWORD=kangaroo_42"),
    ("sunny-day-7", "export REDIS_PASSWORD=sunny-day-7"),
    ("Winter_2026!", "SMTP_PASS=Winter_2026!"),
    ("word_word_314", "PGPASSWORD=word_word_314 psql -h db -U app"),
    ("lampshade-rain-9x2", "STORE_API=lampshade-rain-9x2"),
    ("rtk4base_22k", "NTRIP_KEY=rtk4base_22k"),
    ("coffee_bean_3", "redis-cli -h cache -a coffee_bean_3 ping"),
    ("walnut-tree-6", "jdbc:postgresql://db/shop?user=app&password=walnut-tree-6&ssl=true"),
    ("maple syrup 99", 'password: "maple syrup 99"'),
    ("it's-a-trap!", 'db_password = "it\'s-a-trap!"'),
    ("foo#bar9#", "admin_pw: 'foo#bar9#'"),
    ("abcd efgh ijkl mnop", "gmail app password: abcd efgh ijkl mnop"),
    ("K7!pq#", "rootpw=K7!pq#"),
    ("kimchi_stew_5", "spring.datasource.password=kimchi_stew_5"),
    ("honeybadger", "MYSQL_ROOT_PASSWORD: honeybadger"),
    ("rainy_lane_4", 'client_secret = "rainy_lane_4"'),
    ("orchid.valley.21", 'AUTH_TOKEN="orchid.valley.21"'),
    (
        "cobalt-river-31",
        "2026-11-20 10:02:11 DEBUG connecting user=app password=cobalt-river-31 host=db1",
    ),
    ("482913", "OTP: 482913"),
    ("31-7-22", "safe combination: 31-7-22"),
    ("pear-tree-5", "sshpass -p 'pear-tree-5' ssh root@10.0.0.5"),
    ("pear_tree_5", "mysql -uroot -ppear_tree_5 shop"),
    ("pear-tree-5", "mongosh -u admin -p pear-tree-5 --authenticationDatabase admin"),
    ("pear-tree-5", "docker login -u kim -p pear-tree-5 registry.example.com"),
    ("pear-tree-5", "ldapsearch -x -D cn=admin -w pear-tree-5 -b dc=x"),
    ("pear-tree-5", "zip -P pear-tree-5 out.zip a.txt"),
    ("pear-tree-5", "gpg --batch --passphrase pear-tree-5 -c file"),
    ("pear-tree-5", "openssl rsa -in k.pem -passin pass:pear-tree-5"),
    ("pear-tree-5", "mosquitto_pub -u dev -P pear-tree-5 -t x -m y"),
    ("pear-tree-5", "smbclient //nas/share -U kim%pear-tree-5"),
    ("pear-tree-5", "curl -u kim:pear-tree-5 https://api.example.com"),
    ("pear-tree-5", "psql postgres://app:pear-tree-5@db/shop"),
    ("pear-tree-5", "nmcli dev wifi connect Home password pear-tree-5"),
    ("pear-tree-5", 'echo "root:pear-tree-5" | chpasswd'),
    ("pear-tree-5", "echo pear-tree-5 | sudo -S systemctl restart nginx"),
    ("pear-tree-5", "rabbitmqctl change_password app pear-tree-5"),
    ("pear-tree-5", "helm install x --set auth.rootPassword=pear-tree-5"),
    ("pear-tree-5", "deploy --db-password pear-tree-5 --env prod"),
    ("pear-tree-5z9", "deploy --token=pear-tree-5z9"),
    ("pear-tree-5", "htpasswd -b .htpasswd kim pear-tree-5"),
    ("Qm9vdHM-unseal-77+abcDEF==", "Unseal Key 1: Qm9vdHM-unseal-77+abcDEF=="),
    ("winter-fox-19", "shared secret between both radius servers: winter-fox-19"),
    ("purple-rain-84", "set passphrase purple-rain-84"),
    ("correct horse battery staple", "passphrase: correct horse battery staple"),
    ("mypassword123", "password=mypassword123"),
    ("tiger.lily.40", 'os.environ["DB_PASSWORD"] = "tiger.lily.40"'),
    ("tiger.lily.40", "process.env.API_KEY = 'tiger.lily.40'"),
    ("tiger.lily.40", "ENV JWT_SECRET=tiger.lily.40"),
    ("tiger.lily.40", "docker run -e POSTGRES_PASSWORD=tiger.lily.40 postgres"),
    ("tiger.lily.40", "set DB_PASS=tiger.lily.40"),
    ("tiger.lily.40", '$env:API_TOKEN = "tiger.lily.40"'),
    ("tiger.lily.40", "login.password = tiger.lily.40"),
    ("tiger.lily.40", "user: app\npass: tiger.lily.40"),
    ("tiger.lily.40", "wpa_passphrase=tiger.lily.40"),
    ("tiger.lily.40", 'psk="tiger.lily.40"'),
    ("tiger.lily.40", "encryption_key: tiger.lily.40"),
    ("tiger.lily.40", "Server=db;User Id=sa;Password=tiger.lily.40;Encrypt=true"),
    ("tiger.lily.40", "VNC pw → tiger.lily.40"),
    ("tiger.lily.40", "| Router | admin | pw: tiger.lily.40 |"),
    ("tiger.lily.40", "creds: kim:tiger.lily.40"),
    ("tiger.lily.40", "username kim, password tiger.lily.40"),
    ("tiger.lily.40", "ID: kim PW: tiger.lily.40"),
    ("19840412", "pin: 19840412"),
    ("55-lantern-quay", "webhook secret: 55-lantern-quay"),
    ("55-lantern-quay", "encryption key = 55-lantern-quay"),
    ("9471", "garage keypad: 9471"),
    ("gravel_tango_08", "we changed it again, new admin password gravel_tango_08 from today"),
    ("Hyperion#551", "root password on nas: Hyperion#551 (change after migration)"),
    ("72 18 44", "locker combo is 72 18 44"),
    ("sk-lumen-4f9a8e77b1c0", 'export LUMEN_API_KEY="sk-lumen-4f9a8e77b1c0"'),
    ("wet_cement_77", "mysql --user=root --password=wet_cement_77 -e 'show tables'"),
    ("wet_cement_77", "MYSQL_PWD=wet_cement_77 mysqldump shop > x.sql"),
    ("wet_cement_77", "PGPASSWORD='wet_cement_77' pg_dump -h db"),
    ("wet_cement_77", 'ansible-playbook site.yml -e "ansible_become_pass=wet_cement_77"'),
    ("wet_cement_77", "ftp://backup:wet_cement_77@files.example.org/"),
    ("wet_cement_77z9", 'curl -H "X-Auth-Token: wet_cement_77z9" https://x'),
    ("wet_cement_77", "curl -d 'username=kim&password=wet_cement_77' https://x/login"),
    ("wet_cement_77", "wget --http-password=wet_cement_77 https://x"),
    ("wet_cement_77", "keytool -genkey -storepass wet_cement_77 -alias x"),
    ("wet_cement_77", "su -c \"echo 'deploy:wet_cement_77' | chpasswd\""),
    ("wet_cement_77", "printf 'wet_cement_77' | docker login --password-stdin -u kim"),
    ("wet_cement_77", 'read -p "pw" ; PASSPHRASE=wet_cement_77'),
    ("wet_cement_77", "lftp -u kim,wet_cement_77 sftp://host"),
    ("tin-kettle-5", "jwt_secret: tin-kettle-5"),
    ("tin-kettle-5", "ap_password: !secret x\nota_password: tin-kettle-5"),
    ("tin-kettle-5", 'conn = psycopg2.connect(host="db", user="u", password="tin-kettle-5")'),
    ("tin-kettle-5", '.password = "tin-kettle-5",'),
    (
        "tin-kettle-5",
        '11:02:33 DEBUG http - POST /login body={"user":"kim","password":"tin-kettle-5"}',
    ),
    (
        "tin-kettle-5",
        "Nov 20 10:11:12 host app[33]: connect string: Data Source=db;Password=tin-kettle-5",
    ),
    ("tin-kettle-5zz", 'level=debug msg="using token" token=tin-kettle-5zz'),
    ("tin-kettle-5", "INFO bootstrap: generated admin password: tin-kettle-5"),
    ("tin-kettle-5zz", "Initial root token: tin-kettle-5zz"),
    ("dltkdgo99", "ID : admin\nPW : dltkdgo99"),
    ("CorrectHorse7", "pass phrase = CorrectHorse7"),
    ("Ginger!Snap", "Password: Ginger!Snap"),
    ("summerrain", 'password is "summerrain"'),
    ("p@ss;word1", "login: kim pass: p@ss;word1"),
    ("tin-kettle-5", "pw (temporary): tin-kettle-5"),
    ("tin-kettle-5", "mom's ipad passcode = tin-kettle-5"),
    ("tin-kettle-5xx99q", "bearer tin-kettle-5xx99q"),
    ("tin-kettle-5xx99q", "Authorization: Bearer tin-kettle-5xx99q"),
    ("tulpen_und_regen_3", "hab's geändert, the new db password = tulpen_und_regen_3"),
    ("7730", "gate code changed to 7730 since monday"),
    ("velvet.moose.91", "for the printer: user=scan, pass=velvet.moose.91"),
    ("velvet.moose.91", "Password hint: no. Password: velvet.moose.91"),
    ("velvet.moose.91", "vault token: velvet.moose.91"),
    ("velvet.moose.91", "login demo@x.com with velvet.moose.91 as password"),
    ("velvet.moose.91", "username: demo, password: velvet.moose.91"),
    ("velvet.moose.91", "export GITLAB_RUNNER_TOKEN=velvet.moose.91"),
    ("velvet.moose.91", "TF_VAR_db_password=velvet.moose.91 terraform apply"),
    ("velvet.moose.91", 'terraform apply -var="db_password=velvet.moose.91"'),
    ("velvet.moose.91", 'docker-compose run -e SECRET_TOKEN="velvet.moose.91" web'),
    ("velvet.moose.91", "security add-generic-password -a kim -s svc -w velvet.moose.91"),
    ("velvet.moose.91", "echo velvet.moose.91 | cryptsetup luksOpen /dev/sda2 x -"),
    ("velvet.moose.91", 'sudo -S <<< "velvet.moose.91" apt update'),
    ("velvet.moose.91", 'export DATABASE_URL="mysql://root:velvet.moose.91@localhost/shop"'),
    ("velvet.moose.91", "mount -t cifs //nas/x /mnt -o username=kim,password=velvet.moose.91"),
    ("velvet.moose.91", "# pass: velvet.moose.91"),
    ("velvet.moose.91", "x-api-key: velvet.moose.91"),
    (
        "velvet.moose.91",
        "2026-01-03T10:00:00Z ERROR LDAP bind failed: dn=cn=admin credentials=velvet.moose.91",
    ),
    (
        "velvet.moose.91",
        (
            'Jan 3 10:00:00 gw pppd[12]: sent [PAP AuthReq id=0x1 user="kim" '
            'password="velvet.moose.91"]'
        ),
    ),
    ("velvet.moose.91", "10:00 [main] INFO Config - spring.mail.password = velvet.moose.91"),
    ("velvet.moose.91", "GET /hook?secret=velvet.moose.91&x=1 HTTP/1.1 200"),
    ("velvet.moose.91", "DEBUG env: PATH=/usr/bin REDIS_PASS=velvet.moose.91 HOME=/root"),
    ("velvet.moose.91", "Temporary password: velvet.moose.91 (expires in 24h)"),
]
#: JSON, YAML and XML.
_DATA = [
    ("kimchi-stew-5", "  password: kimchi-stew-5"),
    ("honeybadger", '{"user": "app", "password": "honeybadger"}'),
    ("p4per-clip", '"dbPassword": "p4per-clip",'),
    ("cobalt_river_31", "[auth] login attempt user=kim pass=cobalt_river_31 ok"),
    ("tiger.lily.40", '<add key="ApiKey" value="tiger.lily.40" />'),
    ("tiger.lily.40", '<property name="password" value="tiger.lily.40"/>'),
    ("tiger.lily.40", "<password>tiger.lily.40</password>"),
    ("tiger.lily.40", "- name: DB_PASSWORD\n  value: tiger.lily.40"),
    ("tiger.lily.40", '{"name": "DB_PASSWORD", "value": "tiger.lily.40"}'),
    ("tin-kettle-5", 'smtp:\n  auth:\n    user: mailer\n    pass: "tin-kettle-5"'),
    ("tin-kettle-5", 'env:\n  - name: REDIS_PASSWORD\n    value: "tin-kettle-5"'),
    ("tin-kettle-5", "stringData:\n  admin-password: tin-kettle-5"),
    ("tin-kettle-5", 'wifi:\n  ssid: "Home"\n  password: tin-kettle-5'),
    ("tin-kettle-5", '{"wifi":{"ssid":"h","psk":"tin-kettle-5"}}'),
    ("tin-kettle-5", '{"auth":{"username":"kim","password":"tin-kettle-5"}}'),
    ("tin-kettle-5x1", '{"apiKey":"tin-kettle-5x1","region":"eu"}'),
    ("tin kettle 5 whistling", '{"passphrase":"tin kettle 5 whistling"}'),
    ("4417#", '{"door_code":"4417#","site":"B"}'),
    ("8823", '{"pin":"8823"}'),
    ("8823", '{"pin": 8823}'),
    (
        "tin-kettle-5",
        "[2026-11-03 09:14:22] WARN auth: rejected password 'tin-kettle-5' for user kim",
    ),
    ("Str0ng&Pass", "<Password>Str0ng&Pass</Password>"),
    (
        "velvet.moose.91",
        (
            'kafka:\n  sasl.jaas.config: \'PlainLoginModule required username="a" '
            'password="velvet.moose.91";\''
        ),
    ),
    ("velvet.moose.91", "rabbitmq:\n  default_pass: velvet.moose.91"),
    ("velvet.moose.91", "users:\n  - {name: kim, password: velvet.moose.91}"),
    ("velvet.moose.91", 'grafana:\n  adminPassword: "velvet.moose.91"'),
    ("velvet.moose.91", "oauth:\n  clientId: abc\n  clientSecret: velvet.moose.91"),
    ("velvet.moose.91", "encryption:\n  passphrase: |\n    velvet.moose.91"),
    ("velvet.moose.91x", '{"private_key": "velvet.moose.91x"}'),
    ("velvet.moose.91", '{"smtp":{"user":"a","pass":"velvet.moose.91"}}'),
    ("velvet.moose.91", '{"wifiPassword":"velvet.moose.91"}'),
    ("velvet.moose.91", '{"webhookSecret" : "velvet.moose.91"}'),
    ("velvet.moose.91", '{"credentials":{"login":"a","pwd":"velvet.moose.91"}}'),
    ("velvet.moose.91", '{"encryptionKey":"velvet.moose.91"}'),
]
#: Programs.
_CODE = [
    ("octopus_blue_17", '#define WIFI_SECRET "octopus_blue_17"'),
    ("tulip-fields-88", '#define MQTT_PASS "tulip-fields-88"'),
    ("p4per_clip_9", "const dbPassword = 'p4per_clip_9';"),
    ("tiger.lily.40", 'static const char *kPassword = "tiger.lily.40";'),
    ("tiger.lily.40", 'char wifi_pwd[] = "tiger.lily.40";'),
    ("tiger.lily.40", 'strcpy(cfg.password, "tiger.lily.40");'),
    ("bumblebee!lamp3", "pwd for staging => bumblebee!lamp3"),
    ("tin-kettle-5abc", '#define API_TOKEN "tin-kettle-5abc"'),
    ("tin-kettle-5", 'const char* mqtt_password = "tin-kettle-5";'),
    ("tin-kettle-5abc", '#define ENCRYPTION_KEY ("tin-kettle-5abc")'),
    ("tin-kettle-5", 'static char passwd[32] = "tin-kettle-5";'),
    ("tin-kettle-5", 'WiFi.begin("Home", "tin-kettle-5");'),
    ("tin-kettle-5", 'mqtt.connect("dev1", "user", "tin-kettle-5");'),
    ("tin-kettle-5", 'if (strcmp(password, "tin-kettle-5") == 0) {'),
    ("velvet.moose.91", '#define OTA_PASSWORD      "velvet.moose.91"'),
    ("velvet.moose.91", "#define DB_PASS velvet.moose.91"),
    ("velvet.moose.91", 'static const uint8_t kDeviceKey[] = "velvet.moose.91";'),
    ("velvet.moose.91", 'const char *ssid = "h", *pass = "velvet.moose.91";'),
    ("velvet.moose.91", 'snprintf(url, sizeof url, "http://kim:velvet.moose.91@host/");'),
    ("velvet.moose.91", 'config.api_key = "velvet.moose.91";'),
    ("velvet.moose.91", 'curl_easy_setopt(curl, CURLOPT_PASSWORD, "velvet.moose.91");'),
    (
        "velvet.moose.91",
        'mysql_real_connect(conn, "db", "app", "velvet.moose.91", "shop", 0, NULL, 0);',
    ),
    ("velvet.moose.91", 'char *secret = strdup("velvet.moose.91");'),
]
#: Statements.
_SQL = [
    ("whale-song-2", "CREATE USER report IDENTIFIED BY 'whale-song-2';"),
    ("whale_song_2", "ALTER ROLE app WITH PASSWORD 'whale_song_2';"),
    ("plainword99", "CREATE USER app WITH ENCRYPTED PASSWORD 'plainword99';"),
    ("greenhouse7", "ALTER USER sam IDENTIFIED BY greenhouse7;"),
    ("pear-tree-5", "kubectl create secret generic db --from-literal=password=pear-tree-5"),
    ("tiger.lily.40", "INSERT INTO users (email, password) VALUES ('a@b.c', 'tiger.lily.40');"),
    ("tiger.lily.40", "UPDATE users SET password = 'tiger.lily.40' WHERE id = 3;"),
    ("tiger.lily.40", "SET PASSWORD FOR 'app'@'%' = PASSWORD('tiger.lily.40');"),
    (
        "wet-cement-77q",
        "kubectl -n prod create secret generic api --from-literal=API_TOKEN=wet-cement-77q",
    ),
    ("tin-kettle-5", "GRANT ALL ON shop.* TO 'u'@'%' IDENTIFIED BY 'tin-kettle-5';"),
    ("tin-kettle-5", "CREATE ROLE app LOGIN PASSWORD 'tin-kettle-5';"),
    ("tin-kettle-5", "ALTER LOGIN sa WITH PASSWORD = 'tin-kettle-5';"),
    (
        "tin-kettle-5",
        "CREATE USER MAPPING FOR u SERVER s OPTIONS (user 'u', password 'tin-kettle-5');",
    ),
    ("tin-kettle-5", "SELECT pgp_sym_decrypt(d, 'tin-kettle-5') FROM t;"),
    ("tin-kettle-5", "INSERT INTO config (name, value) VALUES ('api_secret', 'tin-kettle-5');"),
    ("velvet.moose.91", "docker service create --env MYSQL_PASSWORD=velvet.moose.91 x"),
    (
        "N'velvet.moose.91",
        "CREATE LOGIN app WITH PASSWORD = N'velvet.moose.91', CHECK_POLICY = OFF;",
    ),
    ("velvet.moose.91", "ALTER USER postgres PASSWORD 'velvet.moose.91';"),
    (
        "velvet.moose.91",
        "create user kim@'%' identified with mysql_native_password by 'velvet.moose.91';",
    ),
    (
        "velvet.moose.91",
        (
            "CREATE SUBSCRIPTION s CONNECTION 'host=db user=rep password=velvet.moose.91' "
            "PUBLICATION p;"
        ),
    ),
    ("velvet.moose.91", "-- app password is velvet.moose.91"),
    ("velvet.moose.91", "OPEN SYMMETRIC KEY k DECRYPTION BY PASSWORD = 'velvet.moose.91';"),
    (
        "velvet.moose.91",
        (
            "INSERT INTO accounts(id, login, passwd, role) VALUES (4, 'kim', 'velvet.moose.91', "
            "'admin'), (5, 'lee', 'x', 'u');"
        ),
    ),
    ("velvet.moose.91", "SELECT * FROM users WHERE login='kim' AND password='velvet.moose.91';"),
]
#: Papers and wallets.
_PAPERS = [
    ("otter99pond", "yo the netflix pass is otter99pond"),
    (
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
        (
            "seed phrase: abandon ability able about above absent absorb abstract absurd abuse "
            "access accident"
        ),
    ),
    (
        "ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric oyster",
        (
            "my wallet mnemonic is ribbon canyon velvet orbit maple siren pottery quantum zebra "
            "lunar fabric oyster"
        ),
    ),
    ("C01X00T47", "passport number is C01X00T47"),
    ("D1234567", "my driver's license number is D1234567"),
    ("DE89370400440532013000", "IBAN DE89370400440532013000"),
    ("DE89 3704 0044 0532 0130 00", "send it to DE89 3704 0044 0532 0130 00 please"),
    ("GB82WEST12345698765432", "account: GB82WEST12345698765432"),
    ("M70689098", "passport: M70689098"),
    ("GB29 NWBK 6016 1331 9268 19", "Please pay to GB29 NWBK 6016 1331 9268 19"),
    ("ABCDE-12345-FGHIJ-67890", "recovery key: ABCDE-12345-FGHIJ-67890"),
    ("a8c2-99fd, 77ba-1c2e, 90de-44aa", "Save these backup codes: a8c2-99fd, 77ba-1c2e, 90de-44aa"),
    (
        "session=velvet.moose.91aa77bb66cc; Path=/",
        "Set-Cookie: session=velvet.moose.91aa77bb66cc; Path=/",
    ),
]
_HARMLESS = [
    "v2는 API 키 걷어내고 OAuth로 바꿨어요",
    "The office wifi is HomeNet-5G.",
    "wifi: Birch_House_2.4G",
    "가게 와이파이: KT_Gold_5G-guest",
    "password = get_password()",
    "key = lambda x: x.name",
    "token: str",
    "for key, value in items:",
    "password = user.password",
    "password=password",
    "password = new_password",
    'password: str = ""',
    'def login(user, password="")',
    "sorted(rows, key=itemgetter(1))",
    'sort_key = "created_at"',
    "primary key (id)",
    "PRIMARY_KEY=id",
    "you should change your password every month",
    "the password field is required",
    "비밀번호를 바꿔야 해",
    "비밀번호는 8자 이상이어야 합니다",
    "비밀번호 정책이 바뀌었다",
    "the password is required",
    "the password is case-sensitive",
    "the password is base64-encoded",
    "The password is hashed with SHA-256.",
    "the password must be at least 12 characters",
    "password reset link expires in 24 hours",
    "토큰은 하루 뒤에 만료된다",
    "키는 178cm 이다",
    "내 키는 165 인데 몸무게는 비밀",
    "press the Enter key to continue",
    "the key is to listen",
    "the key takeaway is 3-fold",
    "a key insight from 2024-11",
    "피아노 키는 88개",
    "핀 번호를 잊어버렸어",
    "암호화폐 가격이 3% 올랐다",
    "DB_PASSWORD=$DB_PASSWORD",
    "DB_PASSWORD=${DB_PASSWORD:-}",
    "DB_PASSWORD={{ vault_db_password }}",
    "password: !vault |",
    "password: <your-password>",
    "API_KEY=your-api-key-here",
    "API_KEY=changeme",
    'password=os.environ["DB_PASSWORD"]',
    'api_key = os.getenv("API_KEY")',
    '"password": "string"',
    '"password": null',
    '"password": true',
    '"token": "access_token"',
    "max_tokens=4096",
    "max_tokens: 4096",
    "token_count = 1234",
    'next_page_token="abc123def"',
    "tokens: 128000",
    "password_min_length: 12",
    "PASSWORD_RESET_TIMEOUT=259200",
    "password_hash_algorithm=argon2id",
    "key_size = 2048",
    "keyboard: us-intl-5",
    "hotkey=ctrl+shift+p",
    'cache_key = f"user:{id}"',
    "partition_key: user_id",
    "public_key: ssh-ed25519",
    "secret_name: db-credentials-v2",
    "secretName: my-tls-secret-1",
    "secretKeyRef:",
    "passwordFile: /run/secrets/db_password",
    "password_file=/run/secrets/db",
    "compass=north42",
    "bypass=true1",
    "monkey=banana123",
    "pin_memory=True",
    "pin: GPIO_17",
    "LED_PIN=13",
    "#define LED_PIN 13",
    "#define BUTTON_PIN 4",
    "#define KEY_ENTER 0x0D",
    "#define MAX_TOKENS 256",
    "const KEY_CODES = { enter: 13 };",
    "keyCode === 13",
    "error code is 404",
    "status code: 500",
    "exit code 137",
    "zip code 90210",
    "country code: +82",
    "우편번호 06234",
    "전화번호 02-1234-5678",
    "코드는 500 줄이다",
    "tracking number is 1Z999AA10123456784",
    "ticket key is OPS-1432",
    "The primary key is user_id2",
    "the token is expired",
    "the secret is out",
    "the secret to good kimchi is 3 days of patience",
    "Passwords were rotated in 2026-11.",
    "the password for db01 is in 1Password",
    "비밀번호는 1Password 에 있어",
    "암호는 AES-256-GCM으로 한다",
    "비밀번호는 bcrypt 로 해시한다",
    "비번은 나중에 알려줄게",
    "비번 바꾸는 법: 설정 > 보안",
    "비밀번호 찾기 페이지는 /reset 이다",
    "passport photos cost 12.99",
    "여권 사진은 3.5x4.5",
    "여권은 2031-05-02에 만료된다",
    "driver's license renewal costs $40",
    "운전면허 갱신은 2027년까지",
    "license: MIT",
    'license = "Apache-2.0"',
    "License :: OSI Approved :: BSD License",
    "recovery code path is tested in test_recovery_42",
    "backup codes are printed once",
    "seed = 42",
    "random_seed: 1234",
    "seed phrase backups should never be photographed",
    "the seed phrase has twelve words that you should write down on paper and keep somewhere safe",
    "salt: 2 tsp",
    "secret santa is on 12/24",
    'type="password" name="pw1"',
    '<input type="password" id="password2">',
    "password_confirmation: params[:password_confirmation]",
    'if password == "":',
    "assert password != None",
    'raise ValueError("password must not be empty")',
    'password = input("Password: ")',
    'password := flag.String("password", "", "the password")',
    'String password = request.getParameter("password");',
    "password: process.env.DB_PASSWORD,",
    "password: config.db.password,",
    "auth = (user, password)",
    "$password = $_POST['password'];",
    "let token = try await fetchToken()",
    "token = match.group(1)",
    "key = (a, b)",
    "dict[key] = value1",
    "key=value1&other=2",
    '"key": "value1"',
    "--password-stdin",
    "-p 8080:80",
    "docker run -p 5432:5432 postgres",
    "ssh -p 2222 kim@host",
    "mkdir -p build/dir2",
    "cp -a src/dir1 dst/dir2",
    'git commit -a -m "x1"',
    "login: kim@example.com",
    "log in at host:8080",
    "계정은 kim@example.com 입니다",
    "와이파이 5G 신호가 약하다",
    "와이파이는 2.4GHz/5GHz 를 지원한다",
    "password strength: 4/5",
    "Password policy v2.1 applies from 2026-12-01",
    "인증 코드는 5분 뒤 만료됩니다",
    "pw 관련 이슈는 PROJ-123 참고",
    "token bucket of 100 req/s",
    "The API key page is at /settings/keys2",
    "see RFC6749 for the token endpoint",
    "passing tests: 120",
    "passed=31 failed=2",
    "pass 2 of 3",
    "passenger count = 42",
    "The password field accepts 8 to 64 characters.",
    "Our password policy changed on 2026-05-01, see SEC-114.",
    "If you forget your password, click Forgot password on page 2.",
    "I rotated all the tokens yesterday.",
    "The token limit is 200k and the key size is 2048 bits.",
    "He used sha512crypt for password hashing.",
    "the API key belongs in .env.local, never in config.py",
    "Check the key in src/keys/manager_v2.ts",
    "We need two keys: one for the door, one for the shed.",
    "pin the dependency to version 1.2.3",
    "pin numpy==1.26.4",
    "My PIN is blocked after 3 attempts.",
    "The secret ingredient is 2 tablespoons of miso.",
    "Use a passphrase of at least 5 words.",
    "The wifi password is on the fridge.",
    "the wifi password is written on the back of router2",
    "The password is the same as last year.",
    "The password is my dog's name.",
    "password reset token expires after 15min",
    "Set PASSWORD_MIN_LENGTH=12 in settings.",
    "export PATH=$HOME/bin:$PATH",
    "export KEYBOARD_LAYOUT=us-intl",
    "TOKENIZERS_PARALLELISM=false",
    "SECRET_KEY=$(openssl rand -hex 32)",
    "SECRET_KEY=${SECRET_KEY:?missing}",
    "password: \"{{ lookup('env', 'DB_PASSWORD') }}\"",
    "password: ${DB_PASSWORD}",
    "passwordSecretRef: db-credentials-v2",
    "secretRef:\n  name: app-secrets-v1",
    "existingSecret: redis-auth-2",
    "valueFrom:\n  secretKeyRef:\n    name: db-secret\n    key: password1",
    "key: value2",
    "imagePullSecrets:\n  - name: regcred-2",
    "api_version: v1beta1",
    "api_key_required: true",
    "token_type: bearer",
    '{"token_type":"Bearer","expires_in":3600}',
    '{"password":{"type":"string","minLength":8}}',
    '{"passwordHint":"name of first pet"}',
    '{"key":"user-42","value":"x"}',
    '{"auth":"none"}',
    '{"keys":["a1","b2"]}',
    '"password": "Passwort",',
    '"password": "비밀번호",',
    '"forgotPassword": "Forgot your password?",',
    '"passwordTooShort": "Password must be at least 8 characters"',
    "#define PASSWORD_MAX 64",
    "#define TOKEN_COUNT 12",
    "#define KEY_UP 72",
    "#define PIN_LED 13",
    'const char *token = strtok(buf, ",");',
    "char password[64];",
    "size_t key_len = strlen(key);",
    "if (key == NULL) return -1;",
    "int pass = run_tests(argc);",
    'printf("password: %s\n", password);',
    "CREATE TABLE users (id INT PRIMARY KEY, password VARCHAR(255) NOT NULL);",
    "SELECT password FROM users WHERE id = 42;",
    "ALTER TABLE users ADD COLUMN password_hash TEXT;",
    "CREATE INDEX idx_token ON sessions(token);",
    "INSERT INTO users (name, password) VALUES (?, ?);",
    "UPDATE users SET password = :password WHERE id = 3;",
    "INFO auth: user kim changed password",
    "WARN password check failed for user kim (3 attempts)",
    "ERROR invalid token at line 42",
    "DEBUG cache key=user:42:profile hit",
    "tokens used: 1532/4096",
    "INFO key rotation finished in 12s",
    "비밀번호 8자리 이상 입력하세요",
    "비밀번호 찾기는 1588-1234로 전화",
    "비번 3번 틀리면 잠긴다",
    "비번을 자꾸 까먹어서 큰일이야",
    "비번 바꾼지 3개월 됐어",
    "암호는 영문+숫자 조합 8자 이상",
    "토큰 4096개까지 가능",
    "키 175에 몸무게 68",
    "이 키는 Ctrl+Shift+P 야",
    "키는 config.yaml 에 저장해",
    "API 키는 .env 에 넣어",
    "여권 만료가 2027년 3월이라 갱신해야 해",
    "면허 딴 지 10년 됐어",
    "계정은 2개까지 만들 수 있어",
    "와이파이 비번은 벽에 붙어 있어",
    "비밀번호는 관리자에게 문의하세요",
    "비밀번호가 일치하지 않습니다.",
    "로그인 페이지 /login 에서 /auth/v2 로 변경",
    "접속 정보는 위키 참고",
    "핀 배치는 GPIO4, GPIO5",
    "복구 코드를 출력해 두세요",
    "시드 값은 42로 고정",
    "seed: 1234",
    "set the seed to 20240501",
    "the license is Apache-2.0",
    "driver version 535.129.03",
    "passport.js 0.7.0",
    "backup code lives in backup_v2.py",
]


def _find_cut(text: str) -> tuple[str, ...]:
    """Return what redaction cuts from a text, each value from its first character to its last."""
    kept = re.split(r"\[redacted:[a-z-]+\]", redact(text))
    found = re.fullmatch("(.+?)".join(map(re.escape, kept)), text, re.DOTALL)
    return found.groups() if found else ()


@for_each_row([*_PROSE, *_KOREAN, *_SHELL, *_DATA, *_CODE, *_SQL, *_PAPERS])
def test_no_piece_of_a_secret_is_left(secret: str, text: str) -> None:
    assert secret in _find_cut(text)
    assert secret not in redact(text)
    assert redact(text).count("\n") == text.count("\n")


@for_each_row(_HARMLESS)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert redact(text) == text
    assert redact_source(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('#define WIFI_SECRET "octopus_blue_17"', '#define WIFI_SECRET "[redacted:password]"'),
        ("password = kangaroo_42", "password = kangaroo_42"),
        ("password='kangaroo_42'", "password='[redacted:password]'"),
        ("key = lambda row: row[1]", "key = lambda row: row[1]"),
        (
            'setenv("DB_PASSWORD", "kangaroo_42", 1)',
            'setenv("DB_PASSWORD", "[redacted:password]", 1)',
        ),
    ],
)
def test_in_source_code_only_literals_are_secrets(text: str, clean: str) -> None:
    assert redact_source(text) == clean


@pytest.mark.parametrize(
    "value",
    [
        "kangaroo_42",
        "sunny-day-7",
        "Winter_2026!",
        "tiger.lily.40",
        "honeybadger",
        "it#is&me9",
        "봄날의고양이2026!",
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        "DB_PASSWORD",
        "smtp.pass",
        "dbPasswd",
        "--admin-password",
        "WIFI_PWD",
        "MYSQLPASSWORD",
        "vpn_passphrase",
        "app_secret_pw",
    ],
)
def test_a_name_that_can_only_name_a_secret_beats_the_shape_of_its_value(
    name: str, value: str
) -> None:
    assert redact(f"{name}={value}") == f"{name}=[redacted:password]"
    assert redact(f'{name}="{value}"') == f'{name}="[redacted:password]"'


@pytest.mark.parametrize(
    "reference",
    [
        "$PW",
        "${PW}",
        "${PW:-}",
        "$(pass show db)",
        "{{ vault.pw }}",
        "<password>",
        "os.environ['PW']",
        "get_password()",
        "null",
        "None",
        "true",
        "changeme",
        "your-password",
        "%PW%",
        "vault:secret/db#pw",
        "op://vault/db/password",
        "********",
    ],
)
def test_what_refers_to_a_secret_elsewhere_stays(reference: str) -> None:
    assert redact(f"DB_PASSWORD={reference}") == f"DB_PASSWORD={reference}"
    assert redact(f"db_password: {reference}") == f"db_password: {reference}"


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("DB_PASSWORD", True),
        ("dbPassword", True),
        ("PGPASSWORD", True),
        ("password_prod", True),
        ("rootpw", True),
        ("kApiKey", True),
        ("NTRIP_KEY", True),
        ("unseal-key", True),
        ("clientSecret", True),
        ("GITLAB_TOKEN", True),
        ("door_code", True),
        ("STORE_API", True),
        ("password_length", False),
        ("compass", False),
        ("bypass", False),
        ("monkey", False),
        ("primary_key", False),
        ("SORT_KEY", False),
        ("max_tokens", False),
        ("next_page_token", False),
        ("error_code", False),
        ("get_password", False),
        ("publicKeyToken", False),
        ("secret_name", False),
        ("passwordHash", False),
        ("api", False),
    ],
)
def test_the_last_noun_of_a_name_says_what_it_holds(name: str, holds: bool) -> None:
    assert (read_name(name) is not None) is holds


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row.kind.value)
def test_each_kind_of_name_proves_itself(row: NameRow) -> None:
    noun = read_name(row.example)
    assert noun is not None
    assert noun.kind is row.kind
    assert read_name(row.counter_example) is None


#: A name that can name nothing but a secret: any literal beside it is one, in whatever form
#: settings are written.
_WHOLE = [
    ("otter-on-a-raft", "ADMIN_PASSWORD=otter-on-a-raft\nPORT=80"),
    ("otter-on-a-raft", "db:\n  password: otter-on-a-raft\n  host: x"),
    ("otter on raft", "db:\n  password: otter on raft\n  host: x"),
    ("otter on raft", "app.db.password=otter on raft\napp.db.user=kim"),
    ("otterraft", "<server><password>otterraft</password></server>"),
    ("otterraft", '<add key="SmtpPassword" value="otterraft" />'),
    ("otterraft", "spring.datasource.password = otterraft"),
    ("otterraft", 'datasource {\n  user = "app"\n  password             = "otterraft"\n}'),
    ("otterraft", "environment:\n  - MYSQL_ROOT_PASSWORD=otterraft"),
    ("Otter Raft 31", '$c = ConvertTo-SecureString "Otter Raft 31" -AsPlainText'),
    ("Otter Raft", "vault kv put secret/mail user=a smtp_pass='Otter Raft'"),
    ("otter.raft", "docker login r.example --username kim --password otter.raft"),
    ("수달뗏목놀이", "MAIL_PASSWORD=수달뗏목놀이\nMAIL_USER=a"),
    ("수달뗏목", '{"아이디": "kim", "암호": "수달뗏목"}'),
    ("수달최고7", "sshpass -p '수달최고7' ssh -p 22 kim@h 'ls'"),
    ("Otterraft", '        storePassword "Otterraft"'),
    ("otter raft sea", '#define WIFI_PSK         "otter raft sea"'),
    ("otterraft77", '#define AP_PHRASE "otterraft77"'),
    ("otter raft", "CREATE USER kim IDENTIFIED BY 'otter raft';"),
    (
        "otter#2004",
        "INSERT INTO m (id, login_secret) VALUES\n  ('a', 'raft!2580'),\n  ('b', 'otter#2004');",
    ),
    ("otter_Raft", '"jdbc:oracle:thin:app/otter_Raft@//db:1521/X"'),
    # Eight words are a passphrase, nine a sentence.
    (
        "maple kettle ninety nine pears tin7x eight lamp",
        'my wifi password is "maple kettle ninety nine pears tin7x eight lamp"',
    ),
    ("1212", "redis://:1212@cache"),
    ("mango_Tree9", "f(password=mango_Tree9, x)"),
    ("sunflower", 'the password is "sunflower", ok'),
    ("summer2day", "https://a.b/?reg_token=summer2day&x=1"),
    ("kq7zw4xv9b", '{"device_token": "kq7zw4xv9b"}'),
    ("otter on raft", "app.db.user=kim\napp.db.password=otter on raft"),
    ("otter on raft", "db:\n  user: kim\n  password: otter on raft\n"),
    ("raf77qzx", "access_token=raf77qzx"),
    ("raf77qzx", "KIM_TOKEN=raf77qzx"),
    ("otter7", "sshpass -p 'otter7' ssh a"),
    ("Otter7raft", "hostname a\nserver 10.0.0.1 key Otter7raft\n"),
    ("tiger.lily.5b", "암호 = tiger.lily.5b"),
    ("otter-77", "API_KEY=otter-77"),
    ("pine-co", 'check_password("pine-co")'),
    ("pa7sw", 'check_password("pa7sw")'),
    ("%Otter7raft", "DB_PASSWORD=%Otter7raft"),
    ("otter7raft", 'printf "DB_PASSWORD=otter7raft\\n" >> .env'),
    ("m9ond", "비번은 m9ond"),
    ("0pWc8Rk7sYb3NdUe5GfJ", "IAM access key와 짝이 되는 값은 0pWc8Rk7sYb3NdUe5GfJ 입니다"),
    (
        "wJ5q/vLq1ZmX+bpWc5RkbsYbaNdUeaGfJ",
        "IAM access key와 짝이 되는 값은 wJ5q/vLq1ZmX+bpWc5RkbsYbaNdUeaGfJ 입니다",
    ),
    ("abCdeFghIjk2lmN5pQrstu", "x_live_abCdeFghIjk2lmN5pQrstu"),
    (
        "aB3dE6gH9jK2mN.atlasv1.aB3dE6gH9jK2mN5pQ8sT1vW4aB3dE6gH9jK2mN5pQ8sT1vW4aB3dE6gH9jK2m",
        "aB3dE6gH9jK2mN.atlasv1.aB3dE6gH9jK2mN5pQ8sT1vW4aB3dE6gH9jK2mN5pQ8sT1vW4aB3dE6gH9jK2m",
    ),
]
_WHOLE_HARMLESS = [
    "DB_PASSWORD=\nSESSION_LIFETIME=120",
    '"password": "Password"',
    '"password": "Enter your password"',
    '"password": "This field is required."',
    '{"args": {"pass": "through"}}',
    "RUN build --secret id=npmrc then go",
    "STRIPE_KEY=sk_test_xxxxxxxxxxxxxxxx",
    "db:\n  password: required for all users\n  host: x",
    '"암호": "암호를 입력하세요"',
    'password_field = "password"',
    "INSERT INTO m (id, note) VALUES ('a', 'otter#2004');",
    "if password = letterbox then go",
    'x11vnc -passwd "password1"',
    "x11vnc -passwd '$PASS'",
    "The password is rotating.",
    'the password is "required"',
    'password = "%stone"',
    "https://a.b/?reg_token=summer2da&x=1",
    '{"device_token": "kq7zw4xv9"}',
    "API_TOKEN=raf77qz",
    "x_live_abCdeFghIjk2lmNopQrstu",
    "비번은 m9on",
    "API_KEY=otter-7",
    "OTP: 482",
    "OTP: 48Z",
    "key BlueGate",
    "IAM access key와 짝이 되는 값은 0pWc8Rk7sYb3NdUe5Gf 입니다",
]
#: Columns and labels of tables.
_TABLES = [
    ("otter-raft", "site,login,pass,note\nshop,kim@x.example,otter-raft,old"),
    ("7306", "site,login,pass,note\nlibrary,2993,7306,card"),
    ("Otter&Raft", "이름,계정,초기비밀번호\n김,kim,Otter&Raft"),
    (
        "otter-raft-oslo",
        "| Role | Login | Passphrase |\n|---|---|---|\n| a | a@x.example | otter-raft-oslo |",
    ),
    ("수달수달1234", "| 구분 | 값 |\n|---|---|\n| 계정 | demo |\n| 패스워드 | 수달수달1234 |"),
    (
        "수달바람7",
        "  login | temp_pw | team\n-------+---------+------\n kim | 수달바람7 | a\n(1 row)",
    ),
    ("otterraft7", "name\tlogin\tpasscode\nA\tkim\totterraft7\n"),
    ("pine-cone", "| host | user | password |\n|---|---|---|\n| | kim | pine-cone |"),
    ("pine-cone", "host | user | password |\n|---|---|---|\n| | kim | pine-cone |"),
]
_TABLES_HARMLESS = [
    "| Option | Type | Text |\n|---|---|---|\n| password | string | The password |",
    "| Feature | Password | Token |\n|---|---|---|\n| works | yes | no |",
    "host,user,password\n",
    "a,b,password,c\nplain text that goes on, and on, and on, and on",
]
#: Later in the paragraph, in the answer, in a list.
_FAR = [
    (
        "Otter2017",
        "who has the prod login? SSO is down\n> the usual one, the dog and his year: Otter2017",
    ),
    ("raft77otter", "wifi is 'Sea_Guest' and you type raft77otter"),
    ("수달뗏목2023", "민: 와이파이 비번 뭐였지?\n수: 아 그거 바뀌었어 수달뗏목2023 이야"),
    ("tnekf2023raft", "암호는 그대로고 영타로 tnekf2023raft"),
    ("수달의꿈8", '운영 암호를 "뗏목의꿈7"에서 "수달의꿈8"로 바꿨다'),
    ("뗏목의꿈7", '운영 암호를 "뗏목의꿈7"에서 "수달의꿈8"로 바꿨다'),
    ("70316", "뒷문 도어락은 별표 누르고 70316 누른 다음 별표"),
    ("7031#", "keypad by the loading dock still works: 7031# then push"),
    ("7-1-3-6", "lockbox is on the left, 7-1-3-6, then pull"),
    ("0731*44", "- 뒷문 도어락\n  0731*44\n- 카드"),
    ("731604", "tablet passcode\n731604\n"),
    ("5d1e9-60bd2", "my 2FA backup codes:\n\n- [x] used\n- [ ] 5d1e9-60bd2"),
    ("seven brown otters", 'our phone passphrase, which Ann set to "seven brown otters"'),
]
_FAR_HARMLESS = [
    "The login page was rebuilt in Python311 and it is fast.",
    "Log in with the web console: it runs on Ubuntu2204 and is called v2.",
    "카카오 로그인 사용자가 60%예요.",
    "비밀번호 정책이 바뀐 건 2023년이야",
    "the gate opened at 1830 and closed at 2100",
    "현관 공사는 2024년에 끝났고 비용은 3000만 원",
    "backup codes\n- print them\n- keep them",
]
_SEED = (
    "ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric oyster lantern "
    "meadow copper violin harbor thunder walnut crystal feather saddle bamboo marble"
).split()
#: Numbers of papers, by their noun and form.
_NUMBERS = [
    ("563180427", "The form wants my passport no. Is it the one up top, 563180427?"),
    ("M615B2748", "여권 만료\n나: M58203917 (2029년)\n지우: M615B2748, 내년"),
    ("BRONT756091RJ4KD", "my driving licence number, which is BRONT756091RJ4KD"),
    ("352-0816-7294-13", "농협 통장 352-0816-7294-13"),
    ("417", "the new Visa, exp 11/27, security code 417."),
    ("GB29NWBK60161331926819", "please use GB29NWBK60161331926819"),
    (
        "ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric oyster",
        (
            "Twelve words in order: ribbon canyon velvet orbit maple siren pottery quantum zebra "
            "lunar fabric oyster."
        ),
    ),
    ("a1b-2c3 d4e-5f6", "my backup codes: a1b-2c3 d4e-5f6"),
    ("900101-1234567", "홍길동 (900101-1234567)"),
    # 1904 and 2000 had a 29th of February, 1900 had none.
    ("040229-1234567", "주민등록번호 040229-1234567"),
    ("000229-3234567", "주민등록번호 000229-3234567"),
    # Its last digit proves a number; of a foreigner it counts from thirteen, or from eleven.
    ("851231-2000050", "order 851231-2000050 ok"),
    ("851231-2000071", "order 851231-2000071 ok"),
    ("851231-2000086", "order 851231-2000086 ok"),
    ("8512312000071", "at 8512312000071 ok"),
    ("900315-5123452", "no 900315-5123452 ok"),
    ("900315-5123450", "no 900315-5123450 ok"),
    # What may be a time in milliseconds is one, unless something names it.
    ("1712311234569", "주민번호 1712311234569 ok"),
    ("171231-1234569", "at 171231-1234569 ok"),
    (" ".join(_SEED), f"seed phrase: {' '.join(_SEED)}"),
    (" ".join(_SEED[:12]), f"seed phrase: {' '.join(_SEED[:12])}"),
]
_NUMBERS_HARMLESS = [
    "passport-jwt 4.0.1 and passport.js",
    "계좌 이체 문의는 1588-2100",
    "통장은 2024-05-01에 만들었다",
    "card 4 of 10, security code is on the back",
    "주민등록번호 000229-1234567",
    "order 851231-2000051 ok",
    "order 851231-2000072 ok",
    "order 851231-2000087 ok",
    "no 900315-5123457 ok",
    "at 1712311234569 ok",
    f"seed phrase: {' '.join(_SEED[:11])}",
    f"seed phrase: {' '.join(_SEED)} pepper",
]


@pytest.mark.parametrize(
    ("secret", "text"),
    [*_WHOLE, *_TABLES, *_FAR, *_NUMBERS],
    ids=lambda text: text[:40].replace("\n", " "),
)
def test_a_secret_is_found_by_its_noun_wherever_the_noun_stands(secret: str, text: str) -> None:
    assert secret in _find_cut(text)
    assert secret not in redact(text)
    assert redact(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [*_WHOLE_HARMLESS, *_TABLES_HARMLESS, *_FAR_HARMLESS, *_NUMBERS_HARMLESS],
    ids=lambda text: text[:40],
)
def test_what_stands_near_the_noun_of_a_secret_and_is_none_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "It works in the browser with otter!ep2.\n$ docker login -u deploy -p "
                "'otter!ep2'\ndenied"
            ),
            (
                "It works in the browser with [redacted:password].\n$ docker login -u deploy -p "
                "'[redacted:password]'\ndenied"
            ),
        ),
        (
            "tulip7moon이라고 썼는데\nDB_PASSWORD=tulip7moon",
            "[redacted:password]이라고 썼는데\nDB_PASSWORD=[redacted:password]",
        ),
        # A part of another word, a plain word and a short number mean something else there.
        (
            "DB_PASSWORD=tulip7moon\ntulip7moonlight",
            "DB_PASSWORD=[redacted:password]\ntulip7moonlight",
        ),
        (
            "DB_PASSWORD=sunflower\na sunflower in the field",
            "DB_PASSWORD=[redacted:password]\na sunflower in the field",
        ),
        ("bank pin is 4471, room 4471", "bank pin is [redacted:password], room 4471"),
        # Characters that nobody sees, letters in pieces and wide signs hide nothing.
        (
            "the wifi password is otter\u200b7raft, ok",
            "the wifi password is [redacted:password], ok",
        ),
        (
            f"비번은 {unicodedata.normalize('NFD', '수달뗏목7')} 이야",
            "비번은 [redacted:password] 이야",
        ),
        (
            f"비번은 {unicodedata.normalize('NFD', '7수달뗏목!')} 이야",
            "비번은 [redacted:password] 이야",
        ),
        ("password＝otter７raft！\u3000ok", "password＝[redacted:password]\u3000ok"),
        (
            "github recovery codes:\n8f3k-22mx\n91ab-cd34\n77zz-q1w2",
            "github recovery codes:\n[redacted:recovery-code]\n\n",
        ),
    ],
)
def test_a_secret_is_taken_out_wherever_it_stands_again(text: str, expected: str) -> None:
    assert redact(text) == expected
