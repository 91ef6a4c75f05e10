# REAL-JOB
#   about: new objects are added to a session that is neither flushed nor committed, and the session keeps them until then
#   label: leak
#   process: main
#   packages: sqlalchemy
#   kind: python
#   holder: session
#   library: sqlalchemy
#   never: graph, validation, queue, callback, dataset, worker, hook, loss, checkpoint
#   fix: archive.session.commit()
#   real: https://docs.sqlalchemy.org/en/20/orm/session_state_management.html#session-referencing-behavior
# END
import os
import tempfile

from sqlalchemy import LargeBinary, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from job import FIXED, steps


class Base(DeclarativeBase):
    pass


class Snapshot(Base):
    __tablename__ = "snapshots"
    id: Mapped[int] = mapped_column(primary_key=True)
    camera: Mapped[str]
    image: Mapped[bytes] = mapped_column(LargeBinary)


class Archive:
    def __init__(self, path):
        engine = create_engine(f"sqlite:///{path}")
        Base.metadata.create_all(engine)
        self.session = Session(engine, autoflush=False)

    def store(self, camera, image):
        self.session.add(Snapshot(camera=camera, image=image))  # <KEPT>


def take_picture():
    return os.urandom(60_000)  # <LINE>


with tempfile.TemporaryDirectory() as folder:
    archive = Archive(os.path.join(folder, "archive.db"))
    for step in steps():
        for number in range(8):
            archive.store(f"camera-{number}", take_picture())
        if FIXED:
            archive.session.commit()
