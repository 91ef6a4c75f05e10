"""A training whose whole step, or optimizer, is compiled. Writes its losses to the last digit, and how often torch compiled.

`twice`: what is compiled is compiled again. `emptied`: only the model is compiled, and the optimizer has its parameters
only during a step, as with DeepSpeed.

usage: compiled.py STEPS whole|optimizer|twice|emptied
"""

import json
import sys
import time

import torch
import torch._dynamo.utils

torch.manual_seed(0)
steps, what = int(sys.argv[1]), sys.argv[2]
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
backend = "inductor" if what in ("whole", "optimizer") else "aot_eager"
kind = torch.optim.Adam if what == "optimizer" else torch.optim.SGD
optimizer = kind(model.parameters(), lr=0.01)
update = torch.compile(optimizer.step, backend=backend) if what == "optimizer" else optimizer.step


def train_step(batch):
    loss = model(batch).square().mean()
    loss.backward()
    update()
    optimizer.zero_grad()
    return loss


def compiled_forward_step(batch):
    group = optimizer.param_groups[0]
    loss = forward(batch)
    loss.backward()
    group["params"] = list(model.parameters())
    update()
    optimizer.zero_grad()
    group["params"] = []
    return loss


if what in ("whole", "twice"):
    train_step = torch.compile(train_step, backend=backend)
if what == "twice":
    train_step = torch.compile(train_step, backend=backend)
if what == "emptied":
    forward = torch.compile(lambda batch: model(batch).square().mean(), backend=backend)
    train_step = compiled_forward_step
losses = []
for _ in range(steps):
    losses.append(train_step(torch.randn(32, 64)).item().hex())
    time.sleep(0.1)
print(json.dumps({"losses": losses, "compiled": torch._dynamo.utils.counters["stats"].get("unique_graphs", 0),
                  "breaks": sum(torch._dynamo.utils.counters["graph_break"].values())}))
