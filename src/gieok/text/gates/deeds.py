"""Deeds: what people call an action, and the commands that do it.

A row says the words in both languages and the commands, in a short form: words and options as they
are typed; `+1` for at least one word more, `!--abort` for an option or a word that must not be
there, `script:deploy` for a script or task with that word in its name, `sql:drop table` for an SQL
statement. The first rows win: "force push" is no "push". Only rules are read with this table; what
a tool would do is compared with the patterns that a rule was compiled into.
"""

from typing import NamedTuple

from gieok.text.gates.action import CommandPattern


class KnownDeed(NamedTuple):
    """Kind of action: its name, its words, its commands, and its tools.

    `example` is a text that the words find, `counter_example` one that they do not. `is_on_branch`:
    it is done to a branch of Git, which a rule may name.
    """

    name: str
    words: str
    commands: str
    example: str
    counter_example: str
    tools: tuple[str, ...] = ()
    is_on_branch: bool = False


_NPM_ADD = (
    "npm install +1; pnpm add +1; pnpm install +1; yarn add +1; bun add +1; bun install +1; "
    "pip install +1 !-r !--requirement !-e !--editable; pipenv install +1; uv add +1; "
    "uv pip install +1 !-r; poetry add +1; pdm add +1; conda install +1; cargo add +1; "
    "cargo install +1; go get +1; gem install +1; bundle add +1; composer require +1; "
    "brew install +1; apt install +1; yum install +1; dnf install +1; apk add +1; "
    "mix deps.get; dotnet add; flutter pub add; expo install +1"
)
_DEPLOY = (
    "vercel deploy; vercel --prod !build !env !pull !inspect !logs !link; "
    "netlify deploy; fly deploy; wrangler deploy; wrangler publish; "
    "firebase deploy; serverless deploy; cdk deploy; sam deploy; eb deploy; gcloud app deploy; "
    "gcloud run deploy; gcloud functions deploy; kamal deploy; cap * deploy; helm install; "
    "helm upgrade; kubectl apply; kubectl set image; docker stack deploy; amplify publish; "
    "railway up; supabase functions deploy; argocd app sync; copilot deploy; git push heroku; "
    "git push dokku; aws deploy; aws lambda update-function-code; aws ecs update-service; "
    "dokku deploy; skaffold run; gh workflow run *deploy*; ansible-playbook *deploy*; "
    "az webapp deploy; az webapp up; render deploy; gigalixir deploy; script:deploy"
)
_MIGRATE = (
    "prisma migrate deploy; prisma migrate dev; prisma migrate reset; prisma db push; "
    "supabase db push; supabase migration up; alembic upgrade; alembic downgrade; "
    "manage.py migrate; django-admin migrate; rails db:migrate; rake db:migrate; flyway migrate; "
    "liquibase update; knex migrate:latest; knex migrate:up; sequelize db:migrate; "
    "sequelize-cli db:migrate; typeorm migration:run; goose up; migrate up; dbmate up; "
    "dbmate migrate; drizzle-kit migrate; drizzle-kit push; artisan migrate; sqlx migrate run; "
    "diesel migration run; atlas migrate apply; atlas schema apply; mix ecto.migrate; "
    "flask db upgrade; script:migrate; script:migrations; script:migration"
)
_TEST = (
    "npm test; npm run test*; pnpm test*; pnpm run test*; yarn test*; yarn run test*; "
    "bun test; bun run test*; jest; vitest; pytest; go test; cargo test; cargo nextest; "
    "make test*; mvn test; gradle test; rspec; rails test; playwright test; cypress run; "
    "tox; nox; phpunit; mix test; dotnet test; deno test; npm run e2e*; pnpm e2e*; yarn e2e*; "
    "pnpm run e2e*; npm run cypress*; make e2e*"
)
_SERVICES = "systemctl {0}; service * {0}; docker {0}; docker compose {0}; pm2 {0}; "

