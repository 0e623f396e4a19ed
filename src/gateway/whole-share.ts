import type { RequestShare } from "./gateway.ts";

/** The whole of a gateway's limits as the share of one process: a twentieth of a second's requests may start at once. */
export function toWholeShare({ concurrency, requestsPerSecond }: Omit<RequestShare, "burst">): RequestShare {
  return { concurrency, requestsPerSecond, burst: Math.max(1, Math.ceil((requestsPerSecond ?? 0) / 20)) };
}
