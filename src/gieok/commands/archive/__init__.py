"""Commands on the tiers of memory."""
