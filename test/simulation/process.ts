/** One process of licet in the simulated world: the real agent over the real ledger, with everything else simulated. */

import type { Resources } from "../../src/agent/compose.ts";
import { EventBus as Bus, type EventBus } from "../../src/agent/events/events.ts";
import { createLedgerOpener } from "../../src/agent/open-ledger.ts";
import type { Tuning } from "../../src/agent/tuning.ts";
import { createWaits } from "../../src/agent/waits/waits.ts";
import type { Config } from "../../src/config/config.ts";
import type { MarkdownConverter } from "../../src/content/markdown-converter.ts";
import { GatewayClient } from "../../src/gateway/gateway-client.ts";
import { createIds, type Ids } from "../../src/ids.ts";
import type { Connection } from "../../src/ledger/sqlite/engine/connection.ts";
import { openFileSpool } from "../../src/ledger/sqlite/engine/file-spool.ts";
import { createLedgerCore } from "../../src/ledger/sqlite/ledger-core.ts";
import { createReports } from "../../src/ledger/sqlite/reports/table.ts";
import { createSqliteLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import type { Clock } from "../../src/time/clock.ts";
import { SERVICE_QUEUES } from "../doubles/memory-queue.ts";
import { NO_SNAPSHOTS } from "../doubles/no-snapshots.ts";
import type { Connections } from "./connections.ts";
import type { ProcessLogs } from "./process-logs.ts";
import type { Random } from "./random.ts";
import type { Owner, Scheduler } from "./scheduler.ts";
import { createSimulatedLedger, type LedgerDeps } from "./simulated-ledger.ts";
import { createQueueServer, type QueueDirectory, type QueueServerDeps } from "./simulated-queue.ts";
import { createSimulatedWire, type WireDeps } from "./simulated-wire.ts";

export interface ProcessDeps {
  readonly scheduler: Scheduler;
  readonly wire: WireDeps;
  readonly ledger: LedgerDeps;
  readonly queue: QueueServerDeps;
  /** Where workers on other machines find the queues of processes. */
  readonly queues: QueueDirectory | null;
  readonly connections: Connections;
  readonly logs: ProcessLogs;
  readonly random: Random;
  readonly tuning: Tuning;
  /** Each process is on a machine of its own: none can see that another one has ended. */
  readonly apart: boolean;
  /** Every process by its name. */
  readonly roll: Map<string, SimulatedProcess>;
}

export interface SimulatedProcess extends Owner {
  readonly name: string;
  readonly stop: AbortController;
  hasEnded: boolean;
  result: unknown;
  /** What it ended with instead of a result: an operating error, or a bug. */
  error: unknown;
  /** Lets go of the ledger's file, as the kernel does for a process that died. */
  dropLedger(): void;
}

/** What a process is started for: `licet run`, `licet report` … */
export type ProcessJob = (resources: Resources, bus: EventBus, signal: AbortSignal) => Promise<unknown>;

export function startProcess(
  deps: ProcessDeps,
  { name, config, diesAtEvent, job }: { name: string; config: Config; diesAtEvent: number; job: ProcessJob },
): SimulatedProcess {
  let db: Connection | null = null;
  const process: SimulatedProcess = {
    name,
    isAlive: true,
    suspendedUntil: null,
    diesAtEvent,
    events: 0,
    skewMs: 0,
    stop: new AbortController(),
    hasEnded: false,
    result: null,
    error: null,
    dropLedger: () => {
      db?.close();
    },
  };
  deps.roll.set(name, process);
  const resources = createSimulatedResources(deps, process, config, (opened) => {
    db = opened;
  });
  const live = async () => {
    await deps.scheduler.pause(0, process);
    try {
      process.result = await job(resources, new Bus(), process.stop.signal);
    } catch (error) {
      process.error = error;
    }
    await resources.close();
    process.hasEnded = true;
  };
  void live();
  return process;
}

/** Bookings are added up often: a world has some dozens. */
const SUM_EVERY = 3;

export function createSimulatedIds(random: Random, clock: Pick<Clock, "now">): Ids {
  return createIds({
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
    now: clock.now,
  });
}

export function createSimulatedConverter({ scheduler, random }: ProcessDeps, owner: Owner): MarkdownConverter {
  return {
    convert: async (html) => {
      await scheduler.pause(random.int(0, 20), owner);
      return { ok: true, markdown: `converted ${html}` };
    },
    close: async () => {},
  };
}

const WRITE_WAIT_FACTOR = 5;

function createSimulatedResources(
  deps: ProcessDeps,
  process: SimulatedProcess,
  config: Config,
  onOpen: (db: Connection) => void,
): Resources {
  const { scheduler, random, tuning } = deps;
  const clock = scheduler.clockOf(process);
  const gateway = new GatewayClient(
    { ...config.gateway, clock, random: random.next },
    createSimulatedWire(deps.wire, process, process.name),
  );
  const openQueue = () => createQueueServer(deps.queue, deps.queues).connect(process, process.name);
  const queue = openQueue();
  const open = () => {
    const db = deps.connections.open();
    onOpen(db);
    // A group of writes waits longer or shorter for company than it means to: others come in between.
    return createSqliteLedger(
      createLedgerCore(
        db,
        config.ledger.path,
        { now: clock.now, sleep: (ms) => scheduler.pause(random.int(0, WRITE_WAIT_FACTOR * ms), process) },
        undefined,
        undefined,
        SUM_EVERY,
      ),
      // Loading a module takes a time that no seed decides.
      async () => createReports,
    );
  };
  const inner = open();
  const ledger = createSimulatedLedger(deps.ledger, process, process.name, inner);
  // Whether a person has accepted the ledger is asked without a pause that would be drawn.
  const opener = createLedgerOpener(
    config,
    () => {},
    async () => inner,
  );
  const tasks = new Map<string, "at work" | "ended">();
  const processes: Resources["processes"] = {
    begin: () => {
      const task = tasks.size === 0 ? process.name : `${process.name}~${tasks.size + 1}`;
      tasks.set(task, "at work");
      return task;
    },
    end: (task) => void tasks.set(task, "ended"),
    hasEnded: (task) => {
      if (tasks.get(task) === "ended") {
        return true;
      }
      const other = deps.roll.get(task.split("~")[0] as string);
      return !deps.apart && other !== undefined && (other.hasEnded || !other.isAlive);
    },
  };
  return {
    config,
    clock,
    ids: createSimulatedIds(random, clock),
    random: random.next,
    tuning,
    systemUser: () => "operator",
    processes,
    waits: createWaits({ clock, processes, ledger: async () => ledger }),
    ledger: async (access) => {
      await opener.open(access);
      return ledger;
    },
    gateway: async () => gateway,
    queue: async () => queue,
    openQueue: async () => openQueue(),
    // It never wakes: the service looks at the clock itself, and the ledger decides whether a slot runs.
    openScheduleQueue: SERVICE_QUEUES.openScheduleQueue,
    converter: async () => createSimulatedConverter(deps, process),
    openSpool: openFileSpool,
    snapshots: NO_SNAPSHOTS,
    close: async () => {
      await queue.close();
      await gateway.close();
      await ledger.close();
    },
  };
}
