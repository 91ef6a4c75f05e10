# REAL-JOB
#   about: model and step are compiled; nothing is kept
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
model = nn.Sequential(*[nn.Sequential(nn.Linear(512, 512), nn.GELU()) for _ in range(4)]).to(device)
optimizer = torch.optim.AdamW(model.parameters())


@torch.compile
def train_step(inputs):
    loss = nn.functional.mse_loss(model(inputs), inputs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


for step in steps():
    loss = train_step(torch.randn(256, 512, device=device))
