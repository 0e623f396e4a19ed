/** How receivers of alerts are named for people. The ledger has a digest of each, because its URL may contain a secret. */
import type { AlertConfig, Config } from "../../config/config.ts";
import { assertLicetError } from "../../errors.ts";
import { type Receiver, toReceivers } from "../../notify/receivers.ts";

/** With the name of its receiver in place of the digest: its host or program. */
type Named<Told extends { readonly receiver: string }> = Omit<Told, "receiver"> & { readonly to: string };

export function nameReceivers<Told extends { readonly receiver: string }>(
  { alerts }: Pick<Config, "alerts">,
  told: readonly Told[],
): readonly Named<Told>[] {
  const known = told.length === 0 ? [] : alerts.flatMap(toKnownReceivers);
  const labels = new Map(known.map(({ receiver, label }) => [receiver, label]));
  return told.map(({ receiver, ...rest }) => ({
    to: labels.get(receiver) ?? "a receiver that is not configured any more",
    ...rest,
  }));
}

/** A receiver whose URL is in a variable that is not set cannot be named. */
function toKnownReceivers(alert: AlertConfig): Receiver[] {
  try {
    return toReceivers([alert]);
  } catch (error) {
    assertLicetError(error, "ENV_MISSING");
    return [];
  }
}
