import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the figures were measured on. */
export function hardware() {
  return {
    cpuModel: os.cpus()[0]?.model.trim() ?? "unknown",
    coreCount: os.cpus().length,
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.arch()}`,
    nodeVersion: process.version,
  };
}

/** Writes `bench/results/<date>-<n>.json`, n counting from 1, and returns its path. */
export function writeResult(result: object): string {
  const directory = fileURLToPath(new URL("results", import.meta.url));
  mkdirSync(directory, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  for (let number = 1; ; number += 1) {
    const path = join(directory, `${date}-${number}.json`);
    if (existsSync(path)) continue;
    writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
    return path;
  }
}
