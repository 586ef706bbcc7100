"""A Feishu emulator: the open platform's API, its pushes, and a chat page for people."""
