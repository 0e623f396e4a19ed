/** The receivers of alerts, from the configuration. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { AlertKind } from "../alert/alert.ts";
import type { AlertConfig } from "../config/config.ts";
import type { AlertReceiver } from "../ledger/alert-ledger.ts";

const NAME_CHARS = 16;

export interface Receiver extends AlertReceiver {
  readonly to: AlertConfig["to"];
  /** For people and logs: the host or the program, never the URL. */
  readonly label: string;
}

/** Each receiver once: lines with the same URL or the same command are one receiver of all their kinds. */
export function toReceivers(alerts: readonly AlertConfig[]): Receiver[] {
  const receivers = new Map<string, Receiver>();
  for (const { on, unreportedForMs, to } of alerts) {
    const receiver = nameReceiver(to);
    const before = receivers.get(receiver);
    const kinds: AlertKind[] = [
      ...on,
      // Who asks for runs that failed is told of slots that could not begin one too, as before there was a kind for them.
      ...(on.includes("run_failed") ? (["slot_failed"] as const) : []),
      ...(unreportedForMs === null ? [] : (["unreported_for"] as const)),
    ];
    const durations = [before?.unreportedForMs ?? null, unreportedForMs].filter((ms) => ms !== null);
    receivers.set(receiver, {
      receiver,
      kinds: [...new Set([...(before?.kinds ?? []), ...kinds])],
      unreportedForMs: durations.length === 0 ? null : Math.min(...durations),
      to: before?.to ?? to,
      label: describeReceiver(to),
    });
  }
  return [...receivers.values()];
}

/** The same in every process that has the same URL or command. */
function nameReceiver(to: AlertConfig["to"]): string {
  const text = to.kind === "webhook" ? `webhook ${to.url}` : `exec ${JSON.stringify(to.command)}`;
  return createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARS);
}

function describeReceiver(to: AlertConfig["to"]): string {
  return to.kind === "webhook" ? `webhook ${new URL(to.url).host}` : `exec ${basename(to.command[0] ?? "")}`;
}
