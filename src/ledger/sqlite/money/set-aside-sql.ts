/** The columns of a purchase that say what is set aside for it. */
import { SET_ASIDE_PARTS } from "../../../budget/set-aside.ts";

/** `quotedMicros` is the column `quoted_micros`. */
export const SET_ASIDE_COLUMNS = SET_ASIDE_PARTS.map(
  (part) => [part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), part] as const,
);

/** What a row of purchase sets aside (`setAsideMicros`), for sums over many rows. */
export const SET_ASIDE_SQL = SET_ASIDE_COLUMNS.map(([column]) => column).join(" + ");
