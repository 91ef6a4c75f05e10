"""`lowtide serve`: what is served, who may read it, and hostile clients."""

import json
import re
import select
import socket
import sys

from box import LIMIT_S, Box, is_alive, main, text_of, wait_until
from serving import Served


# As Prometheus 2.42 sends it.
PROMETHEUS_ACCEPT = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")


def _record(box):
    process = box.start("sleep", "60", options=("--output", "run.lowtide", "--no-report", "--interval", "50ms"))
    box.wait_for_samples("run.lowtide", 12)
    process.terminate()
    assert process.wait(LIMIT_S) == 143
    return box.path("run.lowtide")


def _check_openmetrics(text):
    names, current = set(), None
    assert text.endswith("# EOF\n")
    for line in text.splitlines()[:-1]:
        if found := re.fullmatch(r"# TYPE (\w+) (gauge|stateset|counter)", line):
            current = found[1]
            assert current not in names, line
            names.add(current)
        elif found := re.fullmatch(r"# (HELP|UNIT) (\w+) .+", line):
            assert found[2] == current, line
        else:
            found = re.fullmatch(r'(\w+)(\{\w+="[^"\\]*"\})? (-?[0-9.e+-]+)', line)
            assert found and found[1] == current, line
            float(found[3])
    return names


def report_metrics_and_page_are_served(box: Box):
    served = Served(box, _record(box))
    answer, body = served.get(f"/report.json?token={served.token}")
    report = json.loads(body)
    assert answer.status == 200 and answer.getheader("Content-Type") == "application/json"
    same = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)
    assert report["verdict"] == same["verdict"] and report["processes"] == same["processes"], (report, same)
    answer, body = served.get("/metrics", Accept=PROMETHEUS_ACCEPT)
    assert answer.status == 200 and answer.getheader("Content-Type").startswith("application/openmetrics-text; version=1.0.0")
    assert {"lowtide_verdict", "lowtide_memory_bytes", "lowtide_memory_floor_bytes"} <= _check_openmetrics(body.decode())
    answer, body = served.get("/", Authorization=f"Bearer {served.token}")
    assert answer.status == 200 and b"<title>" in body and answer.getheader("Content-Type").startswith("text/html")
    # The page has its own policy, with the hash of its script; without the page it is the header's.
    policy = body.decode() if b"http-equiv" in body else answer.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy, policy
    assert answer.getheader("Referrer-Policy") == "no-referrer" and answer.getheader("X-Frame-Options") == "DENY"
    answer, body = served.get("/metrics", method="HEAD")
    assert answer.status == 200 and body == b"" and int(answer.getheader("Content-Length")) > 100

    assert served.end() == 0


def metrics_are_plain_text_unless_openmetrics_is_asked_for(box: Box):
    served = Served(box, _record(box))
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "text/plain"}):
        answer, body = served.get("/metrics", **headers)
        assert answer.getheader("Content-Type") == "text/plain; version=0.0.4; charset=utf-8", headers
        assert b"# TYPE lowtide_verdict gauge\n" in body and b"stateset" not in body and b"# EOF" not in body, body


def nothing_with_names_is_shown_without_the_token(box: Box):
    served = Served(box, _record(box))
    for path in ("/", "/report.json", "/report.json?token=", "/report.json?token=" + "0" * 32, "/nothing"):
        answer, body = served.get(path)
        assert answer.status == 401, (path, answer.status)
        assert b"sleep" not in body and served.token.encode() not in body, body
    assert served.get(f"/nothing?token={served.token}")[0].status == 404
    _, metrics = served.get("/metrics")
    assert b"sleep" not in metrics and str(box.folder).encode() not in metrics


def foreign_name_for_this_machine_is_refused(box: Box):
    served = Served(box, _record(box))
    for path in ("/metrics", f"/report.json?token={served.token}"):
        assert served.get(path, Host="evil.example")[0].status == 421
        assert served.get(path, Host=f"localhost:{served.port}")[0].status == 200


