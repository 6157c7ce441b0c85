// The routes of Daybook below /api/stats.
import { analytics } from "../../../../lib/daybook";

const BASE_PATH = "/api/stats";

async function answer(request: Request): Promise<Response> {
  const { handler } = await analytics();
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(BASE_PATH.length);
  return handler(new Request(url, request));
}

export { answer as GET, answer as HEAD, answer as POST, answer as PUT, answer as DELETE, answer as OPTIONS };
