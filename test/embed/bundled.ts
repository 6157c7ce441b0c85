import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A program of a page that uses Daybook's elements, as one script. @param programs the directory of the built script */
export async function bundled(program: string, programs: string): Promise<string> {
  const alias = { "daybook/react": join(ROOT, "src/react/index.ts"), "daybook/embed": join(programs, "embed.js") };
  const vue = { __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" };
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: ROOT },
    bundle: true, alias, format: "esm", define: { "process.env.NODE_ENV": '"production"', ...vue }, write: false,
  });
  return outputFiles.map(({ text }) => text).join("");
}
