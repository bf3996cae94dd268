"""A collector for OTLP over HTTP: takes what comes and decodes it by a small reader of its own.

    with Collector() as collector:
        collector.endpoint      http://127.0.0.1:PORT
        collector.spans         [{"trace_id": hex, "span_id": hex, "parent": hex, "name": …}]
        collector.metrics       {name: [{"labels": {…}, "value": …}]} of the newest request

`behaviour` is asked for each request what to do: None (take it), a status, or seconds to wait.
"""
import http.server
import struct
import threading
import time


def fields(data):
    """(number, value) of each field of a message; bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                raise ValueError("a field is longer than its message")
        else:
            raise ValueError(f"wire type {kind}")
        yield number, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def one(data, number, otherwise=None):
    found = [value for n, value in fields(data) if n == number]
    return found[-1] if found else otherwise


def every(data, number):
    return [value for n, value in fields(data) if n == number]


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def attributes(data, number):
    out = {}
    for pair in every(data, number):
        value = one(pair, 2)
        (kind, content), = fields(value)
        key = one(pair, 1).decode()
        if key in out:
            raise ValueError(f"attribute {key} twice")
        out[key] = content.decode() if kind == 1 else content
    return out


def read_span(data):
    status = one(data, 15, b"")
    return {"trace_id": one(data, 1).hex(), "span_id": one(data, 2).hex(),
            "parent": one(data, 4, b"").hex(), "name": one(data, 5).decode(),
            "kind": one(data, 6), "began": one(data, 7), "ended": one(data, 8),
            "attributes": attributes(data, 9), "error": one(status, 3, 0) == 2}


def read_number(data):
    whole, real = one(data, 6), one(data, 4)
    value = double(real) if whole is None else struct.unpack("<q", struct.pack("<Q", whole))[0]
    return {"labels": attributes(data, 7), "value": value,
            "start": one(data, 2), "time": one(data, 3)}


def read_times(data):
    buckets = struct.unpack(f"<{len(one(data, 6)) // 8}Q", one(data, 6))
    bounds = struct.unpack(f"<{len(one(data, 7)) // 8}d", one(data, 7))
    return {"labels": attributes(data, 9), "count": one(data, 4), "sum": double(one(data, 5)),
            "buckets": buckets, "bounds": bounds}


def read_metric(data):
    name = one(data, 1).decode()
    for number, kind in ((5, "gauge"), (7, "sum"), (9, "histogram")):
        content = one(data, number)
        if content is not None:
            read = read_times if kind == "histogram" else read_number
            points = [read(p) for p in every(content, 1)]
            return name, {"kind": kind, "points": points, "temporality": one(content, 2),
                          "monotonic": one(content, 3)}
    raise ValueError(f"metric {name} has no data")


class Collector:
    def __init__(self, behaviour=None):
        self.behaviour = behaviour or (lambda path: None)
        self.spans, self.metrics, self.resources = [], {}, []
        self.requests, self.headers, self.faults = [], [], []
        self.lock = threading.Lock()

    def take(self, path, body):
        for resource in every(body, 1):
            about = attributes(one(resource, 1), 1)
            for scope in every(resource, 2):
                items = every(scope, 2)
                with self.lock:
                    self.resources.append(about)
                    if path.endswith("/v1/traces"):
                        self.spans += [read_span(i) for i in items]
                    else:
                        found = [read_metric(i) for i in items]
                        names = [n for n, _ in found]
                        if len(set(names)) != len(names):
                            raise ValueError("a metric is told twice")
                        self.metrics = dict(found)

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.lock:
                    outer.requests.append(self.path)
                    outer.headers.append(dict(self.headers))
                what = outer.behaviour(self.path)
                if isinstance(what, float):
                    time.sleep(what)
                    what = None
                if what is None:
                    try:
                        outer.take(self.path, body)
                    except Exception as fault:  # told by the test, not by the server
                        outer.faults.append(repr(fault))
                self.send_response(what or 200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *ignored):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *what):
        self.server.shutdown()
        self.server.server_close()
