import { createHmac } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { WebhookSubscription } from "../options.ts";

const ATTEMPT_TIMEOUT_MS = 10_000;

export interface SentDelivery {
  readonly url: string;
  readonly payload: string;
  readonly userAgent: string;
  readonly authorization: string;
}

/** One attempt. Resolves with the status of the answer; 0 for no answer. */
export function sendDelivery(
  { url, payload, userAgent, authorization }: SentDelivery,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve) => {
    const send = url.startsWith("https:") ? requestHttps : requestHttp;
    const request = send(
      url,
      {
        method: "POST",
        agent: false,
        signal,
        timeout: ATTEMPT_TIMEOUT_MS,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(payload),
          "user-agent": userAgent,
          authorization,
        },
      },
      (response) => {
        response.resume();
        response.once("close", () => resolve(response.statusCode ?? 0));
      },
    );
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(0));
    request.end(payload);
  });
}

/** The signature covers the delivery URL and nothing else. */
export function signUrl({ url, secret, encoding, prefix }: WebhookSubscription): string {
  const digest = createHmac("sha256", secret)
    .update(url)
    .digest(encoding ?? "hex");
  return `${prefix ?? ""}${digest}`;
}
