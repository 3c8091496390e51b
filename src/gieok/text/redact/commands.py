"""Passwords on command lines: which program takes one behind which flag, or in which place.

A row is a program with the flag (or the words) before its password. A value is a literal there
whatever its shape; only what refers to one elsewhere (`$PW`, `"$(cat file)"`, `-`, a prompt) is
left.
"""

import re
from typing import NamedTuple

from gieok.text.redact.rule import Rule
from gieok.text.redact.value import is_placeholder, is_reference


class CommandRow(NamedTuple):
    """Programs, the pattern between the program and its password, and a line with and without
    one.
    """

    programs: str
    between: str
    example: str
    counter_example: str


#: Options and operands before the one that matters.
_ANY = r"(?: [^\n|;&]{0,300}?)??"
_PAIR = r"[\"']?[^\s:\"'=%]{1,64}"

_ROWS = (
    CommandRow(
        "redis-cli iredis valkey-cli keydb-cli",
        rf"{_ANY} -a[ =]?",
        "redis-cli -h cache -a coffee_bean_3 ping",
        "redis-cli --all-stats",
    ),
    CommandRow(
        "mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli",
        rf"{_ANY} -p",
        "mysql -uroot -pmaple_11 shop",
        "mysql -u root -p shop",
    ),
    CommandRow(
        "sshpass",
        rf"{_ANY} -p ?",
        "sshpass -p 'pear-tree-5' ssh root@10.0.0.5",
        "sshpass -f pwfile ssh host",
    ),
    CommandRow(
        "mongo mongosh mongodump mongorestore mongoexport mongoimport",
        rf"{_ANY} -p[ =]?",
        "mongosh -u admin -p pear-tree-5",
        "mongosh -p",
    ),
    CommandRow(
        "docker podman buildah skopeo helm nerdctl az oc",
        rf" [^\n|;&]{{0,40}}?login{_ANY} -p[ =]?",
        "docker login -u kim -p pear-tree-5",
        "docker run -p 8080:80 web1",
    ),
    CommandRow(
        "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami",
        rf"{_ANY} -[ws] ?",
        "ldapsearch -x -w pear-tree-5",
        "ldapsearch -x -W",
    ),
    CommandRow(
        "zip unzip zipcloak",
        rf"{_ANY} -P ?",
        "zip -P pear-tree-5 out.zip a.txt",
        "zip -r out.zip a",
    ),
    CommandRow(
        "7z 7za 7zz 7zr rar unrar", rf"{_ANY} -p", "7z x a.7z -ppear-tree-5", "7z x a.7z -p"
    ),
    CommandRow(
        "mosquitto_pub mosquitto_sub mosquitto_rr sqlcmd bcp ipmitool impala-shell",
        rf"{_ANY} -P ?",
        "mosquitto_pub -u dev -P pear-tree-5 -t x",
        "mosquitto_pub -p 1883",
    ),
    CommandRow(
        "smbclient smbget rpcclient mount.cifs net",
        rf"{_ANY} -U ?{_PAIR}%",
        "smbclient //nas/x -U kim%pear-tree-5",
        "smbclient //nas/x -U kim",
    ),
    CommandRow(
        "curl wget http https xh",
        rf"{_ANY} (?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?{_PAIR}:",
        "curl -u kim:pear-tree-5 https://x",
        "curl -u user:password https://x",
    ),
    CommandRow(
        "plink pscp psftp putty",
        rf"{_ANY} -pw ",
        "plink -ssh kim@h -pw pear-tree-5 ls",
        "plink -ssh kim@h -i key",
    ),
    CommandRow(
        "rdesktop", rf"{_ANY} -p ", "rdesktop -u kim -p pear-tree-5 host", "rdesktop -u kim host"
    ),
    CommandRow(
        "htpasswd",
        (
            rf"{_ANY} -[a-zA-Z]{{0,4}}b[a-zA-Z]{{0,4}}(?: -[a-zA-Z]{{1,6}}(?: \d{{1,2}})?){{0,3}} "
            rf"\S{{1,200}} \S{{1,60}} "
        ),
        "htpasswd -b .htpasswd kim pear-tree-5",
        "htpasswd -c .htpasswd kim",
    ),
    CommandRow(
        "htpasswd",
        r" -[a-zA-Z]{0,3}n[a-zA-Z]{0,3}(?: -[a-zA-Z]{1,6}(?: \d{1,2})?){0,3} \S{1,60} ",
        "htpasswd -nbB kim pear-tree-5",
        "htpasswd -n kim",
    ),
    CommandRow(
        "openssl",
        rf"{_ANY} (?:-pass|-passin|-passout)[ =][\"']?pass:",
        "openssl rsa -passin pass:pear-tree-5",
        "openssl rsa -passin env:PW",
    ),
    CommandRow(
        "lftp ncftp",
        rf"{_ANY} -u ?[\"']?[^\s,\"']{{1,64}},",
        "lftp -u kim,pear-tree-5 sftp://h",
        "lftp -u kim sftp://h",
    ),
    CommandRow(
        "openssl",
        rf"{_ANY} -k ",
        "openssl enc -aes-256-cbc -k pear-tree-5 -in a",
        "openssl enc -kfile f",
    ),
    CommandRow(
        "restic borg borgmatic snmpwalk snmpget",
        rf"{_ANY} -[AX] ",
        "snmpwalk -v3 -A pear-tree-5 host",
        "snmpwalk -v2c host",
    ),
    CommandRow(
        "snmpwalk snmpget snmpset snmpbulkwalk onesixtyone",
        rf"{_ANY} -c ",
        "snmpwalk -v2c -c pear-tree-5 host",
        "snmpwalk -v3 host",
    ),
    CommandRow(
        "security",
        rf"{_ANY} -w ",
        "security add-generic-password -a kim -w pear-tree-5",
        "security find-generic-password -a kim",
    ),
    CommandRow(
        "sudo",
        rf"{_ANY} -S[^\n|;]{{0,40}}<<< ?",
        'sudo -S <<< "pear-tree-5" reboot',
        "sudo -S reboot",
    ),
    CommandRow("useradd usermod", rf"{_ANY} -p ", "useradd -p pear-tree-5 kim", "useradd -m kim"),
    CommandRow(
        "vncpasswd ecryptfs-add-passphrase x11vnc",
        rf"{_ANY} -passwd ",
        "x11vnc -passwd pear-tree-5",
        "x11vnc -usepw",
    ),
)
_SECRET = r"(?P<secret>\"(?:\\[^\n]|[^\"\\\n]){3,200}\"|'[^'\n]{3,200}'|[^\s\"'-][^\s]{2,199})"
_WORDS_FOR_NONE = re.compile(
    r"(?i)pass|password|passwd|pw|pwd|secret|token|user|username|prompt|none|null|file|/\w+"
)


