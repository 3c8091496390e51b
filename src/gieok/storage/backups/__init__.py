"""Backups of a home: one file each, made while everything runs."""
