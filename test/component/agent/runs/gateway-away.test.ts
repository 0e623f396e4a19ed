/** A run of a command whose gateway goes away while purchases are started: what may have been charged is not left to a person while its token lives. */
import { afterEach, expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { runAgent } from "../../../../src/agent/runs/run-agent.ts";
import { readPurchases } from "../../../doubles/crawl-world.ts";
import { createOutageWorld, HOUR_MS, type OutageWorld, PAGES } from "../../serve/runs/outage-world.ts";

/** In the path of a request for the content of a page, and of no other. */
const CONTENT = "articles";
/** As long as licet believes, and long enough for a busy machine beside a quick clock. */
const TOKEN_LIFE_MS = 20 * HOUR_MS;
/** As many as are asked for at once. */
const FEW = 3;
/** Far more than are sent for so many while the gateway answers anything. */
const MANY_PROBES = 80;

let world: OutageWorld | null = null;
const open = async (pages: number): Promise<OutageWorld> => {
  world = await createOutageWorld({ pages, tokenLifeMs: TOKEN_LIFE_MS });
  return world;
};
afterEach(async () => {
  const opened = world;
  world = null;
  await opened?.close();
});

it("probes on until the gateway is back, and leaves nothing in doubt", async () => {
  const opened = await open(FEW);
  let contents = 0;
  opened.relay.onRequest((path) => {
    contents += path.includes(CONTENT) ? 1 : 0;
    if (contents === 1) {
      opened.relay.answer(503);
    }
    if (contents === MANY_PROBES) {
      void opened.relay.restore();
    }
  });
  const report = await runAgent(opened.resources, new EventBus(), {});
  expect(report).toMatchObject({ state: "completed", pages: { bought: FEW, inDoubt: 0, failed: 0 } });
  expect(contents).toBeGreaterThanOrEqual(MANY_PROBES);
  expect(opened.sandbox.audit().charges).toHaveLength(FEW);
  await opened.expectMatchingAccounts();
});

it("leaves to the run after it what was started when it failed", async () => {
  const opened = await open(PAGES);
  opened.atRequest(CONTENT, 1, () => void opened.relay.cut());
  await expect(runAgent(opened.resources, new EventBus(), {})).rejects.toMatchObject({ code: "GATEWAY_UNREACHABLE" });
  const states = new Set(readPurchases(opened.ledgerFile).map(({ state }) => state));
  expect(states).toContain("started");
  expect(states).not.toContain("in_doubt");
  await opened.relay.restore();
  const report = await runAgent(opened.resources, new EventBus(), {});
  expect(report).toMatchObject({ state: "completed", pages: { inDoubt: 0, failed: 0 } });
  expect(opened.sandbox.audit().charges).toHaveLength(PAGES);
  await opened.expectMatchingAccounts();
});
