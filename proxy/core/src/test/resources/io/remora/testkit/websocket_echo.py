"""Servers that echo: as a program, websockets at a port; as a module, the application for Hypercorn, which speaks HTTP/2 as well."""

import asyncio
import sys


async def app(scope, receive, send):
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        content = {name: event[name] for name in ("text", "bytes") if event.get(name) is not None}
        await send({"type": "websocket.send", **content})


async def serve(port):
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    async def echo(connection):
        try:
            async for message in connection:
                await connection.send(message)
        except ConnectionClosed:
            pass

    def choose(connection, offered):
        return "chat" if "chat" in offered else None

    async with serve(echo, "127.0.0.1", port, max_size=None, ping_interval=None, select_subprotocol=choose) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
