// One HTML file: script and style inlined, and a policy that allows these two and nothing else.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// No source of anything, no form, and no text that becomes markup. lowtide fills in where the page may connect to: nowhere,
// or, if `lowtide serve` shows a running job, to the server that it came from.
const policy = (script: string, style: string) =>
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "connect-src <!--lowtide:connect-->",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += part.source;
        else continue;
        Reflect.deleteProperty(bundle, name);
      }
      // Within strings of the script, where the two mean the same: the end of a script must not stand in it.
      script = script.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      style = style.trim();
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html");
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("<!--page:policy-->", () => policy(script, style))
        .replace("<!--page:style-->", () => `<style>${style}</style>`)
        .replace("<!--page:script-->", () => `<script>${script}</script>`);
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  logLevel: "warn",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
});
