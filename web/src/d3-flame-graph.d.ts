// The package comes without types.
declare module "d3-flame-graph" {
  export default function flamegraph(): any;
}
