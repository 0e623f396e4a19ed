/** What a worker may do is bound to the leases that the service gave to its session, and to the service's clock. */
import { expect, test, vi } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { createHttpChannel } from "../../../src/ledger/http/http-channel.ts";
import { createCalls } from "../../../src/ledger/messages/calls.ts";
import { toBareFailure } from "../../../src/ledger/messages/failure.ts";
import { packageVersion } from "../../../src/package-directory.ts";
import { quotePages, toQuoteRequest } from "../../../src/pipeline/quote/quote.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { STAGES } from "../../../src/queue/queue.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { attachWork } from "../../../src/worker/attached-work.ts";
import type { WorkerPort } from "../../../src/worker/worker-port.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { catalogPage } from "../../doubles/scripted-gateway.ts";
import { LIMITS, NEVER, pageUrl } from "../pipeline/stage-world.ts";
import { openBoundWorld, TIMEOUT_MS, TOKEN, toSettlement, WORKER_LEASE_MS } from "./bound-world.ts";

test("a worker starts what is in its own lease, and nothing that is in another one's", async () => {
  const { come, beginAcquire, purchase } = await openBoundWorld();
  const [owner, other] = [await come("owner"), await come("other")];
  const { leaseId, purchaseId } = await beginAcquire(owner);
  const start = { leaseId, purchaseId, token: TOKEN, now: 1 };
  expect(await other.port.startPurchase(start)).toBe(false);
  expect(await other.port.openAcquireBatch(leaseId)).toBeNull();
  expect(await owner.port.startPurchase(start)).toBe(true);
  const doubt = { purchaseId, reason: "unanswered", detail: "silence", now: 1 } as const;
  expect(await other.port.holdInDoubt(doubt)).toBe(false);
  expect(await other.port.releasePurchase({ leaseId, purchaseId, reason: "content_refused", detail: "", now: 1 })).toBe(
    false,
  );
  expect((await purchase("/a"))?.state).toBe("started");
});

test("a start that was given up keeps the worker from nothing that it begins later", async () => {
  const { come, leasePurchases, lease, gateway, clock, deps, purchase } = await openBoundWorld();
  const { port, work } = await come("worker");
  const { ids, random, converter } = deps;
  let isCut = true;
  const startPurchase: WorkerPort["startPurchase"] = async (asked) => {
    if (isCut) {
      throw new LicetError("SERVICE_UNREACHABLE", "no answer in time", { details: { url: "http://a" } });
    }
    return port.startPurchase(asked);
  };
  const { processors } = attachWork({
    work,
    tools: {
      ...{ port: { ...port, startPurchase }, gateway, clock, ids, random, converter },
      ...{ places: 4, onPage: () => {}, ending: NEVER },
    },
    toOperating: (bug) => {
      throw bug;
    },
    onLost: () => {},
  });
  const leaseId = await leasePurchases(["/a"]);
  expect(await processors.acquire({ stage: "acquire", leaseId }, NEVER)).toBe("drop");
  expect((await purchase("/a"))?.state).toBe("reserved");
  isCut = false;
  await processors.acquire({ stage: "acquire", leaseId: await lease("acquire") }, NEVER);
  expect((await purchase("/a"))?.state).toBe("settled");
});

test("content that was paid for is taken from whoever has it", async () => {
  const { come, beginAcquire, purchase } = await openBoundWorld();
  const [owner, other] = [await come("owner"), await come("other")];
  const { leaseId, purchaseId } = await beginAcquire(owner);
  await owner.port.startPurchase({ leaseId, purchaseId, token: TOKEN, now: 1 });
  expect(await other.port.settlePurchase(toSettlement(purchaseId))).toMatchObject({ outcome: "settled" });
  expect(await owner.port.settlePurchase(toSettlement(purchaseId))).toMatchObject({ outcome: "repeated" });
  expect((await purchase("/a"))?.state).toBe("settled");
});

test("a lease lasts as long as the service says, whatever the worker asks for", async () => {
  const { come, beginAcquire, ledger, clock, runId } = await openBoundWorld();
  const worker = await come("worker");
  const { leaseId } = await beginAcquire(worker);
  expect(await worker.port.renewLease({ leaseId, expiresAt: clock.now() + 86_400_000 })).toBe(true);
  const now = clock.now() + LIMITS.leaseMs + 1;
  const leases = await ledger.leaseBatches({ runId, limit: 1, now, leaseMs: 1_000, maxWaitingPages: 0 });
  expect(leases).toMatchObject([{ stage: "acquire" }]);
  expect(await worker.port.renewLease({ leaseId, expiresAt: now })).toBe(false);
});

