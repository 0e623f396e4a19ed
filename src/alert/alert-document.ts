import { createHash, createHmac } from "node:crypto";
import type { AlertAbout, AlertDetails, AlertKind } from "./alert.ts";

/** What a receiver gets, as JSON with instants as text. A new field may come; none goes. */
export interface AlertDocument extends AlertAbout {
  /** The same for each attempt, and in the header `X-Licet-Alert`: a receiver that knows it has been told before. */
  readonly id: string;
  /** `test`: sent by `licet alerts --test`. */
  readonly kind: AlertKind | "test";
  readonly message: string;
  /** Epoch ms. */
  readonly raisedAt: number;
  /** When this attempt was made, epoch ms. It is signed with the rest, so a receiver can refuse a replay. */
  readonly sentAt: number;
  readonly details: AlertDetails;
  /** The path of the ledger, as configured. */
  readonly ledger: string;
}

const ID_CHARS = 32;

/** Stable over processes, restarts and copies of a ledger. */
export function alertId({ key, raisedAt }: { readonly key: string; readonly raisedAt: number }): string {
  return createHash("sha256").update(`${key}\n${raisedAt}`).digest("hex").slice(0, ID_CHARS);
}

/** HMAC-SHA256 of the exact bytes, in lower-case hexadecimal. */
export function signAlert(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
