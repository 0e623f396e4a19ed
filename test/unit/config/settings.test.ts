import { expect, it } from "vitest";
import { parseConfig } from "../../../src/config/load-config.ts";
import { toSettings } from "../../../src/config/settings.ts";

const SECRET = "hush-hush-hush-hush-hush";

const config = parseConfig(
  {
    gateway: { baseUrl: "https://gateway.example", apiKey: `key-${SECRET}`, agentId: "agent" },
    queue: { url: `redis://user:${SECRET}@redis.example:6379/2` },
    budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
    policies: { standard: { rules: [{ allow: { maxPrice: "0.02 USD" } }, { deny: {} }] } },
    sites: [{ host: "news.example", policy: "standard", schedule: "0 3 * * *" }],
    serve: { token: `serve-${SECRET}`, tokens: [{ name: "finance", token: `finance-${SECRET}` }] },
    webhooks: [
      { id: "gateway", path: "/hooks/gateway", url: "https://licet.example/hooks/gateway", secret: `hook-${SECRET}` },
    ],
    alerts: [
      { on: ["run_failed"], webhook: `https://chat.example/${SECRET}`, secret: `alert-${SECRET}` },
      { on: ["run_failed"], exec: ["/bin/tell", SECRET] },
    ],
  },
  { cwd: "/", env: {} },
);

it("has no secret of the configuration, and says which are set", () => {
  const settings = toSettings(config);
  expect(JSON.stringify(settings)).not.toContain(SECRET);
  expect(settings).toContainEqual({ section: "gateway", name: "apiKey", value: "set, not shown" });
  expect(settings).toContainEqual({ section: "serve.tokens", name: "finance", value: "may read, set, not shown" });
});

it.each([
  ["embedded", "embedded"],
  [`redis://u:${SECRET}@h:1/2`, "redis://h:1/2, set, not shown"],
  [`redis+unix://:${SECRET}@localhost/run/r.sock`, "redis+unix://, set, not shown"],
  [`redis-cluster://u:${SECRET}@h:1,i`, "redis-cluster://h:1,i, set, not shown"],
  [`redis-sentinel://u:${SECRET}@h,i/m?sentinelPassword=${SECRET}`, "redis-sentinel://h,i/m, set, not shown"],
])("shows of the queue %s only %s", (url, value) => {
  expect(toSettings({ ...config, queue: { url } })).toContainEqual({ section: "queue", name: "url", value });
});

it("has values in the words of the file, with their defaults", () => {
  const settings = toSettings(config);
  expect(settings).toContainEqual({ section: "budgets.1", name: "limit", value: "100.00 USD" });
  expect(settings).toContainEqual({ section: "policies.standard", name: "rule 1", value: "allow maxPrice 0.02 USD" });
  expect(settings).toContainEqual({ section: "sites.news.example", name: "schedule.cron", value: "0 3 * * *" });
  expect(settings).toContainEqual({ section: "sites.news.example", name: "maxPages", value: null });
  expect(settings.find(({ section, name }) => section === "gateway" && name === "timeout")?.value).toMatch(/^\d+s$/);
});
