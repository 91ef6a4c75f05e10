# REAL-JOB
#   about: the hidden state of an LSTM is carried from step to step without detach, so the graph of all earlier steps stays
#   label: leak
#   process: main
#   packages: torch
#   kind: c++
#   holder: state
#   library: torch
#   never: validation, queue, callback, dataset, worker, cache, hook, closure, checkpoint
#   fix: state = tuple(part.detach() for part in state)
#   real: https://github.com/pytorch/pytorch/issues/2198
# END
import torch

from job import FIXED, steps

torch.set_num_threads(1)


def next_part(batch, length, features):
    """The next part of a long series of measurements, and the mean of each moment."""
    part = torch.randn(batch, length, features)
    return part, part.mean(dim=2, keepdim=True)


# A ready encoder reads the series; only the small head on top of it is trained.
encoder = torch.nn.LSTM(input_size=16, hidden_size=64, batch_first=True)
head = torch.nn.Linear(64, 1)
optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
state = (torch.zeros(1, 16, 64), torch.zeros(1, 16, 64))

for step in steps():
    inputs, targets = next_part(batch=16, length=20, features=16)
    features, state = encoder(inputs, state)  # <LINE>
    if FIXED:
        state = tuple(part.detach() for part in state)
    loss = torch.nn.functional.mse_loss(head(features.detach()), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print("loss", loss.item())
