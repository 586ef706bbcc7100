"""The bot: a FastAPI app that checks what comes in, records and enqueues it, and answers."""
