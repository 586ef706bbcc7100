"""What people type, understood, and what the bot answers; no I/O."""
