/**
 * Whether the service can do its work: ledger, queue and gateway, and a clock under which runs may buy. Each is probed when somebody asks and the last answer is older than
 * a few seconds, so that neither a load balancer nor a scraper makes work. The log has one line for each change.
 */

import type { Resources } from "../../agent/compose.ts";
import type { EventBus } from "../../agent/events/events.ts";
import { type ErrorCode, isLicetError, messageOf } from "../../errors.ts";
import type { ServiceLog } from "../log/service-log.ts";

export const DEPENDENCIES = ["ledger", "queue", "gateway", "clock"] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

export interface DependencyState {
  readonly name: Dependency;
  readonly ok: boolean;
  readonly detail: string;
  /** What is wrong: an error code, that of the dependency while it is well. */
  readonly code: ErrorCode;
  /** What a person can do. Null: nothing, or it is well. */
  readonly hint: string | null;
  /** Since when `ok` is what it is, epoch ms. */
  readonly since: number;
  /** When it was last probed, epoch ms. */
  readonly checkedAt: number;
}

export interface Readiness {
  /** Each dependency, as of a few seconds ago at most. Never throws. */
  read(): Promise<readonly DependencyState[]>;
  /** What is known without a probe. Empty before the first probe. */
  last(): readonly DependencyState[];
}

/** What a probe found. */
export interface Probed {
  readonly ok: boolean;
  readonly detail: string;
  /** @default the code of the dependency */
  readonly code?: ErrorCode | undefined;
  /** @default none */
  readonly hint?: string | null | undefined;
}

/** What it means that a dependency is not there, when its probe does not say more. */
const CODES: Readonly<Record<Dependency, ErrorCode>> = {
  ledger: "LEDGER_UNWRITABLE",
  queue: "QUEUE_UNREACHABLE",
  gateway: "GATEWAY_UNREACHABLE",
  clock: "CLOCK_BEHIND",
};

/** Looks at one dependency, and throws where it is not there. Null: it could not be asked, and what is known of it stays. */
export type Probe = (signal: AbortSignal) => Promise<Probed | null>;

/** A dependency that could not be asked yet has enough to do. */
const NOT_ASKED: Probed = { ok: true, detail: "as many requests are under way as its limits allow" };

/** What the log says of each while it is well, and while it is not. */
const WORDS: Readonly<Record<Dependency, readonly [well: string, ill: string]>> = {
  ledger: ["is reachable", "is not reachable"],
  queue: ["is reachable", "is not reachable"],
  gateway: ["is reachable", "is not reachable"],
  clock: ["lets runs begin", "lets no run begin"],
};

/** An answer is good for so long. */
export const PROBE_CACHE_MS = 5_000;
/** A dependency that does not answer in this time is not reachable. */
export const PROBE_TIMEOUT_MS = 3_000;

export function createReadiness(
  { clock, log }: { readonly clock: Resources["clock"]; readonly log: ServiceLog },
  probes: Readonly<Record<Dependency, Probe>>,
): Readiness {
  const states = new Map<Dependency, DependencyState>();
  const underway = new Map<Dependency, Promise<void>>();

  const probe = async (name: Dependency): Promise<void> => {
    const found = await probeInTime(probes[name], clock);
    const before = states.get(name);
    const { ok, detail, code = CODES[name], hint = null } = found ?? before ?? NOT_ASKED;
    const now = clock.now();
    states.set(name, { name, ok, detail, code, hint, since: before?.ok === ok ? before.since : now, checkedAt: now });
    if (!ok && before?.ok !== false) {
      log.warn(`the ${name} ${WORDS[name][1]}: ${code}: ${detail}`, { dependency: name, code });
    } else if (ok && before?.ok === false) {
      log.info(`the ${name} ${WORDS[name][0]} again: ${detail}`, { dependency: name, afterMs: now - before.since });
    }
  };
  const refresh = async (name: Dependency): Promise<void> => {
    const known = states.get(name);
    // The clock may have been set back meanwhile.
    if (known !== undefined && Math.abs(clock.now() - known.checkedAt) < PROBE_CACHE_MS) {
      return;
    }
    const probing = underway.get(name) ?? probe(name).finally(() => underway.delete(name));
    underway.set(name, probing);
    await probing;
  };
  const last = () => DEPENDENCIES.flatMap((name) => states.get(name) ?? []);

  return {
    last,
    read: async () => {
      await Promise.all(DEPENDENCIES.map(refresh));
      return last();
    },
  };
}

async function probeInTime(probe: Probe, clock: Resources["clock"]): Promise<Probed | null> {
  const done = new AbortController();
  const late = clock.sleep(PROBE_TIMEOUT_MS, done.signal).then((): Probed => {
    done.abort();
    return { ok: false, detail: `no answer within ${PROBE_TIMEOUT_MS} ms` };
  });
  try {
    return await Promise.race([probe(done.signal), late]);
  } catch (error) {
    const { code, hint } = isLicetError(error) ? error : {};
    return { ok: false, detail: messageOf(error), code, hint };
  } finally {
    done.abort();
  }
}

/** So many requests in a row without a usable answer say that the gateway is away, also while its server answers a probe. */
const FAILURES_IN_A_ROW = 3;
/** Failed requests count for so long. */
const FAILURES_COUNT_MS = 120_000;
/** An answered request saves a probe for so long. */
const ANSWER_COUNTS_MS = 5_000;

const UNAUTHORIZED = 401;
/** Nothing can be bought or reported. */
export const KEY_REFUSED: Probed = {
  ok: false,
  detail: "it refuses the key (401)",
  code: "GATEWAY_UNAUTHORIZED",
  hint: "Check `gateway.apiKey`: the key was changed, or has expired.",
};

/** What the requests of runs and reports say about the gateway. */
export interface GatewayTraffic {
  /** Null: nothing that is new enough. */
  read(): Probed | null;
}

export function watchGatewayTraffic(bus: EventBus, clock: Resources["clock"]): GatewayTraffic {
  let failures = 0;
  let failedAt = 0;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let detail = "";
  bus.on("gateway.request", ({ call, status, failure }) => {
    // A content request has a token instead of the key.
    if (call !== "content") {
      refusedAt = status === UNAUTHORIZED ? clock.now() : status === null ? refusedAt : Number.NEGATIVE_INFINITY;
    }
    if (status !== null && status < 500) {
      failures = 0;
      answeredAt = clock.now();
      return;
    }
    failures += 1;
    failedAt = clock.now();
    detail =
      status === null ? `requests get no answer: ${failure ?? "no connection"}` : `requests are answered ${status}`;
  });
  return {
    read: () => {
      // The clock may have been set back meanwhile.
      const isNew = (at: number, ms: number) => Math.abs(clock.now() - at) < ms;
      if (isNew(refusedAt, FAILURES_COUNT_MS)) {
        return KEY_REFUSED;
      }
      if (failures >= FAILURES_IN_A_ROW && isNew(failedAt, FAILURES_COUNT_MS)) {
        return { ok: false, detail };
      }
      return isNew(answeredAt, ANSWER_COUNTS_MS) ? { ok: true, detail: "its requests are answered" } : null;
    },
  };
}
