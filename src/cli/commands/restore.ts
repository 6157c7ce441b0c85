import { fileStorage } from "../../platform/node/index.js";
import { restoreStore } from "../../store/backup/backup-store.js";
import { MANIFEST_KEY, decodeManifest } from "../../store/files/manifest.js";
import { dataDirectory, type DataDirectory } from "../../platform/node/data-directory.js";
import { copyOrganizations, refuseOverlap, sourceDirectory, directoryOf } from "../organizations.js";
import { readArguments, required, texts } from "../command.js";
import { printLine } from "../print/format.js";

export const help = `Usage: daybook restore --from TARGET --data DIR

Copies a backup to DIR and checks every byte; the result is a data directory or store that "serve" can write to. TARGET
stays unchanged.

  --from TARGET   a directory written by "backup"
  --data DIR      empty, or created if missing
`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, texts("from", "data"), false);
  const from = required(values.from, "from");
  const path = required(values.data, "data");
  const source = await sourceDirectory(from);
  await refuseOverlap(from, path);
  const { kind, unrelated } = await dataDirectory(path);
  if (kind !== "absent" && (kind !== "empty" || unrelated.length > 0)) throw new Error(`${path}: expected an empty directory`);
  for (const name of source.names) await printBackupTime(source, name);
  await copyOrganizations(source, path, restoreStore);
}

async function printBackupTime(source: DataDirectory, name: string): Promise<void> {
  const stored = await fileStorage(directoryOf(source, name)).read(MANIFEST_KEY);
  if (stored === null) return;
  const { backup, clean, timeToLive = [] } = decodeManifest(stored);
  if (backup === undefined) return printLine(`${name}: is not a backup but an ordinary store`);
  const takenAt = new Date(backup.takenMs).toISOString();
  printLine(clean ? `${name}: taken at ${takenAt}` : `${name}: interrupted backup, begun at ${takenAt}: it contains the previous backup and part of what came later`);
  if (timeToLive.length > 0) printLine(`${name}: has time-to-live rules: opening it for writing deletes expired events (daybook retention)`);
}
