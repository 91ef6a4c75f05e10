import type { Frame } from "./data";
import { fileName } from "./format";

// "validate  trainer.py:631", "decode_frame  libdecoder.so"
export function frameParts(frame: Frame): { name: string; place: string } {
  const file = frame.file ? `${fileName(frame.file)}${frame.line ? `:${frame.line}` : ""}` : frame.module ? fileName(frame.module) : "";
  return frame.function ? { name: frame.function, place: file } : { name: file || "?", place: "" };
}

export const frameWords = (frame: Frame | null) => {
  if (!frame) return "?";
  const { name, place } = frameParts(frame);
  return place ? `${name}  ${place}` : name;
};
