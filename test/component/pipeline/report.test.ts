import { afterEach, describe, expect, it } from "vitest";
import type { ReportAnswer } from "../../../src/gateway/gateway.ts";
import type { FlushOptions } from "../../../src/pipeline/report/flush.ts";
import { flushUsage } from "../../../src/pipeline/report/report.ts";
import { acceptReport, readReport } from "../../doubles/scripted-gateway.ts";
import {
  countTaken,
  flush,
  openItems,
  PATHS,
  REJECTED,
  SILENT,
  texts,
  usage,
  WAITING,
  withUses,
  world,
} from "./reporting.ts";
import { NEVER, pageUrl } from "./stage-world.ts";

afterEach(() => world().close());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("reporting uses", () => {
  it("sends everything in batches of the configured size and empties the outbox", async () => {
    await withUses(acceptReport);
    expect(await flush()).toEqual({
      batches: 2,
      uses: 6,
      rejectedEntries: 0,
      charged: {},
      stopped: null,
      refused: false,
      allRefused: false,
    });
    expect(texts().map((text) => JSON.parse(text).usage.length)).toEqual([4, 2]);
    expect(await usage()).toMatchObject({ recorded: 6, reported: 6, pending: 0 });
    expect(await openItems()).toEqual([]);
    expect(await flush()).toMatchObject({ batches: 0, stopped: null });
  });

  it("sends the same bytes until they are answered, and counts them once", async () => {
    await withUses((body, call) => (call <= 3 ? SILENT : acceptReport(body)), { limits: { reportBatchSize: 100 } });
    expect(await flush()).toMatchObject({ batches: 1, uses: 6, stopped: null });
    expect(texts()).toHaveLength(4);
    expect(new Set(texts()).size).toBe(1);
    expect(await usage()).toMatchObject({ reported: 6, pending: 0 });
  });

  it("names the permissions of each license only where the gateway requires them", async () => {
    for (const reportPermissions of [true, false]) {
      await withUses(acceptReport, { reportPermissions });
      expect(await flush()).toMatchObject({ uses: 6, stopped: null });
      expect(texts().every((text) => text.includes('"licensePermissions":[{"name":"'))).toBe(reportPermissions);
    }
  });

  it("sends the same bytes again in another process after a crash between sending and answer", async () => {
    await withUses((body, call) => (call === 1 ? SILENT : acceptReport(body)), { limits: { reportBatchSize: 100 } });
    const { ledger, clock, deps } = world();
    const { flushLeaseMs: leaseMs } = deps.limits;
    const lease = await ledger.leaseFlusher({ now: clock.now(), leaseMs });
    const fence = lease?.fence ?? 0;
    const batch = await ledger.freezeReport({
      fence,
      idempotencyId: deps.ids.newIdempotencyId(),
      maxEntries: 100,
      licenseIdField: "licenseCuid",
      now: clock.now(),
    });
    await ledger.recordAttempt({ fence, reportId: batch?.reportId ?? 0, now: clock.now() });
    await deps.gateway.reportUsage(batch?.body ?? new Uint8Array());
    // The process dies here, with the lease.
    const atOnce: FlushOptions = { attempts: 0, minUses: 1 };
    expect(await flush(atOnce)).toMatchObject({ stopped: "another process is reporting" });
    clock.advance(leaseMs);
    expect(await flush()).toMatchObject({ batches: 1, stopped: null });
    expect(new Set(texts()).size).toBe(1);
    expect(texts()).toHaveLength(2);
  });

  it("halves a rejected batch until the bad entry is alone, and reports each other use once", async () => {
    const bad = pageUrl("/c");
    const taken: Uint8Array[] = [];
    await withUses(
      (body) => {
        if (readReport(body).usage.some(({ url }) => url === bad)) {
          return REJECTED;
        }
        taken.push(body);
        return acceptReport(body);
      },
      { limits: { reportBatchSize: 100 } },
    );
    expect(await flush()).toMatchObject({ uses: 5, rejectedEntries: 1, stopped: null });
    expect(countTaken(taken)).toEqual(
      Object.fromEntries(PATHS.filter((path) => path !== "/c").map((path) => [pageUrl(path), 1])),
    );
    expect(await openItems()).toEqual([`rejected_entry ${bad}`]);
    expect(await usage()).toMatchObject({ reported: 5, rejected: 1 });
    const ids = texts().map((text) => JSON.parse(text).idempotencyId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("never rejects a single use for being too large", async () => {
    await withUses(() => ({ kind: "rejected", status: 413, detail: "too large" }), {
      limits: { reportBatchSize: 100 },
    });
    expect(await flush()).toMatchObject({ batches: 0, rejectedEntries: 0 });
    expect(await usage()).toMatchObject({ reported: 0, pending: 6 });
    expect(await openItems()).toEqual([]);
  });

  it("never halves a batch that was not answered", async () => {
    await withUses(() => SILENT, { limits: { reportBatchSize: 100 } });
    const flushed = await flush();
    expect(flushed.stopped).toContain("kept and sent again later");
    expect(new Set(texts()).size).toBe(1);
    expect(await usage()).toMatchObject({ reported: 0, pending: 6 });
  });

  it.each([401, 403])("stops at %i with one clear error and keeps everything", async (status) => {
    let answer: ReportAnswer = { kind: "unauthorized", status, detail: "unknown key" };
    await withUses((body) => (answer.kind === "unauthorized" ? answer : acceptReport(body)));
    const flushed = await flush();
    expect(flushed.stopped).toContain(`(${status})`);
    expect(flushed.stopped).toContain("nothing is lost");
    expect(flushed.refused).toBe(true);
    expect(texts()).toHaveLength(1);
    expect(await usage()).toMatchObject({ pending: 6, rejected: 0 });
    answer = SILENT;
    expect(await flush()).toMatchObject({ uses: 6, stopped: null });
    expect(texts().filter((text) => text === texts()[0])).toHaveLength(2);
    expect(new Set(texts()).size).toBe(2);
  });

  it.each([404, 405, 415])("treats %i for a first report as a wrong path", async (status) => {
    let isThere = false;
    await withUses((body) => (isThere ? acceptReport(body) : { kind: "rejected", status, detail: "no such thing" }));
    const flushed = await flush();
    expect(flushed).toMatchObject({ batches: 0, rejectedEntries: 0, refused: true });
    expect(flushed.stopped).toContain("nothing is lost");
    expect(texts()).toHaveLength(1);
    isThere = true;
    world().clock.advance(world().deps.limits.maxReportBackoffMs);
    expect(await flush()).toMatchObject({ uses: 6, stopped: null });
    expect(texts()[1]).toBe(texts()[0]);
    expect(await openItems()).toEqual([]);
  });

  it("knows which receipt is missing when the others come in another order", async () => {
    let missing = "";
    await withUses(
      (body) => {
        const answer = acceptReport(body);
        const [first, ...others] = answer.kind === "accepted" ? answer.receipts : [];
        missing = first?.url ?? "";
        return { kind: "accepted", receipts: others.reverse(), unreadable: 0 };
      },
      { limits: { reportBatchSize: 100 } },
    );
    expect(await flush()).toMatchObject({ batches: 1, uses: 6, stopped: null });
    expect(await openItems()).toEqual([`missing_receipt ${missing}`]);
  });

  it("counts a report as sent although its process died before the answer: a 409 then leaves it open", async () => {
    let hasDied = false;
    await withUses(
      (body, call) => {
        hasDied = true;
        return call === 2 ? { kind: "rejected", status: 409, detail: "this id is taken" } : acceptReport(body);
      },
      { limits: { reportBatchSize: 100 } },
    );
    const ledger = new Proxy(world().ledger, {
      get: (target, name) =>
        hasDied ? () => Promise.reject(new Error("the process was killed")) : Reflect.get(target, name),
    });
    await expect(flushUsage({ ...world().deps, ledger }, WAITING, NEVER)).rejects.toThrow("killed");
    expect(await flush()).toMatchObject({ batches: 1, uses: 6, rejectedEntries: 0, stopped: null });
    expect(new Set(texts()).size).toBe(1);
  });

  it("sends nothing when another process has its lease", async () => {
    await withUses(acceptReport);
    const { deps, clock } = world();
    const leaseMs = deps.limits.flushLeaseMs;
    const ledger = new Proxy(world().ledger, {
      get: (target, name) =>
        name === "freezeReport"
          ? async (request: Parameters<typeof target.freezeReport>[0]) => {
              const batch = await target.freezeReport(request);
              // Stopped here for so long that another process reports by now.
              clock.jump(leaseMs);
              await target.leaseFlusher({ now: clock.now(), leaseMs });
              return batch;
            }
          : Reflect.get(target, name),
    });
    expect(await flushUsage({ ...deps, ledger }, { attempts: 0, minUses: 1 }, NEVER)).toMatchObject({
      batches: 0,
      stopped: "another process is reporting",
    });
    expect(texts()).toEqual([]);
  });

  it("waits as long as a gateway asks, up to its limit", async () => {
    await withUses(
      (body, call) =>
        call === 1
          ? { kind: "unanswered", detail: "429", retryAfterMs: 30_000, mayBeTaken: false }
          : acceptReport(body),
      { limits: { reportBatchSize: 100 } },
    );
    const before = world().clock.now();
    expect(await flush()).toMatchObject({ stopped: null });
    expect(world().clock.now() - before).toBeGreaterThanOrEqual(30_000);
    expect(world().clock.now() - before).toBeLessThan(60_000);
  });

  it("ends even when the clock is set back while it waits", async () => {
    await withUses(() => {
      world().clock.turnBack(3_600_000);
      return SILENT;
    });
    expect((await flush()).stopped).not.toBeNull();
    expect(texts().length).toBeLessThanOrEqual(2 * (WAITING.attempts + 1));
  });

  it("reaches its limit also where each answer takes longer than the pause between two attempts", async () => {
    await withUses(() => {
      world().clock.jump(3_600_000);
      return SILENT;
    });
    expect(await flush({ attempts: 3, minUses: 1 })).toMatchObject({
      batches: 0,
      stopped: expect.stringMatching(/no usable/),
    });
    expect(texts().length).toBeLessThanOrEqual(2 * 3);
    expect(await usage()).toMatchObject({ reported: 0, pending: 6 });
  });

  it("does not wait at all with a limit of zero", async () => {
    await withUses(() => SILENT);
    const before = world().clock.now();
    expect((await flush({ attempts: 0, minUses: 1 })).stopped).not.toBeNull();
    expect(world().clock.now()).toBe(before);
  });

  it.each([
    [6, 1],
    [7, 0],
  ])("freezes a batch only when enough uses wait: with a minimum of %i of 6, it sends %i", async (minUses, batches) => {
    await withUses(acceptReport);
    expect(await flush({ attempts: 0, minUses })).toMatchObject({ batches, stopped: null });
  });

  it("stops when it is interrupted, and the next flush continues", async () => {
    const stop = new AbortController();
    await withUses((body) => {
      stop.abort();
      return acceptReport(body);
    });
    expect(await flush(WAITING, stop.signal)).toMatchObject({ batches: 1, stopped: "it was interrupted" });
    expect(await flush()).toMatchObject({ batches: 1, stopped: null });
    expect(await usage()).toMatchObject({ reported: 6, pending: 0 });
  });

  it("ends its wait at once when it is interrupted", async () => {
    const stop = new AbortController();
    await withUses(() => SILENT);
    const { deps, clock } = world();
    const work = flushUsage(deps, WAITING, stop.signal);
    while (clock.sleeping === 0) {
      await nextTurn();
    }
    stop.abort();
    expect(await work).toMatchObject({ stopped: "it was interrupted" });
    expect(clock.sleeping).toBe(0);
  });

  it("does not send a batch again by itself that was unanswered for longer than the window", async () => {
    await withUses(() => SILENT, { limits: { reportBatchSize: 100 } });
    await flush({ attempts: 0, minUses: 1 });
    world().clock.advance(world().deps.limits.reportWindowMs + 1);
    const sent = texts().length;
    expect(await flush()).toMatchObject({ batches: 0, stopped: null });
    expect(texts()).toHaveLength(sent);
    expect(await usage()).toMatchObject({ needsReconcile: 6 });
  });

  it("says when the receipts do not match, and stores them", async () => {
    await withUses(
      (body) => {
        const answer = acceptReport(body);
        return answer.kind === "accepted" ? { ...answer, receipts: answer.receipts.slice(1), unreadable: 1 } : answer;
      },
      { limits: { reportBatchSize: 100 } },
    );
    await flush();
    expect(world().said.filter(({ event }) => event === "warned")).toHaveLength(1);
    expect((await openItems()).map((item) => item.split(" ")[0]).sort()).toEqual([
      "missing_receipt",
      "surplus_receipt",
    ]);
    expect(await usage()).toMatchObject({ reported: 6 });
  });

  it.each<[string, FlushOptions, string | null]>([
    ["one that does not wait leaves at once", { attempts: 0, minUses: 1 }, "another process is reporting"],
    ["one that waits takes its turn and finds nothing left", WAITING, null],
  ])("allows one flusher at a time: %s", async (_name, options, stopped) => {
    await withUses(acceptReport);
    const [one, two] = await world().drive(
      Promise.all([flushUsage(world().deps, WAITING, NEVER), flushUsage(world().deps, options, NEVER)]),
    );
    expect([one?.stopped, two?.stopped]).toEqual([null, stopped]);
    expect(countTaken(world().gateway.requests("reportUsage"))).toEqual(
      Object.fromEntries(PATHS.map((path) => [pageUrl(path), 1])),
    );
  });

  it("keeps its lease while an answer takes longer than the lease lasts", async () => {
    let answer = () => {};
    await withUses(
      async (body) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return acceptReport(body);
      },
      { limits: { reportBatchSize: 100 } },
    );
    const { deps, clock, gateway } = world();
    const slow = flushUsage(deps, WAITING, NEVER);
    while (gateway.requests("reportUsage").length === 0) {
      await nextTurn();
    }
    const other = flushUsage(deps, WAITING, NEVER);
    // The answer that does not come is time, not a call that the clock must wait for.
    const ledgerIsIdle = () => world().pendingInLedger() === 0;
    expect(await clock.drive(other, ledgerIsIdle)).toMatchObject({ stopped: "another process is reporting" });
    answer();
    expect(await slow).toMatchObject({ batches: 1, stopped: null });
    expect(texts()).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  it("releases its lease when the ledger fails", async () => {
    await withUses(acceptReport);
    const ledger = new Proxy(world().ledger, {
      get: (target, name) =>
        name === "freezeReport"
          ? async () => {
              throw new Error("the disk is gone");
            }
          : Reflect.get(target, name),
    });
    await expect(flushUsage({ ...world().deps, ledger }, WAITING, NEVER)).rejects.toThrow("the disk is gone");
    expect(await flush()).toMatchObject({ uses: 6, stopped: null });
  });
});
