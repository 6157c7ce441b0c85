import { startProgram } from "../cli/run.js";
import type { Running } from "../cli/run.js";

export const TOKEN = "sk_0123456789abcdef0123456789";

/** `daybook serve` over a directory, once it answers. */
export async function serve(directory: string, port = "0"): Promise<{ readonly server: Running; readonly url: string; readonly port: string }> {
  const server = startProgram("src/cli/main.ts", ["serve", "--data", directory, "--port", port, "--quiet"], { env: { DAYBOOK_TOKEN: TOKEN } });
  const [, url = "", listening = ""] = await server.said(/^daybook listening on (http:\/\/\S+:(\d+))$/m);
  return { server, url, port: listening };
}
