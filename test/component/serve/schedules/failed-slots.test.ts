/** Slots that fail before their run begins: whoever watches failed runs hears of them. */
import { afterEach, expect, it, vi } from "vitest";
import { createResources } from "../../../../src/agent/compose.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { toSpec } from "../../../doubles/ledger-steps.ts";
import { PATIENCE } from "../../../doubles/patience.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { startReceiver } from "../../notify/alert-world.ts";

const DAY_MS = 86_400_000;
const FAILED = /licet_runs_ended_total\{trigger="schedule",state="failed"\} (\d+)/;

let world: ServiceWorld;
afterEach(() => world.close());

it("under a clock that is behind raise one alert, count as failed runs, and make the service unready", async () => {
  const receiver = await startReceiver();
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 200 }], rates: ONE_PRICE },
    config: {
      budgets: [{ scope: "all", per: "day", limit: "10 USD" }],
      alerts: [{ on: ["run_failed"], webhook: receiver.url }],
      sites: [{ host: "news.example", policy: "standard", schedule: "* * * * * *" }],
    },
  });
  // Another machine, whose clock is right, or was ahead.
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const other = createResources(config, new EventBus());
  const ledger = await other.ledger("existing");
  const startedAt = Date.now() + 2 * DAY_MS;
  await ledger.createRun(toSpec({ runId: "run_ahead", startedAt }));
  await ledger.endRun({ runId: "run_ahead", state: "completed", reason: null, now: startedAt });
  await other.close();

  await vi.waitFor(() => expect(receiver.documents()).toHaveLength(1), PATIENCE);
  expect(receiver.documents()[0]).toMatchObject({
    kind: "slot_failed",
    site: "news.example",
    code: "CLOCK_BEHIND",
    command: "licet schedule --site news.example",
    message: expect.stringMatching(/^the slot of \S+ of site:news\.example failed before its run began$/),
    details: { schedule: "site:news.example", reason: expect.stringContaining("is before the newest rows") },
  });
  await vi.waitFor(async () => {
    const failed = FAILED.exec((await world.call("GET", "/metrics")).text)?.[1];
    expect(Number(failed)).toBeGreaterThan(2);
  }, PATIENCE);
  await vi.waitFor(async () => expect((await world.call("GET", "/readyz")).status).toBe(503), PATIENCE);
  expect((await world.call("GET", "/readyz")).json.checks).toMatchObject({
    ledger: { ok: true },
    clock: { ok: false },
  });
  expect(world.logged.join("\n")).toContain("the clock lets no run begin");
  expect(receiver.documents()).toHaveLength(1);
  expect(world.sandbox.audit().charges.length).toBeLessThanOrEqual(3);
});
