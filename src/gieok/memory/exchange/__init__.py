"""Import and export: memory of other programs, exports, moved folders, mirrored notes."""
