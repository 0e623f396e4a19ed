/** A run of the service that buys from a list, and pauses while the gateway is away: it reads on where it was. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import { toOpenableList } from "../../../../src/agent/lists/list-input.ts";
import { runAgent } from "../../../../src/agent/runs/run-agent.ts";
import { createOutageWorld, HOUR_MS, type OutageWorld } from "./outage-world.ts";
import { startedOf } from "./run-world.ts";

/** Several times what is read at once, and in each part more pages than may wait. */
const LINES = 1_600;
const PAGES = LINES / 4;
const TEXT = Array.from({ length: LINES }, (_, index) =>
  index % 4 === 0 ? `https://news.example/articles/${String(index / 4).padStart(7, "0")}` : "# nothing",
).join("\n");

let world: OutageWorld | null = null;
afterEach(async () => {
  const opened = world;
  world = null;
  await opened?.close();
});

it("a run is alive while its list gives again what was read, however slowly", async () => {
  const opened = await createOutageWorld({ pages: PAGES });
  world = opened;
  const { resources, clock } = opened;
  // Of these, 500 are read at once.
  const lines = TEXT.split("\n").map((line, index) => (index % 160 === 0 ? line : "# nothing"));
  async function* after(wait: Promise<void>) {
    await wait;
    yield* lines;
  }
  const stop = new AbortController();
  const events = new EventBus();
  events.on("walk.page", () => stop.abort());
  const list = toOpenableList("run", after(Promise.resolve()));
  const { runId } = await runAgent(resources, events, { list, signal: stop.signal });
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  const resumedAt = clock.now();
  const resumed = runAgent(resources, new EventBus(), { resume: runId, list: toOpenableList("run", after(given)) });
  const ledger = await resources.ledger("read");
  const { leaseMs } = resources.tuning.pipeline;
  const lastSeenAt = async () => {
    const [run] = await ledger.listUnfinished({ now: clock.now(), aliveMs: leaseMs, gone: [] });
    return run?.lastSeenAt ?? 0;
  };
  await expect.poll(lastSeenAt).toBeGreaterThan(resumedAt + leaseMs);
  give();
  expect(await resumed).toMatchObject({ runId, state: "completed", pages: { bought: 10 } });
});

it("a list of 1,600 lines, of which 500 were read when the gateway went away, is read to its end when it is back", async () => {
  const opened = await createOutageWorld({ pages: PAGES });
  world = opened;
  const { runs, relay, nextOutage, resources } = opened;
  const file = join(opened.directory, "pages.txt");
  await writeFile(file, TEXT);
  const left = await runAgent(resources, new EventBus(), {
    list: toOpenableList("run", { file }),
    signal: AbortSignal.abort(),
  });
  expect(left.state).toBe("interrupted");
  const outage = nextOutage();
  opened.atRequest("/rates", 3, () => void relay.cut());
  const run = startedOf(await runs.start({ trigger: "list", hosts: [], options: { resume: left.runId } }));
  await outage;
  const ledger = await resources.ledger("read");
  expect((await ledger.readRun(run.runId)).list).toMatchObject({ lines: 500, isRead: false });
  opened.clock.jump(HOUR_MS);
  await relay.restore();
  expect(await run.ended).toMatchObject({
    kind: "ended",
    report: { state: "completed", pages: { bought: PAGES }, list: { lines: LINES, isRead: true, pages: PAGES } },
  });
  await opened.expectMatchingAccounts();
});
