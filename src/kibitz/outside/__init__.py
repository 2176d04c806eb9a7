"""Bots that run as processes of their own and speak the protocol of docs/protocol.md over standard input and output."""
