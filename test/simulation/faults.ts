/** What goes wrong, and how often. Each kind has its own random stream, so that the others stay the same when one is left out. */
import { createRandom, type Random } from "./random.ts";

/** Chance per occasion at full strength; a seed draws which kinds it has, and how strong. */
const CHANCES = {
  /** The wire: nothing reaches the gateway. */
  no_connection: 0.04,
  request_lost: 0.04,
  /** The gateway has served the request, and its answer does not arrive whole. */
  answer_lost: 0.06,
  /** Reports are few, and what comes after the silence is what matters. */
  report_answer_lost: 0.3,
  answer_late: 0.03,
  answer_truncated: 0.03,
  answer_empty: 0.02,
  answer_not_json: 0.02,
  answer_wrong_shape: 0.02,
  error_after: 0.03,
  /** Something in front of the gateway answers by itself. */
  error_before: 0.06,
  rate_limited: 0.05,
  refused: 0.02,
  slow: 0.05,
  /** The queue. */
  job_lost: 0.08,
  job_twice: 0.08,
  job_late: 0.08,
  queue_emptied: 0.01,
  queue_unreachable: 0.006,
  /** The ledger's file. */
  ledger_locked: 0.004,
  /** Processes. */
  process_killed: 0.7,
  process_suspended: 0.02,
  /** Suspended past its lease with something in its hand. */
  held_up: 0.03,
  clock_stepped: 0.003,
  /** A process whose clock is days ahead from its start to its end. */
  clock_ahead: 0.05,
  /** The way between a worker on another machine and its service. */
  worker_call_lost: 0.04,
  worker_answer_lost: 0.04,
  worker_call_twice: 0.06,
  worker_call_late: 0.03,
  /** Workers on other machines, at an occasion. */
  worker_killed: 0.01,
  worker_frozen: 0.02,
  worker_cut_off: 0.03,
  /** The gateway is away for a while: no request of any process reaches it. */
  gateway_away: 0.004,
} as const;

export type FaultKind = keyof typeof CHANCES;
export const FAULT_KINDS = Object.keys(CHANCES) as readonly FaultKind[];

export interface Faults {
  /** Whether this occasion goes wrong. */
  strikes(kind: FaultKind): boolean;
  /** The randomness of a kind, for what else it has to draw. */
  random(kind: FaultKind): Random;
  /** From now on nothing goes wrong. */
  end(): void;
  readonly struck: ReadonlyMap<FaultKind, number>;
}

export interface FaultLimits {
  /** Kinds that never strike: shrinking takes away what a failure does not need. */
  readonly without: ReadonlySet<FaultKind>;
  /** Faults in all. */
  readonly maxFaults: number;
}

export function createFaults(seed: number, limits: FaultLimits): Faults {
  const draw = createRandom(seed, "faults");
  const strength = draw.pick([0, 0.3, 1, 1, 2]);
  const streams = new Map<FaultKind, { readonly random: Random; readonly chance: number }>();
  for (const kind of FAULT_KINDS) {
    const isDrawn = draw.chance(0.6);
    const chance = isDrawn && !limits.without.has(kind) ? Math.min(0.9, CHANCES[kind] * strength) : 0;
    streams.set(kind, { random: createRandom(seed, kind), chance });
  }
  const struck = new Map<FaultKind, number>();
  let left = limits.maxFaults;
  let isOver = false;
  const streamOf = (kind: FaultKind) => streams.get(kind) as { readonly random: Random; readonly chance: number };
  return {
    strikes: (kind) => {
      const { random, chance } = streamOf(kind);
      if (isOver || !random.chance(chance) || left <= 0) {
        return false;
      }
      left -= 1;
      struck.set(kind, (struck.get(kind) ?? 0) + 1);
      return true;
    },
    random: (kind) => streamOf(kind).random,
    end: () => {
      isOver = true;
    },
    struck,
  };
}
