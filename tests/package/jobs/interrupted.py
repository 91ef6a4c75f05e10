"""A training that ends with an exception.

usage: interrupted.py FOLDER STEPS transformers|lightning|accelerate|keras error|interrupt|caught

error      a step raises RuntimeError
interrupt  a step gets SIGINT, as from Ctrl-C
caught     as error, and the script catches it, drops the trainer and prints a line on standard error
"""

import gc
import os
import signal
import sys

os.environ["KERAS_BACKEND"] = "torch"
import torch  # noqa: E402

FOLDER, STEPS, TRAINER, HOW = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
OPTIONS = {"every": 10, "recording": os.path.join(FOLDER, "job.lowtide")}


def stop_at_last(step):
    if step == STEPS - 1:
        if HOW == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        else:
            raise RuntimeError("the training is broken")


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8 * STEPS

    def __getitem__(self, number):
        return {"x": torch.ones(4), "labels": torch.ones(1)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.step = 0

    def forward(self, x, labels):
        stop_at_last(self.step)
        self.step += 1
        return {"loss": (self.layer(x) - labels).pow(2).mean()}


def transformers():
    from transformers import Trainer, TrainingArguments

    from lowtide.huggingface import MemoryCallback

    arguments = TrainingArguments(output_dir=FOLDER, max_steps=2 * STEPS, per_device_train_batch_size=4, report_to="none", use_cpu=True,
                                  disable_tqdm=True, save_strategy="no")
    Trainer(model=Model(), args=arguments, train_dataset=Data(), callbacks=[MemoryCallback(**OPTIONS)]).train()


def lightning():
    import lightning.pytorch

    from lowtide.lightning import MemoryCallback

    class Module(lightning.pytorch.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Model()

        def training_step(self, batch, number):
            return self.model(**batch)["loss"]

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    trainer = lightning.pytorch.Trainer(max_steps=2 * STEPS, callbacks=[MemoryCallback(**OPTIONS)], accelerator="cpu", logger=False,
                                        enable_checkpointing=False, enable_progress_bar=False, default_root_dir=FOLDER)
    trainer.fit(Module(), torch.utils.data.DataLoader(Data(), batch_size=4))


def accelerate():
    import accelerate

    from lowtide.accelerate import MemoryLog

    accelerator = accelerate.Accelerator(cpu=True)
    model, loader = accelerator.prepare(Model(), torch.utils.data.DataLoader(Data(), batch_size=4))
    with MemoryLog(accelerator, **OPTIONS) as memory:
        for number, batch in enumerate(loader):
            accelerator.backward(model(**batch)["loss"])
            memory.step(number)


def keras():
    import keras
    import numpy

    from lowtide.keras import MemoryCallback

    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            stop_at_last(batch)

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = numpy.ones((8 * STEPS, 4), dtype="float32")
    model.fit(data, data[:, :1], batch_size=4, verbose=0, callbacks=[MemoryCallback(**OPTIONS), Stop()])


def main():
    torch.set_num_threads(1)
    train = globals()[TRAINER]
    if HOW != "caught":
        train()
        return
    try:
        train()
    except RuntimeError:
        pass
    gc.collect()
    print("the script goes on", file=sys.stderr)


if __name__ == "__main__":
    main()
