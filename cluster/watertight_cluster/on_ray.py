"""Workers behind actors of Ray, on any number of machines."""

import queue
import socket
import sys
import threading
import time

import ray
import ray.cloudpickle
from ray.exceptions import RayActorError, RayError

from .child import Child, Gone

# The nodes need not have this package: it goes along.
ray.cloudpickle.register_pickle_by_value(sys.modules[__package__])

# Actors that end so often before they have answered anything will not answer the next time.
MOST_DEATHS = 3


@ray.remote(max_restarts=0)
class WatertightWorker:
    """A worker process, and the node that it is on."""

    def __init__(self, watertight, scratch):
        self.child = Child(watertight, scratch)
        self.node = f"{socket.gethostname()}/{ray.get_runtime_context().get_node_id()[:8]}"

    def do(self, header, payload):
        begin = time.monotonic()
        self.child.send(header, payload)
        answer, made = self.child.receive()
        return answer, made, self.node, time.monotonic() - begin

    def process(self):
        """The number of the process on its machine."""
        return self.child.process.pid


class OnRay:
    """Some actors, each with a thread that waits for its answers."""

    def __init__(self, watertight, workers=None, address=None, scratch=None):
        self.ours = not ray.is_initialized()
        if self.ours:
            ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR")
        self.watertight, self.scratch = watertight, scratch
        self.count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.waiting = [queue.Queue() for _ in range(self.count)]
        self.actors = [None] * self.count
        self.deaths = [0] * self.count
        self.ended = False

    def _actor(self):
        options = {"num_cpus": 1, "scheduling_strategy": "SPREAD"}
        return WatertightWorker.options(**options).remote(self.watertight, self.scratch)

    def start(self, relay):
        self.relay = relay
        for worker in range(self.count):
            self.actors[worker] = self._actor()
            threading.Thread(target=self._serve, args=(worker,), daemon=True).start()

    def give(self, worker, header, payload):
        # Under its name it is in the dashboard.
        task = self.actors[worker].do.options(name=header.get("name", header["kind"]))
        self.waiting[worker].put((header, self.actors[worker], task.remote(header, payload)))

    def stop(self):
        self.ended = True
        for worker in range(self.count):
            self.waiting[worker].put(None)
            ray.kill(self.actors[worker])
        if self.ours:
            ray.shutdown()

    def _serve(self, worker):
        while (waiting := self.waiting[worker].get()) is not None:
            header, actor, task = waiting
            if actor is not self.actors[worker]:
                continue
            if self.deaths[worker] >= MOST_DEATHS:
                self.relay.answer(worker, {"number": header["number"], "failed": "the worker ends again and again"})
                continue
            try:
                answer, made, node, seconds = ray.get(task)
                self.deaths[worker] = 0
                self.relay.answer(worker, answer, made, node, seconds)
            except (RayError, Gone) as error:
                if self.ended:
                    return
                self.deaths[worker] += 1
                if not isinstance(error, RayActorError):
                    ray.kill(actor)
                self.actors[worker] = self._actor()
                self.relay.lost(worker)
