# REAL-JOB
#   about: at each step a hook is registered on the same weight to clip its gradient by the activations of the batch; it is never removed
#   label: leak
#   process: main
#   packages: torch
#   kind: python
#   holder: params
#   never: queue, validation, cache, graph, dataset
#   fix: handle.remove()
# END
import torch
from torch import nn

from job import FIXED, steps

torch.set_num_threads(1)


class Probe:
    """Scales the gradient of a layer by the norm of what went through it."""

    def __init__(self, layer):
        self.layer = layer

    def watch(self, inputs):
        with torch.no_grad():
            activations = torch.relu(self.layer(inputs))  # <LINE>
        return self.layer.weight.register_hook(lambda gradient: gradient / (1 + activations.norm()))  # <KEPT>


model = nn.Sequential(nn.Linear(300, 800), nn.ReLU(), nn.Linear(800, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
probe = Probe(model[0])
for step in steps():
    inputs = torch.randn(64, 300)
    handle = probe.watch(inputs)
    loss = nn.functional.cross_entropy(model(inputs), torch.randint(0, 10, (64,)))
    optimizer.zero_grad()
    loss.backward() if step % 3 == 0 else None
    optimizer.step()
    if FIXED:
        handle.remove()
