/** The simulated world: true time, the gateway with its account, the queue's server, the ledger's file, and the running processes. */
import type Database from "better-sqlite3";
import type { SettingSet } from "./checks/evidence.ts";
import { createStepChecker } from "./checks/evidence.ts";
import { createConnections } from "./connections.ts";
import { drawTuning } from "./draw-tuning.ts";
import type { Faults } from "./faults.ts";
import { createModelGateway, type ModelGateway } from "./gateway/model-gateway.ts";
import type { GrowingEvidence } from "./growing-evidence.ts";
import { Halt, requireNoBug } from "./halt.ts";
import { type Beginning, hung, type ProcessOrder, pagesWhere, type Starting } from "./happenings.ts";
import { drawList, type WorldList } from "./lists.ts";
import { closeFiles, watchOpenFiles } from "./open-files.ts";
import { type ProcessDeps, type SimulatedProcess, startProcess } from "./process.ts";
import { createProcessLogs, type ProcessLogs } from "./process-logs.ts";
import { createRandom } from "./random.ts";
import { createReportWatch } from "./report-watch.ts";
import { noteBegun } from "./run-starts.ts";
import { type Scenario, type Settings, settingsOf } from "./scenario.ts";
import { AGENT_ID, API_KEY, SERVICE, TIMEOUT_MS, toConfig } from "./scenario-config.ts";
import { type Owner, Scheduler } from "./scheduler.ts";
import { createQueueDirectory } from "./simulated-queue.ts";
import { CommandService } from "./workers/command-service.ts";
import type { FleetPlan } from "./workers/draw-fleet.ts";
import { Fleet } from "./workers/fleet.ts";
import type { Host } from "./workers/service-way.ts";
import { createTraffic } from "./workers/traffic.ts";

/** A few hundred pages' work takes some thousands: whoever needs so many goes round in circles. */
const MAX_EVENTS = 150_000;

/** After one of them, what the ledger says of an instant may be wrong. */
const CLOCK_FAULTS = ["clock_stepped", "clock_ahead"] as const;

const DAY_MS = 86_400_000;
/** How far a machine's clock is ahead before it is set right. */
const AHEAD_DAYS = [2, 40, 400];

export interface World {
  readonly scenario: Scenario;
  /** Offers the runs of commands to workers on other machines. Null: there are none. */
  readonly commandService: CommandService | null;
  /** Requests that they have sent to the gateway. */
  readonly requestsOfWorkers: number;
  /** The workers on other machines, of the service at the address that is given. Null: there are none. */
  startFleet(host: () => Host | null): Fleet | null;
  /** What runs with a list buy from; null: there are none. */
  readonly list: WorldList | null;
  readonly scheduler: Scheduler;
  readonly gateway: ModelGateway;
  readonly faults: Faults;
  readonly db: Database.Database;
  readonly ledgerPath: string;
  readonly evidence: GrowingEvidence;
  readonly trace: string[];
  readonly commits: number;
  readonly kills: number;
  /** All that were ever started. */
  readonly processes: readonly SimulatedProcess[];
  /** What the gateway's catalogs list by now, and what it refuses for good. */
  readonly catalog: Map<string, { readonly url: string; readonly lastMod: string | null }>;
  readonly forbidden: Set<string>;
  /** Which token each purchase was started with, by purchase. */
  readonly tokens: ReadonlyMap<number, string>;
  /** Every run that began or went on, oldest first. */
  readonly beginnings: readonly Beginning[];
  /** By token. */
  readonly startings: ReadonlyMap<string, Starting>;
  /** The next place in the order of what processes send to the ledger, for what happens between two of these. */
  nextPlace(): number;
  /** The place of a process's last heartbeat of a run that was accepted. Null: it never sent one. */
  lastHeartbeat(process: string, runId: string): number | null;
  note(line: () => string): void;
  readonly logs: ProcessLogs;
  start(order: ProcessOrder): SimulatedProcess;
  /** Called for each process that is started, before it does anything. */
  readonly onStart: ((process: SimulatedProcess) => void)[];
  /** Tokens of purchases that the ledger does not know any more: it is a copy that was made before. */
  readonly lost: Set<string>;
  readonly judgesRows: boolean;
  /** The ledger is another one than the world has seen. */
  stopJudgingRows(): void;
  /** Sets what the clock of a process is off by: from now on, what the ledger says of an instant may be wrong. */
  setClock(process: SimulatedProcess, skewMs: number): void;
  /** What processes are started with from now on. */
  readonly settings: Settings;
  editSettings(edited: Partial<Settings>): void;
  /** Lets things happen until the condition holds, checking every promise after every commit. @throws Halt */
  runUntil(isReached: () => boolean, onEvent: () => void): Promise<void>;
  alive(): readonly SimulatedProcess[];
  /** Ends a process at this instant. */
  kill(process: SimulatedProcess): void;
  close(): void;
}

