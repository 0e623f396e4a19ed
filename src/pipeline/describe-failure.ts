import type { LicetError } from "../errors.ts";

/** A failure that stops a site without ending the run, for whoever reads of it: what happened, and what can be done. */
export function describeFailure({ message, hint }: LicetError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
