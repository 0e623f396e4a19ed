/** The intake of a list over a real ledger: every line is accounted for, whatever it contains. */
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LinesRecord } from "../../../src/ledger/list-ledger.ts";
import { createListDigest } from "../../../src/list/list-digest.ts";
import { parseLine } from "../../../src/list/parse-line.ts";
import { createBuyingClock } from "../../../src/pipeline/decide/buying-clock.ts";
import { type Intake, type IntakeDeps, takeInList } from "../../../src/pipeline/lists/list-intake.ts";
import { createListReader, type ListLine, type ListReader } from "../../../src/pipeline/lists/list-reader.ts";
import type { SiteSettings } from "../../../src/pipeline/stage-deps.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import { leaseMany } from "../../doubles/ledger-steps.ts";
import { beginList, decideListed, LIST_PROCESS, LIST_RUN } from "../../doubles/list-driver.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const NEVER = new AbortController().signal;

let stop = new AbortController();
afterEach(() => stop.abort());

const SITE = {
  host: "news.example",
  refresh: { when: "modified", maxAgeMs: null },
  isExcluded: (path: string) => path.startsWith("/tag/"),
  policy: { policy: { intent: "content" } },
} as unknown as SiteSettings;

function toDeps(ledger: Ledger): IntakeDeps {
  return {
    ledger,
    clock: { ...systemClock, now: () => NOON },
    sites: new Map([[SITE.host, SITE]]),
    expiry: new Map(),
    buyingClock: createBuyingClock([], null),
    events: { walked: () => {} },
    limits: { quoteBatchSize: 10 },
  } as unknown as IntakeDeps;
}

async function* toLines(texts: Iterable<string>): AsyncGenerator<ListLine> {
  for (const text of texts) {
    yield { text, parsed: parseLine(text) };
  }
}

const takeIn = (
  ledger: Ledger,
  opened: Pick<Intake, "reader" | "digest">,
  signal = NEVER,
  maxWaitingPages = 1_000_000,
) =>
  takeInList(
    toDeps(ledger),
    { runId: LIST_RUN, process: LIST_PROCESS, ...opened, maxWaitingPages, onPages: () => {} },
    signal,
  );

const take = (ledger: Ledger, lines: AsyncIterator<ListLine>, maxWaitingPages = 1_000_000, signal = NEVER) =>
  takeIn(ledger, { reader: createListReader(lines, systemClock), digest: createListDigest() }, signal, maxWaitingPages);

const url = fc.nat(15).map((n) => `https://news.example/${n % 4 === 0 ? "tag/" : ""}${n}`);
const line = fc.oneof(
  url,
  url.map((one) => JSON.stringify({ url: one, key: one })),
  fc.constantFrom("", "  ", "# comment", "https://other.example/x", "{", '{"url": 1}', "ftp://news.example/x"),
  fc.string({ unit: "binary" }),
  fc.json(),
);

it("every line is a page, a repeated page, left out for a reason, or blank", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 60 }), async (texts) => {
      const { ledger } = await openTempLedger();
      await beginList(ledger);
      expect(await take(ledger, toLines(texts))).toBe(true);
      const { list, pages } = await ledger.readRun(LIST_RUN);
      const blank = texts.filter((text) => parseLine(text).kind === "blank").length;
      const rejected = Object.values(list?.rejected ?? {}).reduce((sum, count) => sum + count, 0);
      expect(list).toMatchObject({ lines: texts.length, isRead: true, pages: pages.seen });
      expect((list?.pages ?? 0) + (list?.repeated ?? 0) + rejected + blank).toBe(texts.length);
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

it("waits while enough pages wait, and goes on when they are decided", async () => {
  const { ledger } = await openTempLedger();
  await beginList(ledger);
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 1;
      yield* toLines([`https://news.example/${given}`]);
    }
  }
  stop = new AbortController();
  const work = take(ledger, endless(), 600, stop.signal);
  const untilWaiting = async (pages: number) => {
    while (((await ledger.readIntake(LIST_RUN))?.waitingPages ?? 0) < pages) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await untilWaiting(1_000);
  const before = given;
  expect(before).toBeLessThan(1_600);
  while (((await ledger.readIntake(LIST_RUN))?.waitingPages ?? 0) >= 600) {
    await decideListed(ledger, { decisions: (ids) => ids.map((pageId) => DENIED(pageId)) });
  }
  await untilWaiting(1_000);
  expect(given).toBeGreaterThan(before);
  stop.abort();
  expect(await work).toBe(false);
  expect((await leaseMany(ledger, { runId: LIST_RUN, limit: 1 })).length).toBe(1);
});

