import { describe, expect, test } from "vitest";
import { type AgentEvents, EventBus } from "../../../src/agent/events/events.ts";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import type { LogOptions } from "../../../src/cli/log/log-level.ts";
import { watchCounts } from "../../../src/cli/progress/progress-counts.ts";
import { startProgress } from "../../../src/cli/progress/progress-line.ts";
import type { PageCounts, SiteSummary } from "../../../src/ledger/ledger-reports.ts";
import { toMicros } from "../../../src/money/micros.ts";

const BEGUN: AgentEvents["run.started"] = {
  runId: "run_1",
  hosts: ["news.example"],
  resumed: false,
  before: null,
  order: "catalog",
  limits: { maxPages: null, maxSpendMicros: null, currency: null, deadlineAt: null, sites: {} },
};
const RETRY: AgentEvents["gateway.retry"] = {
  call: "catalog",
  because: "server_error",
  status: 503,
  attempt: 3,
  attempts: 5,
  waitMs: 4_000,
};
const PAGES: PageCounts = {
  seen: 500,
  unchanged: 150,
  excluded: 50,
  quoted: 100,
  approved: 85,
  denied: 15,
  bought: 60,
  failed: 4,
  inDoubt: 1,
  deniedBy: { policy: 15, offer: 0, limit: 0, stored: 0 },
  undecided: 0,
  open: 0,
};
const SITE: SiteSummary = {
  ...PAGES,
  host: "news.example",
  rejected: 0,
  empty: 0,
  stop: null,
  stopDetail: null,
  walkWarning: null,
  walkEnded: true,
  repurchased: 0,
  repurchasedEqual: 0,
  exhausted: {},
};
const BEFORE: AgentEvents["run.started"]["before"] = {
  pages: PAGES,
  sites: [SITE],
  spend: {
    USD: {
      settledMicros: toMicros(600_000),
      inDoubtMicros: toMicros(200_000),
      reservedMicros: toMicros(0),
      feeMicros: toMicros(100_000),
    },
  },
};
const CLEAR = "\r\u001b[2K";

/** A clock that a test moves, and what was written to stderr. */
function createWorld({ isTerminal, columns = 200 }: { isTerminal: boolean; columns?: number }) {
  let now = 1_700_000_000_000;
  let sleepers: { at: number; wake: () => void }[] = [];
  let written = "";
  const io = {
    clock: {
      now: () => now,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          const wake = () => {
            signal?.removeEventListener("abort", wake);
            resolve();
          };
          sleepers.push({ at: now + ms, wake });
          signal?.addEventListener("abort", wake);
        }),
    },
    stderr: {
      isTerminal,
      columns: () => columns,
      write: (text: string) => {
        written += text;
        return Promise.resolve();
      },
    },
  } as unknown as CliIo;
  const advance = async (ms: number) => {
    const until = now + ms;
    for (;;) {
      const next = sleepers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) {
        break;
      }
      now = next.at;
      sleepers = sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
      // Lets the loop draw and go to sleep again.
      await new Promise((resolve) => setImmediate(resolve));
    }
    now = until;
  };
  const takeWritten = () => {
    const taken = written;
    written = "";
    return taken;
  };
  return { io, advance, takeWritten };
}

function start(world: ReturnType<typeof createWorld>, { json = false, level = "info" }: Partial<LogOptions> = {}) {
  const bus = new EventBus();
  const { counts } = watchCounts(bus as never, world.io.clock);
  const limits = { run: () => new Map([["USD", toMicros(5_000_000)]]), site: () => new Map<string, never>() };
  const progress = startProgress(world.io, { counts, limits }, { json, level });
  const emit = <Name extends keyof AgentEvents>(name: Name, event: AgentEvents[Name]) => bus.emit(name, event);
  return { progress, emit };
}

function buyPages(emit: ReturnType<typeof start>["emit"], count: number) {
  for (let page = 0; page < count; page++) {
    emit("page.bought", {
      url: "https://news.example/a",
      chargedMicros: toMicros(10_000),
      feeMicros: toMicros(0),
      currency: "USD",
    });
  }
}

