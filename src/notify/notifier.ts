/**
 * Raises alerts and delivers them. What happened is read from the ledger, and an alert with its deliveries is committed before anything is
 * sent: a process that is killed at any point loses no alert, and the next one raises none twice. A delivery is leased; whoever dies with
 * the lease leaves it to the next, so a receiver may be told twice with the same id.
 */
import type { AlertKind } from "../alert/alert.ts";
import { type AlertDocument, alertId } from "../alert/alert-document.ts";
import type { LowDiskFact } from "../alert/alert-facts.ts";
import { deliveryWaitMs } from "../alert/delivery-retry.ts";
import { findAlerts, MAX_FACT_AGE_MS, type Wanted } from "../alert/find-alerts.ts";
import { toSlackMessage } from "../alert/slack-text.ts";
import type { Config } from "../config/config.ts";
import type { DueDelivery } from "../ledger/alert-ledger.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { toPrintedJson } from "../printed-json.ts";
import type { Clock } from "../time/clock.ts";
import { createChildEnvironment } from "./child-environment.ts";
import { type Receiver, toReceivers } from "./receivers.ts";
import { runProgram } from "./run-program.ts";
import { sendWebhook } from "./send-webhook.ts";
import type { AttemptLimits, Outgoing, Sent } from "./sent.ts";

/** How long one attempt may take. */
const ATTEMPT_MS = 10_000;
/** Longer than an attempt, also in a process that is slow. */
const LEASE_MS = 60_000;
const DELIVERIES_AT_ONCE = 8;
/** One call makes so many attempts; the next call goes on. */
const MAX_ATTEMPTS_OF_A_CALL = 200;
const NEVER = new AbortController().signal;

export interface NotifierDeps {
  readonly config: Config;
  readonly clock: Clock;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  /** On the disk of the ledger. Null: the file system does not say. */
  readonly freeBytes: () => number | null;
  /** Of this process; programs get it without secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: {
    debug(message: string): void;
    warn(message: string): void;
  };
}

export interface Notified {
  readonly raised: number;
  readonly delivered: number;
  /** Attempts that failed. The ledger knows when they are made again. */
  readonly failed: number;
}

export interface Notifier {
  readonly receivers: readonly Receiver[];
  /** To be called before work begins: receivers are told what happens from now on. */
  begin(ledger: Ledger): Promise<void>;
  /** Raises what is new and delivers what is due. @param options.timeLimitMs no attempt begins or lasts longer @throws LicetError LEDGER_* */
  notify(ledger: Ledger, options: { readonly timeLimitMs: number; readonly signal?: AbortSignal }): Promise<Notified>;
  /** Sends a document of the kind `test` to a receiver. It is not stored. */
  sendTest(receiver: Receiver): Promise<Sent>;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  const { config, clock } = deps;
  const receivers = toReceivers(config.alerts);
  const byName = new Map(receivers.map((receiver) => [receiver.receiver, receiver]));
  const wanted = toWanted(receivers);

  async function raise(ledger: Ledger): Promise<number> {
    const now = clock.now();
    const facts = await ledger.readAlertFacts({ budgets: config.budgets, since: now - MAX_FACT_AGE_MS, now });
    const alerts = findAlerts(facts, wanted, { now, lowDisk: readLowDisk(deps) });
    return (await ledger.raiseAlerts({ alerts, receivers, now })).raised;
  }

  async function deliver(ledger: Ledger, due: DueDelivery, limits: AttemptLimits): Promise<boolean> {
    const receiver = byName.get(due.receiver);
    if (receiver === undefined) {
      return false;
    }
    const { kind, message, details, site, run, code, command, raisedAt, alertId: id, attempt } = due;
    const told = { id: alertId(due), kind, message, details, site, run, code, command, raisedAt };
    const sent = await send(deps, receiver, told, limits);
    const now = clock.now();
    const waitMs = sent.ok ? 0 : deliveryWaitMs(attempt, deps.random());
    await ledger.endDelivery({
      alertId: id,
      receiver: due.receiver,
      attempt,
      outcome: toOutcome(sent, waitMs, now),
      now,
    });
    if (!sent.ok) {
      const next = waitMs === null ? "it is given up" : `next attempt in ${Math.ceil(waitMs / 1000)} s`;
      const line = `the alert "${message}" did not reach ${receiver.label}: ${sent.error}; ${next}`;
      deps.log[attempt === 1 || waitMs === null ? "warn" : "debug"](line);
    }
    return sent.ok;
  }

