import { afterEach, describe, expect, it } from "vitest";
import type { DeliveryRecord, Gateway, HistoryRequest } from "../../../../src/gateway/gateway.ts";
import { createHintSignal } from "../../../../src/serve/webhooks/hint-signal.ts";
import { sweepHistory } from "../../../../src/serve/webhooks/history-sweep.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";
import { createHint } from "../../../doubles/hint-driver.ts";
import { BUDGET, createRunWorld, type RunWorld } from "../runs/run-world.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOOK = "https://agent.example/webhooks/main";
const log = { debug: () => {}, info: () => {}, warn: () => {} };
const never = new AbortController().signal;

let world: RunWorld;
let clock: ReturnType<typeof createFakeClock>;
let records: DeliveryRecord[] = [];
const asked: HistoryRequest[] = [];
afterEach(async () => {
  asked.length = 0;
  records = [];
  await world.close();
});

/** @param pages how the gateway cuts its records into pages: with empty ones between, and a token that comes again at the end */
async function open(answer = pageOfTwo): Promise<void> {
  clock = createFakeClock(NOON);
  const listHistory = async (request: HistoryRequest) => {
    asked.push(request);
    return answer(request);
  };
  world = await createRunWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1 }] },
    config: {
      budgets: [BUDGET],
      sites: [{ host: "news.example", policy: "standard", exclude: ["/tag/**"] }],
      webhooks: [{ id: "main", path: "/webhooks/main", url: HOOK, secret: "s" }],
      history: { overlap: "1h" },
    },
    adapt: (resources) => ({ ...resources, clock, gateway: async () => ({ listHistory }) as unknown as Gateway }),
  });
}

function pageOfTwo({ nextToken }: HistoryRequest) {
  const from = Number(nextToken ?? 0);
  // Every second page is empty, and the last token comes again and again.
  const items = from % 2 === 0 ? records.slice(from, from + 2) : [];
  return { items, nextToken: String(Math.min(from + 1, records.length + 1)) };
}

function record(path: string, terms: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    subscriptionId: "sub-1",
    contentUrl: `https://news.example${path}`,
    deliveryUrl: HOOK,
    eventType: "UPDATE",
    lastAttempt: new Date(clock.now() - MINUTE).toISOString(),
    lastStatus: 503,
    numAttempts: 1,
    ...terms,
  };
}

const sweep = () => {
  const { resources } = world;
  return sweepHistory({ config: resources.config, resources, log, hintSignal: createHintSignal() }, never);
};
const read = async () => {
  const ledger = await world.resources.ledger("existing");
  return { sweep: await ledger.readSweep(), waiting: (await ledger.readHintWork())[0]?.waiting ?? 0 };
};

describe("a reading of the delivery records", () => {
  it("admits what never arrived, once, and nothing else", async () => {
    await open();
    const ledger = await world.resources.ledger("existing");
    await ledger.recordHints({ hints: [createHint("/arrived")], now: NOON - MINUTE });
    records = [
      record("/arrived", { lastStatus: 200 }),
      record("/lost"),
      record("/other", { deliveryUrl: "https://staging.example/webhooks/main" }),
      record("/slash", { deliveryUrl: "https://AGENT.example:443/webhooks/main/" }),
      record("/tag/x"),
      record("/answered-by-another", { lastStatus: 204, eventType: "CREATE" }),
      record("/unreadable", { eventType: "DELETE" }),
      { ...record("/elsewhere"), contentUrl: "https://other.example/a" },
    ];
    await sweep();
    expect(await read()).toEqual({
      waiting: 4,
      sweep: expect.objectContaining({ coveredUntil: NOON, sweeps: 1, records: 8, admitted: 3, failures: 0 }),
    });
    await sweep();
    expect((await read()).sweep).toMatchObject({ sweeps: 2, admitted: 3 });
  });

  it("reaches back over the time that nobody read, and a day more", async () => {
    await open();
    await sweep();
    expect(asked[0]?.daysAgo).toBe(3);
    clock.advance(5 * DAY);
    asked.length = 0;
    records = [record("/lost", { lastAttempt: new Date(NOON + HOUR).toISOString() })];
    await sweep();
    expect(asked[0]?.daysAgo).toBe(7);
    expect(await read()).toMatchObject({ waiting: 1, sweep: { coveredUntil: NOON + 5 * DAY } });
  });

  it("that fails is counted, moves nothing, and the next one reads the same again", async () => {
    let isDown = true;
    await open((request) => {
      if (isDown && request.nextToken === "2") {
        throw new Error("the gateway is away");
      }
      return pageOfTwo(request);
    });
    records = [record("/a"), record("/b"), record("/c")];
    await expect(sweep()).rejects.toThrow("away");
    expect(await read()).toMatchObject({
      waiting: 0,
      sweep: { coveredUntil: null, failures: 1, lastError: "the gateway is away" },
    });
    isDown = false;
    await sweep();
    expect(await read()).toMatchObject({ waiting: 3, sweep: { failures: 0, lastError: null } });
  });
});
