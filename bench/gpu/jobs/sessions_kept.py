# REAL-JOB
#   about: a chat server keeps keys and values of attention for each session, also after the session has ended
#   label: leak
#   process: main
#   packages: torch
#   holder: sessions
#   never: graph, validation, queue, callback, dataset, worker, hook, closure, checkpoint, fragment, loss
#   fix: sessions.pop(name)
# END
import torch
from torch import nn

from job import FIXED, steps

HEADS, WIDTH = 8, 64
device = torch.device("cuda")
project = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH).to(device)
sessions = {}


@torch.inference_mode()
def answer(name, prompt):
    """Attention of a prompt over everything that the session has said before."""
    query, key, value = project(prompt).view(len(prompt), 3, HEADS, WIDTH).unbind(1)
    if name in sessions:
        key = torch.cat([sessions[name][0], key])
        value = torch.cat([sessions[name][1], value])
    sessions[name] = (key.contiguous(), value.contiguous())  # <LINE>
    weights = torch.einsum("qhw,khw->hqk", query, key).softmax(-1)
    return torch.einsum("hqk,khw->qhw", weights, value)


for step in steps():
    name = f"session-{step // 5}"
    answer(name, torch.randn(200, HEADS * WIDTH, device=device))
    if FIXED and step % 5 == 4:
        sessions.pop(name)
