// A route of the app that stores events.
import { analytics } from "../../lib/daybook";

export async function POST(request: Request): Promise<Response> {
  const { user, amount } = (await request.json()) as { user: string; amount: number };
  const { daybook } = await analytics();
  await daybook.ingest([{ name: "order", userId: user, value: amount }]);
  return Response.json({ orders: await daybook.countEvents({ eventName: "order" }) }, { status: 201 });
}
