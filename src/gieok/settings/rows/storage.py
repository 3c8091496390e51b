"""Settings of storage: the store, the journal, their servers, Gemini File Search."""

from gieok.settings.hook import HYBRID, JOURNAL, STORE
from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_schedule_option

OPTIONS = (
    STORE,
    JOURNAL,
    HYBRID,
    Option("store.timeout_s", 5.0, "how long a database server may take for an answer", low=1),
    Option(
        "database.url",
        "",
        "server of `store: postgres`, `journal: postgres`: postgresql://me@host/name",
        is_address=True,
    ),
    Option(
        "database.connections",
        10,
        "connections of a process to it at most, shared by store, journal, accounts",
        low=1,
    ),
    Option(
        "redis.url",
        "",
        "Redis or Valkey that processes of a service share: rediss://host:6380/0",
        is_address=True,
    ),
    Option(
        "mongo.url",
        "",
        "texts of `journal: mongo`, beside database.url: mongodb://me@host/gieok",
        is_address=True,
    ),
    Option(
        "gemini.stores",
        "gieok",
        "File Search stores of `store: gemini`, found or made; several with commas, at most 5",
    ),
    Option("gemini.model", "gemini-3.5-flash-lite", "the model through which File Search is asked"),
    Option(
        "gemini.embedding_model",
        "",
        "what a new File Search store embeds with; the service's default where empty",
    ),
    Option("gemini.top_k", 10, "how many chunks a search asks for; each is paid as input", low=1),
    Option(
        "gemini.chunk_tokens",
        0,
        "size of the service's own chunks, 21 to 512; 0: as index.passage_tokens",
        low=0,
        high=512,
    ),
    Option(
        "gemini.chunk_overlap_tokens",
        -1,
        "what such a chunk repeats of the one before; -1: as index.overlap_tokens",
        low=-1,
    ),
    Option(
        "gemini.metadata_filter",
        "",
        'a further condition of every search, in the service\'s words: gieok_kind="file"',
    ),
    Option(
        "gemini.daily_calls", 1000, "searches a day, then local search only; 0: unlimited", low=0
    ),
    Option(
        "gemini.monthly_dollars",
        1.0,
        "dollars a month, by `gemini.price_*`; then local search only, and uploads wait; "
        "0: unlimited",
        low=0,
    ),
    Option(
        "gemini.timeout_s", 15.0, "how long a call may take that uploads, deletes or lists", low=1
    ),
    Option(
        "gemini.search_timeout_s",
        2.0,
        "how long a search may wait for the service, all tries together",
        low=0.1,
    ),
    Option(
        "gemini.upload_timeout_s", 120.0, "how long an upload may take to become searchable", low=1
    ),
    Option(
        "gemini.price_input",
        0.30,
        "dollars for a million tokens in, for the cost that `gieok status` shows",
        low=0,
    ),
    Option("gemini.price_output", 2.50, "dollars for a million tokens out", low=0),
    Option("gemini.price_index", 0.15, "dollars for a million tokens of uploaded documents", low=0),
    Option("gemini.url", "", "another address of the service, such as a proxy's", is_address=True),
)
#: When a managed store is compared with what is here.
GEMINI_SCHEDULE = build_schedule_option(
    "gemini.schedule",
    "15 5 * * *",
    "when Gemini File Search is compared with what is here, and brought in line",
)
