# REAL-JOB
#   about: a copy of the weights is kept on the GPU whenever the loss is a new minimum, and none is dropped
#   label: leak
#   process: main
#   packages: torch
#   holder: best
#   never: graph, validation, queue, callback, dataset, worker, hook, fragment
#   fix: best[:] = best[-1:]
# END
import torch
from torch import nn

from job import FIXED, steps

device = torch.device("cuda")
model = nn.Sequential(*[nn.Linear(768, 768) for _ in range(4)]).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best = []
lowest = float("inf")
inputs = torch.randn(256, 768, device=device)
targets = torch.randn(256, 768, device=device)


def copy_of(module):
    return {name: value.clone() for name, value in module.state_dict().items()}  # <LINE>


for step in steps():
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < lowest:
        lowest = loss.item()
        best.append(copy_of(model))  # <KEPT>
        if FIXED:
            best[:] = best[-1:]
