import { LicetError } from "../errors.ts";
import { parseQueueUrl } from "./queue-url.ts";
import { openRedisTransport } from "./redis-transport.ts";
import type { QueueTransport, TransportEvents } from "./transport.ts";

/** @throws LicetError CONFIG_INVALID, QUEUE_UNREACHABLE */
export async function openTransport(url: string, events: TransportEvents): Promise<QueueTransport> {
  const address = parseQueueUrl(url);
  switch (address.kind) {
    case "redis":
      return openRedisTransport(address.redis, address.place, events);
    default:
      throw new LicetError("CONFIG_INVALID", `queue.url: ${address.kind} cannot be opened yet`);
  }
}
