/** The month that the browser looks at: it has something of everything, and its books agree. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Agent, createAgent, loadConfig } from "../../src/index.ts";
import { type BrowserWorld, openWorld } from "./browser-world.ts";

let world: BrowserWorld;
let agent: Agent;
beforeAll(async () => {
  world = await openWorld("month", inject("browserLedgers"));
  agent = createAgent(await loadConfig({ cwd: world.directory, env: {} }));
});
afterAll(async () => {
  await agent.close();
  await world.close();
});

test("the month keeps every promise", async () => {
  expect(await agent.audit()).toMatchObject({ ok: true });
});

test("the month has runs of each trigger and many ends, doubts, open items, acts, slots, notifications, rights that end and alerts", async () => {
  const { runs } = await agent.runs({ limit: 200 });
  expect(new Set(runs.map(({ trigger }) => trigger))).toEqual(new Set(["manual", "schedule", "webhook", "list"]));
  expect([...new Set(runs.map(({ state }) => state))]).toEqual(
    expect.arrayContaining(["completed", "budget_exhausted", "max_pages", "cancelled"]),
  );
  const status = await agent.status({ expiring: "30d" });
  expect(status.inDoubt.length).toBeGreaterThan(0);
  expect(status.openItems.length).toBeGreaterThan(0);
  expect(status.rights?.total).toBeGreaterThan(0);
  expect(status.notifications.done).toBeGreaterThan(0);
  expect(status.alerts.undelivered.length).toBeGreaterThan(0);
  const { acts } = await agent.log({ limit: 100 });
  expect(new Set(acts.map(({ kind }) => kind))).toEqual(
    new Set([
      "run_stopped",
      "run_cancelled",
      "purchase_charged",
      "purchase_not_charged",
      "item_closed",
      "content_purged",
      "plan_approved",
    ]),
  );
  const { schedules } = await agent.schedule();
  const states = schedules.flatMap(({ slots }) => slots.map(({ state }) => state));
  expect(states).toEqual(expect.arrayContaining(["done", "missed"]));
});
