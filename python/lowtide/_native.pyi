from array import array

def judge(series: array[float], steps: array[float], seconds: array[float], running: bool) -> str:
    """The verdict of a series of bytes, as JSON (docs/json.md); an empty axis is one that is not known."""
