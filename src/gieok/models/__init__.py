"""Models: what embeds, reranks, writes; and what carries a notice. `gieok.app` opens them."""

import gieok.threads  # noqa: F401
