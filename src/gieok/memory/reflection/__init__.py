"""Observations → fewer observations, without losing what must stay."""
