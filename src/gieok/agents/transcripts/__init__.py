"""Shared code of the transcript readers: lines in, messages out.

The code is pure; the callers that read files or databases pass in the lines.
"""
