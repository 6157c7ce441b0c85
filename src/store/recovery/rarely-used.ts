// As in `engine/rarely-used.ts`: one chunk, which also has what a seal needs and no query does.
export { sealReceived } from "../files/received-times.js";
export { verify } from "../verify/verify.js";
export { salvageStore } from "./salvage.js";
