/** A change of a directory's names that no sync of the directory has made durable yet. `from` gives up its name only for the same file. */
export type NameChange =
  | { readonly kind: "add"; readonly name: string; readonly node: number }
  | { readonly kind: "remove"; readonly name: string; readonly node: number }
  | { readonly kind: "rename"; readonly from: string; readonly name: string; readonly node: number };

export type Names = ReadonlyMap<string, number>;

/** A directory: the names that survive a loss of power for sure, what was changed since, and what listing it gives. Never changed in place. */
export interface DirectoryNames {
  readonly durable: Names;
  readonly changes: readonly NameChange[];
  readonly current: Names;
}

const NO_NAMES: Names = new Map();

export const EMPTY_DIRECTORY: DirectoryNames = { durable: NO_NAMES, changes: [], current: NO_NAMES };

export function settledDirectory(names: Names): DirectoryNames {
  return { durable: names, changes: [], current: names };
}

/** The names after some changes, each of which may find that others did not happen. */
export function renamed(names: Names, changes: readonly NameChange[]): Names {
  const after = new Map(names);
  for (const change of changes) {
    const gone = change.kind === "rename" ? change.from : change.kind === "remove" ? change.name : null;
    if (gone !== null && after.get(gone) === change.node) after.delete(gone);
    if (change.kind !== "remove") after.set(change.name, change.node);
  }
  return after;
}

export function withNameChange(directory: DirectoryNames, change: NameChange): DirectoryNames {
  return { ...directory, changes: [...directory.changes, change], current: renamed(directory.current, [change]) };
}

/** The directory after a sync of it that began at `begun`. */
export function syncedDirectory(directory: DirectoryNames, begun: DirectoryNames): DirectoryNames {
  if (directory.changes.length === 0) return directory;
  const covered = directory.changes.filter((change) => begun.changes.includes(change));
  if (covered.length === directory.changes.length) return settledDirectory(directory.current);
  const rest = directory.changes.filter((change) => !covered.includes(change));
  return { ...directory, durable: renamed(directory.durable, covered), changes: rest };
}
