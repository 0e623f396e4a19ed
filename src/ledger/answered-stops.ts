import type { SiteStop } from "./run-ledger.ts";

/** Stops that are caused by the answers to single pages. */
export const ANSWERED_STOPS = [
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "unauthorized",
  "redirected",
  "empty_content",
] as const satisfies readonly SiteStop[];
