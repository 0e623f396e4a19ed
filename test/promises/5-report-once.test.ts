/**
 * Promise 5: every use is recorded once and reported once, whatever happens to the requests, the answers and the process. The
 * gateway here keeps an account of its own, as strict as the specification lets it be: it takes an id once, and calls it a
 * breach when the id comes back with other bytes.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FrozenReport } from "../../src/ledger/usage-ledger.ts";
import { buyPages, NOON } from "../doubles/ledger-shop.ts";
import { openTempLedger, type TempLedger } from "../doubles/temp-ledger.ts";
import { createReceipt, createUse, recordUses, WINDOW_MS } from "../doubles/usage-outbox-driver.ts";

const PATHS = ["/1", "/2", "/3", "/4", "/5"];
/** The gateway refuses every report that names it. */
const POISONED = "https://news.example/3";
const RUNS = 25;
/** Far more than any 40 steps can leave behind. */
const MAX_TURNS = 200;

/** `refused_again`: an id that the gateway knows is answered with a refusal, as gateways do. */
type Fate = "answered" | "refused_again" | "answer_lost" | "never_arrived" | "process_died_before_booking";
/** Each may be what a gateway says to an id that it knows already. */
const REFUSALS = [400, 404, 409, 410, 413, 422] as const;
type Step =
  | { readonly kind: "use"; readonly path: string; readonly times: number; readonly key: string }
  | { readonly kind: "report"; readonly maxEntries: number; readonly fate: Fate }
  | { readonly kind: "reopen" }
  | { readonly kind: "lease_runs_out" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("use" as const),
      path: fc.constantFrom(...PATHS),
      times: fc.integer({ min: 1, max: 4 }),
      key: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      maxEntries: fc.integer({ min: 1, max: 4 }),
      fate: fc.constantFrom<Fate>(
        "answered",
        "refused_again",
        "answer_lost",
        "never_arrived",
        "process_died_before_booking",
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "lease_runs_out" as const }) },
);

/** What the gateway took: each id once. */
interface Gateway {
  /** False when it refuses the report (400). */
  take(batch: FrozenReport): boolean;
  /** Whether it took the report of this id. */
  knows(idempotencyId: string): boolean;
  /** Uses by URL. */
  account(): Map<string, number>;
}

function createGateway(): Gateway {
  const seen = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    take(batch) {
      const text = new TextDecoder().decode(batch.body);
      const { idempotencyId, usage } = JSON.parse(text) as {
        idempotencyId: string;
        usage: { url: string; timesUsed: number }[];
      };
      const before = seen.get(idempotencyId);
      expect(before ?? text, "the same bytes under the same id").toBe(text);
      if (usage.some(({ url }) => url === POISONED)) {
        return false;
      }
      if (before === undefined) {
        seen.set(idempotencyId, text);
        for (const { url, timesUsed } of usage) {
          counts.set(url, (counts.get(url) ?? 0) + timesUsed);
        }
      }
      return true;
    },
    knows: (idempotencyId) => seen.has(idempotencyId),
    account: () => counts,
  };
}

interface World {
  readonly temp: TempLedger;
  readonly gateway: Gateway;
  now: number;
  ids: number;
}

/** One turn of the flusher, with what becomes of its one request. @returns whether there was anything to send */
async function report(world: World, maxEntries: number, fate: Fate): Promise<boolean> {
  const { ledger } = world.temp;
  const lease = await ledger.leaseFlusher({ now: world.now, leaseMs: 1000 });
  if (lease === null) {
    return true;
  }
  const { fence } = lease;
  const { now } = world;
  const idempotencyId = `id-${world.ids++}`;
  const batch =
    (await ledger.nextReport({ fence, now, windowMs: WINDOW_MS })) ??
    (await ledger.freezeReport({ fence, idempotencyId, maxEntries, licenseIdField: "licenseCuid", now }));
  if (batch !== null && (await ledger.recordAttempt({ fence, reportId: batch.reportId, now }))) {
    await send(world, fence, batch, fate);
  }
  if (fate !== "process_died_before_booking") {
    await ledger.releaseFlusher(fence);
  }
  return batch !== null;
}

