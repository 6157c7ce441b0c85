import { afterAll } from "vitest";
import { onlineRetailFigures } from "./online-retail-figures.js";
import { closeAll, filled } from "./published.js";

afterAll(closeAll);

onlineRetailFigures(filled);
