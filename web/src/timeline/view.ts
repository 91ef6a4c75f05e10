// The stretch of the run that all pictures show.

type Listener = () => void;

export class View {
  private listeners: Listener[] = [];
  from: number;
  to: number;

  constructor(
    readonly first: number,
    readonly last: number,
  ) {
    this.from = first;
    this.to = last;
  }

  get isWhole() {
    return this.from === this.first && this.to === this.last;
  }

  onChange(listener: Listener) {
    this.listeners.push(listener);
  }

  set(from: number, to: number) {
    const least = Math.max(1e-3, (this.last - this.first) / 1e6);
    if (!(to - from >= least)) return; // nor where one is NaN
    this.from = from;
    this.to = to;
    for (const listener of this.listeners) listener();
  }

  reset() {
    this.set(this.first, this.last);
  }

  // By a factor, around the middle; never beyond the run.
  zoom(factor: number) {
    const middle = (this.from + this.to) / 2;
    const half = ((this.to - this.from) / 2) * factor;
    if (2 * half >= this.last - this.first) {
      this.reset();
      return;
    }
    const from = Math.min(Math.max(middle - half, this.first), this.last - 2 * half);
    this.set(from, from + 2 * half);
  }
}
