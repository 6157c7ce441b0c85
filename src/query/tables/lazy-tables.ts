// One lazily loaded chunk for all: with a chunk for each, the bundler would move the modules they share out of the core.
export { newSessionTable } from "./sessions/session-table.js";
export { EventLabels } from "./touches/event-labels.js";
export { PaymentLabels } from "./touches/payment-labels.js";
