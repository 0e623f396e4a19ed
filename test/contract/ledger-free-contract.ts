import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Asker } from "../../src/run/what-becomes.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { begin, HOST, openAcquire, RUN, readTotal, reserve, start } from "../doubles/ledger-steps.ts";
import { beginList, decideListed, recordPaths } from "../doubles/list-driver.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const LATER = NOON + 10 * LEASE_MS;
const SERVICE: Asker = { by: "service", configured: [HOST] };
const ELSEWHERE: Asker = { by: "service", configured: ["other.example"] };

const free = (ledger: Ledger, asker: Asker = SERVICE, now = LATER, runId = RUN) =>
  ledger.freeRun({ runId, asker, process: "service:1:a", now, aliveMs: LEASE_MS, gone: [] });

/** Of two reserved pages, one was sent when the process died. */
async function sendOne(ledger: Ledger): Promise<Ledger> {
  const { leaseId, purchases } = await openAcquire(ledger, { runId: RUN });
  await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
  return ledger;
}

async function openWithDeadFetch(open: OpenLedger): Promise<Ledger> {
  const ledger = await open();
  const process = "fetch:1:a";
  await beginList(ledger, { which: { kind: "list", source: "fetch", path: null }, runId: RUN, process });
  await recordPaths(ledger, ["/a", "/b"], { runId: RUN, process });
  await decideListed(ledger, { runId: RUN });
  return sendOne(ledger);
}

async function openWithDeadWalk(open: OpenLedger): Promise<Ledger> {
  const ledger = await open();
  await reserve(ledger, ["/a", "/b"]);
  return sendOne(ledger);
}

/** What becomes of a run that died when only what it had started may be finished. */
export function describeFreeing(open: OpenLedger): void {
  describe("freeRun", () => {
    it("ends a dead fetch: what was reserved is released, what was sent waits for its probe", async () => {
      const ledger = await openWithDeadFetch(open);
      expect(await free(ledger)).toEqual({ state: "cancelled", released: 1, started: 1 });
      expect((await readTotal(ledger)).reservedMicros).toBe(10_000);
      expect(await free(ledger)).toBeNull();
    });

    it("frees a dead run of sites that are not configured, which can still go on where they are", async () => {
      const ledger = await openWithDeadWalk(open);
      expect(await free(ledger, ELSEWHERE)).toEqual({ state: "interrupted", released: 1, started: 1 });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: LATER, process: "service:1:a" });
      expect(await begin(ledger, { now: LATER + 1 })).toMatchObject({ kind: "begun", resumed: true });
    });

    it("does nothing with a run that is alive, that goes on, or that is not there", async () => {
      const ledger = await openWithDeadWalk(open);
      expect(await free(ledger, SERVICE, NOON)).toBeNull();
      expect(await free(ledger)).toBeNull();
      expect(await free(ledger, SERVICE, LATER, "run_never")).toBeNull();
    });
  });
}