export interface WorldOptions {
  readonly scenario: Scenario;
  readonly faults: Faults;
  /** Reads the ledger; never writes. */
  readonly db: Database.Database;
  readonly ledgerPath: string;
  readonly traced: boolean;
  /** Workers on other machines. @default there are none */
  readonly fleet?: FleetPlan | null;
  /** Processes read and write files: an event is over when their files are. @default false */
  readonly hasFiles?: boolean;
}

export function createWorld({
  scenario,
  faults,
  db,
  ledgerPath,
  traced,
  hasFiles = false,
  fleet = null,
}: WorldOptions): World {
  const { seed, startAt } = scenario;
  const draw = createRandom(seed, "world");
  const trace: string[] = [];
  const processes: SimulatedProcess[] = [];
  const tokens = new Map<number, string>();
  const beginnings: Beginning[] = [];
  const startings = new Map<string, Starting>();
  const heartbeats = new Map<string, number>();
  let places = 0;
  const nextPlace = () => ++places;
  const settingsBy = new Map<string, Settings>();
  const settings: { -readonly [Name in keyof SettingSet]: SettingSet[Name] }[] = [
    { ...settingsOf(scenario), from: startAt, over: false },
  ];
  let current: Settings = settingsOf(scenario);
  let kills = 0;
  let commits = 0;
  const skewsSet = [0];
  const onStart: World["onStart"] = [];
  let judgesRows = true;
  const note = (line: () => string) => {
    if (traced) {
      trace.push(`${new Date(scheduler.now).toISOString()} ${line()}`);
    }
  };
  const logs = createProcessLogs(note);
  const onDeath = (owner: Owner) => {
    const process = owner as SimulatedProcess;
    kills += 1;
    note(() => `${process.name} was killed`);
    process.dropLedger();
    closeFiles(process);
  };
  const scheduler = new Scheduler(startAt, createRandom(seed, "order"), onDeath, hasFiles || fleet !== null);
  watchOpenFiles(() => scheduler.atWork);
  const omitsRate = draw.chance(0.15);
  const gateway = createModelGateway({
    sites: scenario.sites,
    apiKey: API_KEY,
    agentId: AGENT_ID,
    service: SERVICE,
    traits: scenario.gateway,
    maxPageSize: draw.int(2, 10),
    maxBatchUrls: draw.pick([2, 5, 100]),
    reportShape: draw.pick(["array", "receipts"]),
    omitsRate,
    random: createRandom(seed, "gateway").next,
    startAt,
  });
  const reports = createReportWatch();
  // Where there are files, lists are among them.
  const list = hasFiles ? null : drawList(scenario);
  const evidence: GrowingEvidence = {
    unknownSince: (idempotencyId) => {
      const since = reports.unknownSince(idempotencyId);
      // By the clock that is farthest ahead, beside the one that is farthest behind.
      const skews = [...skewsSet, ...processes.map(({ skewMs }) => skewMs)];
      return since === null ? null : since - (Math.max(...skews) - Math.min(...skews));
    },
    db,
    account: gateway.account,
    settings,
    operations: [],
    overchargedUrls: new Set(pagesWhere(scenario, ({ charge }) => charge !== "rate")),
    otherLicenseUrls: new Set(pagesWhere(scenario, ({ otherLicense }) => otherLicense !== null)),
    refusedReports: new Set(),
    changedAt: new Map(),
    runStarts: new Map(),
    runLimits: new Map(),
    generation: 0,
    faultsAreOver: false,
    caps: list?.caps ?? new Map(),
    notices: [],
    clocksAreRight: () => skewsSet.length === 1 && CLOCK_FAULTS.every((kind) => !faults.struck.has(kind)),
    omitsRate,
    now: startAt,
  };
  const connections = createConnections(ledgerPath);
  const queue = { scheduler, faults, random: createRandom(seed, "queue"), trace: note };
  const traffic = fleet === null ? null : createTraffic(fleet.limits, () => evidence.clocksAreRight?.() !== false);
  const deps: ProcessDeps = {
    scheduler,
    wire: {
      scheduler,
      gateway,
      faults,
      latency: createRandom(seed, "latency"),
      tokenLifeMs: scenario.gateway.tokenLifeMs,
      timeoutMs: TIMEOUT_MS,
      reports,
      traffic,
      outage: { until: 0 },
      trace: note,
    },
    ledger: {
      scheduler,
      faults,
      random: createRandom(seed, "ledger"),
      trace: note,
      reports,
      nextPlace,
      onHeartbeat: (process, runId, place) => void heartbeats.set(`${process} ${runId}`, place),
      onStart: (process, purchaseId, token) => {
        tokens.set(purchaseId, token);
        startings.set(token, {
          at: scheduler.now,
          process,
          purchaseId,
          settings: settingsBy.get(process) as Settings,
        });
      },
      onBegin: (process, call, begun) => {
        const { callerLimits } = call;
        if (begun.kind === "begun") {
          const { spec, resumed } = begun;
          const takenOver = begun.takenOver.flatMap((left) => (left.isResumable ? [] : [left.runId]));
          beginnings.push({ at: scheduler.now, process, call, runId: spec.runId, spec, resumed, takenOver });
          noteBegun(
            evidence,
            { runId: begun.spec.runId, ...callerLimits },
            { now: scheduler.now, beside: alive().length > 1 },
          );
        }
      },
    },
    queue,
    queues: fleet === null ? null : createQueueDirectory(queue),
    connections,
    logs,
    random: createRandom(seed, "process"),
    tuning: drawTuning(draw),
    roll: new Map(),
    apart: createRandom(seed, "machines").chance(0.3),
  };
  const alive = () => processes.filter(({ isAlive, hasEnded }) => isAlive && !hasEnded);
  const checkStep = createStepChecker(evidence);
  const readVersion = db.prepare("PRAGMA data_version").pluck();
  let version = readVersion.get();

  const check = () => {
    const current = readVersion.get();
    if (current === version) {
      return;
    }
    version = current;
    commits += 1;
    evidence.now = scheduler.now;
    const violation = judgesRows ? checkStep() : null;
    if (violation !== null) {
      throw new Halt(violation);
    }
  };

  let running: Fleet | null = null;
  const world: World = {
    scenario,
    commandService: traffic === null ? null : new CommandService(traffic, logs),
    get requestsOfWorkers() {
      return traffic?.ofWorkers ?? 0;
    },
    startFleet: (host) => {
      running = fleet === null ? null : new Fleet(world, deps, fleet, host);
      return running;
    },
    list,
    scheduler,
    gateway,
    faults,
    db,
    ledgerPath,
    evidence,
    trace,
    processes,
    catalog: new Map(scenario.sites.flatMap(({ pages }) => pages.map(({ url, lastMod }) => [url, { url, lastMod }]))),
    forbidden: new Set(Object.values(scenario.gateway.sites).flatMap(({ forbidden }) => forbidden)),
    tokens,
    beginnings,
    startings,
    nextPlace,
    lastHeartbeat: (process, runId) => heartbeats.get(`${process} ${runId}`) ?? null,
    note,
    logs,
    get commits() {
      return commits;
    },
    get kills() {
      return kills;
    },
    start: ({ kind, job, maxDurationMs = null, settings: own = current, skewMs }) => {
      const name = `${kind}#${processes.length + 1}`;
      evidence.generation += alive().length === 0 ? 1 : 0;
      const config = toConfig(scenario, { ledgerPath, settings: own, maxDurationMs });
      settingsBy.set(name, own);
      const diesAtEvent = faults.strikes("process_killed")
        ? Math.ceil(2 ** (faults.random("process_killed").next() * 10))
        : Number.POSITIVE_INFINITY;
      note(() => `${name} is started`);
      const process = startProcess(deps, { name, config, diesAtEvent, job });
      if (kind === "serve") {
        traffic?.add(process, "service");
      }
      process.skewMs =
        skewMs ?? (faults.strikes("clock_ahead") ? faults.random("clock_ahead").pick(AHEAD_DAYS) * DAY_MS : 0);
      processes.push(process);
      for (const listener of onStart) {
        listener(process);
      }
      return process;
    },
    onStart,
    lost: new Set(),
    get judgesRows() {
      return judgesRows;
    },
    stopJudgingRows: () => {
      judgesRows = false;
    },
    setClock: (process, skewMs) => {
      skewsSet.push(skewMs);
      process.skewMs = skewMs;
    },
    get settings() {
      return current;
    },
    editSettings: (edited) => {
      if (alive().length === 0) {
        for (const set of settings) {
          set.over = true;
        }
      }
      current = { ...current, ...edited };
      settings.push({ ...current, from: scheduler.now, over: false });
      note(() => `settings: ${JSON.stringify(edited)}`);
    },
    runUntil: async (isReached, onEvent) => {
      while (!isReached()) {
        if (!(await scheduler.step())) {
          throw new Halt(hung("nothing is left that could happen, and somebody still waits", processes));
        }
        check();
        requireNoBug(processes);
        logs.requireNoBug();
        running?.onEvent();
        if (scheduler.events > MAX_EVENTS) {
          throw new Halt(hung(`${MAX_EVENTS} events did not bring it to an end`, processes));
        }
        onEvent();
      }
    },
    alive,
    kill: (process) => {
      process.isAlive = false;
      onDeath(process);
    },
    close: () => {
      for (const process of processes) {
        process.isAlive = false;
        process.dropLedger();
        closeFiles(process);
      }
      running?.close();
      connections.closeAll();
    },
  };
  return world;
}
