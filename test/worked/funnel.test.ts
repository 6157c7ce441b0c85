import type { Funnel, FunnelInput } from "daybook";
import { example } from "./example.js";

const STEPS: FunnelInput = { steps: [{ eventName: "signup" }, { eventName: "buy" }] };

/** Per step its name and how many arrived. */
const reached = ({ steps }: Funnel) => steps.map(({ name, entities }) => `${name} ${entities}`);

example(
  "Two sign up, one of them buys.",
  `
  03-02 09:00 ann signup
  03-02 09:30 bob signup
  03-03 10:00 ann buy
  `,
  async (daybook) => reached(await daybook.funnel(STEPS)),
  ["signup 2", "buy 1"],
);
