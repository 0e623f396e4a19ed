import { PAGE_URL_FAULTS } from "../catalog/page-url.ts";

/** Why a line of a list names no page that can be bought. */
export const LINE_FAULTS = [
  // the line
  "line_too_long",
  "not_utf8",
  "not_json",
  "not_csv",
  "no_url",
  "text_behind_url",
  "unknown_field",
  "bad_max_price",
  "bad_value",
  "bad_key",
  "bad_license",
  // its URL
  ...PAGE_URL_FAULTS,
  "unknown_site",
] as const;
/** Why a line of a list names no page that can be bought. */
export type LineFault = (typeof LINE_FAULTS)[number];
