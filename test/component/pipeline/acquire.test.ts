import { afterEach, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/errors.ts";
import type { ContentTokenRequest } from "../../../src/gateway/gateway.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { createSlots } from "../../../src/pipeline/work/slots.ts";
import { readTotal } from "../../doubles/ledger-steps.ts";
import {
  contentAnswer,
  type GatewayScript,
  gatewayError,
  LICENSE,
  PRICE,
  REFUSED,
  UNAUTHORIZED,
} from "../../doubles/scripted-gateway.ts";
import { createStageWorld, NEVER, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const PATHS = ["/a", "/b", "/c"];

async function open(script: GatewayScript, options: WorldOptions = {}): Promise<string> {
  world = await createStageWorld({ ...options, script });
  return world.leasePurchases(PATHS);
}

const work = (leaseId: string, signal: AbortSignal = NEVER) => world.drive(acquire(world.deps, leaseId, signal));

/** Refuses the token of one page. */
const refuseToken =
  (path: string, code: ErrorCode) =>
  ({ url }: ContentTokenRequest) => {
    if (url === pageUrl(path)) {
      throw gatewayError(code);
    }
    return { token: `t-${url}`, expiresAt: world.clock.now() + 300_000 };
  };

async function openBatches(): Promise<number> {
  return (await world.ledger.readProgress({ runId: world.runId, now: world.clock.now() })).openBatches;
}

/** The batch as the next one finds it, after its wait. */
async function leaseAgain(): Promise<string> {
  const { nextReadyAt } = await world.ledger.readProgress({ runId: world.runId, now: world.clock.now() });
  world.clock.advance(Math.max(0, (nextReadyAt ?? 0) - world.clock.now()));
  return world.lease("acquire");
}

describe("the acquire stage", () => {
  it("buys each page at its quoted price, under its license, and finishes the batch", async () => {
    await work(await open({}));
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
    expect(await openBatches()).toBe(0);
    expect(world.gateway.requests("issueContentToken")[0]).toEqual({
      url: pageUrl("/a"),
      maxPrice: PRICE,
      licenseType: LICENSE.licenseType,
      licenseCuid: LICENSE.cuid,
      format: "markdown",
    });
    expect(world.clock.sleeping).toBe(0);
  });

  it("commits the start before it sends the chargeable request", async () => {
    const states: string[] = [];
    await work(
      await open({
        fetchContent: async ({ url }) => {
          states.push((await world.purchase(new URL(url).pathname))?.state ?? "none");
          return contentAnswer();
        },
      }),
    );
    expect(states).toEqual(["started", "started", "started"]);
  });

  it.each<ErrorCode>(["GATEWAY_REFUSED", "GATEWAY_FORBIDDEN", "GATEWAY_NOT_FOUND", "GATEWAY_FAILED"])(
    "releases a page whose token fails with %s, and buys the others",
    async (code) => {
      await work(await open({ issueContentToken: refuseToken("/b", code) }));
      expect(await world.ends(PATHS)).toEqual([
        "settled",
        `released ${code === "GATEWAY_FAILED" ? "token_failed" : "token_refused"}`,
        "settled",
      ]);
      expect(await openBatches()).toBe(0);
    },
  );

  it("throws a refused key and keeps every page reserved", async () => {
    const leaseId = await open({
      issueContentToken: () => {
        throw gatewayError("GATEWAY_UNAUTHORIZED");
      },
    });
    await expect(work(leaseId)).rejects.toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
    expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(0);
    expect(world.clock.sleeping).toBe(0);
    // Nobody holds it any more: a resumed run goes on at once.
    await leaseAgain();
  });

  it("throws a refused key although other pages of the batch failed in another way before", async () => {
    const leaseId = await open({
      issueContentToken: (_request, call) => {
        throw gatewayError(call === 1 ? "GATEWAY_TIMEOUT" : "GATEWAY_UNAUTHORIZED");
      },
    });
    await expect(work(leaseId)).rejects.toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
  });

  it.each<[ErrorCode, number]>([
    ["LEDGER_LOCKED", 3],
    ["DISK_FULL", 5],
    ["LEDGER_UNWRITABLE", 1],
  ])("keeps received content through %s, %i times", async (code, times) => {
    const leaseId = await open({});
    let failures = times;
    const ledger = new Proxy(world.ledger, {
      get: (target, name) =>
        name === "settlePurchase" && failures > 0
          ? async () => {
              failures--;
              throw gatewayError(code);
            }
          : Reflect.get(target, name),
    });
    await world.drive(acquire({ ...world.deps, ledger }, leaseId, NEVER));
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(PATHS.length);
  });

  it.each<[ErrorCode]>([["LEDGER_CORRUPT"], ["LEDGER_LOCKED"]])(
    "ends the run when the ledger fails for good with %s, and leaves the page started",
    async (code) => {
      const leaseId = await open({});
      const ledger = new Proxy(world.ledger, {
        get: (target, name) =>
          name === "settlePurchase" ? () => Promise.reject(gatewayError(code)) : Reflect.get(target, name),
      });
      await expect(world.drive(acquire({ ...world.deps, ledger }, leaseId, NEVER))).rejects.toMatchObject({ code });
      expect(await world.ends(PATHS)).toEqual(["started", "started", "started"]);
      expect(world.clock.sleeping).toBe(0);
    },
  );

  it("tries the rest again after a temporary failure, and releases the page after the last attempt", async () => {
    await work(await open({ issueContentToken: refuseToken("/b", "GATEWAY_TIMEOUT") }));
    expect(await world.ends(PATHS)).toEqual(["settled", "reserved", "settled"]);
    await work(await leaseAgain());
    await work(await leaseAgain());
    expect(await world.ends(PATHS)).toEqual(["settled", "released token_failed", "settled"]);
    expect(await openBatches()).toBe(0);
    expect(world.gateway.requests("fetchContent")).toHaveLength(2);
  });

  it("fails the run when the gateway stays unreachable, and keeps the pages", async () => {
    const leaseId = await open({
      issueContentToken: () => {
        throw gatewayError("GATEWAY_UNREACHABLE");
      },
    });
    await work(leaseId);
    await work(await leaseAgain());
    await expect(work(await leaseAgain())).rejects.toMatchObject({ code: "GATEWAY_UNREACHABLE" });
    expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
  });

  it("finishes started pages and leaves the rest reserved when it is stopped", async () => {
    const stop = new AbortController();
    const leaseId = await open({
      fetchContent: async () => {
        stop.abort();
        return contentAnswer();
      },
    });
    const slow = { ...world.deps, pageSlots: createSlots(1) };
    await world.drive(acquire(slow, leaseId, stop.signal));
    expect(await world.ends(PATHS)).toEqual(["settled", "reserved", "reserved"]);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(1);
    await work(await leaseAgain());
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
  });

  it("requests no more tokens than there are slots while the ledger is slow to commit a start", async () => {
    const leaseId = await open({});
    let commit = () => {};
    const slow = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const startPurchase: Ledger["startPurchase"] = (start) => slow.then(() => world.ledger.startPurchase(start));
    const ledger = new Proxy(world.ledger, {
      get: (target, name) => (name === "startPurchase" ? startPurchase : Reflect.get(target, name)),
    });
    const tokenSlots = createSlots(2);
    const done = acquire({ ...world.deps, ledger, tokenSlots }, leaseId, NEVER);
    while (world.gateway.requests("issueContentToken").length < 2 || world.pendingInLedger() > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(world.gateway.requests("issueContentToken")).toHaveLength(2);
    commit();
    await world.drive(done);
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
  });

  it("does not send a page whose token came after the stop", async () => {
    const stop = new AbortController();
    const leaseId = await open({
      issueContentToken: () => {
        stop.abort();
        return { token: "late", expiresAt: world.clock.now() + 300_000 };
      },
    });
    await work(leaseId, stop.signal);
    expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(0);
  });

  it("requests nothing under a lease that another worker has by now", async () => {
    const stale = await open({});
    world.clock.advance(world.deps.limits.leaseMs);
    await world.lease("acquire");
    const before = world.gateway.calls.length;
    await work(stale);
    expect(world.gateway.calls).toHaveLength(before);
    expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
  });

  it("sends nothing when the lease is lost between token and start", async () => {
    const stale = await open({
      issueContentToken: async () => {
        if (world.gateway.requests("issueContentToken").length === 1) {
          await world.ledger.returnBatch({ leaseId: stale, notBefore: world.clock.now() });
          await world.lease("acquire");
        }
        return { token: "t", expiresAt: world.clock.now() + 300_000 };
      },
    });
    await work(stale);
    expect(world.gateway.requests("fetchContent")).toHaveLength(0);
    expect(await world.ends(PATHS)).toEqual(["reserved", "reserved", "reserved"]);
  });

  it("starts no more pages when its lease cannot be renewed, and wakes nobody afterwards", async () => {
    const leaseId = await open({
      issueContentToken: async () => {
        // Longer than a renewal; by then another worker has the batch.
        await world.ledger.returnBatch({ leaseId, notBefore: world.clock.now() });
        await world.clock.sleep(world.deps.limits.leaseMs);
        return { token: "t", expiresAt: world.clock.now() + 300_000 };
      },
    });
    await world.clock.drive(acquire(world.deps, leaseId, NEVER), () => true);
    expect(world.gateway.requests("fetchContent")).toHaveLength(0);
    expect(world.clock.sleeping).toBe(0);
  });

  it("requests no more tokens once its lease is lost", async () => {
    const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
    world = await createStageWorld({
      limits: { acquireBatchSize: paths.length },
      script: {
        issueContentToken: async () => {
          if (world.gateway.requests("issueContentToken").length === 1) {
            await world.ledger.returnBatch({ leaseId, notBefore: world.clock.now() });
          }
          await world.clock.sleep(world.deps.limits.leaseMs);
          return { token: "t", expiresAt: world.clock.now() + 300_000 };
        },
      },
    });
    const leaseId = await world.leasePurchases(paths);
    await world.clock.drive(acquire(world.deps, leaseId, NEVER), () => true);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(world.deps.pageSlots.count);
    expect(await world.ends(paths)).toEqual(paths.map(() => "reserved"));
  });

  it("makes one chargeable request per page when two workers have the batch at once", async () => {
    const first = await open({});
    world.clock.advance(world.deps.limits.leaseMs);
    const second = await world.lease("acquire");
    await world.drive(Promise.all([acquire(world.deps, first, NEVER), acquire(world.deps, second, NEVER)]));
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(PATHS.length);
  });

  it("makes one chargeable request per page when two jobs use one lease from the start", async () => {
    const leaseId = await open({});
    await world.drive(Promise.all([acquire(world.deps, leaseId, NEVER), acquire(world.deps, leaseId, NEVER)]));
    expect(await world.ends(PATHS)).toEqual(["settled", "settled", "settled"]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(PATHS.length);
  });

  it("keeps content that arrives after another worker has released the page", async () => {
    let answer = (_content: ReturnType<typeof contentAnswer>) => {};
    const first = await open({
      fetchContent: (_request, call) =>
        call === 1
          ? new Promise((resolve) => {
              answer = resolve;
            })
          : UNAUTHORIZED,
    });
    const slow = acquire({ ...world.deps }, first, NEVER);
    while (world.gateway.requests("fetchContent").length < PATHS.length) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The second worker finds it started, and its probe says that the token was used up.
    world.clock.advance(world.deps.limits.leaseMs);
    const second = acquire(world.deps, await world.lease("acquire"), NEVER);
    await second;
    expect((await world.ends(PATHS))[0]).toBe("in_doubt token_spent");
    answer(contentAnswer());
    await slow;
    expect((await world.purchase("/a"))?.state).toBe("settled");
  });

  it("stops a site once when it forbids page after page", async () => {
    world = await createStageWorld({ script: { fetchContent: () => REFUSED(403) } });
    const paths = ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"];
    await work(await world.leasePurchases(paths));
    const { sites } = await world.ledger.readRun(world.runId);
    expect(sites[0]?.stop).toBe("not_enabled");
    expect(world.said.filter(({ event }) => event === "siteStopped")).toHaveLength(1);
    expect(await openBatches()).toBe(0);
    expect((await world.ends(paths)).every((end) => end.startsWith("released"))).toBe(true);
  });

  it("does not stop a site for forbidden pages when it allows others", async () => {
    world = await createStageWorld({
      script: { fetchContent: ({ url }) => (url === pageUrl("/a") ? contentAnswer() : REFUSED(403)) },
    });
    await work(await world.leasePurchases(["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"]));
    expect((await world.ledger.readRun(world.runId)).sites[0]?.stop).toBeNull();
  });

  it("fetches HTML once for both formats and derives the Markdown", async () => {
    await work(await open({}, { format: "both" }));
    expect(new Set(world.gateway.requests("fetchContent").map(({ format }) => format))).toEqual(new Set(["html"]));
    const [document] = await world.ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 1 });
    expect(document).toMatchObject({ html: "the article", markdown: "derived" });
  });

  it("settles a page before it derives anything from it", async () => {
    const leaseId = await open({}, { format: "both" });
    const states: (string | undefined)[] = [];
    const convert = async (_html: string, url: string) => {
      states.push((await world.purchase(new URL(url).pathname))?.state);
      return { ok: true as const, markdown: "derived" };
    };
    await world.drive(acquire({ ...world.deps, converter: { convert } }, leaseId, NEVER));
    expect(states).toEqual(["settled", "settled", "settled"]);
  });

  it("sets the gateway's fee aside with the price, and settles it on the charge", async () => {
    const charged = contentAnswer({ rate: { price: { ...PRICE, micros: toMicros(600) }, license: null } });
    // 10 % and 7 micros: 107 on the price of 1,000, and 67 on the 600 that are charged.
    const fee = { ratePpm: 100_000, fixed: { micros: toMicros(7), currency: "USD" } };
    const leaseId = await open({ fetchContent: () => charged }, { fee });
    const balance = () => readTotal(world.ledger);
    expect(await balance()).toMatchObject({ reservedMicros: 3 * 1_107, spentMicros: 0 });
    await work(leaseId);
    expect(await balance()).toMatchObject({ reservedMicros: 0, spentMicros: 3 * 667 });
  });

  it("settles the fee that was set aside, whatever is configured since", async () => {
    const leaseId = await open({}, { fee: { ratePpm: 100_000, fixed: null } });
    const dearer = { ratePpm: 900_000, fixed: null };
    await world.drive(acquire({ ...world.deps, fee: dearer }, leaseId, NEVER));
    const balance = await readTotal(world.ledger);
    expect(balance).toMatchObject({ reservedMicros: 0, spentMicros: 3 * 1_100 });
  });

  it("settles a page whose Markdown cannot be derived, with the reason", async () => {
    const leaseId = await open({}, { format: "both" });
    const converter = { convert: async () => ({ ok: false as const, reason: "too_deep", detail: "9,000 levels" }) };
    await world.drive(acquire({ ...world.deps, converter }, leaseId, NEVER));
    const [document] = await world.ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 1 });
    expect(document).toMatchObject({ html: "the article", markdown: null });
    expect(document?.conversionFailure).toContain("9,000 levels");
  });
});
