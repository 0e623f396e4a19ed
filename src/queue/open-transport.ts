import { createEmbeddedTransport } from "./embedded-transport.ts";
import { parseQueueUrl } from "./queue-url.ts";
import { openRedisTransport } from "./redis-transport.ts";
import type { QueueTransport, TransportEvents } from "./transport.ts";

interface OpenTransportOptions extends TransportEvents {
  readonly url: string;
}

/** @throws LicetError CONFIG_INVALID, QUEUE_UNREACHABLE */
export async function openTransport({ url, ...events }: OpenTransportOptions): Promise<QueueTransport> {
  const address = parseQueueUrl(url);
  switch (address.kind) {
    case "embedded":
      return createEmbeddedTransport();
    case "redis":
      return openRedisTransport(address.redis, address.place, events);
    default:
      return address satisfies never;
  }
}
