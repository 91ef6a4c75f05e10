// The package comes without types. These are the parts that flame.ts uses.
declare module "d3-flame-graph" {
  import type { Selection } from "d3-selection";

  // A frame as it is drawn: `Data` is what buildTree() made.
  export interface FlameNode<Data> {
    data: Data;
    value: number;
    highlight?: boolean;
  }

  export interface FlameGraph<Data> {
    (selection: Selection<HTMLDivElement, Data, null, undefined>): void;
    cellHeight(pixels: number): this;
    clear(): void;
    height(pixels: number | null): this;
    inverted(is: boolean): this;
    minFrameSize(pixels: number): this;
    resetHeightOnZoom(is: boolean): this;
    resetZoom(): void;
    search(term: string): void;
    setColorMapper(color: (node: FlameNode<Data>) => string): this;
    setDetailsHandler(show: (text: string | null) => void): this;
    setLabelHandler(label: (node: FlameNode<Data>) => string): this;
    setSearchHandler(show: (found: FlameNode<Data>[], sum: number) => void): this;
    setSearchMatch(matches: (node: FlameNode<Data>, term: string) => boolean): this;
    sort(compare: (a: FlameNode<Data>, b: FlameNode<Data>) => number): this;
    transitionDuration(millis: number): this;
    update(): void;
    width(pixels: number): this;
  }

  export default function flamegraph<Data>(): FlameGraph<Data>;
}
