"""Talk to tile-lsp-server as an editor does, and print what it answers.

Usage: lsp_client.py SERVER FILE [LINE:CHARACTER ...]

Opens FILE, prints its diagnostics, then the hover text at each position
(counted from 0, as the protocol does).
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import threading
from typing import Any

TIMEOUT_S = 30


class Server:
    """One language server on pipes."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        # A server that hangs must fail the test, not stop it.
        self._watchdog = threading.Timer(TIMEOUT_S, self._process.kill)
        self._watchdog.start()
        self._next_id = 0

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        self._send(message)
        return self.wait_for(lambda reply: reply.get("id") == self._next_id)["result"]

    def wait_for(self, wanted: Any) -> dict[str, Any]:
        while True:
            reply = self._receive()
            if wanted(reply):
                return reply

    def close(self) -> int:
        self.request("shutdown", {})
        self.notify("exit", {})
        code = self._process.wait()
        self._watchdog.cancel()
        return code

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        length = 0
        while True:
            line = stdout.readline()
            if not line:
                raise SystemExit("error: the server has gone")
            if line == b"\r\n":
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        reply: dict[str, Any] = json.loads(stdout.read(length))
        return reply


def main() -> int:
    path = pathlib.Path(sys.argv[2]).resolve()
    uri = path.as_uri()
    server = Server([sys.argv[1]])
    reply = server.request(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {}, "trace": "off"}
    )
    print("hover provider:", reply["capabilities"]["hoverProvider"])
    document = {"uri": uri, "languageId": "mlir", "version": 1, "text": path.read_text()}
    server.notify("textDocument/didOpen", {"textDocument": document})
    published = server.wait_for(
        lambda reply: reply.get("method") == "textDocument/publishDiagnostics"
    )
    for diagnostic in published["params"]["diagnostics"]:
        start = diagnostic["range"]["start"]
        print(f"diagnostic {start['line']}:{start['character']}: {diagnostic['message']}")
    for position in sys.argv[3:]:
        line, character = map(int, position.split(":"))
        hover = server.request(
            "textDocument/hover",
            {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}},
        )
        print(f"hover {position}:", hover["contents"]["value"] if hover else "nothing")
    return server.close()


if __name__ == "__main__":
    sys.exit(main())
