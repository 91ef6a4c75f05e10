# REAL-JOB
#   about: an evaluation with a large batch every 30 steps; its memory is free afterwards
#   label: stable
#   process: main
#   packages: torch
#   holder: none
#   never:
# END
import torch
from torch import nn

from job import steps

device = torch.device("cuda")
model = nn.Sequential(nn.Linear(512, 4096), nn.GELU(), nn.Linear(4096, 512)).to(device)
optimizer = torch.optim.AdamW(model.parameters())


def evaluate():
    with torch.no_grad():
        inputs = torch.randn(60_000, 512, device=device)
        return (model(inputs) - inputs).square().mean().item()


for step in steps():
    inputs = torch.randn(128, 512, device=device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 29:
        evaluate()
        torch.cuda.empty_cache()
