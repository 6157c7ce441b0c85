import { mkdtempSync, rmSync } from "node:fs";
import { readFile, readdir, rename, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRoutes, TOKEN as TOKEN_OF_EXAMPLES } from "../examples/served.js";
import { emptyDirectory } from "../cli/run.js";
import { BUNDLERS, javaScriptOf, type Bundler, type Format } from "./bundlers.js";
import { loadedAtOnce } from "./loaded-at-once.js";
import { packed, Project } from "./project.js";
import { expectServed, serverText } from "./served.js";

const directory = mkdtempSync(join(tmpdir(), "daybook-packed-"));
let archive = "";
beforeAll(async () => {
  archive = await packed(directory);
}, 600_000);
afterAll(() => rmSync(directory, { recursive: true }));

const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: false, target: "es2022", lib: ["es2023"], types: ["node"], outDir: "out" };

/** What docs/guide/embedding.md has bundlers make, and programs say. */
const THREADS = { "seal-worker": "daybook/node/seal-worker", "socket-worker": "daybook/node/socket-worker" };
const PROGRAMS = {
  esm: { seal: '{ program: new URL("./seal-worker.js", import.meta.url) }', sockets: '{ program: new URL("./socket-worker.js", import.meta.url) }' },
  cjs: { seal: '{ program: __dirname + "/seal-worker.js" }', sockets: '{ program: __dirname + "/socket-worker.js" }' },
};

