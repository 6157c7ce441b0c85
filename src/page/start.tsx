import { render } from "preact";
import { App } from "./frame/app.js";

const place = document.getElementById("page");
// Behind a proxy the page may be served below a path, with the API next to it.
const root = new URL(".", location.href).href.replace(/\/$/, "");
if (place !== null) render(<App root={root} />, place);
