from array import array

def judge(series: array[float], steps: array[float], seconds: array[float], running: bool) -> str:
    """The verdict of a series of bytes, as JSON (docs/json.md); an empty axis is one that is not known."""

def floor_growth(series: array[float]) -> float:
    """How far the floor of a series of bytes rises, by its trend (src/judge/floor_growth.h)."""
