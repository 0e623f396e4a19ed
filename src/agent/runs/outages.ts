/**
 * What keeps the runs of a service from going on: the queue or the gateway is away, or the ledger cannot be written. All runs share one
 * account of it, so that each outage is reported once when the first of them notices it, and once when it is over for the last of them.
 */
import { type ErrorCode, isLicetError, type LicetError } from "../../errors.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { createOutageCheck } from "../../pipeline/work/outage-check.ts";
import type { OutagePolicy } from "../../pipeline/work/outage-policy.ts";
import type { Clock } from "../../time/clock.ts";
import type { Resources } from "../compose.ts";
import { WAITS_OF, waitOf } from "../waits/wait-of-error.ts";
import type { Waits } from "../waits/waits.ts";

export type OutagePlace = "queue" | "gateway" | "ledger";

export interface Outage {
  readonly place: OutagePlace;
  /** The failure that showed it, and what a person can do. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** Epoch ms. */
  readonly since: number;
}

export interface Outages {
  /** Those at present. */
  current(): readonly Outage[];
  /** A run has noticed an outage. */
  begin(error: LicetError, runId: string): void;
  /** The place is back for this run. It says nothing of other runs: a small write may succeed on a disk that is too full to buy. */
  end(place: OutagePlace, runId: string): void;
  /** A run is over. An outage that only this run has noticed is forgotten without a word: nobody looks any more whether it is over. */
  forget(runId: string): void;
  /** Called when an outage begins and when it is over. Returns a function that ends the calls. */
  onChange(listener: (outage: Outage, isOver: boolean) => void): () => void;
}

const PLACES: Readonly<Partial<Record<ErrorCode, OutagePlace>>> = {
  QUEUE_UNREACHABLE: "queue",
  GATEWAY_UNREACHABLE: "gateway",
  GATEWAY_TIMEOUT: "gateway",
  GATEWAY_FAILED: "gateway",
  GATEWAY_RATE_LIMITED: "gateway",
  GATEWAY_ANSWER_INVALID: "gateway",
  LEDGER_LOCKED: "ledger",
  LEDGER_UNWRITABLE: "ledger",
  DISK_FULL: "ledger",
};

/** The place whose outage an error shows. Null for an error that waiting does not mend, such as a wrong key, and for a bug. */
export function placeOf(error: unknown): OutagePlace | null {
  return isLicetError(error) ? (PLACES[error.code] ?? null) : null;
}

/** @param waits has each run that noticed an outage */
export function createOutages(clock: Pick<Clock, "now">, waits: Pick<Waits, "begin" | "end">): Outages {
  const outages = new Map<OutagePlace, { readonly outage: Outage; readonly runs: Set<string> }>();
  const listeners = new Set<(outage: Outage, isOver: boolean) => void>();
  const report = (outage: Outage, isOver: boolean) => {
    for (const listener of listeners) {
      listener(outage, isOver);
    }
  };
  const leave = (place: OutagePlace, runId: string): Outage | null => {
    const known = outages.get(place);
    waits.end(runId, WAITS_OF[place]);
    if (known?.runs.delete(runId) && known.runs.size === 0) {
      outages.delete(place);
      return known.outage;
    }
    return null;
  };
  return {
    current: () => [...outages.values()].map(({ outage }) => outage),
    begin: (error, runId) => {
      const place = placeOf(error);
      if (place === null) {
        return;
      }
      waits.begin(waitOf(error, place, runId));
      const known = outages.get(place);
      if (known !== undefined) {
        known.runs.add(runId);
        return;
      }
      const { code, message, hint = null } = error;
      const outage: Outage = { place, code, message, hint, since: clock.now() };
      outages.set(place, { outage, runs: new Set([runId]) });
      report(outage, false);
    },
    end: (place, runId) => {
      const outage = leave(place, runId);
      if (outage !== null) {
        report(outage, true);
      }
    },
    forget: (runId) => {
      for (const place of [...outages.keys()]) {
        leave(place, runId);
      }
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The outage policy of a run of the service for one work period: it waits until an outage is over. An outage that ends the period is over when
 * the run has looked for it before its next period: jobs that end meanwhile may fail by it again, or may just have got an answer.
 * @param run.ending aborts when the run is to end. An outage does not abort it
 */
export function createOutagePolicy(
  outages: Outages,
  clock: Pick<Clock, "now">,
  { runId, ending }: { readonly runId: string; readonly ending: AbortSignal },
): OutagePolicy {
  const pausing = new Set<OutagePlace>();
  const check = createOutageCheck(clock, (error) => outages.begin(error, runId));
  return {
    isOutage: check.isOutage,
    isAway: check.isOutage,
    keepsContent: (error) => {
      outages.begin(error, runId);
      return !ending.aborted;
    },
    pausesFor: (error) => {
      const place = placeOf(error);
      if (place === null || !isLicetError(error)) {
        return false;
      }
      pausing.add(place);
      outages.begin(error, runId);
      return true;
    },
    reportSuccess: (place) => {
      check.noteSuccess(place);
      if (!pausing.has(place)) {
        outages.end(place, runId);
      }
    },
  };
}

/** Sites whose catalogs are asked for: that of one may be broken. */
const MAX_SITES_ASKED = 3;

/** Throws while a place is away for a run that pauses. */
export async function assertBack(
  place: OutagePlace | null,
  { resources, ledger, warned }: BackDeps,
  { spec, process }: { readonly spec: Pick<RunSpec, "runId" | "sites">; readonly process: string },
): Promise<void> {
  const { clock, tuning } = resources;
  switch (place) {
    case "queue":
      await (await resources.queue(warned)).depth();
      return;
    case "gateway":
      return assertGatewayAnswers(
        await resources.gateway(),
        spec.sites.map(({ host }) => host),
      );
    case "ledger":
      await ledger.checkRoom();
      await ledger.renewRun({ runId: spec.runId, process, aliveUntil: clock.now() + tuning.pipeline.leaseMs });
      return;
    case null:
      return;
    default:
      return place satisfies never;
  }
}

interface BackDeps {
  readonly resources: Pick<Resources, "clock" | "tuning" | "queue" | "gateway">;
  readonly ledger: Pick<Ledger, "checkRoom" | "renewRun">;
  readonly warned: (message: string) => void;
}

/** Any answer will do, also a refusal. What it means is decided where it matters. */
async function assertGatewayAnswers(gateway: Pick<Gateway, "listCatalog">, hosts: readonly string[]): Promise<void> {
  let failure: unknown = null;
  for (const host of hosts.slice(0, MAX_SITES_ASKED)) {
    try {
      await gateway.listCatalog({ host, pageToken: null, pageSize: 1 });
      return;
    } catch (error) {
      if (placeOf(error) !== "gateway") {
        return;
      }
      failure = error;
    }
  }
  throw failure;
}
