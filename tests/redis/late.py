#!/usr/bin/env python3
"""A line to a server that loses a request and finds it again: the first that has WORD in it is held back, and who sent it is
hung up on. When there is a FILE it reaches the server, as what is left in the socket of a process that gave up may; FILE is
removed when that has answered. Prints its port.

Usage: late.py PORT WORD FILE     until it is killed
"""
import asyncio
import os
import sys

SOME = 1 << 16


class Line:
    def __init__(self, port, word, file):
        self.port, self.word, self.file, self.held = port, word.encode(), file, False

    async def deliver(self, data, there_reader, there_writer):
        while not os.path.exists(self.file):
            await asyncio.sleep(0.02)
        there_writer.write(data)
        await there_reader.read(SOME)
        there_writer.close()
        os.remove(self.file)

    async def pass_on(self, reader, writer):
        while data := await reader.read(SOME):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(self, reader, writer):
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.port)
        answers = asyncio.create_task(self.pass_on(there_reader, writer))
        while data := await reader.read(SOME):
            if self.word in data and not self.held:
                self.held = True
                answers.cancel()
                await asyncio.gather(answers, return_exceptions=True)
                writer.close()
                return await self.deliver(data, there_reader, there_writer)
            there_writer.write(data)
            await there_writer.drain()
        there_writer.close()


async def main():
    line = Line(int(sys.argv[1]), sys.argv[2], sys.argv[3])
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
