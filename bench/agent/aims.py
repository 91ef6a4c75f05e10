"""The goals of the bench. Each is printed where it is measured, with whether it was kept."""


class Aims:
    def __init__(self):
        self.kept = 0
        self.missed = 0

    def report(self, words, is_kept, doubt=""):
        self.kept += is_kept
        self.missed += not is_kept
        print(f"{words}: {'kept' if is_kept else 'MISSED'}{doubt}", flush=True)
