import { inTime } from "../time/in-time.ts";
import { untilReached } from "./until-reached.ts";
import type { WorkerOptions } from "./worker-options.ts";
import type { Welcome } from "./worker-port.ts";

const HELLO_TIMEOUT_MS = 5_000;

/** Says hello until the service answers. @returns null when the worker is over. @throws LicetError what a retry cannot mend */
export async function sayHello(options: WorkerOptions, isOver: () => boolean): Promise<Welcome | null> {
  const { client, clock, end, log, name, places } = options;
  const welcome = await untilReached({ ...options, what: "the service", isOver }, () =>
    inTime(clock, HELLO_TIMEOUT_MS, (signal) => client.hello({ name, places }, signal), end),
  );
  if (welcome !== null) {
    log.info(`works for the service as ${name}`);
  }
  return welcome;
}