test("a worker may call nothing but what its stages need", async () => {
  const { come, workers } = await openBoundWorld();
  const { session } = await come("worker");
  const channel = createHttpChannel({
    exchange: (request, body) => workers.answer(session, request, body),
    clock: systemClock,
    random: () => 0.5,
  });
  const calls = createCalls(channel, { methods: ["readStatus", "resolvePurchase", "beginRun", "toString"], path: "" });
  await expect(calls.readStatus()).rejects.toMatchObject({ code: "REQUEST_INVALID" });
  await expect(calls.beginRun({} as never)).rejects.toMatchObject({ code: "REQUEST_INVALID" });
  const resolution = { purchaseId: 1, charged: false, now: 1 };
  await expect(calls.resolvePurchase(resolution)).rejects.toMatchObject({ code: "REQUEST_INVALID" });
  channel.close();
});

test("a job is begun once, and is over for the dispatcher when its worker is silent", async () => {
  const { come, beginAcquire, inFlight, clock } = await openBoundWorld();
  const [worker, other] = [await come("worker"), await come("other")];
  const { leaseId } = await beginAcquire(worker);
  expect([...inFlight.active]).toEqual([leaseId]);
  expect(await other.port.beginJob({ work: other.work, job: { stage: "acquire", leaseId } })).toBeNull();
  clock.advance(WORKER_LEASE_MS);
  await vi.waitUntil(() => {
    clock.advance(100);
    return inFlight.active.size === 0;
  }, PATIENCE);
  await expect(worker.beat()).rejects.toMatchObject({ code: "WORKER_EXPIRED" });
  await expect(worker.port.renewLease({ leaseId, expiresAt: 0 })).rejects.toMatchObject({ code: "WORKER_EXPIRED" });
});

test("the share of a silent worker is dealt again when nothing of it can be under way", async () => {
  const { come, clock } = await openBoundWorld();
  const [worker, other] = [await come("worker"), await come("other")];
  const attached = [worker.work];
  const settle = async () => {
    clock.advance(200);
    await worker.beat({ attached, confirmed: (await worker.beat({ attached })).share.version });
    return (await other.beat({ attached })).share.concurrency;
  };
  await settle();
  expect(await settle()).toBe(3);
  const keepAlive = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      clock.advance(5_000);
      await other.beat({ attached });
    }
  };
  await keepAlive(WORKER_LEASE_MS + 4 * TIMEOUT_MS - 10_000);
  expect((await other.beat({ attached })).share.concurrency).toBe(3);
  await keepAlive(20_000);
  expect((await other.beat({ attached })).share.concurrency).toBe(4);
});

test("the list has each worker with its state, also who was lost, until it comes again under its name", async () => {
  const { come, clock, workers } = await openBoundWorld();
  const [worker, idle, leaving] = [await come("worker"), await come("idle"), await come("leaving")];
  await worker.beat({ attached: [worker.work], pages: 0 });
  await leaving.beat({ isDraining: true });
  const states = () => Object.fromEntries(workers.list().map(({ name, state }) => [name, state]));
  expect(states()).toEqual({ worker: "attached", idle: "idle", leaving: "draining" });
  workers.bye(leaving.session);
  const passed = async (ms: number) => {
    for (let at = 0; at < ms; at += 1_000) {
      clock.advance(1_000);
      await worker.beat({ attached: [worker.work], pages: at / 100 });
    }
  };
  const heardAt = clock.now();
  await passed(WORKER_LEASE_MS + 1_000);
  await vi.waitUntil(() => states().idle === "lost", PATIENCE);
  expect(workers.list()).toMatchObject([
    { name: "idle", state: "lost", seenAt: heardAt, jobs: 0, share: { concurrency: 0 } },
    { name: "worker", tokenName: "fleet", version: packageVersion(), places: 4, state: "attached", pagesPerSecond: 10 },
  ]);
  await come("idle");
  expect(states()).toEqual({ worker: "attached", idle: "idle" });
  // Restarted at once: what is silent is its former session.
  await come("worker");
  await expect(idle.beat()).rejects.toMatchObject({ code: "WORKER_EXPIRED" });
});

test("no more workers are let in than the service lists", async () => {
  const { come, workers } = await openBoundWorld();
  await Promise.all(Array.from({ length: 256 }, (_, number) => come(`worker:${number}`)));
  await expect(come("another")).rejects.toMatchObject({ code: "SERVICE_BUSY" });
  expect(workers.list()).toHaveLength(256);
});

test("when the gateway asks one for a rest, the service and all others hear it", async () => {
  const { come, limits } = await openBoundWorld();
  const [worker, other] = [await come("worker"), await come("other")];
  await other.beat();
  const waiting = other.beat({ mayWait: true });
  await worker.beat({ restMs: 5_000 });
  expect(limits.pauseMs()).toBe(5_000);
  expect((await waiting).restMs).toBe(5_000);
});

