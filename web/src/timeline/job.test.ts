import { describe, expect, it } from "vitest";
import type { Data } from "../data";
import { dataOf, everySecond, seriesOf } from "../test_data";
import { jobPicture } from "./job";
import { View } from "./view";

const END = 1000;
const series = everySecond(END + 1, (at) => (at >= 500 && at < 505 ? 900 : 100), "memory of the job", 0);

function pictureOf(data: Data = dataOf(), of = series) {
  const view = new View(0, END);
  return { view, picture: jobPicture(data, of, view, () => "") };
}

describe("jobPicture", () => {
  it("draws highest, lowest and floor", () => {
    const { picture } = pictureOf();

    expect(picture.columns(0, END, 2)).toEqual([[100, 900], [100, 100], [100, 100]]);
  });

  it("has null where nothing was read", () => {
    const { picture } = pictureOf(dataOf(), seriesOf(Array.from({ length: 11 }, (_, at) => [600 + at, 5])));

    expect(picture.columns(0, END, 2).map(([first]) => first)).toEqual([null, null, null]);
  });

  it("shows the peak of the stretch while the pointer is elsewhere", () => {
    const { picture } = pictureOf();

    picture.columns(0, END, 100);
    expect(picture.figures(null)).toEqual([{ name: "peak", value: "900 B" }]);
    picture.columns(0, 400, 100);
    expect(picture.figures(null)).toEqual([{ name: "peak", value: "100 B" }]);
  });

  it("shows a range only where there is one", () => {
    const { picture } = pictureOf();
    picture.columns(0, END, 100);

    expect(picture.figures(10).map(({ name, value }) => [name, value])).toEqual([["memory", "100 B"], ["floor", "100 B"]]);
    expect(picture.figures(50).map(({ name, value }) => [name, value])).toEqual([["memory", "100 B to 900 B"], ["floor", "100 B"]]);
  });

  it("shows nothing before there are columns, nor where nothing was read", () => {
    const { picture } = pictureOf(dataOf(), seriesOf([[600, 5], [610, 5]]));

    expect(picture.figures(0)).toEqual([]);
    picture.columns(0, END, 10);
    expect(picture.figures(0)).toEqual([]);
  });

  it("reaches up to the limit once memory is near, or when it looks ahead", () => {
    const { picture, view } = pictureOf(dataOf({ limit_bytes: 1000 }));

    expect(picture.top(349)).toBe(349);
    expect(picture.top(350)).toBe(1000);
    expect(picture.top(1200)).toBe(1200);
    view.set(0, 2 * END);
    expect(picture.top(10)).toBe(1000);
  });

  it("reaches as high as it is without a limit", () => {
    expect(pictureOf().picture.top(123)).toBe(123);
  });
});
