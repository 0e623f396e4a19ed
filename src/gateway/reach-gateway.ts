/** Whether the gateway's server answers. One request without key or token: it costs nothing, and counts for no account. */

/** What a probe found. `detail` is a sentence without a secret. */
export interface GatewayReach {
  readonly ok: boolean;
  readonly detail: string;
}

/** From this status on, a server, or a proxy in front of it, says that it cannot serve. */
const FIRST_SERVER_ERROR = 500;
/** Of an answer's body nothing is needed. */
const MAX_BODY_BYTES = 65_536;

/** Sends `GET` to the base address. Any answer below 500 shows a server that works. Never throws. */
export async function reachGateway(
  { baseUrl, userAgent }: { readonly baseUrl: string; readonly userAgent: string },
  signal: AbortSignal,
): Promise<GatewayReach> {
  // Only a service asks, and only while it is asked itself: a run does not load the rest of undici.
  const { request } = await import("undici");
  try {
    const { statusCode, body } = await request(baseUrl, {
      method: "GET",
      headers: { "user-agent": userAgent },
      signal,
    });
    await body.dump({ limit: MAX_BODY_BYTES }).catch(() => undefined);
    return { ok: statusCode < FIRST_SERVER_ERROR, detail: `its server answers ${statusCode}` };
  } catch (error) {
    return { ok: false, detail: `its server gives no answer: ${describe(error, signal)}` };
  }
}

function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) {
    return "none in time";
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
