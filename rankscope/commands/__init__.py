"""Subcommands of the core."""
