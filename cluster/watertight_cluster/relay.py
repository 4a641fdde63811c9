"""Between a check, which hands out tasks on a socket, and an engine, which has workers."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict

from . import frames


class Relay:
    """One check with its workers. `watch` is called after every answer with the number of answers so far."""

    def __init__(self, engine, watch=None):
        self.engine, self.watch = engine, watch
        self.lock = threading.Lock()
        self.stream = None
        self.kinds = {}
        self.answers = 0
        # When tasks of each kind were first given and last answered, and what each took.
        self.begin = self.end = time.monotonic()
        self.given, self.answered = {}, {}
        self.took = defaultdict(list)
        # Tasks, seconds and bytes, by node and kind.
        self.nodes = defaultdict(lambda: [0, 0.0, 0])

    def run(self, command):
        """Runs a check to its end, and gives its exit code."""
        folder = tempfile.mkdtemp(prefix="watertight-cluster-")
        path = os.path.join(folder, "socket")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            listener.settimeout(1)
            self.check = subprocess.Popen([*command, "--cluster", path])
            try:
                self.engine.start(self)
                self.begin = time.monotonic()
                connection = self._accept(listener)
                if connection:
                    self._relay(connection)
                code = self.check.wait()
                self.end = time.monotonic()
                return code
            finally:
                if self.check.poll() is None:
                    self.check.kill()
                    self.check.wait()
                self.engine.stop()
                shutil.rmtree(folder, ignore_errors=True)

    def _accept(self, listener):
        # A check that has no questions ends without coming by.
        while self.check.poll() is None:
            try:
                return listener.accept()[0]
            except TimeoutError:
                pass
        return None

    def _relay(self, connection):
        with connection, connection.makefile("rb") as tasks:
            self.stream = connection.makefile("wb")
            self._tell({"workers": self.engine.count})
            while (task := frames.read(tasks)) is not None:
                header, payload = task
                worker = header.pop("worker")
                self.kinds[header["number"]] = header["kind"]
                self.given.setdefault(header["kind"], time.monotonic())
                self.engine.give(worker, header, payload)
        with self.lock:
            try:
                self.stream.close()
            except OSError:
                pass

    def answer(self, worker, header, payload=b"", node="", seconds=0.0):
        """A worker has answered."""
        self._tell({**header, "worker": worker}, payload)
        kind = self.kinds.get(header.get("number"), "")
        self.answered[kind] = time.monotonic()
        self.took[kind].append(seconds)
        counts = self.nodes[node, kind]
        counts[0] += 1
        counts[1] += seconds
        counts[2] += len(payload)
        self.answers += 1
        if self.watch:
            self.watch(self.answers)

    def lost(self, worker):
        """A worker is gone, and another one is in its place."""
        self._tell({"worker": worker, "lost": True})

    def _tell(self, header, payload=b""):
        with self.lock:
            try:
                frames.write(self.stream, header, payload)
            except (OSError, ValueError):
                # The check is gone, and with it everybody who would want to know.
                pass

    def measured(self, components):
        """What a simulation needs, with the components that the check has written."""
        compiled = self.answered.get("compile", self.begin)
        evaluate = self.given.get("evaluate", compiled)
        return {
            "compile": self.took["compile"],
            "before": evaluate - compiled,
            "evaluate": self.answered.get("evaluate", evaluate) - evaluate,
            "after": self.end - self.answered.get("evaluate", evaluate),
            "all": self.end - self.begin,
            "workers": self.engine.count,
            "components": components,
        }

    def stats(self, out=sys.stderr):
        """What every node did, as a table."""
        print(f"{'node':30} {'task':10} {'number':>7} {'seconds':>9} {'bytes':>12}", file=out)
        for (node, kind), (number, seconds, size) in sorted(self.nodes.items()):
            print(f"{node:30} {kind:10} {number:7} {seconds:9.2f} {size:12}", file=out)
