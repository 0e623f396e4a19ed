import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig, parseConfig } from "../../src/config/load-config.ts";
import { isLicetError } from "../../src/errors.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { anyJson, nastyText, SEED } from "./hostile-values.ts";
import { API_KEY, configFile } from "./hostile-world.ts";
import { isPlainError } from "./plain-error.ts";

const ENV = { LICET_API_KEY: API_KEY };
const VALID = configFile("http://127.0.0.1:1", {});

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-hostile-config-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const yaml = (text: string | Buffer) => ["licet.config.yaml", text] as const;
const module = (text: string) => ["licet.config.mjs", text] as const;
/** The valid file with one section in another's place, as YAML that is also JSON. */
const changed = (section: object) => yaml(JSON.stringify({ ...VALID, ...section }));
const raw = (section: string) => yaml(`${JSON.stringify(VALID).slice(0, -1)}, ${section}}`);
const withGateway = (text: string) => yaml(JSON.stringify(VALID).replace('"concurrency":16', text));

const FILES: readonly (readonly [name: string, file: readonly [string, string | Buffer]])[] = [
  ["a list for a key", yaml("? [gateway]\n: 1\n")],
  ["an alias for a key", yaml("a: &a [b]\n*a : 1\n")],
  ["a thousand mistakes", yaml(Array.from({ length: 1_000 }, (_, at) => `a${at}: b: c`).join("\n"))],
  ["a section that contains itself", yaml("a: &a\n  b: *a\n")],
  ["a list that contains itself", yaml("gateway: &a [*a]\n")],
  ["a section merged with itself", yaml("a: &a\n  <<: *a\n")],
  ["an alias of nothing", yaml("a: *b\n")],
  ["two documents", yaml("a: 1\n---\nb: 2\n")],
  ["a tag for code", yaml('gateway: !!js/function "function () {}"\n')],
  ["a tag for bytes", yaml("gateway: !!binary AAAA\n")],
  ["a set", yaml("gateway: !!set {a, b}\n")],
  ["no UTF-8", yaml(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]))],
  ["UTF-16", yaml(Buffer.from(JSON.stringify(VALID), "utf16le"))],
  ["NUL", yaml("gateway: \u0000\n")],
  ["escapes", yaml("\u001b]0;owned\u0007: 1\n")],
  ["two thousand unknown keys", yaml(Array.from({ length: 2_000 }, (_, index) => `unknown${index}: 1`).join("\n"))],
  ["more than a file may be", yaml(`# ${"x".repeat(16_000_001)}`)],
  ["a key of a prototype", raw('"__proto__": {"gateway": {}}')],
  ["a key of every object", raw('"constructor": {"prototype": {}}')],
  ["a policy of a prototype", changed({ policies: JSON.parse('{"__proto__": {"rules": [{"allow": {}}]}}') })],
  ["a site under a policy of every object", changed({ sites: [{ host: "news.example", policy: "constructor" }] })],
  ["a site under a policy of a prototype", changed({ sites: [{ host: "news.example", policy: "__proto__" }] })],
  ["1e400 at once", withGateway('"concurrency": 1e400')],
  ["no number at once", withGateway('"concurrency": .nan')],
  ["without end at once", withGateway('"concurrency": .inf')],
  ["-1 at once", withGateway('"concurrency": -1')],
  ["2^53 at once", withGateway('"concurrency": 9007199254740993')],
  ["1e400 a second", withGateway('"requestsPerSecond": 1e400')],
  ["a limit of 1e400", changed({ budgets: [{ scope: "all", per: "day", limit: "1e400 USD" }] })],
  [
    "a limit of more than can be counted",
    changed({ budgets: [{ scope: "all", per: "day", limit: "9007199254.740992 USD" }] }),
  ],
  ["a limit of -0", changed({ budgets: [{ scope: "all", per: "day", limit: "-0 USD" }] })],
  ["a limit in other digits", changed({ budgets: [{ scope: "all", per: "day", limit: "１ USD" }] })],
  ["a fee without end", withGateway('"fee": {"fixed": "9007199254 USD"}')],
  ["a host with a path", changed({ sites: [{ host: "news.example/../x", policy: "standard" }] })],
  ["a host with userinfo", changed({ sites: [{ host: "a@news.example", policy: "standard" }] })],
  ["a script as the gateway", changed({ gateway: { ...VALID.gateway, baseUrl: "javascript:alert(1)" } })],
  ["a key with a line break", changed({ gateway: { ...VALID.gateway, apiKey: "a\r\nX: y" } })],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is filled in
  ["a variable in a variable", changed({ gateway: { ...VALID.gateway, apiKey: "${${LICET_API_KEY}}" } })],
  ["a module that throws a text", module("throw 'no'")],
  ["a module that throws nothing", module("throw undefined")],
  ["a module that throws escapes", module("throw new Error('\\u001b]0;owned\\u0007')")],
  ["a module that is not a module", module("export default {")],
  ["a module that imports nothing that is there", module("import 'not-there-at-all'; export default {}")],
  ["a module that exports a function", module("export default () => ({})")],
  ["a module that exports a promise", module("export default new Promise(() => {})")],
  ["a module that exports null", module("export default null")],
  ["a module that exports itself", module("const a = {}; a.gateway = a; export default a")],
  [
    "a module that exports numbers of another kind",
    module("export default { gateway: { concurrency: 1n }, budgets: Symbol.iterator }"),
  ],
];

