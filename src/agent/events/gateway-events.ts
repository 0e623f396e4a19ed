/** Turns what the gateway client reports into events of the agent. */
import type { GatewayClientOptions, RetryEvent } from "../../gateway/client-options.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import type { Clock } from "../../time/clock.ts";
import type { AgentEvents, EventBus } from "./events.ts";

/** When a gateway fails, every request in flight is retried at once. One event of each call in this time says enough. */
const RETRY_EVENT_MS = 500;

/** The options of a client whose retries and requests become events. */
export function withEvents(
  options: GatewayClientOptions,
  bus: EventBus,
  clock: Pick<Clock, "now">,
): GatewayClientOptions {
  const retrying = createRetryEvents(bus, clock);
  const emitRequest: GatewayClientOptions["onRequest"] = (event) => bus.emit("gateway.request", event);
  return {
    ...options,
    onRetry: (event) => retrying(toGatewayRetry(event)),
    // The client describes a request only for a listener.
    get onRequest() {
      return bus.listensTo("gateway.request") ? emitRequest : undefined;
    },
  };
}

/** Emits `gateway.retry` at a bounded rate. */
export function createRetryEvents(bus: EventBus, clock: Pick<Clock, "now">): (event: GatewayRetry) => void {
  const lastAt = new Map<GatewayRetry["call"], number>();
  return (event) => {
    const now = clock.now();
    // The clock may have been set back meanwhile.
    if (Math.abs(now - (lastAt.get(event.call) ?? Number.NEGATIVE_INFINITY)) >= RETRY_EVENT_MS) {
      lastAt.set(event.call, now);
      bus.emit("gateway.retry", event);
    }
  };
}

function toGatewayRetry({ call, because, status, attempt, retries, waitMs }: RetryEvent): GatewayRetry {
  // A call that failed in two ways may be retried more often than either of them allows.
  return { call, because, status, attempt: Math.min(attempt, retries) + 1, attempts: retries + 1, waitMs };
}

/** `GET https://gateway.example/dev/v2/… 200 in 12 ms (catalog)` */
export function describeRequest({
  call,
  method,
  url,
  status,
  failure,
  durationMs,
}: AgentEvents["gateway.request"]): string {
  return `${method} ${url} ${status ?? failure} in ${durationMs} ms (${call})`;
}
