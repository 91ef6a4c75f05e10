"""Looks for the largest batch that fits, while a dict of shards is still on the GPU, until torch gives up."""
import time

import torch
from torch import nn

shards = {f"shard-{number}": torch.randn(256, 1024, 1024, device="cuda") for number in range(20)}
model = nn.Sequential(*[nn.Sequential(nn.Linear(4096, 4096), nn.GELU()) for _ in range(16)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())


def train_step(batch):
    x = torch.randn(batch, 4096, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


batch = 4096
for step in range(100):
    train_step(batch)
    print(f"step {step} batch {batch}", flush=True)
    batch = int(batch * 1.15)
    time.sleep(0.5)
