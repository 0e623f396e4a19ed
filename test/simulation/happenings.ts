/** What happens in a world, as its judges read it. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RunSpec } from "../../src/ledger/run-ledger.ts";
import type { Violation } from "./checks/evidence.ts";
import { type SiteTraits, traitsOf } from "./gateway/traits.ts";
import type { ProcessJob, SimulatedProcess } from "./process.ts";
import type { Scenario, Settings } from "./scenario.ts";

export interface ProcessOrder {
  readonly kind: string;
  readonly job: ProcessJob;
  readonly maxDurationMs?: number | null;
  /** Another configuration than that of the world. */
  readonly settings?: Settings;
  /** What its clock is off by. @default drawn */
  readonly skewMs?: number;
}

/** A run that began or went on. */
export interface Beginning {
  /** True time. */
  readonly at: number;
  readonly process: string;
  readonly call: Parameters<Ledger["beginRun"]>[0];
  readonly runId: string;
  readonly spec: RunSpec;
  readonly resumed: boolean;
  /** Earlier runs whose work it does or has ended. */
  readonly takenOver: readonly string[];
}

/** A purchase whose chargeable request is about to be sent. */
export interface Starting {
  readonly at: number;
  readonly process: string;
  readonly purchaseId: number;
  /** What the process works by. */
  readonly settings: Settings;
}

export function hung(detail: string, processes: readonly SimulatedProcess[]): Violation {
  const waiting = processes.filter(({ isAlive, hasEnded }) => isAlive && !hasEnded).map(({ name }) => name);
  return { promise: "liveness", rule: "every-process-ends", detail: `${detail}: ${waiting.join(", ")}` };
}

export function pagesWhere({ sites, gateway }: Scenario, has: (traits: SiteTraits) => boolean): readonly string[] {
  return sites.filter(({ host }) => has(traitsOf(gateway, host))).flatMap(({ pages }) => pages.map(({ url }) => url));
}
