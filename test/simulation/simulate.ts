/** Runs one seed from its beginning to its result. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import type { Violation } from "./checks/evidence.ts";
import { direct } from "./director.ts";
import { drawScenario } from "./draw-scenario.ts";
import { createFaults, type FaultKind } from "./faults.ts";
import { createWorld, Halt } from "./world.ts";

/** What a seed is cut down to: everything, or what a failure still needs. */
export interface Limits {
  readonly maxSites: number;
  readonly maxPages: number;
  readonly maxFaults: number;
  readonly maxRounds: number;
  readonly without: ReadonlySet<FaultKind>;
  readonly withoutTraits: ReadonlySet<string>;
  /** Whether the world changes (prices, pages) and operators act. */
  readonly disturbances: boolean;
  /** Whether people edit the configuration, leave dead runs alone, and limit what they resume. */
  readonly userChanges: boolean;
}

export const ALL: Limits = {
  maxSites: 3,
  maxPages: 14,
  maxFaults: 100_000,
  maxRounds: 4,
  without: new Set(),
  withoutTraits: new Set(),
  disturbances: true,
  userChanges: true,
};

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | null;
  /** Steps taken until the end or the violation. */
  readonly events: number;
  readonly commits: number;
  readonly charges: number;
  readonly kills: number;
  readonly struck: ReadonlyMap<FaultKind, number>;
  /** What happened, line by line; empty unless asked for. */
  readonly trace: readonly string[];
}

export interface Simulator {
  run(seed: number, limits?: Limits, traced?: boolean): Promise<Outcome>;
  close(): void;
}

/** Makes the files once that all seeds start from. */
export async function createSimulator(): Promise<Simulator> {
  const directory = mkdtempSync(join(tmpdir(), "licet-simulation-"));
  const template = join(directory, "template.sqlite");
  await (await openSqliteLedger({ path: template })).close();
  return {
    run: async (seed, limits = ALL, traced = false) => {
      const path = join(directory, "licet.sqlite");
      for (const suffix of ["", "-wal", "-shm"]) {
        rmSync(path + suffix, { force: true });
      }
      copyFileSync(template, path);
      return simulateSeed(seed, limits, traced, path);
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

async function simulateSeed(seed: number, limits: Limits, traced: boolean, path: string): Promise<Outcome> {
  const db = new Database(path, { readonly: true });
  const faults = createFaults(seed, limits);
  const world = createWorld({ scenario: drawScenario(seed, limits), faults, db, ledgerPath: path, traced });
  let violation: Violation | null = null;
  try {
    await direct(world, limits);
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
    struck: faults.struck,
    trace: world.trace,
  };
}
