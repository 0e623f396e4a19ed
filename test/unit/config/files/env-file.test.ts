import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findEnvProblems } from "../../../../src/config/files/env-file.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { configDirectory, errorOf, MINIMAL } from "../config-text.ts";

const CONFIG = { "licet.config.yaml": MINIMAL };

describe("the variables of a configuration", () => {
  it("come from .env beside the file, wherever licet is started", async () => {
    const cwd = await configDirectory({});
    await mkdir(join(cwd, "etc"));
    await writeFile(join(cwd, "etc/licet.config.yaml"), MINIMAL);
    await writeFile(join(cwd, "etc/.env"), "\uFEFF# secrets\r\nexport LICET_API_KEY='from .env' # quoted\r\n\r\n");
    const config = await loadConfig({ path: "etc/licet.config.yaml", cwd, env: { LICET_API_KEY: undefined } });
    expect(config.gateway.apiKey).toBe("from .env");
    expect(config.envFiles).toEqual([join(cwd, "etc/.env")]);
  });

  it("come from the environment first, then from the named file, then from .env", async () => {
    const cwd = await configDirectory({ ...CONFIG, ".env": "LICET_API_KEY=beside", "own.env": "LICET_API_KEY=named" });
    const keyWith = async (env: Record<string, string>, envFile?: string) =>
      (await loadConfig({ cwd, env, envFile })).gateway.apiKey;
    expect(await keyWith({})).toBe("beside");
    expect(await keyWith({}, "own.env")).toBe("named");
    expect(await keyWith({ LICET_API_KEY: "set" }, "own.env")).toBe("set");
    expect(await keyWith({}, ".env")).toBe("beside");
  });

  it("do not come from a directory called .env, and the error says where they may stand", async () => {
    const cwd = await configDirectory({ ...CONFIG, ".env.example": "" });
    await mkdir(join(cwd, ".env"));
    const error = await errorOf(loadConfig({ cwd, env: {} }));
    expect(error).toMatchObject({ code: "ENV_MISSING", hint: expect.stringContaining("`cp .env.example .env`") });
  });

  it("are never in the message about a line that is wrong, which has the file and the line", async () => {
    const cwd = await configDirectory({ ...CONFIG, ".env": "LICET_API_KEY=sk-canary#1\ncanary\n" });
    const error = await errorOf(loadConfig({ cwd, env: {} }));
    expect(error).toMatchObject({ code: "CONFIG_INVALID", details: { line: 1, problems: 2 } });
    expect(error.message).toMatch(/^\.env has 2 wrong lines:\n {2}\.env:1 .*quotes\n {2}\.env:2 .*NAME=value$/);
    expect(JSON.stringify(error)).not.toContain("canary");
  });
});

describe("findEnvProblems", () => {
  it.each([
    ["A=1\n# comment\n\n  B = two words # comment\nexport C=\n", []],
    ["A='x # y'\nB=\"a\n#b\n\"  # end\nC=`'\"`\n", []],
    ["A", [1]],
    ["A: 1\nB=2\nC D=3", [1, 3]],
    ["1A=1\nA-B=2\n=3", [1, 2, 3]],
    ["A=x#y", [1]],
    ['A="x\nB=2', [1]],
    ["A='it''s'", [1]],
    ["A='x\ny' z\nB", [1, 3]],
    ["A\0=\0", [1]],
  ])("of %j are in the lines %j", (text, lines) => {
    expect(findEnvProblems(text).map(({ line }) => line)).toEqual(lines);
  });
});
