"""Operations on the tiers of memory."""
