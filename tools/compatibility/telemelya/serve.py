"""Serves telemelya on 127.0.0.1:$MOCK_SERVER_PORT. Its code runs as it was published; what it asks for beside itself, a
Redis and an S3 bucket for uploaded files, is stood in for: an in-memory Redis, and a bucket that is always there."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fakeredis import TcpFakeServer

HOST = "127.0.0.1"


class AnyBucket(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def port_of(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


os.environ.update(
    MOCK_SERVER_HOST=HOST,
    REDIS_URL=f"redis://{HOST}:{port_of(TcpFakeServer((HOST, 0), server_type='redis'))}/0",
    MINIO_ENDPOINT=f"{HOST}:{port_of(ThreadingHTTPServer((HOST, 0), AnyBucket))}",
    # An edit of a message that it does not have is refused, as the service refuses it.
    STRICT_EDIT="true",
)

# Reads its settings when it is loaded.
from telemelya.server.app import main  # noqa: E402

main()
