from array import array

def judge(series: array[float], steps: array[float], seconds: array[float], running: bool) -> str:
    """The verdict on a series of bytes, as JSON (docs/json.md); an empty axis is unknown."""

def floor_trend(series: array[float]) -> float:
    """The trend of the floor of a series, in bytes over the whole series (src/judge/floor_trend.h)."""
