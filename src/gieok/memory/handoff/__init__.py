"""What a session decided, left open, ran and changed, in the words of its own messages."""
