import { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import { InProcessStore } from "./in-process/in-process-store.ts";
import { createInProcessBackend } from "./in-process-backend.ts";
import { QUEUE_URL, type QueueSetting } from "./queue-setting.ts";
import { parseQueueUrl } from "./queue-url.ts";
import { openRedisTransport } from "./redis-transport.ts";
import type { QueueTransport, TransportEvents } from "./transport.ts";

interface OpenTransportOptions extends TransportEvents {
  readonly url: string;
  /** @default that of the configuration */
  readonly setting?: QueueSetting;
}

/** @throws LicetError CONFIG_INVALID, or as the setting says; QUEUE_UNREACHABLE */
export async function openTransport({
  url,
  setting = QUEUE_URL,
  ...events
}: OpenTransportOptions): Promise<QueueTransport> {
  const address = parseQueueUrl(url, setting);
  switch (address.kind) {
    case "embedded":
      return createEmbeddedTransport(setting);
    case "redis":
      return openRedisTransport(address.redis, { place: address.place, setting }, events);
    default:
      return address satisfies never;
  }
}

/**
 * The embedded queue: BullMQ over a store in the memory of this process, so nothing needs to be installed or running. It ends
 * with the process, which loses no work (promise 6).
 */
function createEmbeddedTransport(setting: QueueSetting): QueueTransport {
  const connection = new InProcessStore();
  return {
    kind: "embedded",
    server: null,
    place: "the embedded queue",
    setting,
    // The types of BullMQ's classes contain their backend, which licet does not use.
    createQueue: (name, options) =>
      new BullQueue(name, { ...options, connection }, createInProcessBackend) as unknown as BullQueue,
    createWorkerTransport: () => ({
      createWorker: (name, processor, options) =>
        new BullWorker(name, processor, { ...options, connection }, createInProcessBackend) as unknown as BullWorker,
      disconnect: async () => {},
    }),
    ping: async () => {},
    findProblems: async () => [],
    close: async () => {},
  };
}
