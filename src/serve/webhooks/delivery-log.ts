import type { Clock } from "../../time/clock.ts";
import type { ServiceLog } from "../log/service-log.ts";
import type { DeliveryOutcome } from "./delivery-outcomes.ts";

/** Whoever sends forged deliveries must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;

export interface RefusedDelivery {
  /** Its id. `NO_WEBHOOK`: it was for none. */
  readonly webhook: string;
  readonly address: string;
  readonly outcome: DeliveryOutcome;
  /** Where it was sent, printable, and where the webhook is: only of those that were sent elsewhere. */
  readonly misdirected?: { readonly path: string; readonly expected: string | null };
}

/** Logs refusals: of each outcome and webhook, the first one, and then one line a minute with the number of those between. */
export function createRefusalLog(log: ServiceLog, clock: Pick<Clock, "now">): (refused: RefusedDelivery) => void {
  const lines = new Map<string, { loggedAt: number; unlogged: number }>();
  return ({ webhook, address, outcome, misdirected }) => {
    const key = `${outcome} ${webhook}`;
    const line = lines.get(key) ?? { loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    lines.set(key, line);
    line.unlogged += 1;
    const now = clock.now();
    if (Math.abs(now - line.loggedAt) >= LOG_EVERY_MS) {
      const count = line.unlogged === 1 ? "a delivery" : `${line.unlogged} deliveries`;
      const place = misdirected === undefined ? `the webhook ${webhook}` : describePath(webhook, misdirected);
      log.warn(`${count} to ${place} refused: ${outcome}, from ${address}`, {
        webhook,
        reason: outcome,
        address,
        refused: line.unlogged,
        ...(misdirected === undefined ? {} : { path: misdirected.path }),
      });
      line.loggedAt = now;
      line.unlogged = 0;
    }
  };
}

function describePath(webhook: string, { path, expected }: NonNullable<RefusedDelivery["misdirected"]>): string {
  return expected === null
    ? `${path}, which is the path of no webhook,`
    : `${path} (the webhook ${webhook} has the path ${expected})`;
}
