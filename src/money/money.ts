import type { Micros } from "./micros.ts";

/** An ISO 4217-like currency code in upper case, such as `USD`. */
export type Currency = string;

/** An amount in one currency. Amounts of different currencies are never added. */
export interface Money {
  readonly micros: Micros;
  readonly currency: Currency;
}