describe("on a terminal", () => {
  test("shows pages, pages per second, spend against the budget and pages in doubt in one line", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    expect(world.takeWritten()).toBe(`${CLEAR}starting …`);
    emit("run.started", BEGUN);
    await world.advance(250);
    emit("walk.page", { host: "news.example", seen: 500, candidates: 400, ended: false });
    emit("pages.decided", { host: "news.example", approved: 120, denied: { denied_by_rule: 3 } });
    buyPages(emit, 100);
    emit("page.in_doubt", {
      url: "https://news.example/b",
      reason: "token_spent",
      quotedMicros: toMicros(20_000),
      currency: "USD",
    });
    world.takeWritten();
    await world.advance(1_750);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "500 seen · 100 bought · 50.0/s · 1.02 of 5.00 USD · 1 in doubt · news.example · denied: 3 by policy",
    );
    await progress.stop();
    expect(world.takeWritten()).toBe(CLEAR);
  });

  test("redraws at most four times a second, and not when nothing has changed", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    emit("run.started", BEGUN);
    world.takeWritten();
    for (let moment = 0; moment < 100; moment++) {
      emit("walk.page", { host: "news.example", seen: 1, candidates: 1, ended: false });
      await world.advance(10);
    }
    expect(world.takeWritten().split(CLEAR).length - 1).toBe(4);
    await world.advance(60_000);
    const quiet = world.takeWritten();
    await progress.stop();
    expect(quiet).toBe("");
  });

  test.each([
    [60, "0 seen · 0 bought · 0.0/s · 0.00 of 5.00 USD · 0 in doubt"],
    [40, "0 seen · 0 bought · 0.00 of 5.00 USD"],
    [20, "0.00 of 5.00 USD"],
    [12, "0 seen"],
    [5, "0 "],
  ])("leaves out whole parts on a terminal of %i columns, and room for ^C", async (columns, expected) => {
    const world = createWorld({ isTerminal: true, columns });
    const { emit, progress } = start(world);
    emit("run.started", BEGUN);
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(expected);
    await progress.stop();
  });

  test("when every catalog has been read, shows how many pages are done of all, and the time that is left", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    emit("run.started", { ...BEGUN, hosts: ["news.example", "b.example"] });
    emit("walk.page", { host: "news.example", seen: 500, candidates: 400, ended: true });
    emit("walk.page", { host: "b.example", seen: 10, candidates: 10, ended: false });
    emit("pages.decided", { host: "news.example", approved: 100, denied: { denied_by_rule: 20 } });
    buyPages(emit, 80);
    await world.advance(2_000);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "510 seen · 80 bought · 40.0/s · 0.80 of 5.00 USD · 0 in doubt · news.example +1 · denied: 20 by policy",
    );
    emit("walk.page", { host: "b.example", seen: 0, candidates: 0, ended: true });
    emit("pages.decided", { host: "b.example", approved: 0, denied: { denied_by_rule: 10 } });
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "510 seen · 80 bought · 110 of 410 done · 35.6/s · about 7 s left · 0.80 of 5.00 USD · 0 in doubt · news.example · denied: 30 by policy",
    );
    emit("site.stopped", { host: "news.example", hosts: ["news.example"], stop: "failed", detail: "" });
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(
      / 110 of 110 done .* 0 s left .* 0 in doubt · denied: 30 by policy$/,
    );
    await progress.stop();
  });

  test("a resumed run begins at its own figures, and its pause does not count in pages per second", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    // Start-up takes time too.
    await world.advance(3_000);
    emit("run.started", { ...BEGUN, resumed: true, before: BEFORE });
    await world.advance(1_000);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "500 seen · 60 bought · 80 of 300 done · 0.0/s · 0.90 of 5.00 USD · 1 in doubt · 4 failed · news.example · denied: 15 by policy",
    );
    buyPages(emit, 20);
    await world.advance(1_000);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "500 seen · 80 bought · 100 of 300 done · 10.0/s · about 20 s left · 1.10 of 5.00 USD · 1 in doubt · 4 failed · news.example · denied: 15 by policy",
    );
    await progress.stop();
  });

  test("says that the gateway is asked again, counts down, and stops saying it when the gateway answers", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    emit("run.started", BEGUN);
    emit("gateway.retry", RETRY);
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(/^gateway answers 503, try 3 of 5, again in 4 s · 0 seen/);
    await world.advance(2_000);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(/, again in 2 s · /);
    await world.advance(2_000);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(/, try 3 of 5, trying again · /);
    emit("gateway.retry", { ...RETRY, because: "no_connection", status: null });
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(/^no connection to the gateway, try 3 of 5/);
    emit("walk.page", { host: "news.example", seen: 1, candidates: 1, ended: false });
    await world.advance(250);
    expect(world.takeWritten().split(CLEAR).at(-1)).toMatch(/^1 seen · 0 bought/);
    await progress.stop();
  });

  test("once removed for a process that ends at once, it does not come back", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    emit("run.started", BEGUN);
    await world.advance(250);
    world.takeWritten();
    progress.clear();
    progress.log.warn("stopped at once");
    emit("walk.page", { host: "news.example", seen: 1, candidates: 1, ended: false });
    await world.advance(1_000);
    expect(world.takeWritten()).toBe(`${CLEAR}${CLEAR}licet: stopped at once\n`);
    await progress.stop();
  });

  test("prints other lines without breaking its own, and never prints raw text from the network", async () => {
    const world = createWorld({ isTerminal: true });
    const { progress } = start(world);
    world.takeWritten();
    progress.log.warn("news.example said \u001b]0;x\u0007boo\nagain");
    expect(world.takeWritten()).toBe(`${CLEAR}licet: news.example said boo again\nstarting …`);
    await progress.stop();
  });
});

