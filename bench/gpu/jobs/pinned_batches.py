# REAL-JOB
#   about: batches are copied to pinned host memory for the transfer to the GPU, and the pinned copies are kept in a list
#   label: leak
#   process: main
#   packages: torch
#   holder: staged
#   never: graph, validation, queue, callback, worker, hook, closure, checkpoint, fragment, loss
#   fix: self.staged.clear()
# END
import torch

from job import FIXED, steps


class Loader:
    """Copies batches to the GPU while the step before is still running."""

    def __init__(self, device):
        self.device = device
        self.staged = []

    def load(self, batch):
        pinned = batch.pin_memory()  # <LINE>
        self.staged.append(pinned)  # <KEPT>
        on_device = pinned.to(self.device, non_blocking=True)
        if FIXED:
            torch.cuda.synchronize()
            self.staged.clear()
        return on_device


device = torch.device("cuda")
model = torch.nn.Linear(4096, 64).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = Loader(device)

for step in steps():
    loss = model(loader.load(torch.randn(128, 4096))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
