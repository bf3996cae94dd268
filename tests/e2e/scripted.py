"""A server that does what a script says: answers, garbage, silence, cuts, redirects.

    with Scripted({"cut": [{"cut": True}, {"status": 200, "body": {}}]}) as server:
        … ask server.url + "/cut" …
        server.asked["cut"]    # what came: (method, path, headers)

The first segment of a path is the case; each request takes the next entry of its script,
the last one again and again. Bytes are sent as they stand: nothing here is a real HTTP server.
After raw bytes the connection is closed: an answer that is whole without that says so, or a client
would send its next request on it and lose it.
"""
import json
import socket
import struct
import threading
import time

OK = "HTTP/1.1 200 OK\r\n"


def answer_of(entry):
    """The bytes of an answer with a status."""
    body = entry.get("body", {})
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    kind = entry.get("type", "application/json" if entry["status"] < 400 else "application/problem+json")
    head = [f"HTTP/1.1 {entry['status']} Said", f"Content-Type: {kind}", f"Content-Length: {len(data)}",
            *[f"{name}: {value}" for name, value in entry.get("headers", {}).items()]]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


class Scripted:
    def __init__(self, scripts):
        self.scripts = {name: list(script) for name, script in scripts.items()}
        self.asked = {name: [] for name in scripts}
        self.lock = threading.Lock()
        self.ends = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *what):
        self.ends.set()
        self.listener.close()

    def accept(self):
        while not self.ends.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            connection.settimeout(20)
            try:
                while not self.ends.is_set():
                    entry = self.next(self.read(connection))
                    if entry is None or not self.obey(connection, entry):
                        return
            except OSError:
                return

    @staticmethod
    def read(connection):
        """One request; None: there is none."""
        held = b""
        while b"\r\n\r\n" not in held:
            data = connection.recv(65536)
            if not data:
                return None
            held += data
        head, _, body = held.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(65536)
        method, path, _ = first.split(" ")
        return method, path, headers

    def next(self, request):
        if not request:
            return None
        case = request[1].split("/")[1]
        with self.lock:
            self.asked.setdefault(case, []).append(request)
            script = self.scripts.get(case, [{"status": 404, "body": {"code": "no_script"}}])
            return script.pop(0) if len(script) > 1 else script[0]

    def obey(self, connection, entry):
        """True: the connection goes on."""
        if "status" in entry:
            connection.sendall(answer_of(entry))
            return "close" not in entry
        if "raw" in entry:
            connection.sendall(entry["raw"].replace("{port}", str(self.port)).encode("latin-1"))
            time.sleep(entry.get("wait", 0))
        if "endless" in entry:
            self.pour(connection, entry["endless"].encode("latin-1"), entry.get("every", 0))
        if "hang" in entry:
            self.ends.wait(10)
        if "reset" in entry:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def pour(self, connection, data, every):
        end = time.monotonic() + 10
        while time.monotonic() < end and not self.ends.is_set():
            connection.sendall(data)
            time.sleep(every)