it("goes on with the same list after a pause: no line is lost that was taken, or that the ledger has already", async () => {
  const { ledger } = await openTempLedger();
  await beginList(ledger);
  const texts = Array.from({ length: 1_600 }, (_, index) => `https://news.example/${index}`);
  const opened = { reader: createListReader(toLines(texts), systemClock), digest: createListDigest() };
  const failing = ["before", "behind", "aborted"] as const;
  for (const when of failing) {
    const stopped = new AbortController();
    const unwell: Ledger = Object.assign(Object.create(ledger), {
      readIntake: (runId: string) => ledger.readIntake(runId),
      recordLines: async (record: LinesRecord) => {
        if (when === "behind") {
          await ledger.recordLines(record);
        }
        throw new Error("the disk is full");
      },
    });
    const reader: ListReader = {
      ...opened.reader,
      take: async (limit, signal) => {
        const taken = await opened.reader.take(limit, signal);
        if (when === "aborted") {
          stopped.abort();
        }
        return taken;
      },
    };
    const work = takeIn(unwell, { ...opened, reader }, stopped.signal);
    await (when === "aborted" ? expect(work).resolves.toBe(false) : expect(work).rejects.toThrow("the disk is full"));
  }
  expect((await ledger.readRun(LIST_RUN)).list).toMatchObject({ lines: 500, isRead: false });
  expect(await takeIn(ledger, opened)).toBe(true);
  expect((await ledger.readRun(LIST_RUN)).list).toMatchObject({ lines: 1_600, isRead: true, pages: 1_600 });
  const whole = createListDigest();
  texts.forEach(whole.add);
  expect((await ledger.readIntake(LIST_RUN))?.digest).toBe(whole.read());
  await opened.reader.close();
  await expect(opened.reader.take(1, NEVER)).rejects.toThrow("a list that was closed is not read");
});

it("fails again each time when its list cannot be read, behind the lines before that", async () => {
  async function* broken() {
    yield* toLines(["https://news.example/1"]);
    throw new Error("the stream broke off");
  }
  const reader = createListReader(broken(), systemClock);
  expect(await reader.take(500, NEVER)).toMatchObject({ lines: [{ text: "https://news.example/1" }], isOver: false });
  reader.accept(1);
  await expect(reader.take(500, NEVER)).rejects.toThrow("the stream broke off");
  await expect(reader.take(500, NEVER)).rejects.toThrow("the stream broke off");
});

it("is read for the configured sites, also while a site that the configuration lacks is stopped", async () => {
  const { ledger, tamper } = await openTempLedger();
  const toSite = (host: string) => ({ host, maxPages: null, fullWalkEveryMs: 0, overlapMs: 0 });
  await beginList(ledger, { sites: [toSite("gone.example"), toSite("news.example")] });
  tamper(
    "UPDATE run_site SET stop = 'not_configured' WHERE site_id = (SELECT id FROM site WHERE host = 'gone.example')",
  );
  expect((await ledger.readIntake(LIST_RUN))?.stoppedHosts).toEqual(["gone.example"]);
  expect(await take(ledger, toLines(["https://news.example/1"]))).toBe(true);
  expect((await ledger.readRun(LIST_RUN)).list).toMatchObject({ lines: 1, isRead: true, pages: 1 });
});

const DENIED = (pageId: number) => ({
  pageId,
  listing: null,
  verdict: { kind: "denied" as const, ruleIndex: null, reason: "no_rule_matched" as const, detail: null },
});
