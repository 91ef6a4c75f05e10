# REAL-JOB
#   about: layers are unfrozen one after the other in the first steps, each with its own optimizer state; then nothing grows
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
layers = [nn.Linear(1024, 1024) for _ in range(12)]
model = nn.Sequential(*layers).to(device)
for layer in layers[:-1]:
    layer.requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters())

for step in steps():
    if step % 5 == 4 and step // 5 < len(layers) - 1:
        layers[-2 - step // 5].requires_grad_(True)
    loss = model(torch.randn(256, 1024, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