DEEDS = (
    KnownDeed(
        name="force push",
        words=r"\bforce[- ]?(?:a |the )?push(?:e[sd]|ing)?\b|\bpush(?:es|ing)? (?:with "
        r"|by )?force\b"
        r"|(?:force|포스|강제)[- ]?(?:로\s?)?(?:푸[시쉬]|push)",
        commands="git push --force; git push --force-with-lease; git push --mirror; git push * +*",
        example="never force-push",
        counter_example="never push by hand",
        is_on_branch=True,
    ),
    KnownDeed(
        name="delete branch",
        words=r"\bdelet\w+ (?:\w+ ){0,3}branch(?:es)?\b|브랜치(?:를|는|은)?\s?(?:\S+\s)?(?:지우|지워|삭제)"
        r"|\bremov\w+ (?:\w+ ){0,3}branch(?:es)?\b",
        commands="git branch -d; git branch -D; git branch --delete; git push --delete; git "
        "push * :*; "
        "git push -d",
        example="don't delete branches",
        counter_example="don't delete files",
        is_on_branch=True,
    ),
    KnownDeed(
        name="create branch",
        words=r"\bcreat\w+ (?:\w+ ){0,2}branch(?:es)?\b|브랜치(?:를|는|은)?\s?(?:새로\s)?(?:만들|생성|파지)",
        commands="git checkout -b; git checkout -B; git switch -c; git switch -C; git switch "
        "--create; "
        "git branch +1 !-d !-D !--list !-a",
        example="don't create branches",
        counter_example="create a file",
    ),
    KnownDeed(
        name="skip hooks",
        words=r"\b(?:skip|bypass)(?:s|ping|ing)? (?:the |any |our )?(?:git |pre-?commit |commit )*"
        r"(?:hooks?|checks)\b|(?:훅|hook)\S*\s?(?:건너뛰|우회|스킵|무시)",
        commands="git commit --no-verify; git push --no-verify; git merge --no-verify",
        example="never skip the pre-commit hooks",
        counter_example="never skip lunch",
    ),
    KnownDeed(
        name="amend",
        words=r"\bamend(?:ing|ed|s)?(?: (?:the |any |old )?commits?)?\b|어멘드|커밋(?:을|은)?\s?수정",
        commands="git commit --amend",
        example="don't amend commits",
        counter_example="don't mend it",
        is_on_branch=True,
    ),
    KnownDeed(
        name="merge request",
        words=r"\bmerg(?:e|es|ing) (?:\w+ ){0,2}(?:prs?|pull requests?|merge requests?)\b"
        r"|(?:PR|피알|풀\s?리퀘\w*)(?:을|를|은|는)?\s?(?:\S+\s)?(?:머지|병합|merge)",
        commands="gh pr merge; glab mr merge",
        example="never merge pull requests",
        counter_example="never merge branches",
        tools=("merge+pull+request",),
        is_on_branch=True,
    ),
    KnownDeed(
        name="open request",
        words=r"\b(?:open|creat|mak|rais|submit|fil)\w* (?:\w+ ){0,2}(?:prs?|pull requests?"
        r"|merge requests?)\b"
        r"|(?:PR|피알|풀\s?리퀘\w*)(?:을|를|은|는)?\s?(?:\S+\s)?(?:올리|올려|만들|열|생성|날리)",
        commands="gh pr create; glab mr create; hub pull-request",
        example="don't open PRs",
        counter_example="open the page",
        tools=("create+pull+request",),
        is_on_branch=True,
    ),
    KnownDeed(
        name="close issue",
        words=r"\bclos\w+ (?:\w+ ){0,2}(?:issues?|tickets?)\b|이슈(?:를|는|은)?\s?(?:\S+\s)?(?:닫|종료)",
        commands="gh issue close; glab issue close",
        example="don't close issues",
        counter_example="close the file",
    ),
    KnownDeed(
        name="comment issue",
        words=r"\bcomment(?:ing|s)? on (?:\w+ ){0,2}(?:issues?|tickets?|prs?|pull requests?)\b"
        r"|(?:이슈|티켓|PR|피알)에?\s?(?:댓글|코멘트)(?:을|를|은|는)?\s?(?:\S+\s)?(?:달|남기|쓰|올리)",
        commands="gh issue comment; gh pr comment; glab issue note; glab mr note",
        example="don't comment on issues",
        counter_example="don't comment the code",
        tools=("add+comment", "create+comment"),
    ),
    KnownDeed(
        name="create issue",
        words=r"\b(?:creat|open|fil)\w* (?:(?:github|gitlab) )?(?:\w+ ){0,2}(?:issues?|tickets?)\b"
        r"|이슈(?:를|는|은)?\s?(?:\S+\s)?(?:만들|올리|생성|등록)",
        commands="gh issue create; glab issue create",
        example="don't create issues",
        counter_example="an issue came up",
        tools=("create+issue",),
    ),
    KnownDeed(
        name="hard reset",
        words=r"\bhard[- ]?reset(?:s|ting)?\b|\breset (?:with )?--hard\b|하드\s?리셋",
        commands="git reset --hard",
        example="no hard resets",
        counter_example="reset the router",
    ),
    KnownDeed(
        name="rewrite history",
        words=r"\brewrit\w+ (?:\w+ ){0,2}history\b|히스토리(?:를|는)?\s?(?:다시\s?쓰|재작성|바꾸|고치)",
        commands="git rebase !--abort !--continue; git filter-branch; git filter-repo; git push "
        "--force; "
        "git push --force-with-lease; git commit --amend",
        example="never rewrite published history",
        counter_example="rewrite the parser",
    ),
    KnownDeed(
        name="discard changes",
        words=r"\b(?:discard|throw(?:ing)? away|drop)\w* (?:\w+ ){0,3}(?:changes|work|edits)\b"
        r"|(?:변경\s?사항|변경분|작업\s?내용|수정\s?사항)\S*\s?(?:버리|되돌리|날리|지우|폐기)",
        commands="git checkout -- ; git restore !--staged; git reset --hard; git clean; git "
        "stash drop; "
        "git stash clear; git checkout .",
        example="never discard my uncommitted changes",
        counter_example="discard the cards",
    ),
    KnownDeed(
        name="stash",
        words=r"\bstash(?:es|ing)?\b|스태시",
        commands="git stash !list !show; git stash push; git stash pop; git stash drop; git "
        "stash apply",
        example="don't stash",
        counter_example="don't stack",
    ),
    KnownDeed(
        name="publish",
        words=r"\bpublish(?:es|ing|ed)?\b|퍼블리[시쉬]|(?:npm|패키지|라이브러리|PyPI)(?:에|를|는|은)?\s?"
        r"(?:\S+\s)?(?:배포|게시)",
        commands="npm publish; pnpm publish; yarn publish; yarn npm publish; bun publish; cargo "
        "publish; "
        "twine upload; poetry publish; uv publish; pdm publish; flit publish; hatch publish; "
        "gem push; dart pub publish; flutter pub publish; lerna publish; changeset publish; "
        "script:publish",
        example="ask before you publish",
        counter_example="public api",
    ),
    KnownDeed(
        name="release",
        words=r"\breleas(?:e|es|ing)\b(?!\s?(?:branch|notes?|folder|directory|브랜치|노트))"
        r"|릴리[스즈](?!\s?(?:노트|브랜치))",
        commands="gh release create; glab release create; goreleaser release; semantic-release; "
        "release-it; "
        "cargo release; script:release",
        example="never cut a release",
        counter_example="the release notes",
    ),
    KnownDeed(
        name="roll back",
        words=r"\broll(?:s|ing|ed)? ?backs?\b|롤백",
        commands="helm rollback; kubectl rollout undo; heroku rollback; vercel rollback; "
        "alembic downgrade; "
        "rails db:rollback; rake db:rollback; knex migrate:rollback; artisan migrate:rollback; "
        "netlify rollback; script:rollback",
        example="don't roll back on your own",
        counter_example="roll the dice",
    ),
    KnownDeed(
        name="migrate",
        words=r"\b(?:run(?:ning)?|appl(?:y|ying)|execut\w+|start(?:ing)?|do(?:ing)?|push(?:ing)?) "
        r"(?:\w+ ){0,3}migrations?\b"
        r"|\bmigrat(?:e|es|ing)\b(?! (?:to|from|away)\b)"
        r"|\b(?:every|each|any|all|db|database|schema) migrations?\b"
        r"|마이그레이션(?:을|를|은|는)?\s?(?:\S+\s){0,3}?(?:돌리|돌려|실행|적용|하지|하기|해|전|금지|올리)",
        commands=_MIGRATE,
        example="never run database migrations",
        counter_example="never edit migrations",
    ),
    KnownDeed(
        name="reset database",
        words=r"\b(?:reset|wip|drop|nuk|eras|clear|recreat)\w* (?:\w+ ){0,3}(?:db|database)s?\b"
        r"|\b(?:db|database) resets?\b"
        r"|(?:디비|DB|데이터베이스)(?:를|을|는|은)?\s?(?:\S+\s)?(?:초기화|리셋|날리|날려|드[랍롭]|삭제|지우|밀)",
        commands="supabase db reset; prisma migrate reset; prisma db push --force-reset; dropdb; "
        "rails db:drop; rails db:reset; rake db:drop; rake db:reset; artisan migrate:fresh; "
        "artisan migrate:refresh; artisan db:wipe; manage.py flush; manage.py reset_db; "
        "mix ecto.drop; mix ecto.reset; sequelize db:drop; redis-cli flushall; redis-cli flushdb; "
        "redis-cli FLUSHALL; redis-cli FLUSHDB; dbmate drop; "
        "sql:drop database; sql:drop schema; npm run db:reset; pnpm db:reset; "
        "pnpm run db:reset; yarn db:reset; make db-reset; make reset-db; npm run db:drop",
        example="never drop the database",
        counter_example="never drop tables",
    ),
    KnownDeed(
        name="seed",
        words=r"\bseed(?:s|ing)? (?:the |any )?(?:db|database|data)\b|(?:시드|seed)\s?(?:데이터"
        r"|스크립트)?\S*\s?"
        r"(?:넣|돌리|실행)",
        commands="prisma db seed; rails db:seed; rake db:seed; knex seed:run; artisan db:seed; "
        "script:seed",
        example="don't seed the database",
        counter_example="seed capital",
    ),
    KnownDeed(
        name="drop table",
        words=r"\bdrop(?:s|ping)? (?:(?!(?:or|and)\b)\w+ ){0,2}tables?\b"
        r"|\bdropping(?= (?:or|and) truncating (?:\w+ ){0,2}tables?\b)"
        r"|테이블(?:을|를|은|는)?\s?(?:\S+\s)?(?:드[랍롭]|drop|삭제|지우|날리)",
        commands="sql:drop table",
        example="never drop a table",
        counter_example="set the table",
    ),
    KnownDeed(
        name="drop column",
        words=r"\bdrop(?:s|ping)? (?:\w+ ){0,2}columns?\b"
        r"|(?:컬럼|칼럼)(?:을|를|은|는)?\s?(?:\S+\s)?(?:드[랍롭]|drop|삭제|지우|날리)",
        commands="sql:drop column",
        example="never drop a column",
        counter_example="never drop a table",
    ),
    KnownDeed(
        name="truncate table",
        words=r"\btruncat\w*(?: (?:\w+ ){0,3}(?:tables?|data))?\b",
        commands="sql:truncate",
        example="ask before truncating a table",
        counter_example="never delete rows",
    ),
    KnownDeed(
        name="delete rows",
        words=r"\b(?:delet|wip|purg)\w* (?:\w+ ){0,3}(?:rows?|records?|tables?|data)\b"
        r"|(?:데이터|레코드|row)(?:를|을|는|은)?\s?(?:\S+\s)?(?:삭제|지우|지워|날리)|테이블\S*\s?비우",
        commands="sql:delete from; sql:truncate",
        example="never delete customer records",
        counter_example="delete the file",
    ),
    KnownDeed(
        name="delete files",
        words=r"\b(?:delet|remov|eras)\w* (?:(?:any|a|all|some|existing) )*"
        r"(?:files?|folders?|director\w+|anything)\b"
        r"|(?:^|(?:아무|어떤|모든|함부로)\s?)(?:파일|폴더|디렉터리)(?:을|를|은|는)?\s?(?:\S+\s)?(?:지우|지워|삭제|없애)",
        commands="rm +1; rmdir +1; unlink +1; shred +1; trash +1; git rm +1; git clean; find "
        "-delete; rimraf",
        example="ask before deleting any file",
        counter_example="delete the branch",
    ),
    KnownDeed(
        name="alter table",
        words=r"\balter(?:s|ing)? (?:\w+ ){0,2}(?:tables?|schemas?)\b|\bschema changes?\b"
        r"|\b(?:chang|modif|updat)\w* (?:\w+ ){0,2}schemas?\b"
        r"|(?:스키마|테이블\s?구조)\S*\s?(?:변경|바꾸|고치|수정)",
        commands="sql:alter table",
        example="ask me before any schema change",
        counter_example="alternate tables",
    ),
    KnownDeed(
        name="write query",
        words=r"\b(?:writ(?:e|ing)|mutating|destructive) (?:sql|quer(?:y|ies)|statements?)\b"
        r"|(?:쓰기|변경|수정|갱신)\s?(?:용\s)?(?:쿼리|SQL|작업)(?:를|을|는|은)?\s?(?:\S+\s)?"
        r"(?:날리|날려|실행|돌리|하지|치지|금지)",
        commands="sql:insert into; sql:update; sql:delete from; sql:truncate; sql:drop; sql:alter; "
        "sql:create; sql:replace into; sql:merge into; sql:grant",
        example="no write queries on prod",
        counter_example="don't query prod",
    ),
    KnownDeed(
        name="query",
        words=r"\b(?:run|execut|send|writ)\w* (?:\w+ ){0,2}(?:sql|quer(?:y|ies))\b"
        r"|(?:쿼리|SQL)(?:를|을|는|은)?\s?(?:\S+\s)?(?:날리|날려|실행|돌리|치지)",
        commands="psql; mysql; mariadb; sqlite3; mongosh; mongo; clickhouse-client; sqlcmd; "
        "bq query; supabase db query; wrangler d1 execute",
        example="don't run raw SQL",
        counter_example="sequel to the film",
    ),
    KnownDeed(
        name="install globally",
        words=r"\binstall\w* (?:\S+ ){0,3}globally\b|\bglobal(?:ly)? install\w*|(?:전역"
        r"|글로벌)\S*\s?(?:\S+\s)?설치",
        commands="npm install -g; pnpm add -g; pnpm install -g; yarn global add; bun add -g; "
        "bun install -g; pipx install; cargo install +1; brew install +1; apt install +1",
        example="never install anything globally",
        counter_example="install it here",
    ),
    KnownDeed(
        name="uninstall",
        words=r"\b(?:uninstall|remov)\w* (?:\w+ ){0,2}(?:packages?|dependenc\w+|librar\w+)\b"
        r"|(?:패키지|의존성|라이브러리)(?:를|을|는|은)?\s?(?:\S+\s)?(?:제거|삭제|빼)",
        commands="npm uninstall; pnpm remove; yarn remove; bun remove; pip uninstall; uv remove; "
        "poetry remove; cargo remove; gem uninstall; composer remove; bundle remove",
        example="don't remove packages",
        counter_example="remove the file",
    ),
    KnownDeed(
        name="upgrade",
        words=r"\b(?:upgrad|updat|bump)\w* (?:\w+ ){0,3}(?:packages?|dependenc\w+|deps|librar\w+"
        r"|versions?"
        r" of)\b"
        r"|(?:패키지|의존성|라이브러리|디펜던시)(?:를|을|는|은)?\s?(?:버전(?:을|은)?\s?)?(?:\S+\s)?(?:업그레이드|업데이트|올리|업뎃)",
        commands="npm update; pnpm update; yarn upgrade; yarn up; bun update; pip install "
        "--upgrade; "
        "uv lock --upgrade; poetry update; pdm update; cargo update; bundle update; ncu -u; "
        "npm-check-updates -u; composer update; brew upgrade; go get -u; apt upgrade; "
        "npm install *@latest; pnpm add *@latest; yarn add *@latest",
        example="don't upgrade dependencies",
        counter_example="upgrade your thinking",
    ),
    KnownDeed(
        name="install",
        words=r"\b(?:install|add)\w* (?!to\b|it\b)(?:\w+ ){0,3}(?:packages?|dependenc\w+|deps"
        r"|librar\w+"
        r"|modules?|tools?)\b|\binstall(?:s|ing)? (?:anything|something|things|stuff|software)\b"
        r"|(?:패키지|의존성|라이브러리|디펜던시|모듈)(?:를|을|는|은)?\s?(?:\S+\s)?(?:설치|추가|깔)"
        r"|(?:뭔가|뭐|무언가|아무것도)\S*\s?(?:새로\s)?설치|^\W*(?:새로\s?)?설치",
        commands=_NPM_ADD,
        example="ask before you add a new dependency",
        counter_example="add a test",
    ),
    KnownDeed(
        name="delete volumes",
        words=r"\b(?:delet|remov|prun|wip)\w* (?:\w+ ){0,3}volumes?\b|볼륨\S*\s?(?:\S+\s)?(?:삭제|지우"
        r"|날리)",
        commands="docker volume rm; docker volume prune; docker compose down -v; "
        "docker system prune --volumes",
        example="never remove docker volumes",
        counter_example="turn the volume down",
    ),
    KnownDeed(
        name="kill process",
        words=r"\bkill(?:s|ing)? (?:\w+ ){0,3}process(?:es)?\b|프로세스\S*\s?(?:\S+\s)?(?:죽이|죽여|종료|킬)",
        commands="kill +1; pkill +1; killall +1; kill -9; pkill -f; fuser -k",
        example="don't kill processes",
        counter_example="the process is slow",
    ),
    KnownDeed(
        name="restart",
        words=r"\b(?:restart|reboot)(?:s|ing|ed)?\b|재시작|재부팅|리스타트|리부트",
        commands=_SERVICES.format("restart")
        + "kubectl rollout restart; brew services restart; supervisorctl restart; nginx -s reload; "
        "reboot; heroku restart; heroku ps:restart; fly apps restart; shutdown -r; "
        "script:restart",
        example="never restart the database server",
        counter_example="start over",
    ),
    KnownDeed(
        name="stop service",
        words=r"\b(?:stop|shut(?:ting)? down|tak(?:e|ing) down|kill|bring(?:ing)? down)(?:s|ping)? "
        r"(?:\w+ ){0,3}(?:servers?|services?|containers?|databases?|db|stack)\b"
        r"|(?:서버|서비스|컨테이너|디비|DB)(?:를|을|는|은)?\s?(?:\S+\s)?(?:내리|내려|중지|끄|꺼|종료|멈추|죽이)",
        commands=_SERVICES.format("stop")
        + "docker kill; docker compose down; docker compose kill; pm2 delete; pm2 kill; "
        "supervisorctl stop; brew services stop; kubectl delete; docker rm -f",
        example="don't stop the database container",
        counter_example="stop talking",
    ),
    KnownDeed(
        name="start server",
        words=r"\b(?:start|run|launch|boot|spin(?:ning)? up)(?:s|ing"
        r"|ning)? (?:\w+ ){0,2}(?:dev(?:elopment)? )?"
        r"servers?\b|(?:개발\s?)?서버(?:를|는)?\s?(?:\S+\s)?(?:띄우|띄워|켜|실행|돌리|시작)",
        commands="npm start; npm run dev*; npm run start*; npm run serve*; pnpm dev*; pnpm start; "
        "pnpm run dev*; yarn dev*; yarn start; bun dev; bun run dev*; next dev; next start; "
        "vite !--build; rails server; rails s; manage.py runserver; flask run; uvicorn; gunicorn; "
        "artisan serve; make dev; make serve; make run",
        example="don't start the dev server",
        counter_example="the server is slow",
    ),
    KnownDeed(
        name="apply infrastructure",
        words=r"\bappl(?:y|ying) (?:\w+ ){0,2}(?:infra\w*|iac|terraform)(?: changes)?\b"
        r"|\bterraform changes\b"
        r"|(?:테라폼|인프라)(?:를|을|은|는)?\s?(?:\S+\s)?(?:적용|반영|변경|바꾸)",
        commands="terraform apply; terraform destroy; tofu apply; tofu destroy; pulumi up; "
        "pulumi destroy; cdk deploy; cdk destroy; cdktf deploy",
        example="never apply infrastructure changes",
        counter_example="apply for a job",
    ),
    KnownDeed(
        name="destroy infrastructure",
        words=r"\b(?:destroy|tear(?:ing)? down)\w* (?:\w+ ){0,3}(?:infra\w*|clusters?|stacks?"
        r"|environments?|resources)\b|(?:인프라|클러스터|스택)(?:를|을|은|는)?\s?(?:\S+\s)?(?:삭제|지우|없애|내리)",
        commands="terraform destroy; tofu destroy; pulumi destroy; cdk destroy; kubectl delete; "
        "eksctl delete; gcloud container clusters delete; aws cloudformation delete-stack; "
        "helm uninstall",
        example="never destroy the cluster",
        counter_example="destroy the argument",
    ),
    KnownDeed(
        name="send mail",
        words=r"\bsend\w* (?:\w+ ){0,3}(?:e-?mails?|mails?|newsletters?)\b|\be-?mail(?:ing)? "
        r"(?:customers?|users?|anyone|people)\b|(?:메일|이메일|뉴스레터)(?:을|를|은|는)?\s?(?:\S+\s)?(?:보내|발송"
        r"|전송)",
        commands="mail +1; sendmail; mutt; msmtp; swaks; aws ses send-email; script:newsletter",
        example="never send emails to customers",
        counter_example="the mail is slow",
        tools=("send+email", "send+mail", "gmail+send", "create+draft+send"),
    ),
    KnownDeed(
        name="post to Slack",
        words=r"\b(?:post|send|writ|messag)\w* (?:\w+ ){0,4}(?:slack|discord)\b"
        r"|(?:슬랙|slack|디스코드)(?:에|으로|로)?\s?(?:\S+\s){0,2}?(?:올리|보내|쓰|메시지|게시|남기)",
        commands="",
        example="don't post to slack",
        counter_example="slack off",
        tools=("slack+post", "slack+send", "discord+send", "slack+reply", "slack+message"),
    ),
    KnownDeed(
        name="search the web",
        words=r"\b(?:search|brows)\w* (?:the )?(?:web|internet|online)\b|\bweb search(?:es)?\b"
        r"|(?:웹|인터넷|온라인)(?:에서|을|을)?\s?(?:검색|서핑)",
        commands="",
        example="don't search the web",
        counter_example="web components",
        tools=("WebSearch", "WebFetch", "google_web_search", "web_fetch"),
    ),
    KnownDeed(
        name="use sub-agents",
        words=r"\bsub-?agents?\b|서브\s?에이전트",
        commands="",
        example="never spawn sub-agents",
        counter_example="agents are nice",
        tools=("Task", "Agent"),
    ),
    KnownDeed(
        name="download",
        words=r"\bdownload(?:s|ing)?\b|다운로드|내려받",
        commands="curl -o; curl -O; curl --output; wget",
        example="don't download anything",
        counter_example="load it",
    ),
    KnownDeed(
        name="format",
        words=r"\bre?-?format(?:s|ting)? (?:\w+ ){0,3}(?:code|codebase|repo|files?|everything)\b"
        r"|\brun(?:ning)? (?:the )?(?:code )?formatters?\b"
        r"|(?:포[맷매]터|포[맷매]팅|포맷)(?:를|을|은|는)?\s?(?:\S+\s)?(?:돌리|돌려|실행|하지|하기)",
        commands="prettier --write; prettier -w; black; ruff format; gofmt -w; rustfmt; cargo fmt; "
        "eslint --fix; biome format; npm run format*; pnpm format*; yarn format*; make format; "
        "make fmt; isort; clang-format -i; dart format; mix format",
        example="never reformat the whole repo",
        counter_example="the file format",
    ),
    KnownDeed(
        name="bump version",
        words=r"\bbump(?:s|ing)? (?:the )?(?:\w+ )?versions?\b|버전(?:을|은)?\s?(?:\S+\s)?(?:올리|바꾸"
        r"|변경|범프)",
        commands="npm version +1; pnpm version +1; yarn version; poetry version +1; bump2version; "
        "bumpversion; cargo set-version; hatch version +1",
        example="don't bump the version",
        counter_example="the new version",
    ),
    KnownDeed(
        name="run tests",
        words=r"\b(?:run|execut|launch)\w* (?:\S+ ){0,3}(?:test suites?|tests?|specs)\b|\be2e\b"
        r"|\b(?:integration|unit|smoke|acceptance) tests?\b"
        r"|테스트(?:를|을|는|은)?\s?(?:\S+\s)?(?:돌리|돌려|실행)",
        commands=_TEST,
        example="never run the e2e tests",
        counter_example="a contest",
    ),
    KnownDeed(
        name="build",
        words=r"\b(?:run|start|trigger|do)\w* (?:\w+ ){0,2}builds?\b|\bbuild(?:s"
        r"|ing)? (?:the )?(?:app|project"
        r"|images?|bundle|docker)\b|빌드(?:를|는|은)?\s?(?:\S+\s)?(?:돌리|돌려|하지|하기|실행)",
        commands="npm run build*; pnpm build*; pnpm run build*; yarn build*; bun run build*; "
        "make build*; "
        "cargo build; go build; docker build; docker compose build; gradle build; mvn package; "
        "next build; vite build; webpack; turbo build; turbo run build",
        example="don't run builds",
        counter_example="build trust",
    ),
    KnownDeed(
        name="deploy",
        words=r"\b(?:re-?)?deploy(?:s|ing|ed|ments?)?\b(?!\.)|\bship(?:s|ping)? (?:it |anything "
        r"|code )?"
        r"to (?:prod\w*|staging|live)\b|배포|디플로이|롤아웃|\broll(?:ing)? ?outs?\b",
        commands=_DEPLOY,
        example="ask me before you deploy",
        counter_example="employ people",
    ),
    KnownDeed(
        name="squash",
        words=r"\bsquash(?:es|ing)?\b(?:[ -]merg(?:e|es|ing)\b)?|스쿼시",
        commands="git merge --squash; gh pr merge --squash; gh pr merge -s; git rebase -i",
        example="never squash commits",
        counter_example="a squad",
    ),
    KnownDeed(
        name="merge",
        words=r"\bmerg(?:e|es|ing)\b(?! conflicts?)|(?<!나)머지|병합",
        commands="git merge !--abort !--continue; gh pr merge; glab mr merge",
        example="never merge into main",
        counter_example="emerge",
        tools=("merge+pull+request",),
        is_on_branch=True,
    ),
    KnownDeed(
        name="rebase",
        words=r"\brebas(?:e|es|ing)\b|리베이스",
        commands="git rebase !--abort !--continue; git pull --rebase",
        example="don't rebase",
        counter_example="the base",
        is_on_branch=True,
    ),
    KnownDeed(
        name="cherry-pick",
        words=r"\bcherry-?pick(?:s|ing)?\b|체리\s?픽",
        commands="git cherry-pick !--abort",
        example="no cherry-picking",
        counter_example="cherry pie",
        is_on_branch=True,
    ),
    KnownDeed(
        name="tag",
        words=r"\btag(?:s|ging)?\b|태그",
        commands="git tag +1 !-l !--list; git push --tags",
        example="don't create tags",
        counter_example="stage it",
    ),
    KnownDeed(
        name="commit",
        words=r"\bcommit(?:s|ting)?\b(?! messages?| hooks?)|커밋(?!\s?메[시세]지)",
        commands="git commit",
        example="don't commit to main",
        counter_example="the committee",
        is_on_branch=True,
    ),
    KnownDeed(
        name="push",
        words=r"\bpush(?:es|ing)?\b(?! notif)|푸[시쉬](?!\s?알림)",
        commands="git push",
        example="never push to main",
        counter_example="push notifications",
        tools=("push+files",),
        is_on_branch=True,
    ),
    KnownDeed(
        name="connect",
        words=r"\bssh(?:ing)?\b(?: (?:in)?to)?|\b(?:log(?:ging)? ?in(?:to)?"
        r"|connect(?:ing)?) (?:directly )?to\b"
        r"|접속|(?:원격|SSH)\s?연결",
        commands="ssh; scp; sftp; rsync; mosh; psql; mysql; mariadb; mongosh; mongo; redis-cli; "
        "mysqldump; "
        "pg_dump; kubectl exec; heroku run; fly ssh",
        example="never ssh into prod",
        counter_example="crash it",
    ),
)


def build_deed_patterns(deed: KnownDeed) -> list[CommandPattern]:
    """Return the patterns of a deed's commands."""
    return [_parse_pattern(text) for text in deed.commands.split(";") if text.strip()]


def _parse_pattern(text: str) -> CommandPattern:
    program, *words = text.split()
    if program.startswith("script:"):
        return CommandPattern(script=program.removeprefix("script:"))
    if program.startswith("sql:"):
        return CommandPattern(sql=" ".join((program.removeprefix("sql:"), *words)))
    return CommandPattern(
        program,
        [word for word in words if word[0] not in "-+!" or word == "+*"],
        [word for word in words if word[0] == "-"],
        fewest=sum(int(word) for word in words if word[0] == "+" and word != "+*"),
        lacks=[word.removeprefix("!") for word in words if word[0] == "!"],
    )
