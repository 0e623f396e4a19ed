import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineConfig } from "../../../src/config/define-config.ts";
import { loadConfig, parseConfig } from "../../../src/config/load-config.ts";
import { configDirectory, ENV, errorOf, loadText, MINIMAL } from "./config-text.ts";

const INPUT = defineConfig({
  gateway: { baseUrl: "http://127.0.0.1:8402", apiKey: "k", agentId: "acme-agent" },
  policies: { standard: { rules: [{ allow: {} }] } },
  sites: [{ host: "news.example", policy: "standard" }],
});

describe("loadConfig, on the file", () => {
  it("uses the first of the known names", async () => {
    const cwd = await configDirectory({
      "licet.config.json": JSON.stringify({ ...INPUT, sites: [] }),
      "licet.config.yaml": MINIMAL,
    });
    const config = await loadConfig({ cwd, env: ENV });
    expect(config.file).toBe(join(cwd, "licet.config.yaml"));
    expect(config.sites).toHaveLength(1);
  });

  it.each([
    ["licet.config.yml", MINIMAL],
    ["licet.config.json", JSON.stringify({ $schema: "licet.schema.json", ...INPUT })],
    ["licet.config.mjs", `export default ${JSON.stringify(INPUT)}`],
    ["licet.config.js", `export default ${JSON.stringify(INPUT)}`],
    [
      "licet.config.ts",
      `import { defineConfig } from "licet"; const key: string = "\${LICET_API_KEY}";
       export default defineConfig({ ...${JSON.stringify(INPUT)}, gateway: { ...${JSON.stringify(INPUT.gateway)}, apiKey: key } });`,
    ],
  ])("reads %s", async (name, text) => {
    const config = await loadText(text, ENV, name);
    expect(config.sites[0]?.host).toBe("news.example");
    expect(config.sites[0]?.policy.name).toBe("standard");
  });

  it("fills in the environment in modules too", async () => {
    const text = `export default ${JSON.stringify({ ...INPUT, gateway: { ...INPUT.gateway, apiKey: "$" } })}`;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is filled in
    const config = await loadText(text.replace('"$"', '"${LICET_API_KEY}"'), ENV, "licet.config.mjs");
    expect(config.gateway.apiKey).toBe("key-1234");
  });

  it("uses a named file, and resolves relative paths from it", async () => {
    const cwd = await configDirectory({});
    await mkdir(join(cwd, "etc"));
    await writeFile(join(cwd, "etc", "crawl.yaml"), MINIMAL);
    const config = await loadConfig({ path: "etc/crawl.yaml", cwd, env: ENV });
    expect(config.ledger.path).toBe(join(cwd, "etc", "data", "licet.sqlite"));
  });

  it("names a file that has nearly the right name", async () => {
    const cwd = await configDirectory({ "licet.config.toml": "" });
    expect((await errorOf(loadConfig({ cwd, env: ENV }))).hint).toContain("There is licet.config.toml");
  });

  it("says that there is no file, and how to create one", async () => {
    const cwd = await configDirectory({});
    for (const path of [undefined, "missing.yaml"]) {
      const error = await errorOf(loadConfig({ path, cwd, env: ENV }));
      expect(error.code).toBe("CONFIG_NOT_FOUND");
      expect(error.hint).toContain("licet init");
    }
  });

  it.each([
    ["licet.config.yaml", "gateway: {\nsites: [", "licet.config.yaml:"],
    ["licet.config.yaml", "gateway: 1\ngateway: 2\n", "licet.config.yaml:2"],
    ["licet.config.json", '{"gateway": }x', "licet.config.json:1"],
    ["licet.config.mjs", "export const config = {}", "export default"],
    ["licet.config.mjs", "throw new Error('no luck')", "no luck"],
    ["licet.config.ts", "export default {", "licet.config.ts"],
  ])("says what is wrong with %s that contains %j", async (name, text, message) => {
    const error = await errorOf(loadText(text, ENV, name));
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.message).toContain(message);
  });

  it.each(["", "# nothing\n", "[]", "text", "null"])("refuses a file that contains %j", async (text) => {
    expect((await errorOf(loadText(text))).code).toBe("CONFIG_INVALID");
  });

  it("refuses a directory, and a file whose aliases multiply", async () => {
    const cwd = await configDirectory({});
    await mkdir(join(cwd, "licet.config.yaml"));
    expect((await errorOf(loadConfig({ cwd, env: ENV }))).message).toContain("is not a file");
    const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]`);
    expect((await errorOf(loadText(["a0: &a0 x", ...levels].join("\n")))).message).toContain("too many aliases");
  });

  it("accepts anchors for repeated parts", async () => {
    const config = await loadText(
      `${MINIMAL}    include: &globs ["/a/**"]\n  - { host: b.example, policy: standard, include: *globs }\n`,
    );
    expect(config.sites[1]?.include).toEqual(["/a/**"]);
  });
});

describe("parseConfig", () => {
  it("resolves an object of a program", () => {
    const config = parseConfig(INPUT, { cwd: "/srv", env: {} });
    expect(config).toMatchObject({ file: null, ledger: { path: "/srv/data/licet.sqlite" }, warnings: [] });
  });

  it("refuses what is not plain data, and what contains itself", () => {
    const loop: Record<string, unknown> = {};
    loop.gateway = loop;
    for (const input of [null, 1, [], new Map(), () => ({}), loop]) {
      expect(() => parseConfig(input as never, { cwd: "/", env: {} })).toThrow("the configuration has");
    }
  });
});
