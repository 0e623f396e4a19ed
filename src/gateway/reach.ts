/** What an answer to a request without key or token says of the gateway's server. */
import type { WireAnswer } from "./exchange.ts";

/** `detail` is a sentence without a secret. */
export interface GatewayReach {
  readonly ok: boolean;
  readonly detail: string;
}

/** From this status on, a server, or a proxy in front of it, says that it cannot serve. */
const FIRST_SERVER_ERROR = 500;

/** Any answer below 500 shows a server that works. */
export function toReach(answer: WireAnswer): GatewayReach {
  return answer.kind === "answered"
    ? { ok: answer.status < FIRST_SERVER_ERROR, detail: `its server answers ${answer.status}` }
    : {
        ok: false,
        detail: `its server gives no answer: ${answer.reason === "aborted" ? "none in time" : answer.detail}`,
      };
}
