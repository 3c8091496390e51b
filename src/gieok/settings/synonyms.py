"""Names of settings in the documents that Gieok was made from, and ours for each.

What a document says in another unit is in `conversions`. A configuration written after such a
document is understood as it stands. A setting under its own name wins over one under another name.
"""

#: Name in a document → setting. Only names with the same unit and meaning stand here.
NAMES = {
    # Managed search for OpenClaw
    "backend": "store",
    "geminiFileSearch.storeId": "gemini.stores",
    "geminiFileSearch.storeName": "gemini.stores",
    "geminiFileSearch.topK": "gemini.top_k",
    "geminiFileSearch.chunkingConfig.maxTokensPerChunk": "gemini.chunk_tokens",
    "geminiFileSearch.chunkingConfig.chunkOverlapTokens": "gemini.chunk_overlap_tokens",
    "geminiFileSearch.metadataFilter": "gemini.metadata_filter",
    "maxResults": "search.limit",
    # Recall before a prompt
    "retrieval.output_mode": "hook.output_mode",
    "retrieval.judge.enabled": "judge.enabled",
    # Sidecar
    "logs.path": "observe.folders",
    "memory.hot.markdown_path": "active_memory.path",
    "memory.hot.ttl_days": "archive.hot_days",
    "memory.hot.max_size_mb": "archive.hot_mb",
    "memory.hot.max_tokens": "archive.hot_tokens",
    "memory.warm.ttl_days": "archive.warm_days",
    "memory.cold.storage": "archive.cold",
    "memory.cold.vault_path": "archive.folder",
    "memory.cold.obsidian_vault": "archive.folder",
    "memory.cold.memory_folder": "archive.subfolder",
    "memory.cold.obsidian_folder": "archive.subfolder",
    "obsidian.folder_structure": "archive.folder_structure",
    "obsidian.memory_folder": "archive.subfolder",
    "observer.model": "observe.model",
    "observer.api_base": "observe.base_url",
    "observer.api_key_env": "observe.key_variable",
    "observer.temperature": "observe.temperature",
    "observer.message_threshold": "observe.run_tokens",
    "observer.async_buffering.buffer_activation": "observe.activation",
    "reflector.model": "reflect.model",
    "reflector.temperature": "reflect.temperature",
    "reflector.reflection_threshold": "reflect.tokens",
    "reflector.compression_ratio": "reflect.ratio",
    "error_notification.openclaw_api": "notify.openclaw_url",
    "error_notification.retry_delays": "observe.retry_delays_s",
    "logging.max_size_mb": "logs.max_mb",
    "logging.backup_count": "logs.keep",
}
#: Name in a document of a cap on a whole run → our setting, which caps 6,000 tokens of messages. A
#: value for the one would mean several times as much for the other.
CAPS_OF_A_RUN = {
    "observer.max_observations_per_run": "observe.most_observations",
    "observer.max_output_tokens": "observe.output_tokens",
}
#: Name in a document, or a group of names, that no setting has the meaning of → settings or commands
#: that there are instead; '' where none is needed.
INSTEAD = {
    "geminiFileSearch.apiKey": "`gieok keys set gemini`",
    "minScore": "search.min_score",
    "logs.poll_interval": "watch.debounce_ms, watch.rescan_s",
    "logs.encoding": "",
    "memory.hot.chromadb_path": "store",
    "memory.hot.db_path": "store",
    "memory.hot.storage": "store",
    "memory.warm.archive_path": "",
    "memory.warm.max_size_mb": "archive.warm_days",
    "memory.warm.storage": "",
    "memory.cold.dropbox_folder": "archive.subfolder",
    "observer.top_p": "observe.temperature",
    "observer.top_k": "observe.temperature",
    "reflector.max_output_tokens": "reflect.ratio",
    "ttl_manager.schedule.hot_to_warm.batch_size": "",
    "ttl_manager.schedule.cold_sync.targets": "archive.cold",
    "obsidian.cli": "",
    "obsidian.cli_path": "",
    "obsidian.vault_name": "archive.folder",
    "dropbox.access_token": "`gieok keys set DROPBOX_REFRESH_TOKEN`",
    "dropbox.access_token_env": "`gieok keys set DROPBOX_REFRESH_TOKEN`",
    "dropbox.app_folder": "archive.subfolder",
    "dropbox.sync_direction": "",
    "dropbox.vault_path": "archive.folder",
    "error_notification.connection_verified": "`gieok notify test`",
    "logging.level": "`gieok logs`",
    "logging.file": "`gieok logs`",
    "performance": "threads, database.connections",
}
#: Variable of a key → its name in a document, which Google's own programs read too.
VARIABLES = {"GEMINI_API_KEY": "GOOGLE_API_KEY"}
#: Name of a model in a document → `provider:model`.
MODELS = {
    "google/gemini-2.5-flash": "gemini:gemini-2.5-flash",
    "gpt-4o-mini": "openai:gpt-4o-mini",
    "claude-3-haiku-20240307": "anthropic:claude-3-haiku-20240307",
}


def find_instead(name: str) -> str | None:
    """Return what there is instead of a document's name or its group; None for other names."""
    parts = name.split(".")
    groups = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((INSTEAD[group] for group in groups if group in INSTEAD), None)
