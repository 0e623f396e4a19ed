import { openEmbeddedTransport } from "./embedded-transport.ts";
import { openPostgresTransport } from "./postgres-transport.ts";
import { parseQueueUrl } from "./queue-url.ts";
import { openRedisTransport } from "./redis-transport.ts";
import type { QueueTransport, TransportEvents } from "./transport.ts";

interface OpenTransportOptions extends TransportEvents {
  readonly url: string;
  /** Where the embedded queue keeps the image it starts from. */
  readonly embeddedDir: string;
}

/** @throws LicetError CONFIG_INVALID, QUEUE_UNREACHABLE */
export async function openTransport({ url, embeddedDir, ...events }: OpenTransportOptions): Promise<QueueTransport> {
  const address = parseQueueUrl(url);
  switch (address.kind) {
    case "embedded":
      return openEmbeddedTransport(embeddedDir);
    case "redis":
      return openRedisTransport(address.redis, address.place, events);
    case "postgres":
      return openPostgresTransport(address.connectionString, address.place, events);
    default:
      return address satisfies never;
  }
}
