"""`lowtide serve` with a real Prometheus: its scraper, its tools, and the alert rules of docs/examples/prometheus."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request

from box import LIMIT_S, Box, Skip, main, text_of, wait_until
from serving import Served

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs/examples/prometheus"


def _program(name):
    """Installed, or unpacked by ./dev (the package would also start a service)."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{ROOT}/build/prometheus/usr/bin")
    if not found:
        raise Skip(f"needs {name} (Debian package prometheus)")
    return found


def _promtool(*words, given=b""):
    done = subprocess.run([_program("promtool"), *map(str, words)], input=given, capture_output=True, timeout=LIMIT_S)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def _running_leak(box):
    """A recording of a leak that looks as if its job still ran."""
    path = box.path("leak.lowtide")
    subprocess.run([pathlib.Path(box.binary).parent / "make_recording", "site-leak", path], check=True, timeout=LIMIT_S)
    with contextlib.closing(sqlite3.connect(path)) as link, link:
        link.execute("DELETE FROM meta WHERE key = 'closed'")
        link.execute("UPDATE meta SET value = ? WHERE key = 'started_unix_s'", (str(time.time() + 3600),))
    return path


def alert_rules_pass_their_tests(_box: Box):
    _promtool("check", "rules", EXAMPLES / "lowtide-alerts.yml")
    _promtool("test", "rules", EXAMPLES / "lowtide-alerts-test.yml")


def example_configuration_is_valid(_box: Box):
    _promtool("check", "config", EXAMPLES / "prometheus.yml")


def promtool_accepts_the_metrics(box: Box):
    promtool = _program("promtool")
    served = Served(box, _running_leak(box))
    _, text = served.get("/metrics", Accept="text/plain")
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=LIMIT_S)
    assert done.returncode == 0 and not done.stderr, done


def documented_alerts_fire_in_a_real_prometheus(box: Box):
    prometheus = _program("prometheus")
    served = Served(box, "--limit", "3GB", _running_leak(box))
    shutil.copy(EXAMPLES / "lowtide-alerts.yml", box.folder)
    config = (EXAMPLES / "prometheus.yml").read_text()
    assert "127.0.0.1:9464" in config and config.count("15s") == 2
    config = config.replace("127.0.0.1:9464", f"127.0.0.1:{served.port}").replace("15s", "1s")
    box.path("prometheus.yml").write_text(config)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    box.spawn([prometheus, "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn",
               f"--web.listen-address=127.0.0.1:{port}"])

    def ask(path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return {}

    def firing():
        alerts = {each["labels"]["alertname"]: each for each in ask("alerts").get("alerts", [])
                  if each["state"] == "firing"}
        return len(alerts) == 2 and alerts
    alerts = wait_until(firing, lambda: f"two alerts; metrics: {served.get('/metrics')[1].decode()}; "
                        f"targets: {ask('targets')}; it said {text_of(box.path('err'))}")
    assert alerts.keys() == {"TrainingLeak", "TrainingOutOfMemorySoon"}, alerts
    assert alerts["TrainingOutOfMemorySoon"]["labels"]["instance"] == f"127.0.0.1:{served.port}"


if __name__ == "__main__":
    sys.exit(main(globals()))
