import type { ServedDaybook } from "../http/index.js";
import { memoryStorage, openDaybook } from "../index.js";
import { DEFAULT_ORGANIZATION, type DataDirectory } from "../platform/node/data-directory.js";
import { diskReserve, fileStorage, openOrganizations, type Organizations } from "../platform/node/index.js";
import { OPEN_STORE_COUNT } from "../platform/node/open-organizations.js";
import { printLockWait } from "./command.js";
import { messageOf } from "./token-store.js";

export type OpenedDaybook = ServedDaybook & { close(): Promise<void> };

export interface StoresOptions {
  readonly currency: string | undefined;
  /** Organizations that are already open; the server closes them. */
  readonly open?: Readonly<Record<string, OpenedDaybook>>;
  /** Stores of a data directory open at a time. Default: 100. */
  readonly maxOpen?: number;
  /** Without a data directory: opens every organization that is not in `open`. Default: in memory. */
  readonly openOther?: (name: string) => Promise<OpenedDaybook>;
}

/** Organizations that stay open: in memory, or elsewhere. */
export class StoresInMemory {
  readonly organizations: Map<string, OpenedDaybook>;

  constructor(readonly options: StoresOptions) {
    this.organizations = new Map(Object.entries(options.open ?? {}));
  }

  async start(): Promise<void> {
    await this.ensure([DEFAULT_ORGANIZATION]);
  }

  async ensure(names: Iterable<string>): Promise<void> {
    const { currency, openOther } = this.options;
    const inMemory = () => openDaybook({ storage: memoryStorage(), ...(currency === undefined ? {} : { currency }) });
    for (const name of new Set(names)) if (!this.organizations.has(name)) this.organizations.set(name, await (openOther ?? inMemory)(name));
  }

  opened(): readonly ServedDaybook[] {
    return [...this.organizations.values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.organizations.values()].map((daybook) => daybook.close()));
  }
}

/** Organizations of a data directory, opened when they are used. The default one stays open: its lock keeps a second server away. */
export class StoresOnDisk {
  readonly organizations: Organizations;
  readonly maxOpen: number;

  /** @param mayWait whether to wait for a lock whose owner is not visible; otherwise fail at once */
  constructor(
    readonly data: DataDirectory,
    { currency, maxOpen = OPEN_STORE_COUNT }: StoresOptions,
    mayWait: () => boolean,
  ) {
    this.maxOpen = maxOpen;
    this.organizations = openOrganizations(data.path, {
      // And the default one, which is in use as long as the server runs.
      maxOpen: maxOpen + 1,
      minOpen: 2,
      ...(currency === undefined ? {} : { open: { currency } }),
      storage: (directory) => fileStorage(directory, { reserve: diskReserve(data.path), ...(mayWait() ? { onLockWait: printLockWait } : {}) }),
      onError: (error, name) => void process.stderr.write(`${JSON.stringify({ level: "warn", message: `${name}: ${messageOf(error)}` })}\n`),
    });
  }

  /** Opens the default organization, and the others too if all may be open: a start fails if one of them is locked or damaged. */
  async start(): Promise<void> {
    const names = new Set([DEFAULT_ORGANIZATION, ...this.data.names]);
    for (const name of names.size <= this.maxOpen + 1 ? names : [DEFAULT_ORGANIZATION]) await this.organizations.create(name);
    await this.organizations.acquire(DEFAULT_ORGANIZATION);
  }

  /** Creates the organizations that are missing. */
  async ensure(names: Iterable<string>): Promise<void> {
    for (const name of new Set(names)) if (!(await this.organizations.has(name))) await this.organizations.create(name);
  }

  opened(): readonly ServedDaybook[] {
    return this.organizations.opened();
  }

  close(): Promise<void> {
    return this.organizations.close();
  }
}
