import { describe, expect, it } from "vitest";
import { parseChosen } from "./chosen";

describe("parseChosen", () => {
  it("reads what was kept", () => {
    const chosen = { theme: "dark", search: "decode <b>", from: 1.5, to: 2 };

    expect(parseChosen(JSON.stringify(chosen))).toEqual(chosen);
  });

  it.each([null, "", "{", "null", "7", '"text"', "[]", "{}"])("of %s is nothing", (text) => {
    expect(parseChosen(text)).toEqual({});
  });

  it.each([
    '{"theme":"\\" onload=x"}',
    '{"theme":1}',
    '{"search":{}}',
    '{"from":1}',
    '{"to":2}',
    '{"from":"1","to":"2"}',
    '{"from":2,"to":1}',
    '{"from":1,"to":1}',
    '{"__proto__":{"theme":"dark"},"other":1}',
  ])("takes nothing from %s", (text) => {
    expect(parseChosen(text)).toEqual({});
  });

  it("keeps the parts that are right", () => {
    expect(parseChosen('{"theme":"light","search":5,"from":0,"to":null}')).toEqual({ theme: "light" });
  });
});
