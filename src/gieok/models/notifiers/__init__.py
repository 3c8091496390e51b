"""Notifiers: channels that carry a notice to a person."""
