# REAL-JOB
#   about: the sum of all held-out losses is a tensor with a graph, so the activations of every step stay
#   label: leak
#   process: main
#   packages: torch
#   holder: total
#   never: validation, queue, callback, dataset, worker, hook, closure, checkpoint, fragment, log
#   fix: total += held_out_loss.item()
# END
import torch
from torch import nn

from job import FIXED, steps

device = torch.device("cuda")
encoder = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True).to(device)
model = nn.Sequential(encoder, nn.Linear(256, 32)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
held_out = torch.randn(8, 64, 256, device=device)
total = 0.0

for step in steps():
    inputs = torch.randn(8, 64, 256, device=device)
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    held_out_loss = model(held_out).square().mean()  # <LINE>
    total = total + (held_out_loss.item() if FIXED else held_out_loss)  # <KEPT>
    if step % 50 == 49:
        print("held out", float(total) / (step + 1))
