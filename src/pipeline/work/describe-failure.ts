import type { LicetError } from "../../errors.ts";

/** Describes a failure that stops a site but not the run: what happened, and what the user can do. */
export function describeFailure({ message, hint }: LicetError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
