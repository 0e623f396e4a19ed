/**
 * The real ledger on a real file, as one process sees it. Time passes before and after each call, so that a process can die with
 * an operation requested, committed, or committed without its knowledge.
 */
import { LicetError } from "../../src/errors.ts";
import type { FetchBegun } from "../../src/ledger/fetch-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Begun } from "../../src/ledger/run-ledger.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { ReportWatch } from "./report-watch.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

export interface LedgerDeps {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace: (line: () => string) => void;
  /** Sees which token a purchase is started with: the ledger forgets it when the purchase is over. */
  readonly onStart: (process: string, purchaseId: number, token: string) => void;
  /** Sees each run that begins or goes on, at once: its process may die before it learns so itself. */
  readonly onBegin: (process: string, call: Parameters<Ledger["beginRun"]>[0], begun: Begun) => void;
  /** Sees each heartbeat of a run that was accepted, with its place among all that processes sent and were told. */
  readonly onHeartbeat: (process: string, runId: string, place: number) => void;
  readonly nextPlace: () => number;
  readonly reports: ReportWatch;
}

type Operation = (...parameters: unknown[]) => Promise<unknown>;

export function createSimulatedLedger(deps: LedgerDeps, owner: Owner, name: string, inner: Ledger): Ledger {
  const { scheduler, faults, random, trace } = deps;
  return new Proxy(inner, {
    get(target, key) {
      const operation = Reflect.get(target, key) as Operation;
      if (typeof operation !== "function" || key === "close") {
        return operation;
      }
      return async (...parameters: unknown[]) => {
        const place = deps.nextPlace();
        await scheduler.pause(random.int(0, 2), owner);
        if (faults.strikes("ledger_locked")) {
          trace(() => `${name} ledger.${String(key)}: locked`);
          throw new LicetError("LEDGER_LOCKED", "the ledger is locked: simulated", { details: { path: "simulated" } });
        }
        if (key === "startPurchase") {
          const { purchaseId, token } = parameters[0] as Parameters<Ledger["startPurchase"]>[0];
          deps.onStart(name, purchaseId, token.token);
        }
        if (HELD_UP.has(String(key)) && faults.strikes("held_up")) {
          // Longer than any lease: when the process continues, another process may have the batch.
          owner.suspendedUntil = scheduler.now + faults.random("held_up").int(70_000, 400_000);
          trace(() => `${name} is held up before ledger.${String(key)}`);
          await scheduler.pause(0, owner);
        }
        const result = await operation.apply(target, parameters);
        if (key === "beginRun") {
          deps.onBegin(name, parameters[0] as Parameters<Ledger["beginRun"]>[0], result as Begun);
        }
        if (key === "beginFetch") {
          const { begin } = parameters[0] as Parameters<Ledger["beginFetch"]>[0];
          deps.onBegin(name, begin, (result as FetchBegun).begun);
        }
        if (key === "renewRun" && result === true) {
          deps.onHeartbeat(name, (parameters[0] as Parameters<Ledger["renewRun"]>[0]).runId, place);
        }
        watchReport(deps, name, { key: String(key), parameter: parameters[0], result });
        trace(() => `${name} ledger.${String(key)}(${show(parameters[0])}) = ${show(result)}`);
        await scheduler.pause(random.int(0, 2), owner);
        return result;
      };
    },
  });
}

interface Called {
  readonly key: string;
  readonly parameter: unknown;
  readonly result: unknown;
}

function watchReport({ reports, scheduler }: LedgerDeps, name: string, { key, parameter, result }: Called): void {
  if ((key === "nextReport" || key === "freezeReport") && result !== null) {
    reports.met(result as Parameters<ReportWatch["met"]>[0]);
  }
  if (key === "recordAttempt" && result === true) {
    reports.attempted(name, (parameter as { readonly reportId: number }).reportId, scheduler.now);
  }
  if (key === "postponeReport" && result === true) {
    reports.recorded(name, (parameter as { readonly reportId: number }).reportId);
  }
}

/** Where a worker that comes back late does most harm: with a decision, a token, an answer or a refusal in its hand. */
const HELD_UP: ReadonlySet<string> = new Set([
  "decide",
  "startPurchase",
  "settlePurchase",
  "settleLast",
  "releasePurchase",
  "reserveAnew",
  "holdInDoubt",
  "returnBatch",
  "finishAcquireBatch",
  "endFetchBatch",
  "recordAttempt",
  "settleReport",
  "rejectReport",
]);

const SHOWN_CHARS = 160;

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (item instanceof Map ? [...item] : item)) ?? "";
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
