"""A real HTTP server on loopback that answers as it is told, well or badly, one behaviour after another."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Answers one request.
Behaviour = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the next behaviour; the last one stays."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.server.next(request)
        try:
            behaviour(self, request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, body: bytes, *, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Counts and keeps the requests it got."""

    daemon_threads = True

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = list(behaviours)
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next(self, request: dict[str, Any]) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            return self.behaviours[min(len(self.requests), len(self.behaviours)) - 1]

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Server]:
    server = Server(behaviours)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(content: object, usage: dict[str, Any] | None = None) -> bytes:
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    answer: dict[str, Any] = {
        "id": "c", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }  # fmt: skip
    return json.dumps(answer | ({"usage": usage} if usage else {})).encode()


def says(content: object, usage: dict[str, Any] | None = None) -> Behaviour:
    return lambda handler, request: handler.send(completion(content, usage))


def replies(answer: Callable[[dict[str, Any]], object]) -> Behaviour:
    """An answer worked out from the request."""
    return lambda handler, request: handler.send(completion(answer(request)))


def fails(status: int, body: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Behaviour:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda handler, request: handler.send(body, status=status, headers=named)


def raw(body: bytes) -> Behaviour:
    return lambda handler, request: handler.send(body)


def hangs(seconds: float) -> Behaviour:
    return lambda handler, request: time.sleep(seconds)


def breaks_off(handler: Handler, request: dict[str, Any]) -> None:
    """Promises more than it sends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(completion("{}")[:40])
    handler.wfile.flush()
    handler.close_connection = True


def trickles(handler: Handler, request: dict[str, Any]) -> None:
    """Sends a byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def floods(handler: Handler, request: dict[str, Any]) -> None:
    """Sends megabyte after megabyte."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 30))
    handler.end_headers()
    for _ in range(1 << 10):
        handler.wfile.write(b"x" * (1 << 20))


@dataclass
class Misbehaviour:
    """A way to answer badly, and how the ledger must name it."""

    name: str
    behaviours: tuple[Behaviour, ...]
    outcome: str
    settings: dict[str, Any] = field(default_factory=dict)


#: Everything that a server is known to do.
MISBEHAVIOURS = [
    Misbehaviour("times out", (hangs(12),), "timeout", {"timeout_seconds": 0.3}),
    Misbehaviour("trickles", (trickles,), "timeout", {"timeout_seconds": 0.5}),
    Misbehaviour("garbage", (raw(b"<html>Bad gateway</html>"),), "garbage"),
    Misbehaviour("bytes", (raw(bytes(range(256))),), "garbage"),
    Misbehaviour("deep", (raw(b"[" * 200_000),), "garbage"),
    Misbehaviour("half a reply", (raw(completion("{}")[:60]),), "garbage"),
    Misbehaviour("breaks off", (breaks_off,), "unreachable"),
    Misbehaviour("half a JSON", (says('{"facts": [{"text": "The us'),), "invalid"),
    Misbehaviour("wrong shape", (says({"facts": "none", "more": [1]}),), "invalid"),
    Misbehaviour("prose", (says("Sure! Here are the facts you asked for."),), "invalid"),
    Misbehaviour("no choices", (raw(b'{"choices": []}'),), "empty"),
    Misbehaviour("no content", (says(None),), "empty"),
    Misbehaviour("a list", (raw(b"[1, 2]"),), "empty"),
    Misbehaviour("busy", (fails(429),), "busy", {"retries": 1}),
    Misbehaviour("busy for long", (fails(429, retry_after="86400"),), "busy"),
    Misbehaviour("broken", (fails(500),), "failed", {"retries": 0}),
    Misbehaviour("no key", (fails(401),), "refused"),
    Misbehaviour("floods", (floods,), "oversized"),
]