  return {
    receivers,
    begin: async (ledger) => {
      if (receivers.length > 0) {
        await ledger.admitReceivers({ receivers, now: clock.now() });
      }
    },
    notify: async (ledger, { timeLimitMs, signal = NEVER }) => {
      if (receivers.length === 0) {
        return { raised: 0, delivered: 0, failed: 0 };
      }
      const raised = await raise(ledger);
      const endAt = clock.now() + timeLimitMs;
      const names = [...byName.keys()];
      let delivered = 0;
      let attempts = 0;
      for (;;) {
        const now = clock.now();
        if (now >= endAt || signal.aborted || attempts >= MAX_ATTEMPTS_OF_A_CALL) {
          break;
        }
        const due = await ledger.takeDeliveries({
          receivers: names,
          now,
          leaseMs: LEASE_MS,
          limit: DELIVERIES_AT_ONCE,
        });
        if (due.length === 0) {
          break;
        }
        attempts += due.length;
        const limits = { timeoutMs: Math.min(ATTEMPT_MS, endAt - now), signal };
        const ends = await Promise.all(due.map((one) => deliver(ledger, one, limits)));
        delivered += ends.filter((ok) => ok).length;
      }
      return { raised, delivered, failed: attempts - delivered };
    },
    sendTest: (receiver) => {
      const now = clock.now();
      const message = "a test of licet alerts --test: nothing happened";
      const id = alertId({ key: `test:${receiver.receiver}:${deps.random()}`, raisedAt: now });
      return send(
        deps,
        receiver,
        {
          ...{ id, kind: "test", message, details: {}, raisedAt: now },
          ...{ site: null, run: null, code: null, command: "licet status" },
        },
        { timeoutMs: ATTEMPT_MS, signal: NEVER },
      );
    },
  };
}

/** Null: there is room enough, or the file system does not say. */
function readLowDisk({ config, freeBytes }: NotifierDeps): LowDiskFact | null {
  const free = freeBytes();
  const { lowDiskBytes } = config.ledger;
  return free === null || free >= lowDiskBytes ? null : { freeBytes: free, lowDiskBytes };
}

function toWanted(receivers: readonly Receiver[]): Wanted {
  return {
    kinds: new Set<AlertKind>(receivers.flatMap(({ kinds }) => kinds)),
    unreportedForMs: [...new Set(receivers.map(({ unreportedForMs }) => unreportedForMs).filter((ms) => ms !== null))],
  };
}

function toOutcome(sent: Sent, waitMs: number | null, now: number) {
  if (sent.ok) {
    return { kind: "delivered" } as const;
  }
  return waitMs === null
    ? ({ kind: "given_up", error: sent.error } as const)
    : ({ kind: "retry", notBefore: now + waitMs, error: sent.error } as const);
}

async function send(
  { config, clock, env, log }: NotifierDeps,
  { to, label }: Receiver,
  alert: Omit<AlertDocument, "sentAt" | "ledger">,
  limits: AttemptLimits,
): Promise<Sent> {
  const document: AlertDocument = { ...alert, sentAt: clock.now(), ledger: config.ledger.path };
  const isSlack = to.kind === "webhook" && to.form === "slack";
  const outgoing: Outgoing = { id: alert.id, body: toPrintedJson(isSlack ? toSlackMessage(document) : document) };
  if (to.kind === "webhook") {
    return sendWebhook(to, outgoing, limits);
  }
  const onOutput = (text: string) => log.debug(`${label} printed: ${text}`);
  return runProgram({ command: to.command, env: createChildEnvironment(env, config), ...limits, onOutput }, outgoing);
}
