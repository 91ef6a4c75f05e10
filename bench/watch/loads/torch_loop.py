"""A training loop that keeps a little: torch_loop.py SECONDS"""
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256))
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.randn(64, 256)
kept = []
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    for _ in range(10):
        optimizer.zero_grad()
        (model(batch) - batch).pow(2).mean().backward()
        optimizer.step()
    kept.append(torch.randn(1000))
