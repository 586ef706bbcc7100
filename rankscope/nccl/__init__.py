"""NCCL RAS; pure but for the client."""
