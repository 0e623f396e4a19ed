import { parseIsoInstant } from "../time/iso-instant.ts";

/** Parses a catalog's `lastMod` to epoch ms. A date without a time is the beginning of its day. Returns null for any other text and never throws. */
export function parseLastMod(raw: string | null): number | null {
  return parseIsoInstant(raw)?.at ?? null;
}
