import type { TokenRecord } from "../http/index.js";
import { UsageError } from "./command.js";
import { dataDirectory } from "./data-directory.js";
import { directoryOf, requireDirectory } from "./organizations.js";
import { changeTokenFile, changeTokens, readTokenFile, storedTokens, type ChangeOfTokens } from "./token-store.js";

/** Where tokens are stored: in a data directory, or in a file for `serve --tokens`. */
export interface TokenFile {
  readonly path: string;
  /** @throws Error where they are missing, or naming the file */
  read(): Promise<readonly TokenRecord[]>;
  /** Changes existing tokens. @throws the same, and store_locked */
  change(change: ChangeOfTokens): Promise<void>;
  /** Adds a token, creating file or directory where missing. @throws UsageError for an organization other than that of a single store */
  add(record: TokenRecord): Promise<void>;
}

export const TOKEN_PLACE_OPTIONS = { data: { type: "string" }, tokens: { type: "string" } } as const;

/** The tokens that a command line names. @throws UsageError */
export function tokenFileOf({ data, tokens }: { readonly data?: string | undefined; readonly tokens?: string | undefined }): TokenFile {
  if (data !== undefined && tokens !== undefined) throw new UsageError("--data and --tokens cannot be combined");
  if (tokens !== undefined && tokens !== "") return inFile(tokens);
  if (data !== undefined && data !== "") return inDirectory(data);
  throw new UsageError("expected --data or --tokens");
}

function inFile(path: string): TokenFile {
  return {
    path,
    // Short tokens must be listed too, to be revoked.
    read: async () => (await readTokenFile(path, { insecure: true })).records,
    change: (change) => changeTokenFile(path, change, false),
    add: (record) => changeTokenFile(path, (records) => [...records, record], true),
  };
}

function inDirectory(path: string): TokenFile {
  const there = async () => {
    const data = await dataDirectory(path);
    requireDirectory(data);
    return data;
  };
  return {
    path,
    read: async () => await storedTokens((await there()).path, { insecure: true }),
    change: async (change) => await changeTokens(await there(), change),
    add: async (record) => {
      const data = await dataDirectory(path);
      directoryOf(data, record.organization);
      await changeTokens(data, (records) => [...records, record]);
    },
  };
}
