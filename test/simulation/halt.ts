/** The simulation stops at the first broken promise, and at the first bug. */
import { isLicetError } from "../../src/errors.ts";
import type { Violation } from "./checks/evidence.ts";

export class Halt extends Error {
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(`promise ${violation.promise}, ${violation.rule}: ${violation.detail}`);
    this.violation = violation;
  }
}

/** A process may end in an operating error, never in a bug. @throws Halt */
export function requireNoBug(processes: readonly { readonly name: string; readonly error: unknown }[]): void {
  for (const { name, error } of processes) {
    if (error instanceof Halt) {
      throw error;
    }
    if (error !== null && !isLicetError(error)) {
      throw bug(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
}

export function bug(detail: string): Halt {
  return new Halt({ promise: 7, rule: "no-bug-surfaces", detail });
}
