# REAL-JOB
#   about: each loss tensor is stored in a history and in a meter; both keep its graph, because no backward() is called for it
#   label: leak
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: none
#   never: carried, hidden state, hook, validation, cache, dataset, queue, closure
#   fix: loss = loss.detach()
# END
import collections

import torch
from torch import nn

from job import FIXED, steps

torch.set_num_threads(1)


class Residual(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))  # <LINE>
        return x


class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)


def score(batch):
    loss = model(batch).square().mean()
    if FIXED:
        loss = loss.detach()
    history["loss"].append(loss)
    meter.update(loss)


model = Residual(128, 4)
history = collections.defaultdict(list)
meter = Meter()
for step in steps():
    score(torch.randn(64, 128))
