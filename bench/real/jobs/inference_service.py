# REAL-JOB
#   about: a service that only predicts: the model is in eval mode all the time, and answers are kept for statistics
#   label: leak
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: answers
#   never: validation, evaluation, hook, graph, dataset, queue, closure, cache
#   fix: del self.answers[:-10]
# END
import torch
from torch import nn

from job import FIXED, steps

torch.set_num_threads(1)


class Service:
    def __init__(self, model):
        self.model = model.eval()
        self.answers = []

    @torch.inference_mode()
    def answer(self, request):
        scores = self.model(request)  # <LINE>
        self.answers.append(scores)  # <KEPT>
        if FIXED:
            del self.answers[:-10]
        return scores.argmax(1)


service = Service(nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 4_000)))
for step in steps():
    service.answer(torch.randn(24, 128))
