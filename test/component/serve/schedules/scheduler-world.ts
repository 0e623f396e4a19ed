/** A scheduler over a real ledger, a clock that the test moves, and runs that end when the test says so. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createResources, type Resources } from "../../../../src/agent/compose.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import type { RunReport } from "../../../../src/agent/runs/run-report.ts";
import { parseConfig } from "../../../../src/config/load-config.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import type { SlotRecord } from "../../../../src/ledger/schedule-ledger.ts";
import type { LiveRun, RunEnd, RunManager, StartedRun, StartRun } from "../../../../src/serve/runs/run-manager.ts";
import { createScheduler } from "../../../../src/serve/schedules/scheduler.ts";
import type { ServicePart } from "../../../../src/serve/service-part.ts";
import { createFakeClock, type FakeClock } from "../../../doubles/fake-clock.ts";
import { toSite } from "../../../doubles/ledger-steps.ts";
import { copyNewLedger } from "../../../doubles/new-ledger.ts";

type Schedule = string | { cron: string; timeZone?: string; misfire?: "once" | "skip" };

export interface SchedulerOptions {
  /** By host. */
  readonly schedules: Readonly<Record<string, Schedule>>;
  /** @default "1000d" */
  readonly reportEvery?: string;
  /** The gateway's address. @default one where nobody listens */
  readonly gateway?: string;
  /** @default "embedded" */
  readonly queueUrl?: string;
}

/** A service's scheduler: a world may have several, one after another or at once. */
export interface RunningScheduler {
  readonly part: ServicePart;
  readonly logged: readonly string[];
  /** The runs that it began, in order. */
  readonly began: readonly StartedTestRun[];
  /** As SIGTERM would: nothing is begun any more, runs are interrupted. */
  stop(): Promise<void>;
  isAtWork(): boolean;
  /** As kill -9 would: nothing that it does from now on reaches the ledger. */
  kill(): void;
}

export interface StartedTestRun {
  readonly runId: string;
  readonly host: string;
  /** Ends the run in the ledger, and the wait of the scheduler. */
  end(state?: RunReport["state"]): Promise<void>;
}

export interface SchedulerWorld {
  readonly clock: FakeClock;
  readonly ledger: Ledger;
  readonly bus: EventBus;
  /** @param options `onAnswer` is told which operation of the ledger has answered, before the scheduler goes on */
  start(
    options?: Partial<SchedulerOptions> & { readonly busy?: string; readonly onAnswer?: (operation: string) => void },
  ): Promise<RunningScheduler>;
  /** The slots of a schedule, oldest first, without what differs in each test. */
  slots(schedule: string): Promise<string[]>;
  /** The rows themselves, newest first. */
  rows(schedule: string): Promise<readonly SlotRecord[]>;
  /** Lets time pass, in steps in which the watchdog looks each time it wants to. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Waits until each watchdog has looked and pauses. After the clock was jumped, it finds the jump with its next look. */
  looked(): Promise<void>;
}

/** Far longer than anything here takes. */
const MAX_WAIT_MS = 10_000;

