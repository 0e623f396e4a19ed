import { LicetError } from "../../errors.ts";

/**
 * For what BullMQ can do and the embedded queue cannot, by the name that the caller used.
 * @throws LicetError CONFIG_INVALID
 */
export function refuseOperation(operation: string): never {
  throw new LicetError("CONFIG_INVALID", `the embedded queue does not have ${operation}`, {
    hint: "Use a queue that has it: set queue.url to redis://…",
    details: { operation },
  });
}
