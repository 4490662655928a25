"""Everything that a browser sends: a relay in front of a server that keeps each byte as it came.

It knows no HTTP. What it has seen is what left the browser for this address, headers, bodies and
all; a browser that can reach no other address has sent nothing else.
"""

import socket
import threading


class Recorder:
    """Listens on a port of its own and passes on to `port`."""

    def __init__(self, port):
        self.upstream = port
        self.sent = []
        self._lock = threading.Lock()
        self._open = set()
        self._listener = None
        self.port = 0
        self.resume()

    def resume(self):
        """Takes connections, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self):
        """Ends all connections and takes no more, as when a cable is pulled."""
        listener, self._listener = self._listener, None
        # Whoever waits in accept() hears of it by this.
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def bytes_sent(self):
        """All that the browser sent, each connection by itself."""
        with self._lock:
            return [bytes(part) for part in self.sent]

    def _accept(self, listener):
        while True:
            try:
                browser, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.upstream))
            except OSError:
                browser.close()
                continue
            kept = bytearray()
            with self._lock:
                self.sent.append(kept)
                self._open.update((browser, server))
            for pair in ((browser, server, kept), (server, browser, None)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source, drain, kept):
        try:
            while data := source.recv(1 << 16):
                if kept is not None:
                    with self._lock:
                        kept.extend(data)
                drain.sendall(data)
        except OSError:
            pass
        for end in (source, drain):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self._lock:
            self._open.difference_update((source, drain))
