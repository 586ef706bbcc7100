"""Frozen data types shared by every part; no behaviour beyond what follows from the data."""
