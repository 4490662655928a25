"""A server of the module's files and of programs, with the headers of `blindcore serve --web`. It takes
files, too, so that tests can look at what a page made of values and keys.
"""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class Files:
    def __init__(self, folder, page, programs):
        self.folder = folder
        folders = {"": page, "programs": programs, "files": folder}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def place(self):
                first, _, name = self.path.removeprefix("/").rpartition("/")
                place = folders.get(first)
                return place and place / (name or "module.html")

            def do_GET(self):
                place = self.place()
                if self.path == "/":
                    # A page of nothing, which runs under the policy.
                    self.reply(200, b"<!doctype html><title>Module</title>", "text/html")
                elif place and place.is_file():
                    self.reply(200, place.read_bytes(), TYPES.get(place.suffix, "application/octet-stream"))
                else:
                    self.reply(404, b"no such file", "text/plain")

            def do_PUT(self):
                self.place().write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
                self.reply(200, b"", "text/plain")

            def reply(self, status, data, kind):
                self.send_response(status)
                for name, value in HEADERS.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
