"""Memory of other programs, exports, moved folders, mirrored notes: in and out."""
