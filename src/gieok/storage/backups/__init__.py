"""Backups of a home: one file each, made while Gieok's processes run."""
