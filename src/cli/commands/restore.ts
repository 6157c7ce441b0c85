import { fileStorage } from "../../platform/node/index.js";
import { restoreStore } from "../../store/backup/backup-store.js";
import { MANIFEST_KEY, decodeManifest } from "../../store/files/manifest.js";
import { copyOrganizations, refuseOverlap, say, sourceDirectory } from "../copy-organizations.js";
import { readArguments, required, type Command } from "../command.js";
import { dataDirectory, type DataDirectory } from "../data-directory.js";
import { directoryOf } from "../organizations.js";

const help = `Usage: daybook restore --from TARGET --data DIR

Copies a backup to DIR, every byte checked, as a data directory or store that "serve" writes to. TARGET stays as it is.

  --from TARGET   what "backup" wrote
  --data DIR      empty, or made where absent
`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { from: { type: "string" }, data: { type: "string" } }, false);
  const from = required(values.from, "from");
  const path = required(values.data, "data");
  const source = await sourceDirectory(from);
  await refuseOverlap(from, path);
  const { kind, strangers } = await dataDirectory(path);
  if (kind !== "absent" && (kind !== "empty" || strangers.length > 0)) throw new Error(`${path}: expected an empty directory`);
  for (const name of source.names) await tellMoment(source, name);
  await copyOrganizations(source, path, restoreStore);
}

/** Prints when a backup was taken, and whether it was cut off. */
async function tellMoment(source: DataDirectory, name: string): Promise<void> {
  const stored = await fileStorage(directoryOf(source, name)).read(MANIFEST_KEY);
  if (stored === null) return;
  const { backup, clean, timeToLive = [] } = decodeManifest(stored);
  if (backup === undefined) return say(`${name}: is no backup, but a store of its own`);
  const takenAt = new Date(backup.takenMs).toISOString();
  say(clean ? `${name}: taken at ${takenAt}` : `${name}: cut when it was taken at ${takenAt}: what the backup before it had is there, of what came later a part`);
  if (timeToLive.length > 0) say(`${name}: has rules of time to live: once it is opened for writing, what is past its time goes (daybook retention)`);
}

export const command: Command = { help, run };
