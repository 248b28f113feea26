"""Moving average of weights for measurements and checkpoints; clock and progress of a training."""
import contextlib
import os
import time

import numpy as np
import torch


class MovingAverage:
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

    def state_dict(self):
        return {"weights": self.weights, "steps": self.steps}

    def load_state_dict(self, state):
        self.weights, self.steps = state["weights"], state["steps"]

    @contextlib.contextmanager
    def averaged_weights(self):
        """Context: the network has the averaged weights, and the random numbers of each measurement are the same."""
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


class Clock:
    """Time of a training, in seconds. Every two minutes its state is stored as CHECKPOINT.state, from which the training
    resumes after an interruption."""

    STORE_EVERY_S = 120

    def __init__(self, checkpoint, minutes, device, **parts):
        """parts: networks, optimizers and averages"""
        self.path, self.limit, self.parts, elapsed_before = checkpoint + ".state", 60 * minutes, parts, 0.0
        if os.path.exists(self.path):
            state = torch.load(self.path, map_location=device)
            elapsed_before = state["passed"]
            for name, part in parts.items():
                part.load_state_dict(state[name])
            torch.manual_seed(int(elapsed_before))            # different random numbers than at the start
            np.random.seed(int(elapsed_before))
            print(f"resumes after {elapsed_before:.0f} s", flush=True)
        self.stored_at = time.time()
        self.started = self.stored_at - elapsed_before

    def elapsed(self):
        return time.time() - self.started

    def fraction(self):
        """Elapsed fraction of the time limit; the training ends at 1."""
        return self.elapsed() / self.limit

    def tick(self):
        """Call after each step."""
        if time.time() - self.stored_at > self.STORE_EVERY_S:
            states = {name: part.state_dict() for name, part in self.parts.items()}
            torch.save({"passed": self.elapsed(), **states}, self.path + ".part")
            os.replace(self.path + ".part", self.path)
            self.stored_at = time.time()

    def finish(self):
        """Call after the checkpoint is saved."""
        if os.path.exists(self.path):
            os.remove(self.path)


class Progress:
    """Prints smoothed and held-out losses every ten seconds, or at the given interval."""

    def __init__(self, names, device, every_s=10):
        self.every_s = every_s
        self.names, self.losses = names, torch.zeros(len(names), device=device)
        self.started = self.printed_at = time.time()

    def add(self, losses, step, measure_held_out):
        self.losses = torch.lerp(self.losses, losses, 0.02 if step > 50 else 1.0)
        now = time.time()
        if now - self.printed_at <= self.every_s:
            return
        self.printed_at = now
        print(f"{now - self.begin:.0f} s, step {step}: " + " ".join(f"{name} {loss:.3f}" for name, loss in zip(self.names, self.losses.tolist()))
              + " | held-out " + measure_held_out(), flush=True)