test("what ends the run at a worker ends it at its owner, and what the way did does not", async () => {
  const { come, beginAcquire, failures, inFlight } = await openBoundWorld();
  const worker = await come("worker");
  const { leaseId } = await beginAcquire(worker);
  const failure = toBareFailure(
    new LicetError("GATEWAY_UNAUTHORIZED", `401 for ${pageUrl("/a")}`, { details: { status: 401 } }),
  );
  await worker.port.endJob({ work: worker.work, job: { stage: "acquire", leaseId }, outcome: "drop", failure });
  expect(failures).toMatchObject([{ code: "GATEWAY_UNAUTHORIZED" }]);
  expect([...inFlight.active]).toEqual([]);
});

test("the call that ends a batch ends its job", async () => {
  const { come, beginAcquire, inFlight, workers } = await openBoundWorld();
  const worker = await come("worker");
  const { leaseId, purchaseId } = await beginAcquire(worker);
  expect(await worker.port.finishAcquireBatch(leaseId)).toBe(false);
  expect([...inFlight.active]).toEqual([leaseId]);
  await worker.port.startPurchase({ leaseId, purchaseId, token: TOKEN, now: 1 });
  await worker.port.settlePurchase(toSettlement(purchaseId));
  expect(await worker.port.finishAcquireBatch(leaseId)).toBe(true);
  expect([...inFlight.active]).toEqual([]);
  expect(workers.list()).toMatchObject([{ jobs: 0 }]);
});

test("the service leaves new work to workers that are there, and does it itself when none of them takes part", async () => {
  const { come, join, taken, clock } = await openBoundWorld();
  expect(taken).toEqual([STAGES]);
  const worker = await come("worker");
  expect(taken.at(-1)).toEqual(["walk"]);
  clock.advance(3_000);
  await worker.beat();
  expect(taken.at(-1)).toEqual(STAGES);
  taken.splice(0);
  join();
  expect(taken).toEqual([STAGES, ["walk"]]);
});

test("a settlement says that its page was bought", async () => {
  const { come, beginAcquire, said } = await openBoundWorld();
  const worker = await come("worker");
  const { leaseId, purchaseId } = await beginAcquire(worker);
  await worker.port.startPurchase({ leaseId, purchaseId, token: TOKEN, now: 1 });
  await worker.port.settlePurchase(toSettlement(purchaseId));
  await worker.port.settlePurchase(toSettlement(purchaseId));
  expect(said.filter(({ event }) => event === "bought")).toHaveLength(1);
  expect(said.at(-1)?.text).toContain(pageUrl("/a"));
});

test("the pages that a worker quoted are shared in small batches, and its job ends with their decision", async () => {
  const { come, deps, gateway, lease, ledger, clock, runId, inFlight } = await openBoundWorld({
    limits: { acquireBatchSize: 200, quoteBatchSize: 120, catalogPageSize: 200 },
  });
  const worker = await come("worker");
  const paths = Array.from({ length: 120 }, (_, page) => pageUrl(`/${page}`));
  gateway.script.listCatalog = () => catalogPage(paths);
  await walk(deps, await lease("walk"), NEVER);
  const leaseId = await lease("quote");
  const begun = await worker.port.beginJob({ work: worker.work, job: { stage: "quote", leaseId } });
  if (begun?.stage !== "quote") {
    throw new Error("there is nothing to quote");
  }
  const answers = await quotePages(deps, toQuoteRequest(deps, begun.opened), NEVER);
  expect([...inFlight.active]).toEqual([leaseId]);
  await worker.port.decideQuoted({ leaseId, answers });
  expect([...inFlight.active]).toEqual([]);
  const leased = await ledger.leaseBatches({
    ...{ runId, process: "process", limit: 100, now: clock.now(), leaseMs: 1_000, maxWaitingPages: 1_000 },
  });
  const sizes = await Promise.all(
    leased.map(async (one) => (await ledger.openAcquireBatch(one.leaseId))?.purchases.length),
  );
  // The first of a new site goes alone.
  expect(sizes).toEqual([50]);
});

test("what the service itself may ask for ends with its lease, until that is renewed", async () => {
  const { workers, limits, clock } = await openBoundWorld();
  await workers.start();
  const untilMs = () => clock.now() + 1_000;
  workers.keepUntil(untilMs());
  expect(limits.enter()).toBeTypeOf("number");
  clock.advance(1_000);
  const admitted = limits.enter();
  expect(admitted).toBeInstanceOf(Promise);
  workers.keepUntil(untilMs());
  expect(await admitted).toBe(0);
});

test("a worker that comes again has a share for what it had started before", async () => {
  const { come, clock } = await openBoundWorld();
  const worker = await come("worker");
  await worker.beat({ jobs: 1, isDraining: true });
  await vi.waitUntil(async () => {
    clock.advance(100);
    const { share } = await worker.beat({ jobs: 1, isDraining: true });
    return share.concurrency > 0;
  }, PATIENCE);
});
