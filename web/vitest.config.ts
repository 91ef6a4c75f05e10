// Unit tests of what needs no page. What needs one is tried in a browser: tests/page.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000 },
});
