import type { ShownRequest } from "./answers.js";
import type { ApiClient } from "./client.js";
import { bundleQuery, newRequestQuery, resolveQuery, stepQuery } from "./queries/store.js";

/** Opens, verifies and acknowledges a privacy request, as every action requires. @throws ApiError */
async function openRequest(client: ApiClient, type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const { id } = await client.send(newRequestQuery(type, person, regulation));
  await client.send(stepQuery(id, "verify"));
  await client.send(stepQuery(id, "acknowledge"));
  return id;
}

/** Removes all data of a person through a privacy request, which stays as a record. @throws ApiError */
export async function erasePerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<ShownRequest> {
  const id = await openRequest(client, "erasure", person, regulation);
  return await client.send(resolveQuery(id, "completed"));
}

/** All data about a person, as JSON lines, through a privacy request that is then resolved. @throws ApiError */
export async function exportPerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const id = await openRequest(client, "portability", person, regulation);
  const lines = await bundleOf(client, id);
  await client.send(resolveQuery(id, "completed"));
  return lines;
}

/** Downloads the bundle of a request. @throws ApiError */
export async function bundleOf(client: ApiClient, id: string): Promise<string> {
  const response = await client.fetch(bundleQuery(id), new AbortController().signal);
  return await response.text();
}