async function send(world: World, fence: number, batch: FrozenReport, fate: Fate): Promise<void> {
  const { ledger } = world.temp;
  const { reportId } = batch;
  const isKnown = world.gateway.knows(batch.idempotencyId);
  const taken = fate === "never_arrived" ? null : world.gateway.take(batch);
  if (fate === "process_died_before_booking") {
    return;
  }
  if (fate === "never_arrived" || fate === "answer_lost") {
    const unknownAttempts = batch.unknownAttempts + (fate === "answer_lost" ? 1 : 0);
    await ledger.postponeReport({ fence, reportId, notBefore: world.now + 1, detail: fate, unknownAttempts });
  } else if (taken === true && !(fate === "refused_again" && isKnown)) {
    const receipts = batch.entries.map((entry) => ({ entryId: entry.entryId, receipt: createReceipt(entry) }));
    await ledger.settleReport({ reportId, receipts, surplus: [], unreadable: 0, now: world.now });
  } else {
    const idempotencyIds = [`id-${world.ids++}`, `id-${world.ids++}`] as const;
    const end = await ledger.rejectReport({
      fence,
      reportId,
      status: REFUSALS[world.ids % REFUSALS.length] ?? 400,
      detail: "no",
      idempotencyIds,
      licenseIdField: "licenseCuid",
      now: world.now,
    });
    expect(end === "open", "no refusal ends or halves what may have been taken").toBe(batch.unknownAttempts > 0);
  }
}

/** A person who reads the gateway's account resolves what is still open after the window. */
async function reconcile(world: World): Promise<void> {
  const { ledger } = world.temp;
  world.now += 2 * WINDOW_MS;
  const lease = await ledger.leaseFlusher({ now: world.now, leaseMs: 1000 });
  await ledger.nextReport({ fence: lease?.fence ?? 0, now: world.now, windowMs: WINDOW_MS });
  for (const { kind, batchId: reportId, detail } of (await ledger.readStatus()).openItems) {
    if (kind === "needs_reconcile" && reportId !== null) {
      const id = /id-\d+/.exec(detail)?.[0] ?? "";
      await ledger.resolveReport({ reportId, taken: world.gateway.knows(id), now: world.now });
    }
  }
}

/** Goes on until nothing is left to send: what was never taken is refused again and again, until its window is over. */
async function drain(world: World): Promise<void> {
  let turns = 0;
  do {
    world.now += WINDOW_MS / 8;
    expect(turns++, "the outbox empties").toBeLessThan(MAX_TURNS);
  } while (await report(world, 3, "answered"));
}

async function take(world: World, next: Step, recorded: Map<string, number>): Promise<void> {
  world.now += 10;
  switch (next.kind) {
    case "use": {
      const use = createUse(next.path, { times: next.times, key: next.key });
      const [result] = await recordUses(world.temp.ledger, [use], { now: world.now });
      if (result?.kind === "recorded") {
        recorded.set(use.url, (recorded.get(use.url) ?? 0) + use.times);
      }
      return;
    }
    case "report":
      await report(world, next.maxEntries, next.fate);
      return;
    case "reopen":
      await world.temp.reopen();
      return;
    case "lease_runs_out":
      world.now += 2000;
      return;
    default:
      next satisfies never;
  }
}

describe("promise 5", () => {
  it("reports each recorded use exactly once, except the entry that the gateway refuses", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world: World = { temp: await openTempLedger(), gateway: createGateway(), now: NOON, ids: 0 };
        await buyPages(world.temp.ledger, { paths: PATHS });
        const recorded = new Map(PATHS.map((path) => [`https://news.example${path}`, 1]));
        for (const next of steps) {
          await take(world, next, recorded);
          const reported = world.gateway.account();
          for (const [url, times] of reported) {
            expect(times, `${url} is never reported more than it was used`).toBeLessThanOrEqual(recorded.get(url) ?? 0);
          }
        }
        await drain(world);
        await reconcile(world);
        await drain(world);

        const expected = new Map([...recorded].filter(([url]) => url !== POISONED));
        expect(world.gateway.account()).toEqual(expected);
        const audit = await world.temp.ledger.audit({ budgets: [], now: world.now });
        expect(audit.violations).toEqual([]);
        const { usage, openItems } = await world.temp.ledger.readStatus();
        expect(usage).toMatchObject({ pending: 0, needsReconcile: 0 });
        expect(new Set(openItems.map(({ kind, url }) => `${kind} ${url}`))).toEqual(
          new Set([`rejected_entry ${POISONED}`]),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
