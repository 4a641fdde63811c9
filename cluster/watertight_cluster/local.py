"""Workers that are processes of this machine."""

import queue
import socket
import threading
import time

from .child import Child, Gone

# A worker that ends so often before it has answered anything will not answer the next time.
MOST_DEATHS = 3


class Local:
    """Some processes, each with a thread that talks to it."""

    def __init__(self, watertight, workers, scratch=None):
        self.watertight, self.scratch, self.count = watertight, scratch, workers
        self.tasks = [queue.Queue() for _ in range(workers)]
        self.children = [None] * workers
        self.ended = False

    def start(self, relay):
        self.relay = relay
        for worker in range(self.count):
            self.children[worker] = Child(self.watertight, self.scratch)
            threading.Thread(target=self._serve, args=(worker,), daemon=True).start()

    def give(self, worker, header, payload):
        self.tasks[worker].put((header, payload))

    def stop(self):
        self.ended = True
        for worker in range(self.count):
            self.tasks[worker].put(None)
            self.children[worker].end()

    def _serve(self, worker):
        deaths = 0
        while (task := self.tasks[worker].get()) is not None:
            header, payload = task
            if deaths >= MOST_DEATHS:
                self.relay.answer(worker, {"number": header["number"], "failed": "the worker ends again and again"})
                continue
            try:
                begin = time.monotonic()
                self.children[worker].send(header, payload)
                answer, made = self.children[worker].receive()
                deaths = 0
                self.relay.answer(worker, answer, made, socket.gethostname(), time.monotonic() - begin)
            except Gone:
                if self.ended:
                    return
                deaths += 1
                self.children[worker].end()
                self.children[worker] = Child(self.watertight, self.scratch)
                while not self.tasks[worker].empty():
                    self.tasks[worker].get_nowait()
                self.relay.lost(worker)
