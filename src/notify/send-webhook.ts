/** Sends one alert by HTTP. Any 2xx means that the receiver has it. No redirect is followed, and no answer is read. */
import { signAlert } from "../alert/alert-document.ts";
import { hasBlockedPort } from "../blocked-ports.ts";
import type { AttemptLimits, Outgoing, Sent } from "./sent.ts";

export async function sendWebhook(
  { url, secret }: { readonly url: string; readonly secret: string | null },
  { id, body }: Outgoing,
  { timeoutMs, signal }: AttemptLimits,
): Promise<Sent> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "licet",
        "x-licet-alert": id,
        ...(secret === null ? {} : { "x-licet-signature": signAlert(body, secret) }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    // What a receiver answers may be endless.
    await response.body?.cancel().catch(() => undefined);
    return response.ok ? { ok: true } : { ok: false, error: describeStatus(response.status) };
  } catch (error) {
    if (signal.aborted) {
      return { ok: false, error: "licet stopped before the answer came" };
    }
    return { ok: false, error: timeout.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(url, error) };
  }
}

function describeStatus(status: number): string {
  return status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
}

/** The code of the system, such as ECONNREFUSED: the message may contain the URL. */
function describeFailure(url: string, error: unknown): string {
  if (hasBlockedPort(url)) {
    return `no connection (the port ${new URL(url).port} belongs to another protocol, and fetch never connects to it)`;
  }
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" ? `no connection (${code})` : "no connection";
}
