"""A memory cgroup with a limit, of either version; needs root."""

import contextlib
import os
import pathlib

from box import Skip, need_root, wait_until


def _mounts():
    """(file system, its options, mount point) of all that is mounted."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        yield kind, options.split(","), pathlib.Path(left.split()[4])


def _own_path(controller):
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path.lstrip("/")
    return ""


def _first_that_works(folders):
    errors = []
    for folder in folders:
        try:
            folder.mkdir()
            return folder
        except OSError as error:
            errors.append(str(error))
    raise Skip(f"no memory cgroup can be made here: {'; '.join(errors) or 'no memory controller is mounted'}")


class MemoryCgroup:
    """with MemoryCgroup(bytes) as group: `group.procs` is the file that takes pids."""

    def __init__(self, limit_bytes):
        need_root()
        name = f"lowtide-test-{os.getpid()}"
        v1 = [point for kind, options, point in _mounts() if kind == "cgroup" and "memory" in options]
        v2 = [point for kind, _, point in _mounts() if kind == "cgroup2"]
        if v1:
            # Below our own, so that what limits us limits the job as well.
            self.folder = _first_that_works([v1[0] / _own_path("memory") / name, v1[0] / name])
            limit = "memory.limit_in_bytes"
        else:
            # A cgroup of version 2 that has processes cannot have children with a limit; only the root can.
            self.folder = _first_that_works([point / name for point in v2[:1]])
            with contextlib.suppress(OSError):
                (v2[0] / "cgroup.subtree_control").write_text("+memory")
            limit = "memory.max"
        if not (self.folder / limit).exists():
            self.folder.rmdir()
            raise Skip(f"{self.folder.parent} does not hand the memory controller down")
        (self.folder / limit).write_text(str(limit_bytes))
        for name in ("memory.swap.max", "memory.memsw.limit_in_bytes"):
            with contextlib.suppress(OSError):
                if (self.folder / name).exists():
                    (self.folder / name).write_text("0" if name == "memory.swap.max" else str(limit_bytes))
        self.procs = self.folder / "cgroup.procs"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The kernel lets go of the dead a moment later.
        wait_until(self._is_removed, f"the end of all processes in {self.folder}")

    def _is_removed(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        return not self.folder.exists()
