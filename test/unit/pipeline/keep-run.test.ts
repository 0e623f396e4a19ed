import { expect, it } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { keepRun } from "../../../src/pipeline/work/keep-run.ts";
import { STOPPED_BY_SERVICE } from "../../../src/run/stopped-by.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const LEASE_MS = 30_000;

type Renewal = Parameters<Ledger["renewRun"]>[0];

function keep(outer: AbortSignal, renewals: Renewal[], renewRun: () => Promise<boolean> = async () => true) {
  const ledger = {
    renewRun: (renewal: Renewal) => {
      renewals.push(renewal);
      return renewRun();
    },
  } as unknown as Ledger;
  return keepRun(
    { ledger, clock: createFakeClock(), limits: { leaseMs: LEASE_MS } },
    { runId: "run", process: "p" },
    outer,
  );
}

it("tells at the signal who stopped the run, before any heartbeat is due", () => {
  for (const [reason, stopped] of [
    [undefined, { endedBy: "person", who: null }],
    [
      { by: "anna", reason: "late" },
      { endedBy: "person", who: { by: "anna", reason: "late" } },
    ],
    [STOPPED_BY_SERVICE, { endedBy: "service", who: null }],
  ] as const) {
    const [stop, renewals] = [new AbortController(), [] as Renewal[]];
    const kept = keep(stop.signal, renewals);
    expect(renewals).toEqual([]);
    stop.abort(reason);
    expect(renewals).toMatchObject([{ runId: "run", process: "p", stopped }]);
    kept.stop();
  }
});

it("tells it at once where the run was stopped before, and nothing after its end", () => {
  const renewals: Renewal[] = [];
  keep(AbortSignal.abort(), renewals).stop();
  expect(renewals).toMatchObject([{ stopped: { endedBy: "person" } }]);
  const stop = new AbortController();
  keep(stop.signal, renewals).stop();
  stop.abort();
  expect(renewals).toHaveLength(1);
});

it("survives a ledger that is locked at the signal", async () => {
  const [stop, renewals] = [new AbortController(), [] as Renewal[]];
  const kept = keep(stop.signal, renewals, async () => {
    throw new LicetError("LEDGER_LOCKED", "the ledger is locked", { details: { path: "ledger" } });
  });
  stop.abort();
  await Promise.resolve();
  expect(renewals).toHaveLength(1);
  kept.stop();
});
