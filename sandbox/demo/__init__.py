"""The whole loop on one machine."""
