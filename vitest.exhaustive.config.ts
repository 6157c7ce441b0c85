import config from "./vitest.long.config.js";

// The processes that run tests inherit it.
process.env["DAYBOOK_EXHAUSTIVE"] = "1";

export default config;
