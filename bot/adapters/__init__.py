"""Inbound webhooks of other systems, each turned into `rankscope.event/1` by one small file.

An adapter is a pure function from one item of a body to events, with a line in `table.py`.
docs/webhooks.md, "Adding a source", shows how to write one.
"""
