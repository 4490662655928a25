"""gRPC calls written by hand: HTTP/2 frames over TLS, so that a message can be wrong in any place.

A client made with a library sends what the protocol allows; this one sends any bytes, in any order,
and breaks off wherever it likes. It speaks as much of HTTP/2 (RFC 9113) and HPACK (RFC 7541) as one
call over one connection needs: literal headers out, no dynamic table in. Standard library only.
"""

import socket
import ssl
import struct
import urllib.parse

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
FRAME_BYTES = 16384
#: Seconds of silence after which a call counts as hanging.
PATIENCE = 60

#: Bits of the Huffman code of each byte, as letters from A = 5 (RFC 7541, appendix B). The code is
#: canonical: the lengths give it.
LENGTHS = (
    "ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJB"
    "KABABABBBACCBBBABCBAABCCCCCKGJIXPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS"
    "VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWV")


def huffman_codes():
    codes, code, length = {}, 0, 0
    for byte in sorted(range(256), key=lambda byte: (LENGTHS[byte], byte)):
        bits = ord(LENGTHS[byte]) - ord("A") + 5
        code, length = code << bits - length, bits
        codes[length, code] = byte
        code += 1
    return codes


HUFFMAN = huffman_codes()


def unpack(coded):
    """The text of a Huffman-coded string."""
    out, code, length = bytearray(), 0, 0
    for byte in coded:
        for place in range(7, -1, -1):
            code, length = code << 1 | byte >> place & 1, length + 1
            if (length, code) in HUFFMAN:
                out.append(HUFFMAN[length, code])
                code = length = 0
    return bytes(out)


def headers_of(block):
    """Headers of a block that uses no dynamic table. Names from the static table stay numbers, but
    for the status."""
    at, found = 0, {}

    def number(bits):
        nonlocal at
        value, shift = block[at] & (1 << bits) - 1, 0
        full = value == (1 << bits) - 1
        at += 1
        while full:
            value += (block[at] & 0x7F) << shift
            shift, full = shift + 7, block[at] & 0x80
            at += 1
        return value

    def text():
        nonlocal at
        coded = block[at] & 0x80
        length = number(7)
        at += length
        piece = block[at - length:at]
        return (unpack(piece) if coded else piece).decode("latin-1")

    while at < len(block):
        first = block[at]
        if first & 0x80:
            index = number(7)
            if 8 <= index <= 14:
                found[":status"] = ["200", "204", "206", "304", "400", "404", "500"][index - 8]
        elif first & 0xE0 == 0x20:
            number(5)
        else:
            index = number(6 if first & 0x40 else 4)
            name = text() if index == 0 else ":status" if 8 <= index <= 14 else str(index)
            found[name] = text()
    return found


# --- protocol buffers ---

