#!/usr/bin/env python3
"""A line to a server by which replicas hear late, and all others at once. Prints its port.

Usage: slow.py PORT DELAY_MS [FILE]     until it is killed, and what is on its way to a replica is lost with it
While there is such a FILE, all others hear late, too.
"""
import asyncio
import os
import sys

SOME = 1 << 16


class Line:
    def __init__(self):
        self.late = False  # it is a replica's: it has asked for the server's history

    async def ask(self, reader, writer):
        while data := await reader.read(SOME):
            self.late = self.late or b"psync" in data.lower()
            writer.write(data)
            await writer.drain()

    async def answer(self, reader, writer, delay_s):
        clock = asyncio.get_running_loop().time
        parts = asyncio.Queue()

        async def deliver():
            while part := await parts.get():
                due, data = part
                await asyncio.sleep(max(0, due - clock()))
                writer.write(data)
                await writer.drain()

        delivery = asyncio.create_task(deliver())
        while data := await reader.read(SOME):
            late = self.late or any(map(os.path.exists, sys.argv[3:]))
            parts.put_nowait((clock() + (delay_s if late else 0), data))
        parts.put_nowait(None)
        await delivery


async def serve(port, delay_s, reader, writer):
    there_reader = there_writer = None
    try:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        line = Line()
        ways = [asyncio.create_task(line.ask(reader, there_writer)),
                asyncio.create_task(line.answer(there_reader, writer, delay_s))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    except OSError:
        pass
    for end in (writer, there_writer):
        if end:
            end.close()


async def main():
    port, delay_s = int(sys.argv[1]), int(sys.argv[2]) / 1000
    server = await asyncio.start_server(lambda r, w: serve(port, delay_s, r, w), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
