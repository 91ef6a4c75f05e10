"""A tiny model of Keras, on torch.

usage: keras_fit.py FOLDER STEPS leak|fixed
"""

import json
import os
import sys
import time

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

from lowtide.keras import MemoryCallback  # noqa: E402

activations = []


class Keep(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        activations.append(numpy.ones(65_000 * 2))
        time.sleep(0.03)


class Pause(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.03)


def main():
    folder, steps, keeps = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "leak"
    torch.set_num_threads(1)
    model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(32), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = MemoryCallback(every=10, recording=os.path.join(folder, "job.lowtide"))
    data = numpy.random.rand(8 * steps // 4, 32).astype("float32")
    fitted = model.fit(data, data[:, :1], batch_size=8, epochs=4, verbose=0,
                       callbacks=[callback, Keep() if keeps else Pause(), keras.callbacks.CSVLogger(os.path.join(folder, "log.csv"))])
    report = callback.report
    print(json.dumps({"kind": report.verdict.kind, "words": str(report.verdict), "holders": [one["path"] for one in report.holders],
                      "findings": [str(one) for one in report.problems], "history": list(fitted.history)}))


if __name__ == "__main__":
    main()
