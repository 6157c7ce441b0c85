/** A change of a directory's names that is not yet durable. A `rename` removes `from` only if it still names the same file. */
export type NameChange =
  | { readonly kind: "add"; readonly name: string; readonly node: number }
  | { readonly kind: "remove"; readonly name: string; readonly node: number }
  | { readonly kind: "rename"; readonly from: string; readonly name: string; readonly node: number };

export type Names = ReadonlyMap<string, number>;

/** A directory: the names certain to survive a power loss, the changes since, and the names that it lists. Never changed in place. */
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

/** Applies changes to names, even if other changes did not happen. */
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

/** The directory after a sync that began in the state `begun`. */
export function syncedDirectory(directory: DirectoryNames, begun: DirectoryNames): DirectoryNames {
  if (directory.changes.length === 0) return directory;
  const covered = directory.changes.filter((change) => begun.changes.includes(change));
  if (covered.length === directory.changes.length) return settledDirectory(directory.current);
  const rest = directory.changes.filter((change) => !covered.includes(change));
  return { ...directory, durable: renamed(directory.durable, covered), changes: rest };
}
