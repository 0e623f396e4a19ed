import { readdir, readFile } from "node:fs/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { CONFIG_FILES } from "../../../generate/config-files.ts";
import { toJsonSchema } from "../../../generate/json-schema.ts";
import { checkPolicies } from "../../../src/agent/checks/check-policies.ts";
import type { ConfigInput } from "../../../src/config/config-input.ts";
import { loadConfig, parseConfig } from "../../../src/config/load-config.ts";
import type { configSchema } from "../../../src/config/schema/config-schema.ts";

const ROOT = new URL("../../../", import.meta.url);
const EXAMPLES = (await readdir(new URL("config/examples/", ROOT))).sort();
const ENV = {
  LICET_API_KEY: "key",
  LICET_QUEUE_URL: "redis://127.0.0.1:6379/0",
  LICET_WEBHOOK_SECRET: "secret",
};

describe("what is generated from the schema", () => {
  it.each(Object.entries(CONFIG_FILES))("%s is up to date (npm run schema:generate)", async (path, render) => {
    expect(await readFile(new URL(path, ROOT), "utf8")).toBe(render());
  });

  it("describes every key", () => {
    const undescribed: string[] = [];
    const visit = (schema: ReturnType<typeof toJsonSchema>, path: string) => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        if (field.description === undefined) {
          undescribed.push(`${path}.${name}`);
        }
        visit(field, `${path}.${name}`);
      }
      for (const nested of [schema.items, schema.additionalProperties]) {
        if (typeof nested === "object") {
          visit(nested, `${path}[]`);
        }
      }
    };
    visit(toJsonSchema(), "");
    expect(undescribed).toEqual([]);
  });
});

it("the type of a configuration is what the schema takes", () => {
  expectTypeOf<ConfigInput>().toExtend<z.input<typeof configSchema>>();
  expectTypeOf<z.input<typeof configSchema>>().toExtend<ConfigInput>();
});

describe("config/examples", () => {
  it("there are three", () => {
    expect(EXAMPLES).toHaveLength(3);
  });

  it.each(EXAMPLES)("%s is a valid configuration without warnings, and its policies pass their tests", async (name) => {
    const cwd = new URL("config/examples/", ROOT).pathname;
    const config = await loadConfig({ path: name, cwd, env: ENV });
    expect(config.warnings).toEqual([]);
    expect(config.sites.length).toBeGreaterThan(0);
    const { tests } = await checkPolicies(config, Date.now());
    expect(tests.length > 1 || name === "first-steps.yaml").toBe(true);
    expect(tests.filter(({ ok }) => !ok)).toEqual([]);
  });

  it.each(EXAMPLES)("%s fits the published JSON Schema, as an editor sees it", async (name) => {
    const schema = JSON.parse(await readFile(new URL("config/licet.schema.json", ROOT), "utf8"));
    const example = parse(await readFile(new URL(`config/examples/${name}`, ROOT), "utf8"));
    const checker = z.fromJSONSchema(schema);
    expect(checker.safeParse(example)).toMatchObject({ success: true });
    expect(checker.safeParse({ ...example, unknown: 1 })).toMatchObject({ success: false });
    expect(checker.safeParse({ ...example, budgets: [{ scope: "run", limit: "USD 1" }] })).toMatchObject({
      success: false,
    });
  });
});

describe("the published JSON Schema takes what licet takes", () => {
  const CHECKER = z.fromJSONSchema(JSON.parse(CONFIG_FILES["config/licet.schema.json"]?.() ?? "{}"));
  const BASE = {
    gateway: { baseUrl: "http://127.0.0.1:8402", apiKey: "key", agentId: "agent" },
    policies: { standard: { rules: [{ allow: { maxPrice: "1 USD" } }] } },
    budgets: [{ scope: "all", limit: "9 USD" }],
    sites: [{ host: "news.example", policy: "standard" }],
  };
  const SECTIONS = [
    "ledger",
    "queue",
    "budgets",
    "reporting",
    "run",
    "content",
    "serve",
    "webhooks",
    "history",
    "alerts",
  ];

  /** Both must agree; the schema may take more, because it knows no checks of its own. */
  function expectTaken(config: Record<string, unknown>): void {
    expect(() => parseConfig(config as never, { cwd: "/", env: { WORD: "newest", INTENT: "content" } })).not.toThrow();
    expect(CHECKER.safeParse(config)).toMatchObject({ success: true });
  }

  it.each(["HTTPS://gateway.example", "Http://127.0.0.1:1", " https://gateway.example", "https:gateway.example"])(
    "the address %j",
    (baseUrl) => {
      expectTaken({ ...BASE, gateway: { ...BASE.gateway, baseUrl } });
    },
  );

  it.each([...SECTIONS, "$schema", "sites", "policies"])("an empty section %s", (name) => {
    expectTaken({ ...BASE, [name]: null, ...(name === "policies" ? { sites: null } : {}) });
  });

  it("a variable in place of a word, and white space around amounts and dates", () => {
    expectTaken({ ...BASE, run: { order: "$" + "{WORD}", maxSpend: " 2 USD " } });
    const tests = [{ url: "HTTPS://news.example/a", lastMod: " 2026-11-20", rates: [], expect: "deny not_licensable" }];
    const intent = "$" + "{INTENT}";
    expectTaken({ ...BASE, policies: { standard: { ...BASE.policies.standard, intent, tests } } });
  });

  it("and refuses what is wrong for all that", () => {
    for (const wrong of [
      { ...BASE, gateway: null },
      { ...BASE, gateway: { ...BASE.gateway, baseUrl: "ftp://gateway.example" } },
      { ...BASE, run: { order: "best" } },
      { ...BASE, serve: [] },
    ]) {
      expect(CHECKER.safeParse(wrong)).toMatchObject({ success: false });
    }
  });
});
