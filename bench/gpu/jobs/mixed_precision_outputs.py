# REAL-JOB
#   about: a training in bfloat16 with gradient accumulation keeps the outputs of all steps, of which only the last ones are used
#   label: leak
#   process: main
#   packages: torch
#   holder: outputs
#   never: graph, validation, queue, callback, dataset, worker, hook, closure, checkpoint, fragment
#   fix: del outputs[:-ACCUMULATE]
# END
import torch
from torch import nn

from job import FIXED, steps

ACCUMULATE = 4
device = torch.device("cuda")
model = nn.Sequential(*[nn.Sequential(nn.Linear(512, 512), nn.GELU()) for _ in range(6)]).to(device)
optimizer = torch.optim.AdamW(model.parameters())
outputs = []


def train_step(step):
    inputs = torch.randn(1024, 512, device=device)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        output = model(inputs)  # <LINE>
        loss = nn.functional.mse_loss(output.float(), inputs)
    (loss / ACCUMULATE).backward()
    outputs.append(output.detach())  # <KEPT>
    if FIXED:
        del outputs[:-ACCUMULATE]
    if step % ACCUMULATE == ACCUMULATE - 1:
        optimizer.step()
        optimizer.zero_grad()


for step in steps():
    train_step(step)
    if step % 100 == 99:
        print("spread", torch.stack(outputs[-ACCUMULATE:]).std().item())
