"""Following a training log and telling the bot about it."""
