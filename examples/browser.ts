// A page that keeps its own analytics in the browser. Reload it, open it twice, close and start the browser again.
import { servePage } from "./browser/serve.js";

const { url } = await servePage(Number(process.env["PORT"] ?? 8_080));
console.log(`open ${url}`);