def _cut_flag_operand(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the operand of a flag without its quotes."""
    start, end = found.span("secret")
    value = found["secret"]
    is_quoted = value[:1] in "\"'"
    if is_quoted:
        start, end, value = start + 1, end - 1, value[1:-1]
    else:
        value = value.rstrip("`)\"'|;,")
        value = value[: value.find("`")] if "`" in value else value
        end = start + len(value)
    is_none = is_placeholder(value) or (
        is_reference(value) and not (is_quoted and found["secret"][0] == "'")
    )
    return None if len(value) < 3 or is_none or _WORDS_FOR_NONE.fullmatch(value) else (start, end)


def _cut_mapped_drive_password(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the password of a drive that is mapped; an option is none."""
    return None if found["secret"].startswith(("/", "\\\\")) else _cut_flag_operand(found)


def _build_command_rule(row: CommandRow) -> Rule:
    programs = row.programs.split()
    names = "|".join(map(re.escape, sorted(programs, key=len, reverse=True)))
    hints = tuple(dict.fromkeys(f"{name} " for name in programs))
    return Rule(
        name="password",
        hints=hints,
        pattern=rf"(?<![A-Za-z0-9_-])(?:{names})(?= ){row.between}{_SECRET}",
        example=row.example,
        counter_example=row.counter_example,
        cut=_cut_flag_operand,
        in_source=False,
    )


_SPECIAL = (
    Rule(
        name="password",
        hints=("securestring ",),
        pattern=(
            r"(?i:securestring(?<=convertto-securestring) (?:-string "
            r")?)(?P<secret>\"[^\"\n$]{3,200}\"|'[^'\n]{3,200}')"
        ),
        example='ConvertTo-SecureString "pear-tree-5" -AsPlainText',
        counter_example='ConvertTo-SecureString "$pw" -AsPlainText',
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("pass",),
        pattern=(
            rf"passphrase(?<=wpa_passphrase) (?:\"[^\"\n]{{1,32}}\"|'[^'\n]{{1,32}}'|\S{{1,32}}) "
            rf"{_SECRET}"
        ),
        example="wpa_passphrase Home pear-tree-5",
        counter_example="wpa_passphrase Home",
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("net use ",),
        pattern=(
            rf"(?i:net use) \S{{1,120}}(?: \\\\\S{{1,120}})? "
            rf"(?:(?i:/user:)\S{{1,60}} )?{_SECRET}"
        ),
        example="net use Z: \\\\nas\\x /user:kim pear-tree-5",
        counter_example="net use Z: \\\\nas\\x /persistent:yes",
        cut=_cut_mapped_drive_password,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("net user ",),
        pattern=rf"net user \S{{1,60}} {_SECRET}",
        example="net user kim pear-tree-5 /add",
        counter_example="net user kim /delete",
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("wifi connect ", "rclone obscure "),
        pattern=rf"(?:wifi connect \S{{1,60}} password|rclone obscure) {_SECRET}",
        example="nmcli dev wifi connect Home password otterraft",
        counter_example="rclone obscure -",
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("expect ",),
        pattern=(
            r"expect (?:-re )?[\"{][^\n\"}]{0,40}(?i:passw|passphrase)[^\n\"}]{0,20}[\"}]"
            r"[;\s]{1,20}send(?: --)? \"(?P<secret>[^\"\n$\\]{3,100})(?=\\[rn])"
        ),
        example='expect "password:"; send "otterraft\\r"',
        counter_example='expect "password:"; send "$pw\\r"',
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("operator unseal ",),
        pattern=rf"(?i:operator unseal) {_SECRET}",
        example="vault operator unseal Qm9vdHM-77+abcDEF==",
        counter_example="vault operator unseal -migrate",
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("pass",),
        pattern=rf"password(?<=change_password) \S{{1,60}} {_SECRET}",
        example="rabbitmqctl change_password app pear-tree-5",
        counter_example="rabbitmqctl change_password",
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("chpasswd",),
        pattern=(
            r"(?m:^|[\n;&(])[^\n]{0,20}(?:echo|printf) (?:-\w "
            r")?[\"']?[\w.-]{1,40}:(?P<secret>[^\s\"'|]{3,100})[\"']? ?\| ?(?:sudo )?chpasswd"
        ),
        example='echo "root:pear-tree-5" | chpasswd',
        counter_example="cat users | chpasswd",
        before=200,
        cut=_cut_flag_operand,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("sudo -s", "--password-stdin", "--stdin", "passwd ", "cryptsetup ", "passphrase-fd"),
        pattern=(
            r"(?:echo|printf) (?:-\w{1,3} )?[\"']?(?P<secret>[^\s\"'|]{3,100})[\"']? ?\| ?(?:sudo "
            r"-S|(?:\S{1,40} ){0,8}?(?:--password-stdin|passwd --stdin|cryptsetup"
            r"|--passphrase-fd))"
        ),
        example="echo pear-tree-5 | sudo -S reboot",
        counter_example="echo done | tee log",
        before=200,
        cut=_cut_flag_operand,
        in_source=False,
    ),
)
FLAGGED = tuple(map(_build_command_rule, _ROWS))
COMMANDS = (*FLAGGED, *_SPECIAL)
