"""A Feishu emulator and a training cluster to try everything offline."""
