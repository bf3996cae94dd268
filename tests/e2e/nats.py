"""A NATS server of one test alone, and what its stream holds, as its own protocol tells."""
import base64
import glob
import json
import shutil
import socket
import subprocess

from wire import LOOPBACK, WireCase, wait_until

NATS = shutil.which("nats-server") or "/usr/sbin/nats-server"


class NatsCase(WireCase):
    def server(self, port="-1", *words):
        """Starts a server; returns its URL. With "-js" its streams outlive a restart."""
        where = self.dir / f"nats{port}"
        where.mkdir(exist_ok=True)
        for old in glob.glob(str(where / "*.ports")):
            (where / old).unlink()
        if "-js" in words:
            words += ("-sd", str(self.dir / "jetstream"))
        self.words = words
        self.nats = subprocess.Popen([NATS, "-a", LOOPBACK, "-p", port, "--ports_file_dir",
                                      str(where), *words], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        self.addCleanup(self.nats.wait, 10)
        self.addCleanup(self.nats.kill)

        def ports():
            for name in glob.glob(str(where / "*.ports")):
                try:
                    with open(name) as file:
                        return json.load(file)["nats"][0]
                except (ValueError, KeyError, OSError):
                    pass
        url = wait_until(ports, 10)
        self.assertTrue(url, "nats-server did not start")
        return url

    def restart(self, url, meanwhile=lambda: None):
        """Kills the server, does something, and starts one at the same address."""
        self.nats.kill()
        self.nats.wait(10)
        meanwhile()
        words = [w for w in self.words if w not in ("-sd", str(self.dir / "jetstream"))]
        self.server(url.rsplit(":", 1)[1], *words)


class Nats:
    """A client of the server's text protocol, which knows nothing of Motet's code."""

    def __init__(self, url):
        host, port = url.split("//")[1].split(":")
        self.sock = socket.create_connection((host, int(port)), 10)
        self.file = self.sock.makefile("rb")
        self.sock.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB me.* 1\r\n')

    def close(self):
        self.file.close()
        self.sock.close()

    def message(self):
        """The next message's subject and body, without its header."""
        while True:
            words = self.file.readline().split()
            if words and words[0] == b"PING":
                self.sock.sendall(b"PONG\r\n")
            elif words and words[0] in (b"MSG", b"HMSG"):
                body = self.file.read(int(words[-1]) + 2)[:-2]
                skip = int(words[-2]) if words[0] == b"HMSG" else 0
                return words[1].decode(), body[skip:]

    def ask(self, subject, request=None):
        text = json.dumps(request).encode() if request else b""
        self.sock.sendall(b"PUB %s me.answer %d\r\n%s\r\n" % (subject.encode(), len(text), text))
        return json.loads(self.message()[1])

    def stream(self, name):
        """Every message that a stream holds: (sequence, subject, body), in its order."""
        state = self.ask(f"$JS.API.STREAM.INFO.{name}")["state"]
        for seq in range(state["first_seq"], state["last_seq"] + 1):
            got = self.ask(f"$JS.API.STREAM.MSG.GET.{name}", {"seq": seq})["message"]
            yield seq, got["subject"], base64.b64decode(got.get("data", ""))
