"""Times in words, Korean and English: one grammar, read by those who ask about the past and those
who tell of what is ahead.
"""
