"""echo.py STATUS BODY WORDS...: runs the words with MOTET_SERVER set to a server that takes one request, shows it and
answers with this status and body."""
import http.server
import os
import subprocess
import sys
import threading

SHOWN = ("Authorization", "Content-Type", "Idempotency-Key")


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        print(self.command, self.path, *(f"{name}={self.headers[name]}" for name in SHOWN if self.headers[name]))
        print(body.decode())
        sys.stdout.flush()
        self.send_response(int(sys.argv[1]))
        self.end_headers()
        self.wfile.write(sys.argv[2].encode())

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.handle_request, daemon=True)
thread.start()
url = f"http://127.0.0.1:{server.server_address[1]}"
code = subprocess.run(sys.argv[3:], env={**os.environ, "MOTET_SERVER": url}).returncode
sys.exit(code)
