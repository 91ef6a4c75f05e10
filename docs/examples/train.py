#!/usr/bin/env python3
"""A small training job that leaks: every step it keeps a prediction "for the plots".

Real PyTorch where that is installed, plain Python where not. It prints a line
per step, as jobs do, and takes half a minute.
"""
import argparse
import time

try:
    import torch
except ImportError:
    torch = None


class TorchTrainer:
    def __init__(self):
        torch.manual_seed(0)
        torch.set_num_threads(1)
        self.model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64))
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    def step(self):
        x = torch.randn(256, 64)
        predicted = self.model(x)
        loss = (predicted - x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item(), torch.cat([predicted.detach()] * 6)


class PlainTrainer:
    def __init__(self):
        self.weight = 0.0

    def step(self):
        self.weight += 0.001 * (1.0 - self.weight)
        return (1.0 - self.weight) ** 2, bytearray(b"\x01") * 400_000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--fix", action="store_true", help="keep nothing")
    arguments = parser.parse_args()

    trainer = TorchTrainer() if torch else PlainTrainer()
    history = []
    began = time.monotonic()
    for step in range(arguments.steps):
        loss, predicted = trainer.step()
        if not arguments.fix:
            history.append(predicted)  # the leak: nothing ever takes them out
        print(f"step {step} loss {loss:.4f}", flush=True)
        time.sleep(max(0.0, began + (step + 1) * arguments.seconds / arguments.steps - time.monotonic()))


if __name__ == "__main__":
    main()
