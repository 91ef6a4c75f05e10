# REAL-JOB
#   about: a forward hook keeps eight numbers of each activation as a view, and the view keeps the whole activation
#   label: leak
#   process: main
#   packages: torch
#   holder: samples
#   never: validation, queue, dataset, worker, checkpoint, fragment, loss
#   fix: self.samples.append(output.detach()[0, :8].clone())
# END
import torch
from torch import nn

from job import FIXED, steps


class ActivationMonitor:
    """Keeps a few activations of a layer of each step, for a histogram."""

    def __init__(self, layer):
        self.samples = []
        layer.register_forward_hook(self.observe)

    def observe(self, module, inputs, output):
        few = output.detach()[0, :8]
        self.samples.append(few.clone() if FIXED else few)  # <KEPT>


device = torch.device("cuda")
layers = [nn.Linear(1024, 1024) for _ in range(4)]
model = nn.Sequential(*layers).to(device)
monitor = ActivationMonitor(layers[2])
optimizer = torch.optim.Adam(model.parameters())

for step in steps():
    loss = model(torch.randn(512, 1024, device=device)).square().mean()  # <LINE>
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
