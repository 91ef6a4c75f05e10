# REAL-JOB
#   about: outputs of a model are kept in OrderedDicts; they are no copies of its state
#   label: leak
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: detections
#   never: state, torch.save, checkpoint, validation, dataset, graph
#   fix: detections = detections[-20:]
# END
import collections

import torch

from job import FIXED, steps

torch.set_num_threads(1)


def predict():
    return collections.OrderedDict(boxes=torch.randn(4096, 16), scores=torch.rand(4096))  # <LINE>


def main():
    detections = []
    for step in steps():
        with torch.no_grad():
            detections.append(predict())  # <KEPT>
        if FIXED:
            detections = detections[-20:]


main()
