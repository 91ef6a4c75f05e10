"""A training whose whole step, or optimizer, is compiled. Writes its losses to the last digit, and how often torch compiled.

usage: compiled.py STEPS whole|optimizer
"""

import json
import sys

import torch
import torch._dynamo.utils

torch.manual_seed(0)
steps, what = int(sys.argv[1]), sys.argv[2]
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
kinds = {"whole": torch.optim.SGD, "optimizer": torch.optim.Adam}
optimizer = kinds[what](model.parameters(), lr=0.01)
update = torch.compile(optimizer.step, backend="aot_eager") if what == "optimizer" else optimizer.step


def train_step(batch):
    loss = model(batch).square().mean()
    loss.backward()
    update()
    optimizer.zero_grad()
    return loss


if what == "whole":
    train_step = torch.compile(train_step, backend="aot_eager")
losses = [train_step(torch.randn(32, 64)).item().hex() for _ in range(steps)]
print(json.dumps({"losses": losses, "compiled": torch._dynamo.utils.counters["stats"].get("unique_graphs", 0),
                  "breaks": sum(torch._dynamo.utils.counters["graph_break"].values())}))
