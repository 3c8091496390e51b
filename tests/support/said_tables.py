"""Where in the source English texts that a person reads are found (`tests.support.said`): calls,
modules, and what is none.
"""

import re

#: Calls whose texts a person reads, besides errors: name → which arguments, by position or keyword;
#: () for all.
CALLS: dict[str, tuple[int | str, ...]] = {
    "Check": (0, 2, 3, "hint", "detail"),
    "Failed": (1,),
    "Option": (2, "doc", "hint"),
    "Reason": (0,),
    "Reject": (1, 3, "reason"),
    "Skipped": (1,),
    "Trial": (0, 1, 2),
    "Unfit": (0,),
    "Unseen": (0,),
    "Untried": (0,),
    "Untrusted": (0,),
    "Unwanted": (0,),
    "Validation": (0, 2),
    "ValueError": (0,),
    "TypeError": (0,),
    "_check": (0,),
    "_failed": (0, 1),
    "kind": (0,),
    "agrees": (2, "hint"),
    "_schedule": (0, 1, 2, 3),
    "note": (0, 1),
    "say": (0,),
    "tell": (0,),
}
#: Paired with Korean where they stand.
PAIRED = {"Words", "words"}
#: Functions whose result a person reads, by module.
RESULTS: dict[str, tuple[str, ...]] = {
    "code/ask/query.py": ("_not_understood",),
    "code/deepen/deeper.py": ("plain_record",),
    "ops/code/query.py": ("_words_only",),
    "ops/home/doctor.py": (
        "_home",
        "_journal",
        "_accounts",
        "_store",
        "_embedder",
        "_reranker",
        "_round_trip",
        "_folders",
        "_transcript",
    ),
}
#: Functions that put what they are given into a message, and that other modules call: name →
#: module.
SHARED = {
    "misunderstood": "models/http.py",
    "failed": "opening.py",
    "short": "models/embedders/e5/room.py",
    "bad": "option.py",
    "opening": "opening.py",
}
#: What models, agents, programs and developers read, and tests of ours.
APART = (
    "testing/",
    "surfaces/jsonrpc.py",
    "surfaces/mcp.py",
    "surfaces/qmd.py",
    "surfaces/hook/",
    "surfaces/tools.py",
    "surfaces/http/access.py",
    "surfaces/http/app.py",
    "surfaces/http/envelope.py",
    "surfaces/http/guards.py",
    "surfaces/http/metrics.py",
    "surfaces/http/problems.py",
    "surfaces/http/routes/",
    "surfaces/http/shapes.py",
    "surfaces/http/tokens.py",
    "code/languages/javascript/",
    "code/resolve/",
)
#: Modules in which every sentence that is no `Words` is for people, wherever it stands.
WHOLE = (
    "agents/install/",
    "agents/openclaw/gateway.py",
    "app/admin.py",
    "app/backups.py",
    "app/embedders.py",
    "app/encryption.py",
    "app/keys.py",
    "app/models.py",
    "app/notices.py",
    "app/observe.py",
    "app/trials.py",
    "registry.py",
    "storage/archives/",
    "storage/backups/",
    "models/http.py",
    "agents/openclaw/installation.py",
    "storage/accounts/sql/copying.py",
    "models/embedders/e5/runtime.py",
    "models/embedders/openai.py",
    "machine/imports/notes.py",
    "storage/postgres/connection.py",
    "storage/sealers/",
    "storage/sqlite/driver.py",
    "storage/sqlite/files.py",
    "storage/index/gemini/",
    "storage/index/mirrored/",
    "storage/index/postgres/reading.py",
    "storage/index/sqlite/reading.py",
    "storage/index/sql_vectors.py",
    "character/turn/reading.py",
    "code/ask/executed.py",
    "code/ask/outside.py",
    "code/deepen/summarise.py",
    "code/index/",
    "code/languages/python/tolerant.py",
    "code/languages/tree.py",
    "code/report/validate.py",
    "memory/sidecar.py",
    "ops/code/query.py",
    "ops/home/backup.py",
    "ops/home/status.py",
    "ops/memory/forget.py",
    "ops/memory/forgetting.py",
    "ops/memory/trust.py",
    "models/embedders/e5/weights.py",
    "models/embedders/ollama.py",
    "models/generators/ollama.py",
    "machine/imports/chatgpt.py",
    "machine/imports/claude.py",
    "machine/imports/claude_mem.py",
    "machine/imports/json_items.py",
    "machine/imports/mem0.py",
    "models/notifiers/",
    "models/onnx_folder.py",
    "models/rerankers/",
    "storage/sqlite/failures.py",
    "code/deepen/escalation.py",
    "memory/tiers/move.py",
    "memory/tiers/note_file.py",
    "memory/tiers/sweep.py",
    "memory/capture/capture.py",
    "memory/exchange/carried.py",
    "memory/exchange/notes.py",
    "memory/capture/tail.py",
    "memory/exchange/taking_in.py",
    "flow/lifecycle.py",
    "flow/notices.py",
    "ranking/recall.py",
    "ranking/rerank.py",
    "flow/service.py",
    "ops/code/model.py",
    "ops/home/cold.py",
    "ops/memory/index.py",
    "ops/memory/leftovers.py",
    "ops/memory/whereabouts.py",
    "ops/moving/",
    "ops/prompt/delivery.py",
    "ops/prompt/installed.py",
    "ops/prompt/recall.py",
    "text/encoding.py",
    "text/jsonc.py",
    "text/redact/own.py",
)
#: No sentence for a person: a query, an expression, a file's content, what a program prints or a
#: model reads.
CODE = re.compile(
    r"""\\b | \(\? | \]\| | _statement\b | \{\w*\} | ^[\[%#{<;]
    | \b(?:SELECT|FROM|WHERE|PRAGMA|AND|JOIN|BEGIN|UPDATE|CREATE\ TABLE)\b
    | (?i:^(?:no\ matching\ keys|no\ space\ left|too\ many\ tokens|too\ long|too\ large|maximum\ context|context\ length
    |token\ limit|text\ required|message\ required|invalid\ fts5|database\ is\ locked|on\ run\ argv|memory\ summary\ un
    |the\ key\ lies\ below|the\ lighthouse|what\ do\ we\ know|embedder:\ none|library/|answer\ with\ one\ word|say\ ok
    |from\ now\ on
    |say\ of\ each
    |quote,\ in\ a\ few|untrusted|---|own\.tf|name,\ is_|day,\ streak|id,\ |daemon\.log
    |config\.yaml|(?:\0)?gieok\ |\.git\ |build\ dist
    |close\ read|async\ def|type\ category|insert\ into|create\ store|vault's|gieok's\ version|\0\.\ tell))""",
    re.VERBOSE,
)
#: What is a program's own, in a text that is put together.
PROGRAM = re.compile(
    r"#.*|(?:BEGIN|SET) .*|(?:claude|codex): \0|claude auth login|codex login|archive "
    r"(?:cold|approval)|gieok move .*"
    r"|\0gieok trust .*|\W*gieok \0: \0",
    re.DOTALL,
)
#: Texts of Python, of the operating system and of SQLite, which are put into messages, and nouns of
#: `the {0}`.
OTHERS = (
    # Why talk is not read: rows of the agents (`Unread`).
    "compressed sessions are not read",
    "prompts of a Gemini CLI that kept no chats are not read",
    "checkpoints of a Gemini CLI that kept no chats are not read",
    "sessions of an opencode before 1.3, which kept each message in a file, are not read",
    "sessions of an opencode before 1.0 are not read",
    "{0:,} files",
    'write it: `gieok edit HANDLE "…"`',
    "write in {0!r}, or `gieok config set NAME VALUE`",
    "the store",
    "the code index",
    "the file of accounts",
    "the archive",
    "the accounts",
    "the index",
    "the list of accounts",
    "argument {0}: invalid choice: {1!r} (choose from {2})",
    "argument {0}: ignored explicit argument {1!r}",
    "argument {0}: expected at least one argument",
    "the following arguments are required: {0}",
    "[Errno {0:,}] {1}: {2!r}",
    "[Errno {0:,}] {1}: {2!r} -> {3!r}",
    "[Errno {0:,}] {1}",
    "No such file or directory",
    "Permission denied",
    "Operation not permitted",
    "Is a directory",
    "Not a directory",
    "Directory not empty",
    "File exists",
    "File name too long",
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Too many levels of symbolic links",
    "Too many open files",
    "Input/output error",
    "Connection refused",
    "Connection reset by peer",
    "Connection timed out",
    "Network is unreachable",
    "No route to host",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Address already in use",
    "Cannot assign requested address",
    "timed out",
    "database is locked",
    "database disk image is malformed",
    "file is not a database",
    "attempt to write a readonly database",
    "Expecting value: line {0:,} column {1:,} (char {2:,})",
    "Expecting property name enclosed in double quotes: line {0:,} column {1:,} (char {2:,})",
    "Expecting ',' delimiter: line {0:,} column {1:,} (char {2:,})",
    "Extra data: line {0:,} column {1:,} (char {2:,})",
    "'utf-8' codec can't decode byte {0} in position {1:,}: {2}",
    "invalid literal for int() with base 10: {0!r}",
    "could not convert string to float: {0!r}",
    "none",
    "bad minute",
    "bad hour",
    "bad day-of-month",
    "bad month",
    "bad day-of-week",
    "Not a gzipped file ({0})",
    "error: Could not access {0!r}",
    "connection failed: connection to server at {0!r}, port {1:,} failed: {2}",
    "connection failed: connection to server at {0!r} ({1}), port {2:,} failed: {3}",
    "Connection refused Is the server running on that host and accepting TCP/IP connections?",
    "FATAL: password authentication failed for user {0!r}",
    "FATAL: database {0!r} does not exist",
    "FATAL: role {0!r} does not exist",
    # As it is said.
    (
        'while parsing {0} in "<unicode string>", line {1:,}, column {2:,}: {3} in "<unicode '
        'string>", line {4:,}, column {5:,}: {6}'
    ),
    # As it is said.
    (
        'while scanning {0} in "<unicode string>", line {1:,}, column {2:,}: {3} in "<unicode '
        'string>", line {4:,}, column {5:,}: {6}'
    ),
    'mapping values are not allowed here in "<unicode string>", line {0:,}, column {1:,}: {2}',
    "the endpoint",
)
