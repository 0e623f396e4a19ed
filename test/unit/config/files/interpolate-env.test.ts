// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what is interpolated
import { describe, expect, it } from "vitest";
import { interpolateEnv } from "../../../../src/config/files/interpolate-env.ts";
import { errorOf, loadText, MINIMAL } from "../config-text.ts";

const SECRET = "s3cr3t-value";

describe("interpolateEnv", () => {
  it.each([
    ["${A}", "1"],
    ["x${A}y${B}z", "x1y2z"],
    ["$${A}", "${A}"],
    ["$$${A}", "$${A}"],
    ["$A {A} $", "$A {A} $"],
    ["${EMPTY}", ""],
    ["${NESTED}", "${A}"],
  ])("makes %j into %j", (text, filled) => {
    const env = { A: "1", B: "2", EMPTY: "", NESTED: "${A}" };
    expect(interpolateEnv({ list: [text] }, env)).toMatchObject({ value: { list: [filled] }, problems: [] });
  });

  it("does not change keys and values that are not texts", () => {
    const value = { "${A}": 1, other: [true, null, 2.5] };
    expect(interpolateEnv(value, { A: "x" }).value).toEqual(value);
  });

  it.each(["${}", "${A:-1}", "${1A}", "${A B}", "${constructor}", "${__proto__}"])("treats %s as a problem", (text) => {
    const { problems } = interpolateEnv({ key: text }, {});
    expect(problems).toMatchObject([{ path: ["key"] }]);
  });

  it("does not let a variable change the text around it", () => {
    const { value } = interpolateEnv({ key: "a${A}" }, { A: '"\n  evil: $& $1' });
    expect(value).toEqual({ key: 'a"\n  evil: $& $1' });
  });
});

describe("loadConfig, on the environment", () => {
  it("names a missing variable with path and line, once", async () => {
    const error = await errorOf(loadText(MINIMAL, {}));
    expect(error.code).toBe("ENV_MISSING");
    expect(error.message).toBe(
      "licet.config.yaml has one problem:\n" +
        "  licet.config.yaml:3  gateway.apiKey needs the environment variable LICET_API_KEY, which is not set",
    );
    expect(error.details).toMatchObject({ line: 3, path: "gateway.apiKey" });
  });

  it("lists missing variables among the other problems", async () => {
    const error = await errorOf(loadText(MINIMAL.replace("policy: standard", "policy: other"), {}));
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.message).toContain("LICET_API_KEY");
    expect(error.message).toContain("unknown policy");
  });

  it.each([
    ["baseUrl", MINIMAL.replace("http://127.0.0.1:8402", "${SECRET}")],
    ["apiKey", MINIMAL.replace("${LICET_API_KEY}", " ${SECRET}")],
    ["limit", MINIMAL.replace("limit: 1 USD", 'limit: "${SECRET}"')],
    ["scope", MINIMAL.replace("scope: run", 'scope: "${SECRET}"')],
    ["host", MINIMAL.replace("news.example", '"${SECRET}/x"')],
    ["policy", MINIMAL.replace("policy: standard", 'policy: "${SECRET}"')],
    ["license", MINIMAL.replace("ON_DEMAND_LICENSE", '"${SECRET}"')],
    ["schedule", `${MINIMAL}    schedule: "* * * * \${SECRET}"\n`],
    ["include", `${MINIMAL}    include: ["\${SECRET}"]\n`],
    ["url", `${MINIMAL}queue: { url: "\${SECRET}" }\n`],
    ["maxAge", `${MINIMAL}    refresh: { maxAge: "\${SECRET}" }\n`],
    ["permissions", MINIMAL.replace("license: ON_DEMAND_LICENSE", 'permissions: ["${SECRET}"], lacks: ["${SECRET}"]')],
  ])("never repeats a value of the environment: %s", async (key, text) => {
    const error = await errorOf(loadText(text, { LICET_API_KEY: "key-1234", SECRET }));
    expect(error.message).toContain(key === "permissions" ? "can never match" : key);
    expect(JSON.stringify(error)).not.toContain(SECRET);
    expect(String(error.stack)).not.toContain(SECRET);
  });

  it("warns about a secret in the file", async () => {
    const config = await loadText(MINIMAL.replace("${LICET_API_KEY}", "literal-key"));
    expect(config.warnings).toEqual([expect.stringContaining("gateway.apiKey is written in the file itself")]);
    expect(config.warnings.join()).not.toContain("literal-key");
    expect((await loadText(MINIMAL)).warnings).toEqual([]);
  });
});
