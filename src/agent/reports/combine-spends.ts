import type { Spend } from "../../ledger/spend.ts";
import type { addMicros } from "../../money/micros.ts";

/** Amount by amount. @param by how two amounts become one */
export function combineSpends(a: Spend, b: Spend, by: typeof addMicros): Spend {
  return {
    settledMicros: by(a.settledMicros, b.settledMicros),
    inDoubtMicros: by(a.inDoubtMicros, b.inDoubtMicros),
    reservedMicros: by(a.reservedMicros, b.reservedMicros),
    feeMicros: by(a.feeMicros, b.feeMicros),
  };
}
