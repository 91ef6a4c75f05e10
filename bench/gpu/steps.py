"""Training steps on a GPU as fast as they go; prints the seconds that they took."""
import sys
import time

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
batch = torch.randn(256, 1024, device="cuda")
for count in (300, int(sys.argv[1])):  # the first are warm-up
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(count):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
print(time.perf_counter() - began)
