import { afterEach, describe, expect, it } from "vitest";
import type { ContentAnswer } from "../../../src/gateway/gateway.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { UNUSED_TOKENS_IN_A_ROW } from "../../../src/pipeline/settle/answer-streaks.ts";
import { NO_OUTAGES } from "../../../src/pipeline/work/outage-policy.ts";
import {
  contentAnswer,
  LIMITED,
  NEVER_SENT,
  REFUSED,
  SILENCE,
  TOKEN_LIFE_MS,
  UNAUTHORIZED,
} from "../../doubles/scripted-gateway.ts";
import { createStageWorld, LIMITS, NEVER, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const CONTENT = contentAnswer();
const PATHS = ["/a"];

/** Answers in order; the last one stays. */
const answering =
  (answers: readonly ContentAnswer[]) =>
  (_request: unknown, call: number): ContentAnswer =>
    answers[Math.min(call, answers.length) - 1] as ContentAnswer;

async function acquireOne(answers: readonly ContentAnswer[], options: WorldOptions = {}): Promise<string> {
  world = await createStageWorld({ ...options, script: { fetchContent: answering(answers) } });
  await world.drive(acquire(world.deps, await world.leasePurchases(PATHS), NEVER));
  return (await world.ends(PATHS))[0] as string;
}

/** The same, for a purchase that a killed process had started. */
async function recoverOne(
  answers: readonly ContentAnswer[],
  { lateMs = 0 }: { readonly lateMs?: number } = {},
): Promise<string> {
  world = await createStageWorld({ script: { fetchContent: answering(answers) } });
  await startAndDie(world, await world.leasePurchases(PATHS));
  world.clock.advance(LIMITS.leaseMs + lateMs);
  await world.drive(acquire(world.deps, await world.lease("acquire"), NEVER));
  return (await world.ends(PATHS))[0] as string;
}

async function startAndDie({ ledger, clock }: StageWorld, leaseId: string): Promise<void> {
  for (const { purchaseId } of (await ledger.openAcquireBatch(leaseId))?.purchases ?? []) {
    const token = { token: "token-of-the-dead", expiresAt: clock.now() + TOKEN_LIFE_MS };
    expect(await ledger.startPurchase({ leaseId, purchaseId, token, now: clock.now() })).toBe(true);
  }
}

const repeat = (token: string, times: number) => Array.from({ length: times }, () => token);

const ALL_PROBES = LIMITS.probes + 1;

describe("a page bought in this process", () => {
  it.each<[string, readonly ContentAnswer[], string, number]>([
    ["content settles", [CONTENT], "settled", 1],
    ["a refusal releases", [REFUSED(400)], "released content_refused", 1],
    ["403 releases", [REFUSED(403)], "released content_refused", 1],
    ["404 releases", [REFUSED(404)], "released content_refused", 1],
    ["401 at first is a definite no", [UNAUTHORIZED], "released content_refused", 1],
    ["401 after silence means that the token was used up", [SILENCE, UNAUTHORIZED], "in_doubt token_spent", 2],
    ["400 after silence may mean the same", [SILENCE, REFUSED(400)], "in_doubt token_spent", 2],
    ["400 after a request that never left is a definite no", [NEVER_SENT, REFUSED(400)], "released content_refused", 2],
    ["401 after a request that never left is a definite no", [NEVER_SENT, UNAUTHORIZED], "released content_refused", 2],
    ["content on a probe settles", [SILENCE, SILENCE, CONTENT], "settled", 3],
    ["content after 429 settles", [LIMITED(1_000), CONTENT], "settled", 2],
    ["404 on a probe releases", [SILENCE, REFUSED(404)], "released content_refused", 2],
    ["413 at first releases", [REFUSED(413)], "released content_refused", 1],
    [
      "413 after silence says nothing: the token does",
      [SILENCE, REFUSED(413), UNAUTHORIZED],
      "in_doubt token_spent",
      3,
    ],
    ["content after silence and 413 settles", [SILENCE, REFUSED(413), CONTENT], "settled", 3],
    ["413 for ever after silence is in doubt", [SILENCE, REFUSED(413)], "in_doubt unanswered", ALL_PROBES],
    ["lasting silence is in doubt", [SILENCE], "in_doubt unanswered", ALL_PROBES],
    ["never sent is released", [NEVER_SENT], "released never_sent", ALL_PROBES],
    ["one sent among the unsent is in doubt", [NEVER_SENT, SILENCE, NEVER_SENT], "in_doubt unanswered", ALL_PROBES],
    ["429 for ever is released", [LIMITED(null)], "released rate_limited", ALL_PROBES],
    ["429 after silence is in doubt", [SILENCE, LIMITED(null)], "in_doubt unanswered", ALL_PROBES],
    ["Retry-After within the token's life is waited for", [LIMITED(TOKEN_LIFE_MS - 1), CONTENT], "settled", 2],
    [
      "silence, then Retry-After beyond the token's life, is in doubt",
      [SILENCE, LIMITED(TOKEN_LIFE_MS)],
      "in_doubt token_expired",
      2,
    ],
  ])("%s", async (_name, answers, end, requests) => {
    expect(await acquireOne(answers)).toBe(end);
    expect(world.gateway.requests("fetchContent")).toHaveLength(requests);
    expect(new Set(world.gateway.requests("fetchContent").map(({ token }) => token))).toEqual(new Set(["token-1"]));
    expect(world.gateway.requests("issueContentToken")).toHaveLength(1);
    expect(world.clock.sleeping).toBe(0);
  });
});

describe("an outage", () => {
  const isAway = (count: number) => {
    let left = count;
    return { ...NO_OUTAGES, isAway: async () => left-- > 0 };
  };
  const AGAIN = 3;
  const ALWAYS = Number.POSITIVE_INFINITY;

  it.each<[string, readonly ContentAnswer[], number, string, number]>([
    [
      "content after it settles",
      [...Array(ALL_PROBES + AGAIN).fill(SILENCE), CONTENT],
      ALWAYS,
      "settled",
      ALL_PROBES + AGAIN + 1,
    ],
    [
      "an outage that is over ends the probes of a page without an answer",
      [SILENCE],
      AGAIN,
      "in_doubt unanswered",
      ALL_PROBES + AGAIN,
    ],
    ["429 is an answer", [SILENCE, LIMITED(null)], ALWAYS, "in_doubt unanswered", ALL_PROBES],
  ])("%s", async (_name, answers, outages, end, requests) => {
    world = await createStageWorld({ script: { fetchContent: answering(answers) } });
    const deps = { ...world.deps, outagePolicy: isAway(outages) };
    await world.drive(acquire(deps, await world.leasePurchases(PATHS), NEVER));
    expect(await world.ends(PATHS)).toEqual([end]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(requests);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(1);
  });

  it("is not waited for longer than the token lives", async () => {
    world = await createStageWorld({ script: { fetchContent: () => SILENCE } });
    const begun = world.clock.now();
    const deps = { ...world.deps, outagePolicy: isAway(ALWAYS) };
    await world.drive(acquire(deps, await world.leasePurchases(PATHS), NEVER));
    expect(await world.ends(PATHS)).toEqual(["in_doubt token_expired"]);
    expect(world.clock.now() - begun).toBeLessThanOrEqual(TOKEN_LIFE_MS);
  });

  it.each([
    ["leaves a page started whose request may have been sent", SILENCE, "started", "settled"],
    ["reserves a page anew whose request was never sent", NEVER_SENT, "reserved", "reserved"],
  ])("when the run stops, it %s", async (_name, answer, left, end) => {
    const stop = new AbortController();
    world = await createStageWorld();
    world.gateway.script.fetchContent = (_request: unknown, call: number) => {
      if (call === ALL_PROBES + AGAIN) {
        stop.abort();
      }
      return answer;
    };
    const deps = { ...world.deps, outagePolicy: isAway(ALWAYS) };
    await world.drive(acquire(deps, await world.leasePurchases(PATHS), stop.signal));
    expect(await world.ends(PATHS)).toEqual([left]);
    expect(world.gateway.requests("fetchContent")).toHaveLength(ALL_PROBES + AGAIN);
    if (left === "started") {
      world.gateway.script.fetchContent = () => CONTENT;
      world.clock.advance(LIMITS.leaseMs);
      await world.drive(acquire(world.deps, await world.lease("acquire"), NEVER));
    }
    expect(await world.ends(PATHS)).toEqual([end]);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(1);
  });
});

describe("a token that was certainly not used, and cannot be used any more", () => {
  const LONG_REST = LIMITED(TOKEN_LIFE_MS);
  const HELD_BACK: ContentAnswer = { kind: "unauthorized", detail: "expired", requestId: null, waitedMs: 1_000 };
  const EXPIRED: ContentAnswer = { kind: "unanswered", reason: "expired", sent: false, detail: "it expired" };

  it.each<[string, readonly ContentAnswer[], string, readonly string[]]>([
    ["Retry-After beyond its life", [LONG_REST, CONTENT], "settled", ["token-1", "token-2"]],
    ["401 after 429", [LIMITED(null), UNAUTHORIZED, CONTENT], "settled", ["token-1", "token-1", "token-2"]],
    ["401 after a long wait for its turn", [HELD_BACK, CONTENT], "settled", ["token-1", "token-2"]],
    ["two rests", [LONG_REST, LONG_REST, CONTENT], "settled", ["token-1", "token-2", "token-3"]],
    ["401 at once for the second one", [LONG_REST, UNAUTHORIZED], "released content_refused", ["token-1", "token-2"]],
    ["silence after the second one", [LONG_REST, SILENCE], "in_doubt unanswered", ["token-1", ...repeat("token-2", 5)]],
  ])("leaves its page to another purchase, with another token: %s", async (_name, answers, end, tokens) => {
    expect(await acquireOne(answers)).toBe(end);
    expect(world.gateway.requests("fetchContent").map(({ token }) => token)).toEqual(tokens);
    const purchases = (await world.ledger.readPage(pageUrl("/a")))?.purchases ?? [];
    const unused = purchases.filter(({ reason }) => reason === "token_unused");
    expect(purchases).toHaveLength(new Set(tokens).size);
    expect(unused).toHaveLength(new Set(tokens).size - 1);
  });

  it("is one that expired before its turn: the gate is told when", async () => {
    world = await createStageWorld({
      script: { fetchContent: ({ expiresAt = null }, call) => (call === 1 ? toExpired(expiresAt) : CONTENT) },
    });
    const toExpired = (expiresAt: number | null): ContentAnswer => {
      world.clock.jump((expiresAt ?? 0) - world.clock.now());
      return EXPIRED;
    };
    await world.drive(acquire(world.deps, await world.leasePurchases(PATHS), NEVER));
    expect(await world.ends(PATHS)).toEqual(["settled"]);
  });

  it.each<[string, readonly ContentAnswer[], string]>([
    ["silence, then Retry-After beyond its life", [SILENCE, LONG_REST], "in_doubt token_expired"],
    ["silence, then 401 after 429", [SILENCE, LIMITED(null), UNAUTHORIZED], "in_doubt token_spent"],
    ["silence, then 401 after a long wait", [SILENCE, HELD_BACK], "in_doubt token_spent"],
  ])("is not one that may have been sent: %s", async (_name, answers, end) => {
    expect(await acquireOne(answers)).toBe(end);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(1);
    // Only the gateway can say what became of the first attempt, however late.
    expect(world.gateway.requests("fetchContent").map(({ expiresAt }) => expiresAt === null)).toEqual(
      answers.map((_answer, index) => index > 0),
    );
  });

  it.each<[string, ContentAnswer, string]>([
    ["429", LONG_REST, "released rate_limited"],
    ["401 after a wait", HELD_BACK, "released content_refused"],
  ])("is asked for so often and no more: %s for ever", async (_name, answer, end) => {
    expect(await acquireOne([answer])).toBe(end);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(UNUSED_TOKENS_IN_A_ROW);
    expect((await world.ledger.readRun(world.runId)).pages).toMatchObject({ approved: 1, failed: 1, open: 0 });
  });

  // As when the clock jumps by an hour: the leases and the token have expired for this process, and for the gateway nothing has.
  it.each<[string, ContentAnswer]>([
    ["expired before its turn", EXPIRED],
    ["a rest beyond its life", LONG_REST],
    ["401", UNAUTHORIZED],
  ])("is left to the worker that has the batch by now: %s", async (_name, answer) => {
    const leases: string[] = [];
    world = await createStageWorld({
      script: {
        fetchContent: async (_request, call) => {
          if (call === 1) {
            world.clock.jump(Math.max(LIMITS.leaseMs, TOKEN_LIFE_MS));
            leases.push(await world.lease("acquire"));
          }
          return call === 1 ? answer : CONTENT;
        },
      },
    });
    await world.drive(acquire(world.deps, await world.leasePurchases(PATHS), NEVER));
    expect(await world.ends(PATHS)).toEqual(["started"]);
    await world.drive(acquire(world.deps, leases[0] as string, NEVER));
    expect(await world.ends(PATHS)).toEqual(["settled"]);
    expect(world.gateway.requests("fetchContent").map(({ token }) => token)).toEqual(["token-1", "token-1"]);
  });
});

describe("a page found started after a crash", () => {
  it.each<[string, readonly ContentAnswer[], string]>([
    ["content settles", [CONTENT], "settled"],
    ["401 means that the token was used up", [UNAUTHORIZED], "in_doubt token_spent"],
    ["a refusal releases", [REFUSED(404)], "released content_refused"],
    ["lasting silence is in doubt", [SILENCE], "in_doubt unanswered"],
    ["an unreachable gateway leaves it in doubt", [NEVER_SENT], "in_doubt unanswered"],
    ["429 for ever leaves it in doubt", [LIMITED(null)], "in_doubt unanswered"],
  ])("%s, with the stored token", async (_name, answers, end) => {
    expect(await recoverOne(answers)).toBe(end);
    expect(new Set(world.gateway.requests("fetchContent").map(({ token }) => token))).toEqual(
      new Set(["token-of-the-dead"]),
    );
    expect(world.gateway.requests("issueContentToken")).toHaveLength(0);
  });

  it.each<[string, readonly ContentAnswer[], string]>([
    ["400 may mean that the token is used up", [REFUSED(400)], "in_doubt token_spent"],
    ["401 after the token's life is token_expired", [UNAUTHORIZED], "in_doubt token_expired"],
    ["silence after the token's life is not probed again", [SILENCE], "in_doubt token_expired"],
    ["content after the token's life is kept all the same", [CONTENT], "settled"],
  ])("%s", async (_name, answers, end) => {
    expect(await recoverOne(answers, { lateMs: TOKEN_LIFE_MS })).toBe(end);
    expect(world.gateway.requests("fetchContent")).toHaveLength(1);
  });
});

describe("a worker that was stopped for longer than its lease", () => {
  /** It sends its first request when another worker has sent the same one already, without an answer. */
  async function sendLate(lateAnswers: readonly ContentAnswer[]): Promise<string> {
    let answerLate = (_answer: ContentAnswer) => {};
    const late = answering(lateAnswers);
    let lateCalls = 0;
    world = await createStageWorld();
    const { gateway, deps, clock, isIdle } = world;
    const delayed = {
      ...deps,
      gateway: {
        ...gateway,
        fetchContent: (request: Parameters<typeof gateway.fetchContent>[0]) => {
          lateCalls++;
          return lateCalls === 1
            ? new Promise<ContentAnswer>((resolve) => {
                answerLate = resolve;
              })
            : Promise.resolve(late(request, lateCalls));
        },
      },
    };
    // The other worker is still waiting when the late one is done.
    gateway.script.fetchContent = answering([SILENCE, LIMITED(TOKEN_LIFE_MS / 2), UNAUTHORIZED]);
    const first = acquire(delayed, await world.leasePurchases(PATHS), NEVER);
    while (lateCalls === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Its timers were delayed as well: nothing renewed the lease.
    clock.jump(LIMITS.leaseMs);
    const second = acquire(deps, await world.lease("acquire"), NEVER);
    while (gateway.requests("fetchContent").length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    answerLate(late(undefined, 1));
    await clock.drive(Promise.all([first, second]), isIdle);
    return (await world.ends(PATHS))[0] as string;
  }

  it.each<[string, readonly ContentAnswer[], string]>([
    ["does not take a 401 for a definite no", [UNAUTHORIZED], "in_doubt token_spent"],
    ["does not say that nothing was sent", [NEVER_SENT], "in_doubt token_spent"],
    ["keeps content that comes all the same", [CONTENT], "settled"],
  ])("%s", async (_name, answers, end) => {
    expect(await sendLate(answers)).toBe(end);
  });

  it("does not take a 401 for a definite no before it notices that its lease is lost", async () => {
    world = await createStageWorld({ script: { fetchContent: () => UNAUTHORIZED } });
    const { ledger, deps } = world;
    const isStolen = { ...ledger, renewLease: async () => false };
    await world.drive(acquire({ ...deps, ledger: isStolen }, await world.leasePurchases(PATHS), NEVER));
    expect(await world.ends(PATHS)).toEqual(["started"]);
  });
});

describe("what is charged", () => {
  it("counts the quote when the gateway omits the price", async () => {
    expect(await acquireOne([contentAnswer({ rate: null })])).toBe("settled");
    expect((await world.purchase("/a"))?.chargedMicros).toBe(1_000);
  });

  it("stops the site when more was charged than quoted, and says so", async () => {
    const dear = contentAnswer({ rate: { price: { micros: 5_000 as never, currency: "USD" }, license: null } });
    expect(await acquireOne([dear])).toBe("settled");
    expect((await world.purchase("/a"))?.chargedMicros).toBe(5_000);
    expect(world.said.map(({ event }) => event)).toContain("siteStopped");
    expect((await world.ledger.readRun(world.runId)).sites[0]?.stop).toBe("overcharged");
  });
});

describe("an indexing fetch", () => {
  const indexing = (answers: readonly ContentAnswer[]) => acquireOne(answers, { intent: "indexing" });

  it.each<[string, readonly ContentAnswer[], string]>([
    ["content settles", [CONTENT], "settled"],
    ["a refusal releases", [REFUSED(400)], "released content_refused"],
    ["401 is answered with a fresh token", [UNAUTHORIZED, CONTENT], "settled"],
    ["silence is answered with a fresh token", [SILENCE, UNAUTHORIZED, CONTENT], "settled"],
    ["lasting silence is released, never in doubt", [SILENCE], "released content_refused"],
    ["lasting 401 is released, never in doubt", [UNAUTHORIZED], "released content_refused"],
    ["a gateway that is gone leaves nothing in doubt", [NEVER_SENT], "released content_refused"],
  ])("%s", async (_name, answers, end) => {
    expect(await indexing(answers)).toBe(end);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(0);
    expect(world.gateway.requests("fetchContent").length).toBeLessThanOrEqual(2 * ALL_PROBES);
  });

  it("waits for a gateway that asks for rests longer than its tokens live, and not for ever", async () => {
    expect(await indexing([SILENCE, ...Array.from({ length: 6 }, () => LIMITED(null)), CONTENT])).toBe("settled");
    await world.close();
    expect(await indexing([SILENCE, LIMITED(null)])).toBe("released content_refused");
    expect(world.gateway.requests("fetchContent").length).toBeLessThanOrEqual(2 * ALL_PROBES);
  });

  it("never sends a token again that may have been used", async () => {
    await indexing([SILENCE, SILENCE, CONTENT]);
    const tokens = world.gateway.requests("fetchContent").map(({ token }) => token);
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});