def another_address_needs_the_token_for_everything(box: Box):
    served = Served(box, "--address", "0.0.0.0", _record(box))
    # The URL can be opened as it was printed: 0.0.0.0 is no address of a server.
    assert served.host != "0.0.0.0", served.address
    assert "clear text" in text_of(box.path("err"))
    assert served.get("/metrics")[0].status == 401
    assert served.get(f"/metrics?token={served.token}")[0].status == 200
    assert served.get("/metrics", Authorization=f"Bearer {served.token}")[0].status == 200


def hostile_requests_are_refused_and_the_next_one_is_served(box: Box):
    served = Served(box, _record(box))
    host = b"Host: localhost\r\n"
    for request, status in ((b"\r\n\r\n", 400), (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
                            (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/9.9\r\n" + host + b"\r\n", 505),
                            (b"GET ../../etc/passwd HTTP/1.1\r\n" + host + b"\r\n", 400),
                            (b"GET /../../etc/passwd HTTP/1.1\r\n" + host + b"\r\n", 401),
                            (b"DELETE /metrics HTTP/1.1\r\n" + host + b"\r\n", 405),
                            (b"POST /metrics HTTP/1.1\r\n" + host + b"Content-Length: 9\r\n\r\n123456789", 413),
                            (b"GET /metrics HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 413),
                            (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
                            (b"GET /metrics HTTP/1.1\r\n" + host * 2 + b"\r\n", 400),
                            (b"GET /metrics HTTP/1.1\r\n" + host + b"X: y\r\n" * 100 + b"\r\n", 431),
                            (b"GET /metrics HTTP/1.1\r\n" + host + b"X: \x00\r\n\r\n", 400),
                            (b"A" * 100_000, 431)):
        got = served.raw(request)
        assert got.startswith(b"HTTP/1.1 %d " % status), (request[:60], got[:200])
        assert served.get("/metrics")[0].status == 200


def slow_and_silent_clients_do_not_block_others(box: Box):
    served = Served(box, _record(box))
    silent = [socket.create_connection((served.host, served.port)) for _ in range(40)]
    for link in silent[:20]:
        link.sendall(b"GET /metrics HT")
    assert served.get("/metrics")[0].status == 200
    disconnected, _, _ = select.select(silent, [], [], 0)
    assert len(disconnected) < len(silent), "it was answered only after the silent clients were disconnected"
    for link in silent:  # they are disconnected
        link.settimeout(LIMIT_S)
        assert link.recv(100) == b""
        link.close()
    assert served.get("/metrics")[0].status == 200


def client_that_does_not_read_is_dropped(box: Box):
    served = Served(box, _record(box))
    for _ in range(20):
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        link.connect((served.host, served.port))
        link.sendall(b"GET /report.json?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % served.token.encode())
        link.close()
    assert served.get("/metrics")[0].status == 200


def process_is_watched_while_it_is_served(box: Box):
    job = box.spawn(["sleep", "300"])
    served = Served(box, "--output", "live.lowtide", job.pid)

    def samples():
        return box.recording("live.lowtide").samples
    first = samples()
    wait_until(lambda: samples() > first, "more samples")
    assert b"lowtide_running 1\n" in served.get("/metrics")[1]
    assert served.end() == 0
    assert is_alive(job.pid)
    assert box.recording("live.lowtide").meta("closed") == "1"


def bad_arguments_are_reported(box: Box):
    for words, status in ((["nothing.lowtide"], 3), (["0"], 2), ([], 2), (["--port", "99999", str(_record(box))], 2),
                          (["--address", "example", str(box.path("run.lowtide"))], 3)):
        ended = box.run(*words, verb="serve")
        assert ended.returncode == status and ended.stderr.count(b"\n") == 3 and not ended.stdout, (words, ended)
    ended = box.run("4194303", verb="serve")
    assert ended.returncode == 3 and b"4194303" in ended.stderr, ended


if __name__ == "__main__":
    sys.exit(main(globals()))
