import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { KnownWorker, ServiceTaken } from "../../src/ledger/service-ledger.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { resumeRun } from "../doubles/ledger-steps.ts";

const LEASE_MS = 15_000;
const FIRST = "a.example:100:x-1";
const SECOND = "b.example:200:y-1";

const WORKER: KnownWorker = {
  name: "b.example:300",
  tokenName: "fleet",
  version: "1.0.0",
  state: "attached",
  places: 16,
  share: { concurrency: 4, requestsPerSecond: null },
  jobs: 2,
  pages: 100,
  pagesPerSecond: 3.5,
  since: NOON,
  seenAt: NOON + 1,
};

const at = (now: number, gone: readonly string[] = []) => ({ now, leaseMs: LEASE_MS, gone });

async function take(
  ledger: Ledger,
  process: string,
  query = at(NOON),
): Promise<Extract<ServiceTaken, { kind: "taken" }>> {
  const taken = await ledger.takeService({ ...query, known: await ledger.readService(query), process });
  expect(taken.kind).toBe("taken");
  return taken as Extract<ServiceTaken, { kind: "taken" }>;
}

/** What every ledger promises of the lease of the one service. */
export function describeService(open: () => Promise<Ledger>): void {
  describe("the service's lease", () => {
    it("is taken by the first service, and refused to a second one while it lasts", async () => {
      const ledger = await open();
      expect(await ledger.readService(at(NOON))).toBeNull();
      const { fence, died } = await take(ledger, FIRST);
      expect(died).toBeNull();
      await ledger.renewService({ fence, expiresAt: NOON + LEASE_MS, url: "http://127.0.0.1:8403", workers: [] });
      const service = {
        process: FIRST,
        url: "http://127.0.0.1:8403",
        startedAt: NOON,
        expiresAt: NOON + LEASE_MS,
        isAlive: true,
      };
      expect(await ledger.takeService({ ...at(NOON + LEASE_MS - 1), known: service, process: SECOND })).toEqual({
        kind: "alive",
        service,
      });
      expect(await ledger.readService(at(NOON + 1))).toEqual(service);
    });

    it("has its workers as the last renewal named them, also when the service has ended", async () => {
      const ledger = await open();
      expect(await ledger.readWorkers()).toEqual([]);
      const { fence } = await take(ledger, FIRST);
      expect(await ledger.readWorkers()).toEqual([]);
      const renewal = { expiresAt: NOON + LEASE_MS, url: null };
      await ledger.renewService({ ...renewal, fence, workers: [{ ...WORKER, name: "former" }] });
      await ledger.renewService({ ...renewal, fence, workers: [WORKER] });
      expect(await ledger.renewService({ ...renewal, fence: fence - 1, workers: [] })).toBe(false);
      expect(await ledger.readWorkers()).toEqual([WORKER]);
      await ledger.releaseService(fence);
      await take(ledger, SECOND);
      expect(await ledger.readWorkers()).toEqual([WORKER]);
    });

    it("goes to one of two services at once", async () => {
      const ledger = await open();
      const taken = await Promise.all(
        [FIRST, SECOND].map((process) => ledger.takeService({ ...at(NOON), known: null, process })),
      );
      expect(taken.map(({ kind }) => kind)).toEqual(["taken", "alive"]);
    });

    it("is not taken by an instant from before it was renewed", async () => {
      const ledger = await open();
      const { fence } = await take(ledger, FIRST);
      const known = await ledger.readService(at(NOON + LEASE_MS));
      await ledger.renewService({ fence, expiresAt: NOON + 9 * LEASE_MS, url: null, workers: [] });
      const late = { ...at(NOON + LEASE_MS), known, process: SECOND };
      expect(await ledger.takeService(late)).toEqual({ kind: "changed" });
      expect(await ledger.renewService({ fence, expiresAt: NOON + 10 * LEASE_MS, url: null, workers: [] })).toBe(true);
    });

    it("keeps its fence when the same process takes it again", async () => {
      const ledger = await open();
      const first = await take(ledger, FIRST);
      expect(await take(ledger, FIRST, at(NOON + 1))).toEqual(first);
    });

    it.each([
      ["has run out", at(NOON + LEASE_MS)],
      ["belongs to a process that has ended", at(NOON + 1, [FIRST])],
      ["was taken by a clock that has been set back since", at(NOON - 3 * LEASE_MS)],
    ])("is taken over when it %s, and what the former holder says changes nothing", async (_name, query) => {
      const ledger = await open();
      const former = await take(ledger, FIRST);
      const { fence, died } = await take(ledger, SECOND, query);
      expect(died).toMatchObject({ process: FIRST, isAlive: false });
      expect(fence).toBeGreaterThan(former.fence);
      expect(
        await ledger.renewService({ fence: former.fence, expiresAt: NOON + 9 * LEASE_MS, url: null, workers: [] }),
      ).toBe(false);
      await ledger.releaseService(former.fence);
      const now = query.now + LEASE_MS - 1;
      expect(await ledger.readService(at(now))).toMatchObject({ process: SECOND, isAlive: true });
    });

    it("is free at once after its release, and is not renewed any more", async () => {
      const ledger = await open();
      const { fence } = await take(ledger, FIRST);
      await ledger.releaseService(fence);
      expect(await ledger.renewService({ fence, expiresAt: NOON + LEASE_MS, url: null, workers: [] })).toBe(false);
      expect(await ledger.readService(at(NOON))).toMatchObject({ process: FIRST, expiresAt: null, isAlive: false });
      const next = await take(ledger, SECOND);
      expect(next).toEqual({ kind: "taken", fence: fence + 1, died: null });
    });

    it("empties its write-ahead log, again and again", async () => {
      const ledger = await open();
      await take(ledger, FIRST);
      expect(await ledger.shortenLog()).toEqual({ emptied: true });
      expect(await ledger.shortenLog()).toEqual({ emptied: true });
    });

    it("is renewed after it has run out, when no other service took it", async () => {
      const ledger = await open();
      const { fence } = await take(ledger, FIRST);
      const late = NOON + 10 * LEASE_MS;
      expect(await ledger.renewService({ fence, expiresAt: late + LEASE_MS, url: null, workers: [] })).toBe(true);
      expect(await ledger.readService(at(late))).toMatchObject({ process: FIRST, isAlive: true });
    });
  });

  describe("waits", () => {
    const WAIT = {
      place: "gateway",
      runId: null,
      code: "GATEWAY_TIMEOUT",
      message: "no answer",
      hint: "wait",
      since: NOON,
      until: NOON + 1,
    } as const;

    it("are what each process wrote last", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1" });
      expect(await ledger.readWaits()).toEqual([]);
      await ledger.writeWaits({ process: FIRST, waits: [WAIT, { ...WAIT, runId: "run_never" }] });
      const ofRun = { ...WAIT, place: "disk", runId: "run_1", since: NOON - 1, until: null } as const;
      await ledger.writeWaits({ process: SECOND, waits: [ofRun] });
      await ledger.writeWaits({ process: SECOND, waits: [ofRun] });
      expect(await ledger.readWaits()).toEqual([
        { process: SECOND, ...ofRun },
        { process: FIRST, ...WAIT },
      ]);
      await ledger.writeWaits({ process: SECOND, waits: [] });
      expect(await ledger.readWaits()).toEqual([{ process: FIRST, ...WAIT }]);
    });

    it("of a service are gone when another one takes the lease, and of a run when another process resumes it", async () => {
      const ledger = await open();
      await startPages(ledger, { runId: "run_1" });
      await ledger.writeWaits({ process: FIRST, waits: [WAIT, { ...WAIT, runId: "run_1" }] });
      await take(ledger, SECOND);
      expect(await ledger.readWaits()).toMatchObject([{ runId: "run_1" }]);
      await resumeRun(ledger);
      expect(await ledger.readWaits()).toEqual([]);
    });
  });
}
