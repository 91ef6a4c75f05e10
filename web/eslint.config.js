import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  globalIgnores(["dist/"]),
  js.configs.recommended,
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: fileURLToPath(new URL(".", import.meta.url)) } },
    rules: {
      // A number in a text is what most texts of this page are for. null, undefined and objects stay forbidden.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  // They are read by node, and are not part of tsconfig.json.
  { files: ["*.ts"], extends: [tseslint.configs.strict] },
  { files: ["*.js"], languageOptions: { globals: { URL: "readonly" } } },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
);
