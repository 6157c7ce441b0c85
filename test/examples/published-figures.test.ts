import { afterAll } from "vitest";
import { accessLogFigures } from "./access-log-figures.js";
import { cdnowFigures } from "./cdnow-figures.js";
import { closeAll, filled } from "./published.js";

afterAll(closeAll);

accessLogFigures(filled);
cdnowFigures(filled);
