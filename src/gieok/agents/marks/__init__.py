"""Who speaks: the marks that each host gives, as rows (see `transcripts.speakers`, which reads
them).
"""
