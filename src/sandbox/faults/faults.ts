import { createRandom, hashText } from "../random.ts";
import { FAULT_GROUPS, FAULT_NAMES, type FaultGroup, type FaultName } from "./fault-names.ts";

/** Probabilities (0 to 1) by `all`, fault, or `<group>:<fault>`. */
export type FaultSettings = Readonly<Record<string, number>>;

const EVERYWHERE: readonly FaultName[] = [
  "reset-before",
  "reset-mid-body",
  "timeout",
  "slow",
  "status-500",
  "status-502",
  "status-503",
  "status-429",
  "truncated-json",
  "empty-200",
  "wrong-shape",
  "error-200",
];

const GROUP_FAULTS: Readonly<Record<FaultGroup, readonly FaultName[]>> = {
  content: [...EVERYWHERE, "reset-after-charge", "status-500-after-charge", "over-charge"],
  token: [...EVERYWHERE, "price-rise", "token-500", "token-expired"],
  rate: EVERYWHERE,
  bulk: [...EVERYWHERE, "bulk-shuffle", "bulk-missing", "bulk-duplicate", "bulk-error"],
  catalog: [...EVERYWHERE, "catalog-repeat", "catalog-loop"],
  report: [...EVERYWHERE, "report-lost-answer", "receipt-short", "receipt-wrong-total"],
  history: EVERYWHERE,
  webhook: ["webhook-lost", "webhook-doubled", "webhook-late", "webhook-forged", "webhook-replayed"],
};

/** Chooses the faults at random. */
export interface FaultInjector {
  /** The fault of the next request of a group. */
  next(group: FaultGroup): FaultName | null;
  /** Whether a site is forbidden. The same answer for a host every time. */
  isForbidden(host: string): boolean;
  /** Replaces all probabilities. @throws Error naming the unknown fault or the bad probability. */
  set(faults: FaultSettings): void;
  /** Counts a fault that took effect. */
  countFired(fault: FaultName): void;
  /** How often each fault took effect. */
  readonly fired: Readonly<Record<string, number>>;
}

/** @throws Error naming the unknown fault or the bad probability. */
export function createFaultInjector(faults: FaultSettings, seed: number): FaultInjector {
  const random = createRandom(seed);
  const fired: Record<string, number> = {};
  let odds = toOdds(faults);
  return {
    fired,
    next: (group) => {
      for (const { fault, probability } of odds.byGroup[group]) {
        if (random() < probability) {
          return fault;
        }
      }
      if (odds.all === 0 || random() >= odds.all) {
        return null;
      }
      const possible = GROUP_FAULTS[group];
      return possible[Math.floor(random() * possible.length)] ?? null;
    },
    isForbidden: (host) => odds.forbiddenSite > 0 && hashText(`${seed} ${host}`) / 4_294_967_296 < odds.forbiddenSite,
    set: (next) => {
      odds = toOdds(next);
    },
    countFired: (fault) => {
      fired[fault] = (fired[fault] ?? 0) + 1;
    },
  };
}

/**
 * Reads a command line's `name=probability`, such as `reset-after-charge=0.01`, `content:timeout=0.1` or `all=0.05`.
 *
 * @throws Error that says what is wrong and what is possible.
 */
export function parseFaultArgument(text: string): { readonly name: string; readonly probability: number } {
  const separator = text.indexOf("=");
  if (separator < 1) {
    throw new Error(`fault "${text}": write name=probability, such as timeout=0.01`);
  }
  const name = text.slice(0, separator);
  const written = text.slice(separator + 1);
  const probability = /^(\d+\.?\d*|\.\d+)$/.test(written) ? Number(written) : Number.NaN;
  assertFault(name, probability);
  return { name, probability };
}

interface Odds {
  readonly all: number;
  readonly forbiddenSite: number;
  readonly byGroup: Readonly<Record<FaultGroup, readonly { fault: FaultName; probability: number }[]>>;
}

function toOdds(faults: FaultSettings): Odds {
  const byGroup: Record<FaultGroup, { fault: FaultName; probability: number }[]> = {
    content: [],
    token: [],
    rate: [],
    bulk: [],
    catalog: [],
    report: [],
    history: [],
    webhook: [],
  };
  for (const [name, probability] of Object.entries(faults)) {
    assertFault(name, probability);
    if (probability === 0) {
      continue;
    }
    const [scope, limited] = name.split(":", 2);
    for (const group of FAULT_GROUPS) {
      const fault = (limited ?? scope) as FaultName;
      if (limited !== undefined && scope !== group) {
        continue;
      }
      if (GROUP_FAULTS[group].includes(fault)) {
        byGroup[group].push({ fault, probability });
      }
    }
  }
  return { all: faults.all ?? 0, forbiddenSite: faults["forbidden-site"] ?? 0, byGroup };
}

function assertFault(name: string, probability: number): void {
  if (!(probability >= 0 && probability <= 1)) {
    throw new Error(`fault "${name}": the probability must be a number from 0 to 1`);
  }
  if (name === "all" || name === "forbidden-site") {
    return;
  }
  const [scope, limited] = name.split(":", 2) as [string, string?];
  const group = FAULT_GROUPS.find((known) => known === scope);
  if (limited === undefined ? Object.hasOwn(FAULT_NAMES, scope) : group !== undefined) {
    if (limited === undefined || GROUP_FAULTS[group as FaultGroup].includes(limited as FaultName)) {
      return;
    }
  }
  const known = Object.keys(FAULT_NAMES).join(", ");
  throw new Error(
    `fault "${name}" is not known; the faults are all, ${known}; limit one to a group with group:name, where the groups are ${FAULT_GROUPS.join(", ")}`,
  );
}
