import { TAKEN_BACK_REASONS } from "../../../src/purchase/purchase.ts";

/** As a list in SQL: nothing was sent, nothing failed, and the page waits for another decision. */
export const TAKEN_BACK = TAKEN_BACK_REASONS.map((reason) => `'${reason}'`).join(", ");
