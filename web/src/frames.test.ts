import { describe, expect, it } from "vitest";
import { frameParts, frameWords } from "./frames";
import { frameOf } from "./test_data";

describe("frameParts", () => {
  it("names function, file and line", () => {
    expect(frameParts(frameOf({ function: "validate", file: "/src/trainer.py", line: 631 }))).toEqual({
      name: "validate",
      place: "trainer.py:631",
    });
  });

  it("leaves out a line that is not known", () => {
    expect(frameParts(frameOf({ function: "f", file: "a.py", line: null })).place).toBe("a.py");
    expect(frameParts(frameOf({ function: "f", file: "a.py", line: 0 })).place).toBe("a.py");
  });

  it("names the module where no file is known", () => {
    expect(frameParts(frameOf({ language: "native", function: "decode", module: "/lib/libdecoder.so" }))).toEqual({
      name: "decode",
      place: "libdecoder.so",
    });
  });

  it("prefers the file to the module", () => {
    expect(frameParts(frameOf({ function: "f", file: "f.cpp", line: 2, module: "/lib/libf.so" })).place).toBe("f.cpp:2");
  });

  it("is named by its place where the function is not known", () => {
    expect(frameParts(frameOf({ file: "/src/a.py", line: 7 }))).toEqual({ name: "a.py:7", place: "" });
    expect(frameParts(frameOf({ module: "/lib/libx.so" }))).toEqual({ name: "libx.so", place: "" });
  });

  it("is a question mark where nothing is known", () => {
    expect(frameParts(frameOf())).toEqual({ name: "?", place: "" });
    expect(frameParts(frameOf({ function: "", file: "", module: "" }))).toEqual({ name: "?", place: "" });
  });

  it("hands hostile names on as they are: they become text nodes", () => {
    const name = '<img src=x onerror="alert(1)">';
    expect(frameParts(frameOf({ function: name, file: "/a/</script>" }))).toEqual({ name, place: "script>" });
  });
});

describe("frameWords", () => {
  it("joins name and place", () => {
    expect(frameWords(frameOf({ function: "f", file: "/a/b.py", line: 3 }))).toBe("f  b.py:3");
    expect(frameWords(frameOf({ function: "f" }))).toBe("f");
    expect(frameWords(frameOf())).toBe("?");
  });
});
