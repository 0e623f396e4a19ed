/** What `explain` shows of a page if some of its rates cannot be bought. */
import { afterEach, expect, it } from "vitest";
import type { Resources } from "../../../src/agent/compose.ts";
import { explainAgent } from "../../../src/agent/explain-agent.ts";
import { thisProcess } from "../../../src/agent/this-process.ts";
import { TUNING } from "../../../src/agent/tuning.ts";
import { formatExplanation } from "../../../src/cli/commands/explain.ts";
import { parseConfig } from "../../../src/config/load-config.ts";
import { MemoryQueue } from "../../doubles/memory-queue.ts";
import { LICENSE, listing } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, pageUrl, type StageWorld } from "../pipeline/stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

it("names the rates that cannot be bought, with the reason, beside those that the rules tested", async () => {
  const [good] = listing().rates;
  if (good === undefined) {
    throw new Error("the listing has a rate");
  }
  const rates = [
    { ...good, license: { ...LICENSE, licenseType: "CUSTOM_LICENSE", cuid: null } },
    { ...good, error: "withdrawn" },
    good,
  ];
  world = await createStageWorld({ script: { quotePage: () => ({ rates, unreadable: [] }) } });
  const { ledger, gateway, clock, deps } = world;
  const resources: Resources = {
    config: parseConfig(
      {
        gateway: { baseUrl: "http://127.0.0.1:8402", apiKey: "key-1234", agentId: "acme-agent" },
        budgets: [{ scope: "all", limit: "1 USD" }],
        policies: { standard: { rules: [{ allow: {} }] } },
        sites: [{ host: HOST, policy: "standard" }],
      },
      { cwd: "/", env: {} },
    ),
    clock,
    ids: deps.ids,
    random: deps.random,
    tuning: TUNING,
    processes: thisProcess,
    ledger: async () => ledger,
    gateway: async () => gateway,
    queue: async () => new MemoryQueue(),
    converter: async () => ({ convert: async () => ({ ok: true, markdown: "" }), close: async () => {} }),
    close: async () => {},
  };
  const explanation = await explainAgent(resources, pageUrl("/a"));
  expect(explanation.live?.flawedRates).toEqual([
    { rateIndex: 0, reason: "a custom licence without an id cannot be ordered" },
    { rateIndex: 1, reason: "the gateway marked it with an error" },
  ]);
  const text = formatExplanation(explanation);
  expect(text).toMatch(/CUSTOM_LICENSE.*\n {4}cannot be bought: a custom licence without an id cannot be ordered\n/);
  expect(text).toMatch(/\n {4}cannot be bought: the gateway marked it with an error, withdrawn\n/);
  expect(text).toMatch(/rule 1: matches\n[\s\S]*Verdict: allowed by rule 1/);
});
