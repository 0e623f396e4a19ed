import { describe, expect, test } from "vitest";
import { type AgentEvents, EventBus } from "../../../src/agent/events.ts";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { watchCounts } from "../../../src/cli/progress-counts.ts";
import { startProgress } from "../../../src/cli/progress-line.ts";
import { toMicros } from "../../../src/money/micros.ts";

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

function start(world: ReturnType<typeof createWorld>, json = false) {
  const bus = new EventBus();
  const { counts } = watchCounts(bus as never);
  const limits = new Map([["USD", toMicros(5_000_000)]]);
  const progress = startProgress(world.io, { counts, limits: () => limits }, json);
  const emit = <Name extends keyof AgentEvents>(name: Name, event: AgentEvents[Name]) => bus.emit(name, event);
  return { progress, emit };
}

function buyPages(emit: ReturnType<typeof start>["emit"], count: number) {
  for (let page = 0; page < count; page++) {
    emit("page.acquired", { url: "https://news.example/a", charged: { micros: toMicros(10_000), currency: "USD" } });
  }
}

describe("on a terminal", () => {
  test("shows pages, pages per second, spend against the budget and pages in doubt in one line", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    expect(world.takeWritten()).toBe(`${CLEAR}starting …`);
    emit("run.started", { runId: "run_1", hosts: [], resumed: false });
    await world.advance(250);
    emit("walk.page", { host: "news.example", seen: 500, candidates: 400 });
    emit("pages.decided", { host: "news.example", approved: 120, denied: { denied_by_rule: 3 } });
    buyPages(emit, 100);
    emit("page.in_doubt", {
      url: "https://news.example/b",
      reason: "token_spent",
      quoted: { micros: toMicros(20_000), currency: "USD" },
    });
    world.takeWritten();
    await world.advance(1_750);
    expect(world.takeWritten().split(CLEAR).at(-1)).toBe(
      "500 seen · 100 pages · 50.0/s · 1.02 of 5.00 USD · 1 in doubt",
    );
    await progress.stop();
    expect(world.takeWritten()).toBe(CLEAR);
  });

  test("redraws at most four times a second, and not when nothing has changed", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world);
    emit("run.started", { runId: "run_1", hosts: [], resumed: false });
    world.takeWritten();
    for (let moment = 0; moment < 100; moment++) {
      emit("walk.page", { host: "news.example", seen: 1, candidates: 1 });
      await world.advance(10);
    }
    expect(world.takeWritten().split(CLEAR).length - 1).toBe(4);
    await world.advance(60_000);
    const quiet = world.takeWritten();
    await progress.stop();
    expect(quiet).toBe("");
  });

  test("is never wider than the terminal", async () => {
    const world = createWorld({ isTerminal: true, columns: 20 });
    const { emit, progress } = start(world);
    emit("run.started", { runId: "run_1", hosts: [], resumed: false });
    await world.advance(250);
    const line = world.takeWritten().split(CLEAR).at(-1) ?? "";
    expect(line).toHaveLength(19);
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
    emit("run.started", { runId: "run_1", hosts: [], resumed: false });
    await world.advance(4_999);
    expect(world.takeWritten()).toBe("");
    await world.advance(1);
    expect(world.takeWritten()).toMatch(/^licet: 0 seen .*\n$/);
    await world.advance(20_000);
    expect(world.takeWritten()).toBe("");
    buyPages(emit, 3);
    await world.advance(5_000);
    expect(world.takeWritten()).toMatch(/^licet: .* 3 pages .* 0\.03 of 5\.00 USD .*\n$/);
    await progress.stop();
    expect(world.takeWritten()).toBe("");
  });

  test("with --json the lines are JSON, also on a terminal", async () => {
    const world = createWorld({ isTerminal: true });
    const { emit, progress } = start(world, true);
    emit("run.started", { runId: "run_1", hosts: [], resumed: false });
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