/** Resolves when a condition holds. Real work (SQLite, sockets) goes on meanwhile; the fake clock stands still. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < MAX_WAIT_MS) {
    if (await holds()) {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never: ${what}`);
}

export async function createSchedulerWorld(options: SchedulerOptions, startAt: string): Promise<SchedulerWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-schedules-"));
  const path = join(directory, "licet.sqlite");
  await copyNewLedger(path);
  const clock = createFakeClock(Date.parse(startAt));
  const bus = new EventBus();
  const running: RunningScheduler[] = [];
  const base = resourcesOf(path, options, clock, bus);
  const ledger = await base.ledger("create");
  let lastRun = 0;
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await base.close();
    await rm(directory, { recursive: true, force: true });
  });

  const start: SchedulerWorld["start"] = async ({ busy, onAnswer = () => {}, ...own } = {}) => {
    const shared = resourcesOf(path, { ...options, ...own }, clock, bus);
    const stopping = new AbortController();
    const lost = new AbortController();
    const dead = { is: false };
    const resources: Resources = {
      ...shared,
      ledger: async (access) => {
        if (dead.is) {
          // A dead process does nothing more.
          await new Promise(() => {});
        }
        return guard(await shared.ledger(access), dead, onAnswer);
      },
    };
    const logged: string[] = [];
    const log = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
    const began: StartedTestRun[] = [];
    const runs = createTestRuns({
      ledger: await base.ledger("create"),
      clock,
      began,
      busy,
      nextId: () => `run_${++lastRun}`,
    });
    const part = createScheduler({
      config: shared.config,
      resources,
      bus,
      runs,
      log: { debug: log("debug"), info: log("info"), warn: log("warn") },
      lease: { lost: lost.signal },
      stopping: stopping.signal,
    });
    let stopped: Promise<void> | null = null;
    const one: RunningScheduler = {
      part,
      logged,
      began,
      isAtWork: () => !dead.is && stopped === null,
      stop: () => {
        stopped ??= (async () => {
          if (dead.is) {
            lost.abort();
            return;
          }
          stopping.abort();
          await runs.stop();
          await part.stop();
          await shared.close();
        })();
        return stopped;
      },
      kill: () => {
        dead.is = true;
        lost.abort();
        stopping.abort();
      },
    };
    running.push(one);
    await part.start();
    await looked();
    return one;
  };

  // Each scheduler that is alive has two pauses: of its watchdog and of its look at the queue.
  const looked = () => {
    const alive = running.filter(({ isAtWork }) => isAtWork()).length;
    return until(() => clock.sleeping >= 2 * alive, "the watchdogs pause");
  };
  const rows = (schedule: string) => ledger.readSlots({ schedule, limit: 100 });
  return {
    clock,
    ledger,
    bus,
    start,
    rows,
    slots: async (schedule) =>
      (await rows(schedule))
        .toReversed()
        .map(({ slotAt, state, slots, run }) =>
          [
            new Date(slotAt).toISOString().slice(5, 19),
            state,
            ...(slots === 1 ? [] : [`×${slots}`]),
            ...(run === null ? [] : [run.runId]),
          ].join(" "),
        ),
    pass: async (ms, stepMs = 15_000) => {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        await looked();
      }
    },
    looked,
  };
}

function resourcesOf(path: string, options: SchedulerOptions, clock: FakeClock, bus: EventBus): Resources {
  const { schedules, reportEvery = "1000d", gateway = "http://127.0.0.1:1", queueUrl = "embedded" } = options;
  const config = parseConfig(
    {
      gateway: { baseUrl: gateway, service: "Service", apiKey: "key", agentId: "a", userAgent: "a/1" },
      ledger: { path },
      queue: { url: queueUrl },
      serve: { port: 0 },
      reporting: { every: reportEvery },
      policies: { standard: { rules: [{ allow: {} }] } },
      sites: Object.entries(schedules).map(([host, schedule]) => ({ host, policy: "standard", schedule })),
    },
    { cwd: "/", env: {} },
  );
  return { ...createResources(config, bus), clock };
}

/** After its death, nothing of a process reaches the ledger, and it learns nothing from it. */
function guard(ledger: Ledger, dead: { readonly is: boolean }, onAnswer: (operation: string) => void): Ledger {
  return new Proxy(ledger, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") {
        return member;
      }
      return async (...args: unknown[]) => {
        const result: unknown = dead.is ? await new Promise(() => {}) : await member.apply(target, args);
        onAnswer(String(name));
        return dead.is ? new Promise(() => {}) : result;
      };
    },
  });
}

function createTestRuns({
  ledger,
  clock,
  began,
  busy,
  nextId,
}: {
  readonly ledger: Ledger;
  readonly clock: FakeClock;
  readonly began: StartedTestRun[];
  readonly busy: string | undefined;
  readonly nextId: () => string;
}): RunManager {
  const live = new Map<string, LiveRun & { readonly finish: (state: RunReport["state"]) => Promise<void> }>();
  let stopping = false;
  const start = async ({ hosts, options = {} }: StartRun): Promise<StartedRun> => {
    if (stopping || busy !== undefined) {
      return { kind: "busy", runId: null, detail: busy ?? "the service is stopping" };
    }
    const runId = nextId();
    const process = `a.example:1:${runId}`;
    const { resume } = options;
    const own = resume === undefined ? hosts : (await ledger.readRun(resume)).sites.map(({ host }) => host);
    const sites = own.map((host) => toSite({ host }));
    const found = await ledger.beginRun({
      which: resume === undefined ? { kind: "interrupted" } : { kind: "named", runId: resume },
      runId,
      trigger: "schedule",
      sites,
      configured: sites,
      callerLimits: { maxPages: null, maxSpend: null },
      limits: { maxPages: null, maxSpend: null, maxDurationMs: null },
      callerOrder: null,
      order: "catalog",
      process,
      now: clock.now(),
      aliveMs: 60_000,
      gone: [],
    });
    if (found.kind === "alive") {
      return { kind: "busy", runId: found.runId, detail: `run ${found.runId} is at work` };
    }
    let tell: (end: RunEnd) => void = () => {};
    const ended = new Promise<RunEnd>((resolve) => {
      tell = resolve;
    });
    const { spec } = found;
    const finish = async (state: RunReport["state"]) => {
      if (state !== "running") {
        const endedBy = stopping && state === "interrupted" ? "service" : "itself";
        await ledger.endRun({ runId: spec.runId, state, reason: null, endedBy, now: clock.now() });
      }
      live.delete(spec.runId);
      tell({ kind: "ended", report: { state, reason: null } as RunReport });
    };
    const run = {
      runId: spec.runId,
      hosts: own,
      trigger: "schedule" as const,
      events: new EventBus(),
      ended,
      stop: () => {},
      finish,
    };
    live.set(spec.runId, run);
    began.push({ runId: spec.runId, host: own[0] ?? "", end: (state = "completed") => finish(state) });
    return { kind: "started", run };
  };
  return {
    start,
    live: () => [...live.values()],
    outages: () => [],
    onOutage: () => () => {},
    onStart: () => () => {},
    onFailedStart: () => () => {},
    stop: async () => {
      stopping = true;
      await Promise.all([...live.values()].map(({ finish }) => finish("interrupted")));
    },
  };
}
