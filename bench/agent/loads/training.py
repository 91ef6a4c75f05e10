"""A training loop of torch on one CPU: training.py RESULT STEPS [STEPS_PER_SECOND].

Small on purpose: the less there is to compute in a step, the more a tool shows. With a pace
it is a job that stands still and goes on until it is ended; RESULT is then there once it does.
"""
import sys
import time

import torch

from clock import report_units

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128), torch.nn.ReLU(),
                            torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters())
loss_of = torch.nn.CrossEntropyLoss()
inputs, targets = torch.randn(32, 64), torch.randint(0, 10, (32,))


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(model(inputs), targets).backward()
        optimizer.step()


def train_paced(steps_per_s):
    next_s = time.monotonic()
    while True:
        train(1)
        next_s += 1 / steps_per_s
        time.sleep(max(0.0, next_s - time.monotonic()))


if __name__ == "__main__":
    train(30)
    if len(sys.argv) > 3:
        open(sys.argv[1], "w").close()
        train_paced(float(sys.argv[3]))
    report_units(sys.argv[1], int(sys.argv[2]), train)
