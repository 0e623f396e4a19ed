/** Who sent a delivery: the checks that need no body. */
import { isIPv4, isIPv6 } from "node:net";
import type { WebhookConfig } from "../../config/config.ts";
import { createSignatureCheck } from "../../webhook/verify-signature.ts";
import type { DeliveryOutcome } from "./delivery-outcomes.ts";

export interface DeliverySender {
  /** The address of the client. Behind a trusted proxy, the one that the proxy names. */
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
}

export type SenderFault = Extract<DeliveryOutcome, "source_address" | "user_agent" | "signature">;

/** Creates the check of one webhook. Null: the sender knows the secret, and nothing that is configured contradicts. */
export function createSenderCheck(webhook: WebhookConfig): (sender: DeliverySender) => SenderFault | null {
  const source = webhook.sourceIp === null ? null : canonicalAddress(webhook.sourceIp);
  const isSigned = createSignatureCheck(webhook);
  return ({ address, userAgent, authorization }) => {
    if (webhook.sourceIp !== null && canonicalAddress(address) !== source) {
      return "source_address";
    }
    if (webhook.userAgent !== null && userAgent !== webhook.userAgent) {
      return "user_agent";
    }
    return isSigned(authorization) ? null : "signature";
  };
}

const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
const MAPPED_IPV4 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;

/** One spelling for an address. `::ffff:192.0.2.7` is `192.0.2.7`. Some proxies name the port too. Null: not an address. */
export function canonicalAddress(text: string): string | null {
  const trimmed = text.trim();
  const match = WITH_PORT.exec(trimmed);
  const address = (match?.[1] ?? match?.[2] ?? trimmed).replace(/%.*$/, "");
  if (isIPv4(address)) {
    return address;
  }
  const written = isIPv6(address) ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  if (written === undefined) {
    return null;
  }
  const [, high = "", low = ""] = MAPPED_IPV4.exec(written) ?? [];
  return high === "" ? written : toIpv4(Number.parseInt(high, 16), Number.parseInt(low, 16));
}

function toIpv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