describe("a configuration that cannot be used is one error with a hint, and nothing is opened", () => {
  test.each(FILES)("%s", async (_, [name, text]) => {
    const cwd = await mkdtemp(join(directory, "case-"));
    await writeFile(join(cwd, name), text);
    const plain = await cliHere(["status", "--config", name], { cwd, env: ENV });
    expect([plain.code, isPlainError(plain), plain.stdout]).toEqual([2, true, ""]);
    expect(plain.stderr).not.toContain("\u001b");
    expect(plain.stderr.length).toBeLessThan(20_000);
    const end = await cliHere(["status", "--config", name, "--json"], { cwd, env: ENV });
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code: "CONFIG_INVALID", hint: expect.any(String) } });
    expect(({} as Record<string, unknown>).gateway).toBeUndefined();
  });
});

describe("an environment that cannot be used is an error without its values", () => {
  test.each([
    ["nothing", {}, "ENV_MISSING"],
    ["an empty key", { LICET_API_KEY: "" }, "CONFIG_INVALID"],
    ["a key with a line break", { LICET_API_KEY: "canary-hidden\r\nX: y" }, "CONFIG_INVALID"],
    ["a key with an escape", { LICET_API_KEY: "canary-hidden\u001b[31m" }, "CONFIG_INVALID"],
    ["a key that is not ASCII", { LICET_API_KEY: "canary-hidden-ö" }, "CONFIG_INVALID"],
    ["half a character", { LICET_API_KEY: "canary-hidden-\ud800" }, "CONFIG_INVALID"],
    ["a megabyte", { LICET_API_KEY: "canary-hidden".repeat(100_000) }, "CONFIG_INVALID"],
  ])("%s", async (_, env, code) => {
    const cwd = await mkdtemp(join(directory, "env-"));
    await writeFile(join(cwd, "licet.config.json"), JSON.stringify(VALID));
    // `status` needs no key.
    const end = await cliHere(["run", "--json"], { cwd, env: env as Record<string, string> });
    expect(end.code).toBe(2);
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code, hint: expect.any(String) } });
    expect(end.stdout + end.stderr).not.toContain("canary-hidden");
  });

  test.each([
    ["no file", "none.env"],
    ["a directory", "."],
  ])("%s as --env", async (_, file) => {
    const end = await cliHere(["status", "--env", file], { cwd: directory, env: ENV });
    expect([end.code, isPlainError(end)]).toEqual([2, true]);
  });
});

/** A valid configuration with something else at one place, or with one thing more. */
const spoiled = fc
  .tuple(fc.nat(), fc.oneof(anyJson, nastyText, fc.double(), fc.constantFrom(1e308, -1, 2 ** 53)), fc.option(nastyText))
  .map(([at, value, key]) => {
    const copy = JSON.parse(JSON.stringify(VALID)) as object;
    const places: { holder: Record<string, unknown>; key: string }[] = [];
    const walk = (holder: object) => {
      for (const [name, inner] of Object.entries(holder)) {
        places.push({ holder: holder as Record<string, unknown>, key: name });
        if (typeof inner === "object" && inner !== null) {
          walk(inner);
        }
      }
    };
    walk(copy);
    const place = places[at % places.length];
    if (place !== undefined) {
      Object.defineProperty(place.holder, key ?? place.key, { value, enumerable: true, configurable: true });
    }
    return copy;
  });

test("whatever a configuration contains, it is accepted or refused, as an object and as a file", () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(spoiled, anyJson), async (config) => {
      const file = join(directory, "licet.config.json");
      const text = JSON.stringify(config) ?? "";
      await writeFile(file, text);
      // JSON has no infinite numbers, and writes null for them: both must read the same.
      const written = text === "" ? config : (JSON.parse(text) as unknown);
      await outcomeOf(() => parseConfig(config as never, { cwd: directory, env: ENV }));
      const outcomes = await Promise.all([
        outcomeOf(() => parseConfig(written as never, { cwd: directory, env: ENV })),
        outcomeOf(() => loadConfig({ path: file, cwd: directory, env: ENV })),
      ]);
      expect(outcomes[0]).toBe(outcomes[1]);
    }),
    { ...SEED, numRuns: 300 },
  ));

async function outcomeOf(load: () => unknown): Promise<string> {
  try {
    await load();
    return "taken";
  } catch (error) {
    expect(isLicetError(error)).toBe(true);
    return isLicetError(error) ? error.code : "";
  }
}
