import { isLicetError } from "../errors.ts";
import { backoffMs } from "../time/backoff.ts";
import type { WorkerOptions } from "./worker-options.ts";
import type { Welcome } from "./worker-port.ts";

const HELLO_TIMEOUT_MS = 5_000;
const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

/** Says hello until the service answers. @returns null when the worker is over. @throws LicetError what a retry cannot mend */
export async function sayHello(
  { client, clock, random, end, log, name, places }: WorkerOptions,
  isOver: () => boolean,
): Promise<Welcome | null> {
  for (let attempt = 1; !isOver(); attempt += 1) {
    try {
      const welcome = await client.hello({ name, places }, AbortSignal.timeout(HELLO_TIMEOUT_MS));
      log.info(`works for the service as ${name}`);
      return welcome;
    } catch (error) {
      if (!isLicetError(error) || error.retry === "never") {
        throw error;
      }
      if (attempt === 1) {
        log.warn(error.message);
      }
      await clock.sleep(backoffMs(attempt, RETRY_MS, MAX_RETRY_MS, random), end);
    }
  }
  return null;
}
