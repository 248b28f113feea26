"""Moving average of weights, which is measured and saved, and the progress of a training."""
import contextlib
import os
import time

import numpy as np
import torch


class Average:
    def __init__(self, network, speakers, decay=0.999):
        self.network, self.speakers, self.steps, self.decay = network, speakers, 0, decay
        self.weights = {name: value.clone() for name, value in network.state_dict().items()}

    @torch.no_grad()
    def update(self):
        self.steps += 1
        decay = min(self.decay, 1 - 1 / (self.steps + 1)) if self.steps > 50 else 0.0
        now = self.network.state_dict()
        averages = list(self.weights.values())
        torch._foreach_mul_(averages, decay)
        torch._foreach_add_(averages, [now[name] for name in self.weights], alpha=1 - decay)

    @contextlib.contextmanager
    def measured(self):
        """The network has the averages, and random numbers are the same in each measurement."""
        now = {name: value.clone() for name, value in self.network.state_dict().items()}
        random_state = np.random.get_state()
        np.random.seed(1)
        self.network.load_state_dict(self.weights)
        self.network.eval()
        with torch.no_grad():
            yield
        self.network.train()
        self.network.load_state_dict(now)
        np.random.set_state(random_state)

    def save(self, path):
        """As float16, except the median pitch of the speakers."""
        weights = {name: value if name == "base" else value.half() for name, value in self.weights.items()}
        torch.save({"config": self.network.config, "weights": weights, "step": self.steps, "speakers": self.speakers}, path + ".part")
        os.replace(path + ".part", path)


class Progress:
    """Prints smoothed losses and the held-out ones every ten seconds, or as many as asked."""

    def __init__(self, names, device, every_s=10):
        self.every_s = every_s
        self.names, self.losses = names, torch.zeros(len(names), device=device)
        self.begin = self.printed = time.time()

    def add(self, losses, step, measure_held_out):
        self.losses = torch.lerp(self.losses, losses, 0.02 if step > 50 else 1.0)
        now = time.time()
        if now - self.printed <= self.every_s:
            return
        self.printed = now
        print(f"{now - self.begin:.0f} s, step {step}: " + " ".join(f"{name} {loss:.3f}" for name, loss in zip(self.names, self.losses.tolist()))
              + " | held-out " + measure_held_out(), flush=True)