describe("without a terminal", () => {
  test("logs a line every five seconds while there is progress", async () => {
    const world = createWorld({ isTerminal: false });
    const { emit, progress } = start(world);
    emit("run.started", BEGUN);
    await world.advance(4_999);
    expect(world.takeWritten()).toBe("");
    await world.advance(1);
    expect(world.takeWritten()).toMatch(/^licet: 0 seen .*\n$/);
    await world.advance(20_000);
    expect(world.takeWritten()).toBe("");
    buyPages(emit, 3);
    await world.advance(5_000);
    expect(world.takeWritten()).toMatch(/^licet: .* 3 bought .* 0\.03 of 5\.00 USD .*\n$/);
    await progress.stop();
    expect(world.takeWritten()).toBe("");
  });

  test("a retry is a line too, although nothing else has changed", async () => {
    const world = createWorld({ isTerminal: false });
    const { emit, progress } = start(world);
    await world.advance(5_000);
    world.takeWritten();
    emit("gateway.retry", { ...RETRY, waitMs: 10_000 });
    await world.advance(5_000);
    expect(world.takeWritten()).toBe("licet: gateway answers 503, try 3 of 5, again in 5 s · starting …\n");
    await progress.stop();
  });

  test.each([
    ["warn", ["a warning"]],
    ["error", []],
    ["debug", ["a detail", "an event", "a warning"]],
  ] as const)("with the level %s, logs only what belongs to it, on a terminal too", async (level, expected) => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world, { level });
    emit("run.started", BEGUN);
    await world.advance(1_000);
    progress.log.debug("a detail");
    progress.log.info("an event");
    progress.log.warn("a warning");
    expect(world.takeWritten()).toBe(expected.map((text) => `licet: ${text}\n`).join(""));
    await progress.stop();
    expect(world.takeWritten()).toBe("");
  });

  test("with --json the lines are JSON, also on a terminal", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world, { json: true });
    emit("run.started", BEGUN);
    await world.advance(5_000);
    progress.log.warn("a\u202eb");
    await progress.stop();
    const written = world.takeWritten();
    expect(written).not.toContain("\u202e");
    const lines = written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { msg: "progress", runId: "run_1", seen: 0 },
      { level: 40, msg: "a\u202eb" },
    ]);
  });
});
