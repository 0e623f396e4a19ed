import { afterEach, describe, expect, it } from "vitest";
import type { ReportAnswer } from "../../../src/gateway/gateway.ts";
import { acceptReport, readReport } from "../../doubles/scripted-gateway.ts";
import { createUse, recordUses } from "../../doubles/usage-outbox-driver.ts";
import { countTaken, flush, openItems, REJECTED, SILENT, texts, usage, withUses, world } from "./reporting.ts";
import { pageUrl } from "./stage-world.ts";

afterEach(() => world().close());

describe("a refused report", () => {
  it.each([400, 404, 409, 410, 413, 422])(
    "is never ended or halved on %i after an unanswered attempt",
    async (status) => {
      const answers: readonly ReportAnswer[] = [SILENT, { kind: "rejected", status, detail: "no" }];
      await withUses((body, call) => answers[call - 1] ?? acceptReport(body), { limits: { reportBatchSize: 100 } });
      expect(await flush()).toMatchObject({ batches: 1, uses: 6, rejectedEntries: 0, stopped: null });
      expect(new Set(texts()).size).toBe(1);
      expect(await usage()).toMatchObject({ reported: 6, pending: 0 });
    },
  );

  it("is left to a person if it is refused repeatedly after an unanswered attempt, once its window is over", async () => {
    await withUses((_body, call) => (call === 1 ? SILENT : REJECTED), { limits: { reportBatchSize: 100 } });
    await flush();
    expect(await usage()).toMatchObject({ pending: 6, rejected: 0, needsReconcile: 0 });
    world().clock.advance(world().deps.limits.reportWindowMs + 1);
    expect(await flush()).toMatchObject({ batches: 0, rejectedEntries: 0 });
    expect(await usage()).toMatchObject({ pending: 0, rejected: 0, needsReconcile: 6 });
    expect(new Set(texts()).size).toBe(1);
  });

  it.each([409, 413, 422])(
    "is left to a person on %i after an unanswered attempt, also with a single use",
    async (status) => {
      await withUses((_body, call) => (call === 1 ? SILENT : { kind: "rejected", status, detail: "no" }), {}, ["/a"]);
      await flush();
      world().clock.advance(world().deps.limits.reportWindowMs + 1);
      expect(await flush()).toMatchObject({ batches: 0, rejectedEntries: 0 });
      expect(await usage()).toMatchObject({ pending: 0, rejected: 0, needsReconcile: 1 });
    },
  );

  it("is halved on its first answer, after attempts that certainly did not arrive", async () => {
    const unsent: ReportAnswer = { kind: "unanswered", detail: "refused", retryAfterMs: null, mayBeTaken: false };
    await withUses(
      (body, call) => (call <= 2 ? unsent : readReport(body).usage.length > 3 ? REJECTED : acceptReport(body)),
      { limits: { reportBatchSize: 100 } },
    );
    expect(await flush()).toMatchObject({ batches: 2, uses: 6, rejectedEntries: 0, stopped: null });
    expect(texts().map((text) => JSON.parse(text).usage.length)).toEqual([6, 6, 6, 3, 3]);
  });

  it.each<[string, ReportAnswer]>([
    ["a refused connection", { kind: "unanswered", detail: "no", retryAfterMs: null, mayBeTaken: false }],
    ["401", { kind: "unauthorized", status: 401, detail: "unknown key" }],
    ["403", { kind: "unauthorized", status: 403, detail: "not enabled" }],
    ["405", { kind: "rejected", status: 405, detail: "no such method" }],
  ])("is kept without a time limit if it only got %s", async (_name, refusal) => {
    let answer = (_body: Uint8Array): ReportAnswer => refusal;
    await withUses((body) => answer(body), { limits: { reportBatchSize: 100 } });
    for (let day = 0; day < 3; day++) {
      await flush({ attempts: 2, minUses: 1 });
      world().clock.advance(world().deps.limits.reportWindowMs + 1);
    }
    expect(await usage()).toMatchObject({ pending: 6, needsReconcile: 0 });
    answer = acceptReport;
    expect(await flush()).toMatchObject({ batches: 1, uses: 6, stopped: null });
    expect(new Set(texts()).size).toBe(1);
  });

  it("is not ended because the clock was moved while it was reported", async () => {
    await withUses(
      (body, call) => {
        world().clock.jump(call === 1 ? 2 * world().deps.limits.reportWindowMs : 0);
        return call === 1 ? SILENT : acceptReport(body);
      },
      { limits: { reportBatchSize: 100 } },
    );
    expect(await flush()).toMatchObject({ batches: 1, uses: 6, stopped: null });
  });

  it("has a window that starts no later than now, also if the clock was ahead at the first unanswered attempt", async () => {
    await withUses(() => SILENT, { limits: { reportBatchSize: 100 } });
    world().clock.advance(10 * world().deps.limits.reportWindowMs);
    await flush({ attempts: 1, minUses: 1 });
    world().clock.turnBack(10 * world().deps.limits.reportWindowMs);
    await flush({ attempts: 0, minUses: 1 });
    world().clock.advance(world().deps.limits.reportWindowMs + 1);
    await flush({ attempts: 0, minUses: 1 });
    expect(await usage()).toMatchObject({ needsReconcile: 6 });
  });

  it.each([401, 403, 404, 405])("does not stop the others when a known id is only answered with %i", async (status) => {
    await withUses(
      (body, call) => {
        const isFirst = texts()[0] === new TextDecoder().decode(body);
        const refusal: ReportAnswer =
          status < 404
            ? { kind: "unauthorized", status, detail: "id used" }
            : { kind: "rejected", status, detail: "id used" };
        return !isFirst ? acceptReport(body) : call === 1 ? SILENT : refusal;
      },
      { limits: { reportBatchSize: 4 } },
    );
    await flush({ attempts: 2, minUses: 1 });
    expect(await usage()).toMatchObject({ reported: 2, pending: 4 });
    expect(new Set(texts()).size).toBe(2);
  });

  it("stops reporting where the first uses sent alone are all refused, keeps everything, and is sent after the fix", async () => {
    let isFixed = false;
    const paths = Array.from({ length: 40 }, (_, index) => `/n/${index}`);
    const limits = { reportBatchSize: 100, acquireBatchSize: 100, quoteBatchSize: 100 };
    await withUses((body) => (isFixed ? acceptReport(body) : REJECTED), { limits }, paths);
    const flushed = await flush();
    expect(flushed).toMatchObject({ batches: 0, rejectedEntries: 0, refused: true, allRefused: true });
    expect(flushed.stopped).toContain("All uses are kept");
    expect(texts().length).toBeLessThanOrEqual(20);
    expect(await usage()).toMatchObject({ pending: 40, rejected: 0 });
    expect(await openItems()).toEqual([]);
    const before = texts().length;
    expect(await flush()).toMatchObject({ allRefused: true });
    expect(texts().length - before).toBeLessThanOrEqual(20);
    isFixed = true;
    const taken = texts().length;
    expect(await flush()).toMatchObject({ uses: 40, stopped: null });
    expect(countTaken(world().gateway.requests("reportUsage").slice(taken))).toEqual(
      Object.fromEntries(paths.map((path) => [pageUrl(path), 1])),
    );
  });

  it("rejects neighbouring uses, however many, once anything else was taken", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/n/${index}`);
    const bad = new Set(paths.slice(10).map((path) => pageUrl(path)));
    const limits = { reportBatchSize: 100, acquireBatchSize: 100, quoteBatchSize: 100 };
    await withUses(
      (body) => (readReport(body).usage.some(({ url }) => bad.has(url)) ? REJECTED : acceptReport(body)),
      { limits },
      paths,
    );
    expect(await flush()).toMatchObject({ uses: 10, rejectedEntries: 10, stopped: null, allRefused: false });
    expect(await usage()).toMatchObject({ reported: 10, rejected: 10, pending: 0 });
  });

  it("is followed by other uses in the next flush, where the first uses sent alone were all refused", async () => {
    const bad = new Set(["/c", "/d", "/e", "/f"].map((path) => pageUrl(path)));
    await withUses((body) => (readReport(body).usage.some(({ url }) => bad.has(url)) ? REJECTED : acceptReport(body)), {
      limits: { reportBatchSize: 100 },
    });
    expect(await flush()).toMatchObject({ batches: 0, allRefused: true });
    expect(await flush()).toMatchObject({ uses: 2, rejectedEntries: 4, stopped: null, allRefused: false });
    expect(await usage()).toMatchObject({ reported: 2, rejected: 4, pending: 0 });
  });

  it("is rejected where all uses that are left are of one page, in however many reports", async () => {
    const unsent: ReportAnswer = { kind: "unanswered", detail: "refused", retryAfterMs: null, mayBeTaken: false };
    let answer: ReportAnswer = unsent;
    await withUses(() => answer, {}, ["/a"]);
    await flush({ attempts: 1, minUses: 1 });
    for (const key of ["1", "2", "3"]) {
      const now = world().clock.now();
      await recordUses(world().ledger, [createUse("/a", { key, url: pageUrl("/a"), usedAt: now })], { now });
      await flush({ attempts: 1, minUses: 1 });
    }
    expect(new Set(texts()).size).toBe(4);
    answer = REJECTED;
    expect(await flush()).toMatchObject({ rejectedEntries: 4, stopped: null, allRefused: false });
    expect(await usage()).toMatchObject({ rejected: 4, pending: 0 });
  });

  it("is reported again on request if it was rejected, and never if it was taken", async () => {
    let isFixed = false;
    const bad = pageUrl("/c");
    await withUses(
      (body) => (!isFixed && readReport(body).usage.some(({ url }) => url === bad) ? REJECTED : acceptReport(body)),
      { limits: { reportBatchSize: 100 } },
    );
    await flush();
    isFixed = true;
    const before = texts().length;
    expect(await world().ledger.retryRejected({ now: world().clock.now() })).toEqual({ uses: 1 });
    expect(await world().ledger.retryRejected({ now: world().clock.now() })).toEqual({ uses: 0 });
    expect(await openItems()).toEqual([]);
    expect(await flush()).toMatchObject({ uses: 1, rejectedEntries: 0, stopped: null });
    expect(countTaken(world().gateway.requests("reportUsage").slice(before))).toEqual({ [bad]: 1 });
    expect(await usage()).toMatchObject({ reported: 6, rejected: 0, pending: 0 });
  });
});
