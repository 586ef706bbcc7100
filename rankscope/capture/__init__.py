"""Collecting from all agents of a job at one moment."""
