"""A `lowtide serve` that a test started, and a client for it."""

import contextlib
import http.client
import re
import signal
import socket
import subprocess

from box import LIMIT_S
from functions import read_line


class Served:
    def __init__(self, box, *words):
        self.process = subprocess.Popen([box.binary, "serve", *map(str, words)], cwd=box.folder, env=box.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(box.path("err"), "ab"))
        box.started.append(self.process)
        self.address = read_line(self.process.stdout, "the URL").decode()
        host, port, self.token = re.fullmatch(r"http://(.*):(\d+)/\?token=([0-9a-f]{32})\n", self.address).groups()
        self.host, self.port = host.strip("[]"), int(port)

    def get(self, path, method="GET", **headers):
        link = http.client.HTTPConnection(self.host, self.port, timeout=LIMIT_S)
        link.request(method, path, headers=headers)
        answer = link.getresponse()
        return answer, answer.read()

    def raw(self, request, patience_s=LIMIT_S):
        with socket.create_connection((self.host, self.port), timeout=patience_s) as link:
            with contextlib.suppress(OSError):
                link.sendall(request)
            got = b""
            with contextlib.suppress(OSError):
                while piece := link.recv(65536):
                    got += piece
            return got

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(LIMIT_S)
