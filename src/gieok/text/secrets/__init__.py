"""Where a secret may stand in a text: words that announce one, and values that may be one.

The reader's head *secrets* judges these values; the rules of `text.redact` need none of this.
"""
