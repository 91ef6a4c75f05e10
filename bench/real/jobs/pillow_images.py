# REAL-JOB
#   about: the loader keeps each decoded image in a dict under its name, and every name is new
#   label: leak
#   process: main
#   packages: pillow numpy
#   kind: c
#   holder: images
#   library: PIL
#   never: graph, validation, queue, callback, worker, hook, loss, checkpoint
#   fix: loader.images.clear()
# END
import io

import numpy
from PIL import Image

from job import FIXED, steps


def make_upload():
    """A JPEG file as a user would send it."""
    pixels = numpy.random.randint(0, 255, (32, 32, 3), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).resize((480, 480)).save(file, format="JPEG")
    return file.getvalue()


class ImageLoader:
    def __init__(self):
        self.images = {}

    def load(self, name, data):
        if name not in self.images:
            image = Image.open(io.BytesIO(data))
            image.load()  # <LINE>
            self.images[name] = image  # <KEPT>
        return self.images[name]


uploads = [make_upload() for _ in range(10)]
loader = ImageLoader()

for step in steps():
    image = loader.load(f"upload-{step}.jpg", uploads[step % len(uploads)])
    image.resize((64, 64))
    if FIXED:
        loader.images.clear()
