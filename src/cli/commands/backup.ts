import { backupStore } from "../../store/backup/backup-store.js";
import { dataDirectory } from "../../platform/node/data-directory.js";
import { copyOrganizations, refuseOverlap, sourceDirectory } from "../organizations.js";
import { readArguments, required, texts } from "../command.js";
import { printLine } from "../print/format.js";

export const help = `Usage: daybook backup --data DIR --out TARGET

Copies a snapshot of every organization in DIR to TARGET, also while "serve" runs. The snapshot contains everything
acknowledged before the start. TARGET becomes a data directory or store, which "verify", "query" and "restore" can
read. If TARGET is an earlier backup, only new files are copied, and files that are not in the new snapshot are
removed; an interrupted backup is completed. Tokens and visitor salts are not backed up.

  --data DIR     data directory or store
  --out TARGET   separate directory, created if missing: empty, or an earlier backup of DIR
`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, texts("data", "out"), false);
  const path = required(values.data, "data");
  const out = required(values.out, "out");
  const source = await sourceDirectory(path);
  await refuseOverlap(path, out);
  const target = await dataDirectory(out);
  const isFresh = target.kind === "absent" || (target.kind === "empty" && target.unrelated.length === 0);
  if (!isFresh && target.kind !== source.kind)
    throw new Error(`${out}: expected an empty directory, or a backup of ${path}, which is ${source.kind === "store" ? "one store" : "a directory of organizations"}`);
  for (const name of target.names) if (!source.names.includes(name)) printLine(`${name}: is no longer in ${path}; its last backup is kept`);
  await copyOrganizations(source, out, (from, to) => backupStore(from, to, { takenMs: Date.now() }));
}
