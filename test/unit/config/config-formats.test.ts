/** What a file of each format may be, and where its errors are said to be. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what is interpolated
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { configDirectory, ENV, errorOf, loadText, MINIMAL } from "./config-text.ts";

const JSON_TEXT = `{
  // the gateway of the test
  "gateway": { "baseUrl": "http://127.0.0.1:8402", /* a "secret" */ "apiKey": "\${LICET_API_KEY}", "agentId": "acme-agent", },
\t"policies": { "standard": { "rules": [{ "allow": {} },] } },
  "sites": [{ "host": "news.example", "policy": "standard" }], // one
}
`;
const MODULE = `// policy: in a comment
import { defineConfig } from "licet";
export default defineConfig({
  gateway: { baseUrl: "http://127.0.0.1:8402", apiKey: "\${LICET_API_KEY}", agentId: "acme-agent" },
  policies: { standard: { rules: [{ allow: {} }] } },
  sites: [
    { host: "news.example", policy: "standard" },
  ],
});
`;

describe("a configuration in JSON", () => {
  it.each(["licet.config.json", "licet.config.jsonc"])("may have comments and trailing commas (%s)", async (name) => {
    const config = await loadText(JSON_TEXT, ENV, name);
    expect(config.gateway.baseUrl).toBe("http://127.0.0.1:8402");
  });

  it("has its errors in the lines of the file", async () => {
    const error = await errorOf(loadText(JSON_TEXT.replace('"host"', '"hots"'), ENV, "licet.config.json"));
    expect(error.message).toContain('licet.config.json:5  sites[0].hots is not a known key; did you mean "host"?');
    const broken = await errorOf(loadText(JSON_TEXT.replace("[{ ", "[{ {"), ENV, "licet.config.json"));
    expect(broken.message).toMatch(/^licet\.config\.json is not valid JSON:\n {2}licet\.config\.json:4:\d+ {2}/);
  });
});

describe("a syntax error in YAML", () => {
  it("has its line, its column and the text there", async () => {
    const error = await errorOf(loadText(MINIMAL.replace("host: news.example", "host: news: example")));
    expect(error.message.split("\n").slice(0, 4)).toEqual([
      "licet.config.yaml is not valid YAML:",
      expect.stringMatching(/^ {2}licet\.config\.yaml:12:\d+ {2}Nested mappings/),
      "    12 |   - host: news: example",
      expect.stringMatching(/^ {7}\| +\^$/),
    ]);
    expect(error.details).toMatchObject({ line: 12, column: expect.any(Number) });
  });

  it("does not show a line that may have a secret", async () => {
    const apiKey = await errorOf(loadText(MINIMAL.replace('"${LICET_API_KEY}"', '"canary: "x"')));
    const queue = await errorOf(loadText(`${MINIMAL}queue: { url: redis://me:canary@127.0.0.1/0: x }\n`));
    expect(apiKey.message + queue.message).not.toContain("canary");
    expect(queue.message).toContain("redis://me:…@127.0.0.1");
  });
});

describe("a configuration in a module", () => {
  it.each([
    ["an error that is thrown", "\nconst x = 1;\nthrow new Error('not today');\n", 3, 7, "not today"],
    [
      "a name that does not exist",
      "export default {\n  gateway: nothing.at.all,\n};\n",
      2,
      12,
      "nothing is not defined",
    ],
    ["a syntax error", "export default {\n  gateway: [1,\n};\n", 3, 1, "Unexpected token"],
    [
      "a package that is not installed",
      "\nimport x from 'no-such-package';\nexport default x;\n",
      2,
      15,
      "no-such-package",
    ],
  ])("names the place of %s", async (_, text, line, column, message) => {
    const error = await errorOf(loadText(text, ENV, "licet.config.ts"));
    expect(error.message).toContain(message);
    expect(error.message).toContain(`(licet.config.ts:${line}:${column})`);
    expect(error.details).toMatchObject({ line, column });
  });

  it.each([
    ["its own key", MODULE.replace('"standard" }', '"other" }'), "licet.config.ts:7:29  sites[0].policy names"],
    [
      "the nearest parent that stands only once, where the key stands several times",
      MODULE.replace("  ],", '    { host: "b.example", policy: "other" },\n  ],'),
      "licet.config.ts:6:3  sites[1].policy names",
    ],
  ])("names the place of a wrong value by %s", async (_, text, message) => {
    expect((await errorOf(loadText(text, ENV, "licet.config.ts"))).message).toContain(message);
  });
});

it.each(["licet.toml", "licet.config", "licet.yaml.bak"])(
  "the extension of %s is refused with the known ones",
  async (name) => {
    const cwd = await configDirectory({ [name]: MINIMAL });
    const error = await errorOf(loadConfig({ path: name, cwd, env: ENV }));
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(".yaml .yml .json .jsonc .ts"),
    });
  },
);

describe("an empty section", () => {
  it.each([
    ["sites: []", "sites is empty: nothing can be bought"],
    ["sites:", "sites is empty: nothing can be bought"],
    ["policies: {}\nsites: []", "sites and policies are empty: nothing can be bought"],
    ["policies:\nsites:\nrun:", "sites and policies are empty: nothing can be bought"],
  ])("%j is a warning", async (sections, warning) => {
    const [gateway = ""] = MINIMAL.split("budgets:");
    const policies = sections.includes("policies") ? "" : "policies: { standard: { rules: [{ allow: {} }] } }\n";
    const config = await loadText(`${gateway}${policies}${sections}\n`);
    expect(config.warnings).toEqual([expect.stringContaining(warning)]);
  });
});

it.each([
  ["30s", 30_000],
  ["1500", 1_500],
])("a key in milliseconds takes %s", async (written, ms) => {
  const text = MINIMAL.replace("  agentId: acme-agent\n", `  agentId: acme-agent\n  timeoutMs: ${written}\n`);
  const config = await loadText(`${text}content: { timeoutMs: ${written} }\n`);
  expect([config.gateway.timeoutMs, config.content.timeoutMs]).toEqual([ms, ms]);
});
