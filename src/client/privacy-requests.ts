import { DaybookError, shown } from "../core/base/errors.js";
import type { PrivacyRequest, PrivacyRequestInput, PrivacyRequests, PrivacyResolution } from "../engine/privacy/requests.js";
import { readStopOptions, type StopOptions } from "../core/base/options.js";
import type { Calls } from "./calls.js";
import { jsonText } from "./json-text.js";
import { camelCase, isPathPart, libraryNames } from "./query-of.js";

const PATH = "/v1/privacy-requests";

/** Privacy requests over HTTP. A change is resent only if the server reports that it did nothing: changes are not idempotent. */
export class RemotePrivacyRequests implements PrivacyRequests {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async create(input: PrivacyRequestInput): Promise<PrivacyRequest> {
    const { subject, ...rest } = ((input as PrivacyRequestInput | undefined) ?? {}) as PrivacyRequestInput;
    return await this.#change(PATH, { ...rest, subject: wireSubject(subject) });
  }

  async list(): Promise<readonly PrivacyRequest[]> {
    const { privacy_requests } = (await this.#get(PATH)) as { privacy_requests: unknown };
    return libraryNames(privacy_requests) as readonly PrivacyRequest[];
  }

  async get(id: string): Promise<PrivacyRequest> {
    return libraryNames(await this.#get(pathOf(id))) as PrivacyRequest;
  }

  async verify(id: string): Promise<PrivacyRequest> {
    return await this.#change(`${pathOf(id)}/verify`, {});
  }

  async acknowledge(id: string): Promise<PrivacyRequest> {
    return await this.#change(`${pathOf(id)}/acknowledge`, {});
  }

  async extend(id: string): Promise<PrivacyRequest> {
    return await this.#change(`${pathOf(id)}/extend`, {});
  }

  async resolve(id: string, resolution: PrivacyResolution): Promise<PrivacyRequest> {
    return await this.#change(`${pathOf(id)}/resolve`, { resolution });
  }

  async *bundle(id: string, options?: StopOptions): AsyncGenerator<string> {
    const { signal } = readStopOptions(options);
    const { lines } = await this.#calls.lines({ method: "GET", path: `${pathOf(id)}/bundle`, retry: "always", signal });
    for (const line of lines) yield `${line}\n`;
  }

  #get(path: string): Promise<unknown> {
    return this.#calls.json({ method: "GET", path, retry: "always" });
  }

  async #change(path: string, body: object): Promise<PrivacyRequest> {
    try {
      return libraryNames(await this.#calls.json({ method: "POST", path, body: jsonText(body, false), retry: "ifUndone" })) as PrivacyRequest;
    } catch (error) {
      throw error instanceof DaybookError ? inLibraryNames(error) : error;
    }
  }
}

/** @throws privacy_request_not_found */
function pathOf(id: string): string {
  if (isPathPart(id)) return `${PATH}/${id}`;
  throw new DaybookError("privacy_request_not_found", `there is no privacy request ${shown(id)}`);
}

function wireSubject(subject: unknown): unknown {
  if (typeof subject !== "object" || subject === null || !("userId" in subject)) return subject;
  const { userId, ...rest } = subject;
  return { ...rest, user_id: userId };
}

/** Converts an error of these routes to the library's names; only `user_id` differs. */
function inLibraryNames({ code, message, details, cause }: DaybookError): DaybookError {
  const camel = (text: string) => text.replace(/\buser_id\b/g, camelCase);
  const { param, reason } = details;
  const named = { ...(param === undefined ? {} : { param: camel(param) }), ...(reason === undefined ? {} : { reason: camel(reason) }) };
  return new DaybookError(code, camel(message), { ...details, ...named }, { cause });
}
