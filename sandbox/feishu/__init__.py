"""A Feishu open platform emulator with a chat page."""
