import { backupStore } from "../../store/backup/backup-store.js";
import { copyOrganizations, refuseOverlap, say, sourceDirectory } from "../copy-organizations.js";
import { readArguments, required, type Command } from "../command.js";
import { dataDirectory } from "../data-directory.js";

const help = `Usage: daybook backup --data DIR --out TARGET

Copies one moment of every organization in DIR to TARGET, also while "serve" runs: everything that was acknowledged before.
TARGET is then such a directory itself, for "verify", "query" and "restore". Into a former backup only what is new is copied,
and what the new moment does not name is removed; one that was cut goes on. Tokens and visitors' salts are no part of it.

  --data DIR     data directory or store
  --out TARGET   directory of its own, made where absent: empty, or a former backup of DIR
`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { data: { type: "string" }, out: { type: "string" } }, false);
  const path = required(values.data, "data");
  const out = required(values.out, "out");
  const source = await sourceDirectory(path);
  await refuseOverlap(path, out);
  const target = await dataDirectory(out);
  const isFresh = target.kind === "absent" || (target.kind === "empty" && target.strangers.length === 0);
  if (!isFresh && target.kind !== source.kind)
    throw new Error(`${out}: expected an empty directory, or a backup of ${path}, which is ${source.kind === "store" ? "one store" : "a directory of organizations"}`);
  for (const name of target.names) if (!source.names.includes(name)) say(`${name}: is in ${path} no more; its last backup stays`);
  await copyOrganizations(source, out, (from, to) => backupStore(from, to, { takenMs: Date.now() }));
}

export const command: Command = { help, run };
