"""Words by which a rule's objects are found: programs, nouns, verbs, files, branches."""

import re

from gieok.text.gates import touched
from gieok.text.gates.action import CHANGE, CREATE

KNOWN = frozenset(
    """
    git gh glab npm npx pnpm yarn bun bunx deno python python3 pip pip3 uv uvx poetry pipenv pdm
    conda cargo rustup docker docker-compose podman kubectl helm terraform tofu pulumi ansible
    ansible-playbook aws gcloud az gsutil heroku flyctl vercel netlify wrangler firebase supabase
    prisma psql mysql sqlite3 mongosh redis-cli pg_dump pg_restore dropdb createdb alembic flyway
    rails bundle php composer artisan rm mv cp chmod chown sudo pkill killall ssh scp rsync curl
    wget brew apt apt-get yum dnf systemctl pm2 nginx crontab sed dd mkfs shutdown reboot eslint
    prettier ruff mypy pytest jest vitest cypress playwright tsc webpack vite turbo nx lerna
    drizzle-kit knex sequelize typeorm sls serverless cdk twine mvn gradle dotnet xcodebuild
    fastlane adb eas flutter stripe ngrok xargs shred git-filter-repo bfg bq minikube argocd nomad
    skaffold tilt kamal railway doctl eksctl lsof nohup tmux rimraf husky manage.py expo rake
    truncate iptables ufw openssl gpg ffmpeg biome changeset changesets
    """.split()
)
#: Programs whose names are words of every day: they need a verb before, or an option behind them.
EVERYDAY = frozenset(
    """
    go make just find service next black node render cap kind gem fly mix sam dart swift pod kill
    watch time env test install cut sort head tail more less touch cat mail at screen source patch
    task file which tree ls mongo isort ln tee ex act vault consul su mount
    eval
    """.split()
)
GIT_WORDS = frozenset(
    """
    push pull commit merge rebase reset checkout switch branch stash tag clean add rm mv restore
    revert cherry-pick fetch clone init remote submodule worktree filter-branch filter-repo config
    gc reflog bisect apply am log diff show status blame lfs prune update-ref
    """.split()
)
#: Nouns behind a program's name: "docker volumes" is no command.
NOUNS = frozenset(
    """
    volumes volume containers container images packages package hooks history credentials account
    files file config server servers cluster clusters changes state commands scripts script project
    repo branches tables database databases modules secrets environment resources users tags
    remotes repository version versions docs dependencies
    """.split()
)
STOP_WORDS = frozenset(
    """
    in on at to into onto from for with without unless until before after when while if again ever
    directly here there by as and or because since anywhere yourself manually please first against
    under during inside outside via instead but so it that this the a an my our your any me us you
    we i is are command commands now today locally anymore of even never not don't do nor then
    straight only must should can may will ask use anything something everything things stuff using
    run running yet outside rather than over stay stays belong belongs need needs remain remains
    require requires wait waits
    """.split()
)
VERBS = (
    r"(?ai)(?:\b(?:run|running|use|using|call|calling|invoke|execute|executing|type|issue|with|than"
    r"|no|avoid|of|not|via|by|over|never|to|and|or)\s(?:the\s|a\s|any\s|raw\s|plain\s)?)$"
)
#: Stands in the place of what was taken.
TAKEN = "\x00"
#: Stands in the place of a deed that was taken.
TAKEN_DEED = "\x01"
#: A particle in Hangul ends a word.
FLAGS = re.IGNORECASE | re.ASCII
RUN_VERBS = (
    r"(?ai)\b(?:run|running|use|using|call|calling|invoke|execute|executing|type|with|than|of|via)"
    r"\s(?:the\s|a\s|any\s|raw\s|plain\s)?$"
)
TOKEN = r"[A-Za-z0-9_./:@=+*~%^$\\-]+"
EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|java|kt|swift|rb|php|c|h|cc|cpp|hpp|cs|sql|ya?ml|toml|json"
    "|jsonc|json5|md|mdx|sh|bash|zsh|env|lock|lockb|sum|mod|tf|tfvars|tfstate|prisma|proto|graphql"
    "|css|scss|html|vue|svelte|xml|ini|cfg|conf|txt|csv|tsv|parquet|db|sqlite3?|pem|key|crt|p12"
    "|ipynb|gradle|properties|plist|svg|png|jpe?g|pdf|xlsx|log|bak|dart|ex|exs|scala|lua|pl"
    "|docx?|xls|pptx?|hwpx?|odt|ods|rtf|tex|bib|sty|rst|adoc|org|arb|po|pot|strings|ly|mscz|mid"
    "|musicxml|wav|flac|mp3|mp4|mov|mkv|psd|fig|gif|webp|heic|ttf|otf|woff2?|ico|unity|prefab|asset"
    "|fbx|blend|gltf|glb|stl|step|dwg|dxf|tscn|gd|rmd|qmd|jl|mat|npz|npy|pkl|h5|onnx|feather|avro"
    "|zip|tgz|gz|7z|dmg|iso|img|bat|ps1|service|timer|rules|j2|tmpl|hbs|erb|slim|astro|mts|cts|hcl"
    "|bicep|nix|zig|hs|erl|clj|sol|vy|xib|storyboard|entitlements|xcconfig|pbxproj|dump|journal"
    "|ledger|ics|vcf|eml|mbox|kdbx|ovpn|crontab|conf"
)
#: Files that are called so with any suffix: `Dockerfile.release`.
FILES_WITH_SUFFIX = "Dockerfile|Makefile|Jenkinsfile|Procfile|Gemfile|Containerfile"
PACKAGE_NOUNS = frozenset(
    """
    packages package dependencies dependency deps libraries library modules tools globally software
    new extra further more additional other versions version tests docs comments readme changelog
    """.split()
)
DEED_VERBS = (
    "drop|alter|delete|truncate|create|open|merge|close|install|upgrade|update|remove|add|restart"
    "|stop|start|publish|amend|squash|rebase|reset|wipe|comment|edit|reopen|assign|label"
)
#: Two verbs with one object: "drop or alter any table".
TWO_VERBS = rf"(?ai)\b({DEED_VERBS})(?:,)? (?:or|and) ({DEED_VERBS}) ((?:\w+ ){{0,2}}\w+)"
#: A package that is named: "don't upgrade React", "lodash 설치하지 마".
NAMED_PACKAGE = (
    (
        r"(?ai)\b(install|upgrad|updat|downgrad|bump)(?:e|ing"
        r"|es)? (?:the )?(@?[a-z][\w./@-]*)(?: package| library)?\b"
    ),
    r"(?a)([A-Za-z@][\w./@-]*)\s?(?:패키지|라이브러리)?(?:을|를|은|는)?\s?(?:\S+\s)?(설치|업그레이드|업데이트)",
)
#: Programs whose names are written in Hangul.
HANGUL_PROGRAMS = (
    ("테라폼", "terraform"),
    ("도커", "docker"),
    ("깃", "git"),
    ("엔피엠", "npm"),
    ("수파베이스|수퍼베이스|슈퍼베이스", "supabase"),
    ("프리즈마", "prisma"),
    ("버셀", "vercel"),
    ("헤로쿠", "heroku"),
    ("쿠베컨트롤|큐브컨트롤", "kubectl"),
    ("헬름", "helm"),
)
NO_PATHS = frozenset(
    """
    and/or ci/cd i/o read/write yes/no tcp/ip n/a a/b w/o on/off either/or his/her s/he
    client/server input/output start/stop and/nor console.log up/down true/false node.js next.js
    vue.js react.js three.js d3.js express.js moment.js nuxt.js e.g i.e etc
    """.split()
)
BARE_FILES = (
    r"(?a)\b(README|LICENSE|CHANGELOG|Makefile|Dockerfile|Procfile|Gemfile|Jenkinsfile|CODEOWNERS"
    r"|Cargo\.toml|tsconfig|Brewfile|Justfile|Vagrantfile)\b(?!\.)"
)
#: Kinds of files: words, and what they are called.
FILE_KINDS = (
    (
        r"\block[- ]?files?\b|(?:락|lock)\s?파일|록\s?파일",
        (
            "package-lock.json pnpm-lock.yaml yarn.lock poetry.lock uv.lock Cargo.lock "
            "Gemfile.lock "
            "composer.lock go.sum bun.lock bun.lockb Pipfile.lock npm-shrinkwrap.json"
        ),
    ),
    (
        (
            r"\b(?:migration files?|(?:existing|old|past|applied|committed) migrations?"
            r"|migrations? (?:folder|director\w+)"
            r"|(?:edit|chang|modif|touch|delet|rewrit|alter)\w* (?:\w+ ){0,2}migrations?)\b"
            r"|(?:마이그레이션|migration)\s?(?:파일|폴더)"
            r"|(?:기존|이미\s?적용된|적용된)\s?마이그레이션"
        ),
        "migrations/ migrate/ alembic/versions/",
    ),
    (
        (
            r"\bci (?:config\w*|files?|setup|pipelines?|workflows?|yaml)\b|\bworkflow files?\b"
            r"|\bgithub (?:actions|workflows?)\b|CI\s?(?:설정|파일|워크플로)|워크플로우?\s?파일"
        ),
        ".github/workflows/ .gitlab-ci.yml .circleci/ Jenkinsfile .buildkite/",
    ),
    (
        (
            r"\b(?:auto-?)?generated (?:files?|code|clients?|types?|sources?)\b"
            r"|(?:자동\s?)?생성(?:된|한)\s?(?:파일|코드|타입)"
        ),
        "generated/ __generated__/ *.generated.* *_pb2.py *.pb.go *.gen.* *_generated.*",
    ),
    (
        r"\b(?:\.env|env|environment|dotenv) files\b|(?:환경\s?변수|env|\.env)\s?파일들",
        (
            ".env .env.local .env.production .env.prod .env.development .env.dev .env.staging "
            ".env.test .env.*.local"
        ),
    ),
    (
        (
            r"\b(?:the |any |existing |our )?(?:unit |existing )?test (?:files?|cases?|code)\b"
            r"|\b(?:change|edit|modify|delete|touch|weaken|remove|alter|rewrite|update) (?:the "
            r"|any "
            r"|existing |our |failing )*tests\b|테스트\s?(?:파일|코드)"
            r"|테스트(?:를|는|은)?\s?(?:고치|수정|삭제|지우|건드|바꾸)"
        ),
        "tests/ test/ __tests__/ spec/ *.test.* *.spec.* *_test.* test_*.py *Test.java",
    ),
    (
        r"\bvendor(?:ed)? (?:code|files?|folder|director\w+|libraries)\b|벤더\s?(?:코드|폴더)",
        "vendor/ third_party/ vendored/",
    ),
    (r"\bnode_modules\b", "node_modules/"),
    (r"\blog files?\b|로그\s?파일", "logs/ log/ *.log"),
    (
        r"\b(?:private|ssh) keys?\b|(?:개인|SSH)\s?키",
        "*.pem *.key id_rsa id_ed25519 *.p12",
    ),
)
#: Behind the ending of files: ".unity files".
FILE_NOUN = r"(?ai)\s?(?:files?\b|파일)"
#: English names of folders that Korean names stand for.
KOREAN_NAMES = {
    "결제": "billing payment payments",
    "청구": "billing invoices",
    "인증": "auth",
    "로그인": "login auth",
    "설정": "config",
    "마이그레이션": "migrations",
    "테스트": "tests test",
    "문서": "docs",
    "인프라": "infra",
    "배포": "deploy",
    "관리자": "admin",
    "사용자": "users user",
    "유저": "users user",
    "주문": "orders order",
    "정산": "settlement settlements",
    "레거시": "legacy",
    "스크립트": "scripts",
    "데이터": "data",
    "백업": "backup backups",
    "알림": "notifications notification",
    "공통": "common shared",
    "벤더": "vendor",
    "시크릿": "secrets",
    "빌링": "billing",
    "검색": "search",
    "스키마": "schema",
}
#: Words that name nothing, whatever noun follows.
NO_NAMES = frozenset(
    """
    the this that whole new same other root project any every a an home your my our its anything
    everything it them these those things stuff something all one main single second existing
    current old nothing what which each user's either and or of in to from with without you me
    another outside inside else own install update upgrade run deploy push use build test commit
    start stop restart publish call send add create files file code folder entire wrong right
    correct
    """.split()
)
#: Words before 폴더 that name none: those that tell which one, and adnominal forms.
NO_KOREAN_NAME = (
    r"^(?:해당|모든|전체|아래|상위|하위|다른|현재|우리|어떤|아무|나머지|각각|같은|지금|여기|저기|거기|이런|그런|저런|공유|임시|개인|작업"
    r"|프로젝트|로컬|원래|기존|이전|다음|안에|밖에|관련|이번|이번주|지난주|지난|최근|필요|중요|특정|일부)$"
    r"|(?<!사)(?<!마)(?<!가)(?<!노)(?:는|은|한|된|긴|진|던|운|을|할|될)$"
)
GENERIC = NO_NAMES | frozenset(
    """
    folders dev database web docker staging prod production npm python node master generated
    source tests migration migrations lock env schema branch branches data server servers
    production's prod's system live db repo repository config settings public private internal
    shared-state environment public's commits messages message history force merge
    """.split()
)
PATH_VERBS = (
    (
        CHANGE,
        (
            r"\b(?:touch|edit|modif|chang|alter|updat|writ(?:e|ing)|rewrit|overwrit|refactor"
            r"|renam|mov(?:e|ing)"
            r"|mess|fiddl|reformat|tinker|clean up|off[- ]limits|hands off|alone|untouched|stay"
            r"|keep|steer"
            r"|go near|no[- ]go|fix|work on|adjust|tweak|replac|patch)|건드|손\s?대|손\s?댈|수정|편집|고치"
            r"|고쳐|고칠"
            r"|바꾸|바꿔|변경|만지|만져|덮어|리팩|이름|옮기|옮겨|쓰지|출입|접근"
        ),
    ),
    (
        touched.DELETE,
        r"\b(?:delet|remov|eras|wip(?:e|ing)|purg|drop)|지우|지워|지울|삭제|없애|날리|날려",
    ),
    (CREATE, r"\b(?:creat|add|put|generat)|만들|만드|추가|생성|넣"),
    (touched.COMMIT, r"\b(?:commit|check in|stag(?:e|ing)|git add)|커밋"),
    (
        touched.READ,
        r"\b(?:read|open|look|peek|print|cat|show|display|dump|view|log)|읽|열어|열지|보지|출력|들여다|열람",
    ),
    (touched.RUN, r"\b(?:run|execut|invok|call)|실행|돌리|돌려|돌릴"),
    (
        touched.SEND,
        (
            r"\b(?:upload(?:ing|ed)?\b|send(?:ing)?\b|sent\b|shar(?:e|ing)\b"
            r"|leaves? (?:this|the|my|our)\b)|업로드|전송|외부로|밖으로|유출|공유"
        ),
    ),
)
ENVIRONMENT_WORDS = (
    (
        "production",
        (
            r"\b(?:prod|production)\b(?!\.)|\blive (?:db|database|site|server|system|environment)\b"
            r"|운영(?!\s?(?:체제|진|팀|자|중))|프로덕션|프로드|실서버|라이브|상용"
        ),
    ),
    ("staging", r"\b(?:staging|stg)\b|스테이징|스테이지\s?(?:서버|환경)"),
)
HOST = (
    r"(?a)(?<![\w/.-])(?:[\w.-]+@)?((?:\d{1,3}\.){3}\d{1,3}"
    r"|(?:[a-z0-9*](?:[\w-]*[a-z0-9])?\.)+(?:com|net|org|io|dev"
    r"|kr|internal|local|app|cloud|lan|corp|ai|co|us|eu|tech|info|biz|xyz|site|online|store|shop"
    r"|page|example|test|intra|intranet|home\.arpa|jp|de|fr|uk|nl|sh(?=/)))\b"
    r"(?![\w/.-]*\.(?:py|js|ts))"
)
#: A name of a list, with an article; the names behind the first one, up to the end of a clause.
_LISTED = r"(?:(?:the|our|my|any) )?[\w./-]+"
LIST_REST = (
    rf"(?i:{_LISTED}(?:, {_LISTED})*,? (?:and|or|nor) {_LISTED}"
    r"(?: (?:folders?|files?|director(?:y|ies)|dirs?))?\s*(?:[,.;:!)]|$))"
)
LIST_BEHIND = rf"(?i:(?:, {_LISTED})*,? (?:and|or|nor) {_LISTED}(?=\s*(?:[,.;:!)]|$)))"
LIST_BEFORE = rf"(?i:(?:{_LISTED}, )*{_LISTED},? (?:and|or|nor) (?:(?:the|our|my|any) )?$)"
#: The same in Korean, before the noun of the last name: "billing, payroll이랑 ledger 폴더".
_JOINT_KO = r"(?:, ?|(?:이?랑|와|과|하고)\s| 및 )"
LIST_REST_KO = rf"(?a:(?:[\w./-]+{_JOINT_KO})*[\w./-]+\s?(?:폴더|디렉터리|디렉토리|파일|모듈))"
LIST_BEFORE_KO = rf"(?a:(?:[A-Za-z][\w.@-]*{_JOINT_KO})+$)"
LISTED_NAME = r"(?ai:(?:and|or|nor|the|our|my|any)\b|([\w.-]+))"
_SHORT_MACHINE = r"[a-z][a-z-]*\d[\w-]*"
#: Machines that stand in brackets behind what they are: "the bastions (bast-1, bast-2)".
BRACKETED_MACHINES = (
    r"(?ai)(?:\b(?:the|our|my) )?[\w-]+ ?"
    rf"\((?P<names>{_SHORT_MACHINE}(?:(?:, ?(?:and |or )?| and | or |/){_SHORT_MACHINE})+)\)"
)
#: Looking alone is fine.
READ_ONLY = r"\bread[- ]?only\b|\bonly (?:read|look)|읽기\s?(?:전용|만)|(?:보기|조회)만"
OUTSIDE_PROJECT = (
    r"(?ai)\b(?:outside(?: of)?|beyond)\s(?:this|the|our|my)\s(?:current\s)?(?:repo(?:sitory)?"
    r"|project|workspace|codebase|working (?:directory|folder|tree)|checkout)\b(?! (?:folder|dir))"
    r"|(?:이|현재)?\s?(?:프로젝트|레포|저장소|리포|작업\s?폴더|워크스페이스)(?:\s?폴더)?\s?"
    r"(?:밖|바깥|외부)(?:에서는?|에\s?있는|에|의|은|는)?"
)
#: Machines and clusters that are called by a short name: "on db01", "prod-seoul 클러스터에".
_MACHINE_NOUN = (
    r"(?:server|box|host|machine|node|cluster|vm|instance|서버|장비|노드|호스트|클러스터|인스턴스)"
)
MACHINES = (
    (
        r"(?ai)\b(?:on|to|into|against)\s(?:(?:the|our|my)\s)?"
        rf"(?:(?:\w+\s)?{_MACHINE_NOUN}\s)?\(?([a-z][a-z-]*\d[\w-]*)\)?(?![\w./])"
    ),
    rf"(?ai){_MACHINE_NOUN}\s?\(?([a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z][a-z-]*\d[\w-]*)\)?(?![\w./])",
    rf"(?ai)(?<![\w./-])([a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z][a-z-]*\d[\w-]*)\s?{_MACHINE_NOUN}",
    r"(?ai)(?<![\w./-])([a-z][a-z-]*\d[\w-]*)(?:에서는?|에다가?|에는?|엔)(?![가-힣])",
)
#: Names with a digit that are no machine's.
NO_MACHINES = frozenset(
    "s3 ec2 k8s utf8 base64 sha256 md5 ipv4 ipv6 h264 mp3 mp4 v1 v2 v3 v4 q1 q2 q3 q4 e2e".split()
)
BRANCH_NAMES = r"main|master|develop|trunk|gh-pages|release/\*|release|hotfix/\*|default"
BRANCH = (
    rf"(?ai)(?<![\w./-])(?:origin/)?({BRANCH_NAMES})(?:\s?(?:branch|브랜치))?(?![\w*-]|\.\w|/\w)"
    r"(?!\s(?:file|page|menu|thing|reason|module|folder|function|class|app|process|thread"
    r"|notes?|server|machine|host|site|domain|cluster|account|region|db|database)\b)"
)
NAMED_BRANCH = (
    r"(?ai)(?:\b(?:to|on|onto|into|in|against|push|of)\s(?:the\s|our\s"
    r"|origin/)?([\w][\w./*-]*)(?:\sbranch)\b"
    r"|([A-Za-z][\w./*-]*)\s?브랜치)"
)
ENVIRONMENT_BRANCH = (
    r"(?ai)\b(?:to|on|onto|into)\s(?:the\s)?(production|prod|staging|dev)\b(?!\s(?:db|database"
    r"|server))"
    r"|(?<![\w-])(production|prod|staging|dev)(?:\s?브랜치)?(?:에|로|으로)(?=[\s가-힣])"
)
PROTECTED = r"(?ai)\bprotected branch(?:es)?\b|보호\s?(?:된\s?)?브랜치"
RELEASE_BRANCHES = r"(?ai)\brelease branch(?:es)?\b|(?:릴리[스즈]|release)\s?브랜치"
KOREAN_BRANCHES = (
    (r"메인(?=\s?브랜치|에|으로|\s)", "main"),
    (r"마스터(?=\s?브랜치|에|로|\s)", "master"),
)
TOOLS = (
    r"(?a)\b(WebSearch|WebFetch|Bash|MultiEdit|NotebookEdit|mcp__\w+)\b",
    r"(?ai)\b([a-z][\w-]+) mcp\b|([A-Za-z][\w-]+)\s?MCP",
)
SQL = (
    r"(?a)\b(DROP (?:TABLE|DATABASE|SCHEMA|COLUMN)|TRUNCATE(?: TABLE)?|DELETE FROM|ALTER TABLE"
    r"|UPDATE(?= )"
    r"|INSERT INTO|DROP)\b"
)
CONFIG_NOUN = (
    r"(?ai)\s?(?:스크립트|파일|폴더|설정|코드|문서|로직|이력|로그|히스토리|파이프라인)|\s(?:scripts?|configs?|configuration"
    r"|files?|folders?|director\w+|pipelines?|workflows?|code|logic|docs?|logs?|history|keys?"
    r"|settings|module|tool)\b"
)
RUNS = r"(?ai)\b(?:run|execut|trigger|start|launch|call)|실행|돌리|돌려"
