#!/usr/bin/env python3
"""Servers that stand still: they take connections, and never answer. Prints their addresses, separated by commas.

Usage: mute.py COUNT        until it is killed
"""
import signal
import socket
import sys

servers = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(int(sys.argv[1]))]
print(",".join("127.0.0.1:%d" % server.getsockname()[1] for server in servers), flush=True)
signal.pause()
