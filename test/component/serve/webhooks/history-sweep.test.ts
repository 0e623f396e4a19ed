import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LicetError } from "../../../../src/errors.ts";
import type { DeliveryRecord, Gateway, HistoryPage, HistoryRequest } from "../../../../src/gateway/gateway.ts";
import type { SpoolRow } from "../../../../src/ledger/spool.ts";
import { createHintSignal } from "../../../../src/serve/webhooks/hint-signal.ts";
import { createHistorySweep, sweepHistory } from "../../../../src/serve/webhooks/history-sweep.ts";
import { MAX_RECORDS_OF_PAGE } from "../../../../src/serve/webhooks/records-of-pages.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";
import { createHint } from "../../../doubles/hint-driver.ts";
import { PATIENCE } from "../../../doubles/patience.ts";
import { BUDGET, createRunWorld, type RunWorld } from "../runs/run-world.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOOK = "https://agent.example/webhooks/main";
const NOT_FOUND = new LicetError("GATEWAY_NOT_FOUND", "no such path (404)", {
  details: { call: "history", status: 404 },
});
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
async function open(answer: (request: HistoryRequest) => HistoryPage = pageOfTwo): Promise<void> {
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

function pageOfThousand({ nextToken }: HistoryRequest): HistoryPage {
  const from = Number(nextToken ?? 0);
  const to = Math.min(from + 1_000, records.length);
  return { items: records.slice(from, to), nextToken: to === records.length ? null : String(to) };
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

const sweep = (resources = world.resources) => {
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

  it("in which the gateway repeats a page has failed: it admits what it read, and the next one reads the same again", async () => {
    let repeats = true;
    await open((request) => {
      const page = pageOfTwo(request);
      return repeats && request.nextToken === "2" ? { items: page.items, nextToken: "1" } : page;
    });
    records = [record("/a"), record("/b"), record("/c"), record("/d")];
    await expect(sweep()).rejects.toMatchObject({
      code: "GATEWAY_ANSWER_INVALID",
      message: expect.stringContaining("repeats a page of its delivery records"),
    });
    expect(await read()).toMatchObject({ waiting: 4, sweep: { coveredUntil: null, sweeps: 0, failures: 1 } });
    repeats = false;
    await sweep();
    expect(await read()).toMatchObject({ sweep: { coveredUntil: NOON, sweeps: 1, failures: 0 } });
  });

  it("compares all records of a page, wherever they are among those of other pages", async () => {
    await open(pageOfThousand);
    const ledger = await world.resources.ledger("existing");
    const minutesAgo = (minutes: number) => new Date(NOON - minutes * MINUTE).toISOString();
    await ledger.recordHints({ hints: [createHint("/page-7")], now: NOON - 30 * MINUTE });
    const others = Array.from({ length: 1_500 }, (_, n) => record(`/page-${n}`, { lastAttempt: minutesAgo(1) }));
    records = [record("/page-7", { lastAttempt: minutesAgo(90) }), ...others];
    records.push(record("/page-7", { lastAttempt: minutesAgo(30), lastStatus: 200 }));
    await sweep();
    expect((await read()).sweep).toMatchObject({ records: 1_502, admitted: 1_501 });
  });

  it("compares the newest records of a page that has very many, with no notification of an older one", async () => {
    await open(pageOfThousand);
    const ledger = await world.resources.ledger("existing");
    // It accounts for the oldest record, which is left out.
    const at = (ms: number) => new Date(NOON - 30 * MINUTE + ms).toISOString();
    await ledger.recordHints({ hints: [createHint("/hot")], now: NOON - 50 * MINUTE });
    records = [record("/hot", { lastAttempt: new Date(NOON - 50 * MINUTE).toISOString(), lastStatus: 200 })];
    for (let n = 0; n < MAX_RECORDS_OF_PAGE; n++) {
      records.push(record("/hot", { lastAttempt: at(n), numAttempts: 3 }));
    }
    await sweep();
    const known = { records: MAX_RECORDS_OF_PAGE + 1, admitted: MAX_RECORDS_OF_PAGE };
    expect((await read()).sweep).toMatchObject(known);
  });

  it("puts the records aside while they come, and leaves nothing open", async () => {
    const put: number[] = [];
    let rows = 0;
    let isClosed = false;
    await open(({ nextToken }) => {
      put.push(rows);
      const from = Number(nextToken ?? 0);
      const items = Array.from({ length: 1_000 }, (_, n) => record(`/page-${from + n}`));
      return { items, nextToken: from === 3_000 ? null : String(from + 1_000) };
    });
    const openSpool = () => {
      const spool = world.resources.openSpool();
      return {
        ...spool,
        add: (some: readonly SpoolRow[]) => {
          rows += some.length;
          spool.add(some);
        },
        close: () => {
          isClosed = true;
          spool.close();
        },
      };
    };
    await sweep({ ...world.resources, openSpool });
    expect(put).toEqual([0, 1_000, 2_000, 3_000]);
    expect(isClosed).toBe(true);
    expect((await read()).sweep).toMatchObject({ records: 4_000, admitted: 4_000 });
  });

  it("of a gateway without delivery records is not a failure", async () => {
    await open(() => {
      throw NOT_FOUND;
    });
    expect(await sweep()).toBe(false);
    expect((await read()).sweep).toMatchObject({ coveredUntil: null, sweeps: 0, failures: 0 });
  });

  it("says once that there are no delivery records, and again only after there were some", async () => {
    const warned: string[] = [];
    let times = 0;
    await open((request) => {
      times += request.nextToken === null ? 1 : 0;
      if (times !== 3) {
        throw NOT_FOUND;
      }
      return pageOfTwo(request);
    });
    const { resources } = world;
    const warning = { ...log, warn: (message: string) => void warned.push(message) };
    const part = createHistorySweep({
      config: resources.config,
      resources,
      log: warning,
      hintSignal: createHintSignal(),
    });
    await part?.start();
    onTestFinished(() => part?.stop());
    for (const [attempts, said] of [
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 2],
    ]) {
      await vi.waitFor(() => expect([times, warned.length, clock.sleeping]).toEqual([attempts, said, 1]), PATIENCE);
      clock.advance(MINUTE);
    }
    expect(warned[0]).toMatch(/^the gateway has no delivery records \(404\)/);
  });
});