describe("what is packed", () => {
  it("has types for every way in which TypeScript finds them, and a manifest without a flaw", async () => {
    const project = await Project.of(archive);
    const report = JSON.parse(await project.run("@arethetypeswrong/cli/dist/index.js", [archive, "--format", "json"])) as { analysis: { problems: unknown[]; entrypoints: object } };
    expect(report.analysis.problems).toEqual([]);
    expect(Object.keys(report.analysis.entrypoints)).toEqual(expect.arrayContaining([".", "./browser", "./embed", "./http", "./node", "./node/seal-worker", "./node/socket-worker", "./react", "./testing", "./tracker"]));
    expect(await project.run("publint/src/cli.js", [archive, "--strict"])).toContain("All good!");
  });

  it("names no other package in its types but the one whose tables it gives out", async () => {
    const project = await Project.of(archive);
    const names = (await readdir(project.path("node_modules/daybook/dist"))).filter((name) => /\.d\.c?ts$/.test(name));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const text = await readFile(project.path(`node_modules/daybook/dist/${name}`), "utf8");
      const targets = [...text.matchAll(/(?:from|import) ['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/g)].map(([, first, second]) => first ?? second ?? "");
      expect(targets.filter((target) => !target.startsWith("./") && !target.startsWith("node:") && target !== "apache-arrow")).toEqual([]);
    }
  });

  it("has the licences of the packages inside, and nothing else of the build", async () => {
    const project = await Project.of(archive);
    expect(await readFile(project.path("node_modules/daybook/dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^preact \d[^]*Jason Miller[^]*^uplot \d[^]*Leon Sorokin/m);
    expect((await readdir(project.path("node_modules/daybook/dist"))).filter((name) => name.includes("metafile"))).toEqual([]);
  });

  it("opens few files for its core, and reads nothing of ClickHouse, on demand either", async () => {
    const project = await Project.of(archive);
    const pathOf = (name: string) => project.path(`node_modules/daybook/dist/${name}`);
    expect((await loadedAtOnce(pathOf("index.js"))).size).toBeLessThan(20);
    const reached = new Set(["index.js"]);
    for (const name of reached) {
      const text = await readFile(pathOf(name), "utf8");
      expect(text, name).not.toContain("@clickhouse/client");
      for (const [, imported = ""] of text.matchAll(/(?:from |import |import\()['"]\.\/([^'"]+)['"]/g)) reached.add(imported);
    }
    expect(reached.size).toBeGreaterThan(20);
  });

  it("loads nothing but itself for its core, imported or required", async () => {
    const project = await Project.of(archive);
    const imported = [...(await loadedAtOnce(project.path("node_modules/daybook/dist/index.js")))];
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter((path) => !path.includes("/daybook/dist/"))).toEqual([]);
    await project.write("main.cjs", 'require("daybook"); console.log(Object.keys(require.cache).map((path) => path.split("node_modules/")[1]).join(" "));');
    const loaded = (await project.run(project.path("main.cjs"), [])).trim().split(" ");
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((path) => path !== "" && !path.startsWith("daybook/dist/"))).toEqual([]);
  });

  it("bundles for browsers without a module of Node", async () => {
    const project = await Project.of(archive);
    const entry = await project.write("main.mjs", 'export { openDaybook } from "daybook"; export { opfsStorage } from "daybook/browser";');
    const { metafile } = await build({ entryPoints: [entry], bundle: true, splitting: true, platform: "browser", format: "esm", outdir: "out", write: false, metafile: true, logLevel: "silent" });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports.filter(({ external }) => external === true)).toEqual([]);
    expect(Object.keys(metafile.inputs).some((path) => path.endsWith("daybook/dist/browser.js"))).toBe(true);
  });

  it("keeps its constants in both builds", async () => {
    const project = await Project.of(archive);
    for (const extension of ["js", "mjs", "cjs"]) {
      const names = (await readdir(project.path("node_modules/daybook/dist"))).filter((name) => name.endsWith(`.${extension}`));
      const text = (await Promise.all(names.map((name) => readFile(project.path(`node_modules/daybook/dist/${name}`), "utf8")))).join("");
      expect([/^const LIMITS = /m.test(text), /^var LIMITS = /m.test(text)]).toEqual([true, false]);
    }
  });
});

describe("a project of strict TypeScript runs", () => {
  it.each([
    ["as ES modules", "module", { module: "node16", moduleResolution: "node16" }],
    ["as CommonJS", "commonjs", { module: "node16", moduleResolution: "node16" }],
    ["as ES modules that a bundler would resolve", "module", { module: "esnext", moduleResolution: "bundler" }],
  ])("%s", async (_, type, options) => {
    const project = await Project.of(archive, ["@types/node"]);
    await project.write("package.json", { type });
    await project.write("server.ts", await serverText());
    await project.write("tsconfig.json", { compilerOptions: { ...STRICT, ...options }, files: ["server.ts"] });
    await project.run("typescript/bin/tsc", ["-p", "."]);
    expect(await readFile(project.path("out/server.js"), "utf8")).toContain(type === "module" ? 'from "daybook/node"' : 'require("daybook/node")');
    await expectServed(project.start("out/server.js", ["store"]), true);
  });
});

describe("a program that is bundled with the package, and runs where there are no packages,", () => {
  const start = async (bundler: Bundler, format: Format, isTold: boolean, change: (deployed: Project) => Promise<void> = () => Promise.resolve()) => {
    const project = await Project.of(archive);
    await project.write("server.mjs", await javaScriptOf(await serverText(isTold ? PROGRAMS[format] : {})));
    const deployed = new Project(await emptyDirectory());
    await deployed.write("package.json", { type: format === "esm" ? "module" : "commonjs" });
    await bundler(project, { entries: { server: "./server.mjs", ...(isTold ? THREADS : {}) }, format, directory: deployed.directory });
    await change(deployed);
    return deployed.start(deployed.path("server.js"), ["store"]);
  };
  const formats = ["esm", "cjs"] as const;

  describe.each(["esbuild", "rollup"] as const)("by %s,", (name) => {
    it.each(formats)("has its threads where it is told of their programs, as docs/guide/embedding.md says: %s", async (format) => {
      await expectServed(await start(BUNDLERS[name], format, true), true);
    });

    it.each(formats)("does without threads where it is not, and says so: %s", async (format) => {
      await expectServed(await start(BUNDLERS[name], format, false), false);
    });
  });

  describe("by webpack,", () => {
    it.each(formats)("has its threads without being told of anything: %s", async (format) => {
      await expectServed(await start(BUNDLERS.webpack, format, false), true);
    });

    it("does without threads where their files are left behind, and says so", async () => {
      const leaveBehind = async (deployed: Project) => {
        const programs = (await readdir(deployed.directory)).filter((name) => name.endsWith(".mjs"));
        expect(programs).toHaveLength(2);
        await Promise.all(programs.map((name) => rm(deployed.path(name))));
      };
      await expectServed(await start(BUNDLERS.webpack, "cjs", false, leaveBehind), false);
    });
  });
});

describe("the command of the package", () => {
  it("says in its own words that it has no thread for its sockets, and serves", async () => {
    const project = await Project.of(archive);
    await rm(project.path("node_modules/daybook/dist/socket-worker.mjs"));
    const program = project.start(project.path("node_modules/daybook/dist/cli.js"), ["serve", "--memory", "--port", "0", "--quiet"]);
    const [, url] = await program.said(/listening on (http:\S+)/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    program.child.kill("SIGTERM");
    const { code, stderr } = await program.finished;
    // A machine of one core has no such thread anyway.
    const words = availableParallelism() === 1 ? /^$/ : /^daybook: the socket worker did not start.*socket-worker\.mjs.*\n$/;
    expect([code, stderr]).toEqual([0, expect.stringMatching(words)]);
  });
});

describe("a project that tests with jest, without modules,", () => {
  it("gets the CommonJS build", async () => {
    const project = await Project.of(archive);
    await project.write("package.json", { type: "commonjs" });
    await project.write("signups.test.js", `
      const { DaybookError, memoryStorage, openDaybook } = require("daybook");
      test("a pattern is matched, and a wrong one refused", async () => {
        const daybook = await openDaybook({ storage: memoryStorage() });
        await daybook.ingest([{ name: "signup", url: "/a" }, { name: "signup", url: "/b" }]);
        await daybook.seal();
        const count = (value) => daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "url", operator: "regex", value }] }] });
        expect(await count("^/a")).toBe(1);
        await expect(count("(")).rejects.toBeInstanceOf(DaybookError);
        await daybook.close();
      });
    `);
    expect(await project.run("jest/bin/jest.js", ["--rootDir", project.directory])).toContain("1 passed");
  });
});

describe("an app", () => {
  it("of Express has the routes of Daybook below a path, as the example says", async () => {
    const project = await Project.of(archive, ["@types/node", "@types/express", "express"]);
    await project.write("package.json", { type: "module" });
    await project.copy("examples/express.ts", "express.ts");
    await project.write("tsconfig.json", { compilerOptions: { ...STRICT, module: "node16", moduleResolution: "node16" }, files: ["express.ts"] });
    await project.run("typescript/bin/tsc", ["-p", "."]);
    const program = project.start("out/express.js", ["store"], { PORT: "0", DAYBOOK_TOKEN: TOKEN_OF_EXAMPLES });
    const [url] = await program.said(/http:\/\/[\d.]+:\d+/);
    await expectRoutes(`${url}/stats`);
    program.child.kill("SIGTERM");
    expect(await program.finished).toMatchObject({ code: 0, stderr: "" });
  });

  it("of Next.js has them too, as the example says, on one store", async () => {
    const project = await Project.of(archive, ["@types/node", "next", "react", "react-dom", "typescript"]);
    await project.copy("examples/nextjs", ".");
    await project.write("package.json", { private: true });
    // Asked for by Next.js where there is TypeScript; the example has no component.
    await project.write("node_modules/@types/react/package.json", { name: "@types/react", version: "19.0.0", types: "index.d.ts" });
    await project.write("node_modules/@types/react/index.d.ts", "export {};");
    // Packages are links to those of the repository here, which Next.js takes for outside of the project.
    await rename(project.path("next.config.ts"), project.path("example.config.ts"));
    await project.write("next.config.ts", 'import config from "./example.config";\nexport default { ...config, turbopack: { root: "/" }, typescript: { ignoreBuildErrors: true } };\n');
    const environment = { NEXT_TELEMETRY_DISABLED: "1", DAYBOOK_DATA: project.path("store"), DAYBOOK_TOKEN: TOKEN_OF_EXAMPLES, NODE_ENV: "production" };
    await project.run("next/dist/bin/next", ["build"], environment);
    const program = project.start(project.path("node_modules/next/dist/bin/next"), ["start", "--port", "0"], environment);
    const [, url] = await program.said(/Local:\s+(http:\S+)/);
    await program.said(/Ready in/);
    await expectRoutes(`${url}/api/stats`);
    const order = await fetch(`${url}/orders`, { method: "POST", body: JSON.stringify({ user: "ada", amount: 3 }) });
    expect([order.status, await order.json()]).toEqual([201, { orders: 1 }]);
    const all = await fetch(`${url}/api/stats/analytics/count-events`, { method: "POST", headers: { authorization: `Bearer ${TOKEN_OF_EXAMPLES}`, "content-type": "application/json" }, body: "{}" });
    expect(await all.json()).toEqual({ status: "OK", data: 44 });
    program.child.kill("SIGTERM");
    await program.finished;
  });
});
