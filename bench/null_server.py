"""A server that answers at once and does nothing: what is left is the price of boto3 itself."""

from __future__ import annotations

import asyncio
import json
import sys

import workload

_ITEMS = [workload.item(number) for number in range(workload.GROUP)]
ANSWERS: dict[str, bytes] = {
    "GetItem": json.dumps({"Item": _ITEMS[0]}).encode(),
    "Query": json.dumps({"Items": _ITEMS, "Count": 100, "ScannedCount": 100}).encode(),
    "Scan": json.dumps({"Items": _ITEMS * 50, "Count": 5000, "ScannedCount": 5000}).encode(),
    "BatchWriteItem": b'{"UnprocessedItems": {}}',
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read requests and answer each by its operation's name, until the client goes."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            await reader.readexactly(int(headers.get("content-length", "0")))
            operation = head.partition("DynamoDB_20120810.")[2].partition("\r")[0]
            body = ANSWERS.get(operation, b"{}")
            status = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
            writer.write(status + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve(port: int) -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
