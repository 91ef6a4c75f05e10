# REAL-JOB
#   about: sequences of different lengths, so the allocator of torch keeps blocks of many sizes, and then has them all
#   label: stable
#   process: main
#   packages: torch
#   holder: none
#   never:
# END
import random

import torch
from torch import nn

from job import steps

random.seed(0)
device = torch.device("cuda")
model = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True).to(device)
optimizer = torch.optim.AdamW(model.parameters())

for step in steps():
    loss = model(torch.randn(16, random.randint(32, 512), 256, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
