"""The capture agent: one per node; it knows neither Redis nor Feishu."""
