"""Settings of storage: the store, the journal, their servers, Gemini File Search."""

from gieok.settings.hook import HYBRID, JOURNAL, STORE
from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_schedule_option

OPTIONS = (
    STORE,
    JOURNAL,
    HYBRID,
    Option("store.timeout_s", 5.0, "seconds that a database server may take for an answer", low=1),
    Option(
        "database.url",
        "",
        (
            "address of the PostgreSQL for `store: postgres` and `journal: postgres`, such "
            "as postgresql://me@host/name"
        ),
        is_address=True,
    ),
    Option(
        "database.connections",
        10,
        "most connections of a process to PostgreSQL; store, journal and accounts share them",
        low=1,
    ),
    Option(
        "redis.url",
        "",
        (
            "address of a Redis or Valkey that the processes of a service share, such as "
            "rediss://host:6380/0"
        ),
        is_address=True,
    ),
    Option(
        "mongo.url",
        "",
        (
            "address of the MongoDB for the texts of `journal: mongo`, such as "
            "mongodb://me@host/gieok; set database.url too"
        ),
        is_address=True,
    ),
    Option(
        "gemini.stores",
        "gieok",
        (
            "names of the File Search stores of `store: gemini`, joined by commas, 5 at "
            "most; a missing one is made"
        ),
    ),
    Option("gemini.model", "gemini-3.5-flash-lite", "the model through which File Search is asked"),
    Option(
        "gemini.embedding_model",
        "",
        "model for the vectors of a new File Search store; empty: the service's default",
    ),
    Option(
        "gemini.top_k",
        10,
        "chunks that a search asks File Search for; each costs input tokens",
        low=1,
    ),
    Option(
        "gemini.chunk_tokens",
        0,
        "tokens of a chunk at File Search, 21 to 512; 0: as index.passage_tokens",
        low=0,
        high=512,
    ),
    Option(
        "gemini.chunk_overlap_tokens",
        -1,
        (
            "tokens that a chunk at File Search repeats of the one before; -1: as "
            "index.overlap_tokens"
        ),
        low=-1,
    ),
    Option(
        "gemini.metadata_filter",
        "",
        'further condition of every search, as File Search writes it: gieok_kind="file"',
    ),
    Option(
        "gemini.daily_calls",
        1000,
        (
            "most searches a day at File Search; after that, only the local index answers; "
            "0: unlimited"
        ),
        low=0,
    ),
    Option(
        "gemini.monthly_dollars",
        1.0,
        (
            "most dollars a month for File Search, by `gemini.price_*`; after that, only "
            "the local index answers, and uploads wait; 0: unlimited"
        ),
        low=0,
    ),
    Option(
        "gemini.timeout_s",
        15.0,
        "seconds that an upload, a deletion or a list at File Search may take",
        low=1,
    ),
    Option(
        "gemini.search_timeout_s",
        2.0,
        "seconds that a search waits for File Search, all tries together",
        low=0.1,
    ),
    Option(
        "gemini.upload_timeout_s",
        120.0,
        "seconds until a file uploaded to File Search must be searchable",
        low=1,
    ),
    Option(
        "gemini.price_input",
        0.30,
        "dollars per million input tokens, for the cost that `gieok status` shows",
        low=0,
    ),
    Option(
        "gemini.price_output",
        2.50,
        "dollars per million output tokens, for the cost that `gieok status` shows",
        low=0,
    ),
    Option(
        "gemini.price_index",
        0.15,
        (
            "dollars per million tokens of uploaded documents, for the cost that `gieok "
            "status` shows"
        ),
        low=0,
    ),
    Option("gemini.url", "", "another address of File Search, such as a proxy's", is_address=True),
)
#: When a managed store is compared with what is here.
GEMINI_SCHEDULE = build_schedule_option(
    "gemini.schedule",
    "15 5 * * *",
    "when Gieok compares File Search with this machine, and corrects what differs",
)
