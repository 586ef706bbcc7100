"""The open platform: crypto and sending."""
