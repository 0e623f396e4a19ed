import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

/** The gateway's answer for one reported entry, as far as it could be read. */
export interface Receipt {
  readonly url: string;
  readonly perUnitPriceMicros: Micros;
  readonly totalUsePriceMicros: Micros;
  readonly currency: Currency;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  /** What the gateway says went wrong with the use. Null or absent: nothing. */
  readonly error?: string | null;
}