def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields):
    """A message of (number, value): integers, texts, bytes (messages, too)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def framed(content, flag=0, length=None):
    """A message as gRPC sends it."""
    return struct.pack(">BI", flag, len(content) if length is None else length) + content


# --- connections ---

class Reply:
    """How a call ended: a gRPC status, a plain HTTP status, or a connection that broke."""

    def __init__(self):
        self.headers, self.body, self.reset = {}, b"", None

    @property
    def code(self):
        return int(self.headers["grpc-status"]) if "grpc-status" in self.headers else None

    @property
    def text(self):
        return urllib.parse.unquote(self.headers.get("grpc-message", ""))

    def messages(self):
        at = 0
        while at + 5 <= len(self.body):
            length = struct.unpack_from(">I", self.body, at + 1)[0]
            yield self.body[at + 5:at + 5 + length]
            at += 5 + length

    def __repr__(self):
        return f"headers {self.headers}, {len(self.body)} bytes, reset {self.reset}"


def connect(port, authority, own=None, protocol="h2"):
    """A TLS connection; `own` is a certificate and its key."""
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols([protocol])
    if own:
        context.load_cert_chain(*own)
    plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
    try:
        return context.wrap_socket(plain, server_hostname="localhost")
    except BaseException:
        plain.close()
        raise


class Call:
    """One call on a connection of its own."""

    def __init__(self, stream, method, headers=()):
        self.stream, self.reply, self.ended = stream, Reply(), False
        self.window, self.whole, self.initial = 65535, 65535, 65535
        self.buffer = self.block = b""
        self.raw(PREFACE)
        # No dynamic table; windows that no answer here fills.
        self.frame(SETTINGS, 0, 0, struct.pack(">HIHI", 1, 0, 4, 1 << 30))
        self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30))
        self.begin(1, method, headers)

    def begin(self, stream, method, headers=()):
        """One more call on the connection, of which only the first is followed."""
        fields = {":method": "POST", ":scheme": "https", ":path": f"/blindcore.v1.Blindcore/{method}",
                  ":authority": "localhost", "content-type": "application/grpc", "te": "trailers"}
        fields.update(headers)
        block = b""
        for name, value in fields.items():
            for part in (name, value):
                block = block + (b"\0" if part is name else b"") + self.literal(part)
        self.frame(HEADERS, END_HEADERS, stream, block)
        return self

    def greet(self):
        """Takes what opens the server's windows."""
        while 65535 in (self.initial, self.whole) and not self.ended:
            self.receive()
        return self

    @staticmethod
    def literal(text):
        length = len(text)
        return (bytes([length]) if length < 127 else b"\x7f" + varint(length - 127)) + text.encode()

    def raw(self, content):
        try:
            self.stream.sendall(content)
        except (ConnectionError, ssl.SSLError) as error:
            # What the server said before it closed is still to be read, if it is not this error.
            self.reply.reset = self.reply.reset or str(error)

    def frame(self, kind, flags, stream, payload=b""):
        self.raw(struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload)

    def send(self, content, last=False):
        """Bytes of the call's body, as far as the server wants them."""
        for begin in range(0, len(content), FRAME_BYTES):
            piece = content[begin:begin + FRAME_BYTES]
            while not self.ended and min(self.window, self.whole) < len(piece):
                self.receive()
            if self.ended:
                return self
            self.window -= len(piece)
            self.whole -= len(piece)
            self.frame(DATA, 0, 1, piece)
        if last and not self.ended:
            self.frame(DATA, END_STREAM, 1)
        return self

    def need(self, count):
        while len(self.buffer) < count:
            try:
                more = self.stream.recv(1 << 16)
            except (ConnectionError, ssl.SSLError) as error:
                self.reply.reset, more = self.reply.reset or str(error), b""
            if not more:
                self.reply.reset = self.reply.reset or "closed"
                self.ended = True
                return None
            self.buffer += more
        piece, self.buffer = self.buffer[:count], self.buffer[count:]
        return piece

    def receive(self):
        """Takes one frame."""
        head = self.need(9)
        if head is None:
            return
        length, kind, flags = struct.unpack(">I", b"\0" + head[:3])[0], head[3], head[4]
        payload = self.need(length)
        if payload is None:
            return
        if kind == SETTINGS and not flags & 1:
            for at in range(0, length, 6):
                number, value = struct.unpack_from(">HI", payload, at)
                if number == 4:
                    self.window += value - self.initial
                    self.initial = value
            self.frame(SETTINGS, 1, 0)
        elif kind == WINDOW_UPDATE:
            more = struct.unpack(">I", payload)[0]
            if head[5:] == b"\0\0\0\0":
                self.whole += more
            else:
                self.window += more
        elif kind == PING and not flags & 1:
            self.frame(PING, 1, 0, payload)
        elif kind in (HEADERS, CONTINUATION):
            self.block += payload
            self.last = flags & END_STREAM if kind == HEADERS else self.last
            if flags & END_HEADERS:
                self.reply.headers.update(headers_of(self.block))
                self.block, self.ended = b"", bool(self.last)
        elif kind == DATA:
            self.reply.body += payload
            self.ended = bool(flags & END_STREAM)
        elif kind in (RST_STREAM, GOAWAY):
            code = struct.unpack_from(">I", payload, 4 if kind == GOAWAY else 0)[0]
            self.reply.reset, self.ended = f"error {code} of HTTP/2", kind == RST_STREAM or code != 0

    def finish(self):
        """Reads until the call has ended, and closes."""
        try:
            while not self.ended:
                self.receive()
        finally:
            self.stream.close()
        return self.reply

    def abort(self):
        """Breaks off: no farewell of TLS, no end of the stream, a reset of TCP."""
        plain = socket.socket(fileno=self.stream.detach())
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        plain.close()
