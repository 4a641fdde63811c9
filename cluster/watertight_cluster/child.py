"""A worker process on this machine."""

import subprocess

from . import frames


class Gone(Exception):
    """The worker process has ended."""


class Child:
    """A `watertight worker` and its pipes."""

    def __init__(self, watertight, scratch=None, threads=1):
        command = [watertight, "worker", "--threads", str(threads)]
        if scratch:
            command += ["--cache-dir", scratch]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, header, payload):
        try:
            frames.write(self.process.stdin, header, payload)
        except OSError as error:
            raise Gone from error

    def receive(self):
        answer = frames.read(self.process.stdout)
        if answer is None:
            raise Gone
        return answer

    def end(self):
        """Ends it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
