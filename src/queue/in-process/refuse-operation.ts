import { LicetError } from "../../errors.ts";

/** The error for what BullMQ can do and the embedded queue cannot, by the name that the caller used. */
export function refuseOperation(operation: string): LicetError {
  return new LicetError("CONFIG_INVALID", `the embedded queue does not have ${operation}`, {
    hint: "Use a queue that has it: set queue.url to redis://…",
    details: { operation },
  });
}
