"""How long a measured program takes with more workers than there are.

In: a measurement that `run --measure` has written: what every task to compile and every component took, and what is not divided: `before` (workers and
driver read the program), what each component costs the driver, and `after` (replay, rules, reports).
Out: seconds for 1 to 512 workers, by the rules of the driver: the most urgent components first, batches of 75 ms, two batches for
each worker at a time, one epoch after the other. A batch travels for `latency` seconds and at `bandwidth` bytes a second each way, one after the other on the line of the driver.
"""

import heapq
import json

BATCH = 0.075
AHEAD = 2
WORKERS = [1, 2, 4, 8, 16, 32, 64, 80, 128, 256, 512]


def spread(costs, workers):
    """When the last of some tasks ends, if each goes to whoever is free first."""
    free = [0.0] * workers
    for cost in costs:
        heapq.heapreplace(free, free[0] + cost)
    return max(free)


class Evaluation:
    """The components of a program on some workers."""

    def __init__(self, measured, workers, latency, bandwidth):
        self.components = {one["component"]: one for one in measured["components"]}
        self.latency, self.bandwidth = latency, bandwidth
        self.batches = [0] * workers
        self.free = [0.0] * workers
        self.told = [set() for _ in range(workers)]
        self.line = self.now = 0.0
        self.rate = sum(one["micros"] for one in self.components.values()) / 1e6
        self.rate /= max(1, sum(one["size"] for one in self.components.values()))

    def run(self):
        """When the last component is done."""
        epochs = sorted({one["epoch"] for one in self.components.values()})
        for epoch in epochs:
            self.epoch([one for one in self.components.values() if one["epoch"] == epoch])
        return self.now

    def epoch(self, components):
        here = {one["component"] for one in components}
        waits = {one["component"]: [other for other in one["waits"] if other in here] for one in components}
        callers = {}
        for one, others in waits.items():
            for other in others:
                callers.setdefault(other, []).append(one)
        left = {one: len(others) for one, others in waits.items()}
        self.ready, self.flying = [], []
        for one in here:
            if left[one] == 0:
                self.push(one)
        while self.ready or self.flying:
            self.hand_out()
            self.now, worker, batch, size = heapq.heappop(self.flying)
            self.line = max(self.line, self.now) + size / self.bandwidth
            self.now = self.line
            self.batches[worker] -= 1
            for one in batch:
                for caller in callers.get(one, []):
                    left[caller] -= 1
                    if left[caller] == 0:
                        self.push(caller)

    def push(self, one):
        self.now += self.components[one]["driver"] / 1e6
        heapq.heappush(self.ready, (-self.components[one]["urgency"], one))

    def hand_out(self):
        while self.ready:
            worker = min(range(len(self.batches)), key=self.batches.__getitem__)
            if self.batches[worker] >= AHEAD:
                return
            waiting = sum(self.components[one]["size"] for _, one in self.ready)
            worth = min(BATCH / self.rate, max(1, waiting / (AHEAD * len(self.batches))))
            batch, size = [], 0
            while self.ready and size < worth:
                one = heapq.heappop(self.ready)[1]
                size += max(1, self.components[one]["size"])
                batch.append(one)
            needs = {need for one in batch for need in self.components[one]["needs"]} - self.told[worker]
            self.told[worker] |= needs | set(batch)
            sent = sum(self.components[need]["told"] for need in needs if need in self.components)
            self.line = max(self.line, self.now) + sent / self.bandwidth
            begin = max(self.free[worker], self.line + self.latency)
            cost = sum(self.components[one]["micros"] for one in batch) / 1e6
            self.free[worker] = begin + cost
            self.batches[worker] += 1
            back = sum(self.components[one]["record"] for one in batch)
            heapq.heappush(self.flying, (self.free[worker] + self.latency, worker, batch, back))


def seconds(measured, workers, latency, bandwidth):
    """Seconds to compile, to evaluate, and in all."""
    compiled = spread(measured["compile"], workers)
    evaluated = Evaluation(measured, workers, latency, bandwidth).run()
    return compiled, evaluated, compiled + measured["before"] + evaluated + measured["after"]


def alone(measured):
    """Seconds of one process with one thread."""
    evaluated = sum(one["micros"] for one in measured["components"]) / 1e6
    looked = sum(one["driver"] for one in measured["components"]) / 1e6
    return sum(measured["compile"]) + measured["before"] + looked + evaluated + measured["after"]


def simulate(path, latency, bandwidth, plot=None):
    """Prints a table, and draws it."""
    with open(path, encoding="utf-8") as file:
        measured = json.load(file)
    one = alone(measured)
    print(f"one process: {one:.1f} s; measured with {measured['workers']} workers: {measured['all']:.1f} s, of which evaluation {measured['evaluate']:.1f} s")
    print(f"{'workers':>8} {'compile':>9} {'evaluate':>9} {'all':>9} {'speed-up':>9}")
    curve = []
    for workers in WORKERS:
        compiled, evaluated, all_of_it = seconds(measured, workers, latency, bandwidth)
        curve.append((workers, one / all_of_it))
        print(f"{workers:8} {compiled:9.2f} {evaluated:9.2f} {all_of_it:9.2f} {one / all_of_it:9.1f}")
    if plot:
        with open(plot, "w", encoding="utf-8") as file:
            file.write(drawn(path, curve))
    return 0


def drawn(name, curve):
    """The curve as SVG; both axes double from mark to mark."""
    from math import log2

    width, height, left, bottom = 640, 400, 60, 40
    top = max(9, log2(max(speed for _, speed in curve)))

    def at(workers, speed):
        return left + log2(workers) / 9 * (width - left - 20), height - bottom - log2(max(speed, 0.5)) / top * (height - bottom - 30)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="18">{name}: how many times faster than one process, by workers (simulated)</text>',
    ]
    for power in range(10):
        x, _ = at(2**power, 1)
        parts.append(f'<text x="{x:.0f}" y="{height - 15}" text-anchor="middle">{2**power}</text>')
        _, y = at(1, 2**power)
        parts.append(f'<text x="{left - 10}" y="{y + 4:.0f}" text-anchor="end">{2**power}</text>')
        parts.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="#ddd"/>')
    ideal = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(n, n) for n, _ in curve))
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in curve))
    parts.append(f'<path d="M{ideal}" fill="none" stroke="#999" stroke-dasharray="4 4"/>')
    parts.append(f'<path d="M{line}" fill="none" stroke="#06c" stroke-width="2"/>')
    for workers, speed in curve:
        x, y = at(workers, speed)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#06c"/>')
    return "\n".join(parts) + "\n</svg>\n"
