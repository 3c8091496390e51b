"""Where memory is kept: journals, indexes, accounts, archives, backups. `gieok.home` opens them."""

import gieok.threads  # noqa: F401
