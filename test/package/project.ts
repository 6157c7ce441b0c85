import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { ROOT, Running } from "../cli/run.js";

const execute = promisify(execFile);
const MODULES = join(ROOT, "node_modules");

/** What the packages that the package needs need, for bundlers that are told to look in a project only. */
const NEEDED_BY_OTHERS = ["flatbuffers", "json-with-bigint", "tslib"];

/** Builds the package and packs it as for the registry. Answers the path of the archive. */
export async function packed(directory: string): Promise<string> {
  await execute("npm", ["run", "build"], { cwd: ROOT });
  // Its output is not read: what npm itself has to say may stand before it.
  await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", directory], { cwd: ROOT });
  const { name, version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { name: string; version: string };
  return join(directory, `${name}-${version}.tgz`);
}

/** A directory of somebody who installed the package, removed when the test ends. */
export class Project {
  constructor(readonly directory: string) {}

  /** @param packages that it has besides the package and what that needs */
  static async of(archive: string, packages: readonly string[] = []): Promise<Project> {
    const project = new Project(await mkdtemp(join(tmpdir(), "daybook-project-")));
    onTestFinished(() => rm(project.directory, { recursive: true, force: true }));
    const own = project.path("node_modules/daybook");
    await mkdir(own, { recursive: true });
    await execute("tar", ["-xzf", archive, "-C", own, "--strip-components=1"]);
    const { dependencies } = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as { dependencies: Record<string, string> };
    for (const name of [...Object.keys(dependencies), ...NEEDED_BY_OTHERS, ...packages]) await project.link(name);
    return project;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async link(name: string): Promise<void> {
    await mkdir(dirname(this.path(`node_modules/${name}`)), { recursive: true });
    await symlink(join(MODULES, name), this.path(`node_modules/${name}`));
  }

  /** @param text what is no text is written as JSON */
  async write(name: string, text: string | object): Promise<string> {
    const path = this.path(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof text === "string" ? text : JSON.stringify(text));
    return path;
  }

  /** Takes over a file or a directory of the repository. */
  async copy(from: string, name: string): Promise<void> {
    await cp(join(ROOT, from), this.path(name), { recursive: true });
  }

  /** Runs a program, of a package of the repository unless its path is absolute, to its end. @throws Error with all that it said */
  async run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.start(isAbsolute(program) ? program : join(MODULES, program), args, environment).finished;
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** Starts a program of JavaScript in the project; it is killed when the test ends. */
  start(path: string, args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Running {
    const child = spawn(process.execPath, [path, ...args], { cwd: this.directory, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    return new Running(child);
  }
}
