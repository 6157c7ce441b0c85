// A page that stores its analytics in the browser. Reload it, open it in two tabs, restart the browser.
import { servePage } from "./browser/serve.js";

const { url } = await servePage(Number(process.env["PORT"] ?? 8_080));
console.log(`open ${url}`);
