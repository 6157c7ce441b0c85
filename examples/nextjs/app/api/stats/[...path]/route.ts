// The routes of Daybook below /api/stats.
import { analytics } from "../../../../lib/daybook";

const BASE_PATH = "/api/stats";

async function handle(request: Request): Promise<Response> {
  const { handler } = await analytics();
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(BASE_PATH.length);
  return handler(new Request(url, request));
}

export { handle as GET, handle as HEAD, handle as POST, handle as PUT, handle as DELETE, handle as OPTIONS };
