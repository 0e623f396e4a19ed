/** Whose turn it is to read a page. */
import { expect, test } from "vitest";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { createReaderLines } from "../../../../src/serve/http/reader-lines.ts";
import { createPageReadings } from "../../../../src/serve/web/page-readings.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

/** Readings that end when the test says so. */
function watch({ isBusy }: { readonly isBusy: boolean }) {
  const clock = createFakeClock();
  /** What has begun, and what ends it. */
  const begun: { readonly key: string; readonly end: () => void }[] = [];
  const snapshots = { read: <Report>(work: (ledger: Ledger) => Promise<Report>) => work({} as Ledger) };
  const readings = createPageReadings({ snapshots, clock, lineOf: createReaderLines(), isBusy: () => isBusy });
  const work = (key: string) => () =>
    new Promise<number>((resolve) => begun.push({ key, end: () => resolve(begun.length) }));
  const readAs = (reader: string | null, key: string) => readings.read(reader, key, work(key));
  const read = (key: string) => readAs(null, key);
  const readForAction = (reader: string, key: string) => readings.readForAction(reader, work(key));
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Ends the newest reading after so long, and lets its pause pass. */
  const next = async (tookMs: number) => {
    clock.advance(tookMs);
    begun.at(-1)?.end();
    await settle();
    const pauseMs = clock.sleeps.at(-1) ?? 0;
    clock.advance(pauseMs);
    await settle();
    return pauseMs;
  };
  const keys = () => begun.map(({ key }) => key);
  return { read, readAs, readForAction, settle, next, keys, endAll: () => begun.map(({ end }) => end()) };
}

test("beside a run, pages are read one after the other, with a pause that grows with what a page takes", async () => {
  const { read, settle, next, keys } = watch({ isBusy: true });
  const all = ["/a", "/b", "/c", "/d"].map(read);
  await settle();
  expect(keys()).toEqual(["/a"]);
  expect(await next(5)).toBe(50);
  expect(keys()).toEqual(["/a", "/b"]);
  expect(await next(30)).toBe(120);
  expect(await next(3_000)).toBe(200);
  expect(keys()).toEqual(["/a", "/b", "/c", "/d"]);
  await next(0);
  await Promise.all(all);
});

test("without a run, pages wait for nothing but a place", async () => {
  const { readAs, settle, keys, endAll } = watch({ isBusy: false });
  const all = Array.from({ length: 9 }, (_, index) => readAs(`reader ${index % 3}`, `/${index}`));
  await settle();
  expect(keys()).toHaveLength(8);
  endAll();
  await settle();
  expect(keys()).toHaveLength(9);
  endAll();
  await Promise.all(all);
});

test("the same page is read once for all who came before its turn, and again for who came after", async () => {
  const { read, settle, next, keys } = watch({ isBusy: true });
  const first = read("/");
  await settle();
  // It has begun: what these have just done may not be in it.
  const [second, third] = [read("/"), read("/")];
  await next(5);
  await next(5);
  expect(keys()).toEqual(["/", "/"]);
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 2]);
});

test("a reader who asks for much waits for himself, and the others do not", async () => {
  const { readAs, readForAction, settle, keys, endAll } = watch({ isBusy: false });
  for (let page = 0; page < 60; page += 1) {
    void readAs("much", `/much/${page}`);
  }
  void readAs("other", "/other");
  void readForAction("third", "/runs/start");
  await settle();
  expect(keys()).toEqual(["/runs/start", "/much/0", "/much/1", "/much/2", "/much/3", "/other"]);
  endAll();
  await settle();
  expect(keys().slice(6)).toEqual(["/much/4", "/much/5", "/much/6", "/much/7"]);
});

test("who asks for a page that another reader waits long for does not wait as long", async () => {
  const { readAs, settle, keys } = watch({ isBusy: false });
  for (let page = 0; page < 60; page += 1) {
    void readAs("much", `/${page}`);
  }
  void readAs("other", "/50");
  await settle();
  expect(keys().at(-1)).toBe("/50");
});

test("more pages of one reader than may wait are refused, and a page that waits already, or of another reader, is not", async () => {
  const { readAs, settle, keys } = watch({ isBusy: true });
  for (let page = 0; page < 68; page += 1) {
    void readAs("much", `/${page}`);
  }
  await settle();
  expect(keys()).toHaveLength(1);
  expect(() => readAs("much", "/68")).toThrow(expect.objectContaining({ code: "SERVICE_BUSY" }));
  expect(() => readAs("much", "/67")).not.toThrow();
  expect(() => readAs("other", "/68")).not.toThrow();
});
