import type { SiteStop } from "./run-ledger.ts";

/** Stops by what single pages were answered. */
export const ANSWERED_STOPS = [
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "unauthorized",
  "redirected",
  "empty_content",
] as const satisfies readonly SiteStop[];
