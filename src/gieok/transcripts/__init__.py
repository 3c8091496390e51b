"""Transcripts of agents: one line (or event) → messages. Pure; whoever reads files or databases brings the lines.

An agent is one file here and a row in `formats`. A reader calls `formats.begin` with a file's name and its first line, which
gives the session, and then `turns` for every line.
"""
