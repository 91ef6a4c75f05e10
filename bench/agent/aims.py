"""What we aim at, and whether it was kept: each is told where it was measured."""


class Aims:
    def __init__(self):
        self.kept = 0
        self.missed = 0

    def tell(self, words, is_kept, doubt=""):
        self.kept += is_kept
        self.missed += not is_kept
        print(f"{words}: {'kept' if is_kept else 'MISSED'}{doubt}", flush=True)
