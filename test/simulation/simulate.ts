/** Runs one seed from its beginning to its result. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { openSpelledOut } from "../doubles/spelled-out.ts";
import type { Violation } from "./checks/evidence.ts";
import { direct } from "./director.ts";
import { drawScenario } from "./draw-scenario.ts";
import { createFaults, type FaultKind, type Faults } from "./faults.ts";
import { Halt } from "./halt.ts";
import { directMeeting } from "./meetings/direct-meeting.ts";
import { drawMeeting } from "./meetings/meeting.ts";
import type { Scenario } from "./scenario.ts";
import { drawFleet, type FleetPlan, WORKERS } from "./workers/draw-fleet.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

/** What a seed is cut down to: everything, or what a failure still needs. */
export interface Limits {
  readonly maxSites: number;
  readonly maxPages: number;
  readonly maxFaults: number;
  readonly maxRounds: number;
  readonly without: ReadonlySet<FaultKind>;
  readonly withoutTraits: ReadonlySet<string>;
  /** Who does not take part in a meeting. */
  readonly withoutActors: ReadonlySet<string>;
  /** Whether the world changes (prices, pages) and operators act. */
  readonly disturbances: boolean;
  /** Whether people edit the configuration, leave dead runs alone, and limit what they resume. */
  readonly userChanges: boolean;
}

/** Worlds of crawls, and meetings of the service with persons and configurations. */
export const WORLD_CLASSES = ["crawls", "meetings"] as const;
export type WorldClass = (typeof WORLD_CLASSES)[number];

export const ALL: Limits = {
  maxSites: 3,
  maxPages: 14,
  maxFaults: 100_000,
  maxRounds: 4,
  without: new Set(),
  withoutTraits: new Set(),
  withoutActors: new Set(),
  disturbances: true,
  userChanges: true,
};

/** Without workers on other machines. */
export const ALONE: Limits = { ...ALL, withoutActors: new Set([WORKERS]) };

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | null;
  /** Steps taken until the end or the violation. */
  readonly events: number;
  readonly commits: number;
  readonly charges: number;
  readonly kills: number;
  /** Requests to the gateway of workers on other machines. */
  readonly requestsOfWorkers: number;
  readonly struck: ReadonlyMap<FaultKind, number>;
  /** What happened, line by line; empty unless asked for. */
  readonly trace: readonly string[];
}

export interface Simulator {
  readonly worldClass: WorldClass;
  run(seed: number, limits?: Limits, traced?: boolean): Promise<Outcome>;
  close(): void;
}

/** The world does not wait for the import of a module: to it, a call that waits for one waits for nothing. */
async function loadWhatTheAgentLoadsLater(): Promise<void> {
  await Promise.all([
    import("../../src/agent/copies/backup-agent.ts"),
    import("../../src/agent/fetch/fetch-agent.ts"),
    import("../../src/agent/rights/purge-agent.ts"),
  ]);
}

/** Makes the files once that all seeds start from. */
export async function createSimulator(worldClass: WorldClass = "crawls"): Promise<Simulator> {
  await loadWhatTheAgentLoadsLater();
  const directory = mkdtempSync(join(tmpdir(), "licet-simulation-"));
  const template = join(directory, "template.sqlite");
  await (await openSqliteLedger({ path: template })).close();
  return {
    worldClass,
    run: async (seed, limits = ALL, traced = false) => {
      const path = join(directory, "licet.sqlite");
      for (const suffix of ["", "-wal", "-shm"]) {
        rmSync(path + suffix, { force: true });
      }
      copyFileSync(template, path);
      return simulateSeed({ worldClass, seed, limits, traced, path });
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

interface SeedWork {
  readonly worldClass: WorldClass;
  readonly seed: number;
  readonly limits: Limits;
  readonly traced: boolean;
  readonly path: string;
}

async function simulateSeed({ worldClass, seed, limits, traced, path }: SeedWork): Promise<Outcome> {
  const db = openSpelledOut(path);
  const { world, faults, live } = OPENINGS[worldClass](seed, limits, { db, ledgerPath: path, traced });
  let violation: Violation | null = null;
  try {
    await live();
  } catch (error) {
    if (!(error instanceof Halt)) {
      throw error;
    }
    violation = error.violation;
  } finally {
    world.close();
    db.close();
  }
  return {
    seed,
    violation,
    events: world.scheduler.events,
    commits: world.commits,
    charges: world.gateway.account.charges.length,
    kills: world.kills,
    requestsOfWorkers: world.requestsOfWorkers,
    struck: faults.struck,
    trace: world.trace,
  };
}

interface Opened {
  readonly world: World;
  readonly faults: Faults;
  live(): Promise<void>;
}

type Place = Pick<WorldOptions, "db" | "ledgerPath" | "traced">;

const OPENINGS: Readonly<Record<WorldClass, (seed: number, limits: Limits, place: Place) => Opened>> = {
  crawls: (seed, limits, place) => {
    const faults = createFaults(seed, limits);
    const fleet = drawFleet(seed, limits);
    const scenario = drawScenario(seed, limits);
    const world = createWorld({ ...place, ...withFleet(scenario, fleet), faults });
    return { world, faults, live: () => direct(world, limits) };
  },
  meetings: (seed, limits, place) => {
    const meeting = drawMeeting(seed, limits);
    const faults = createFaults(seed, { ...limits, without: new Set([...limits.without, ...DRAWN_BY_MEETINGS]) });
    const fleet = meeting.hasService ? drawFleet(seed, limits) : null;
    const world = createWorld({ ...place, ...withFleet(meeting.scenario, fleet), faults, hasFiles: true });
    return { world, faults, live: () => directMeeting(world, meeting, limits) };
  },
};

function withFleet(scenario: Scenario, fleet: FleetPlan | null): Pick<WorldOptions, "scenario" | "fleet"> {
  if (fleet === null) {
    return { fleet, scenario };
  }
  const requestsPerSecond = scenario.gateway.requestsPerSecond ?? fleet.limits.requestsPerSecond;
  const limits = { ...fleet.limits, requestsPerSecond };
  return { fleet: { ...fleet, limits }, scenario: { ...scenario, limits } };
}

/** A meeting kills, suspends and sets clocks by itself. */
const DRAWN_BY_MEETINGS: readonly FaultKind[] = ["process_killed", "process_suspended", "clock_stepped", "clock_ahead"];
