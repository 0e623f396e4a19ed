/** One page of a list: its address as it was written, and what whoever wrote the list says of it. */
import type { Money } from "../money/money.ts";
import type { License } from "../rates/license.ts";

/** A license that a plan names: the page is bought under it or not at all. */
export type ListedLicense = Pick<License, "licenseType" | "cuid">;

/** What a list or a plan asks of a purchase. */
export interface ListedTerms {
  /** The most that the purchase may set aside: price, fee, and the report of the fetch where that is billed too. Null: no cap. */
  readonly maxPrice: Money | null;
  /** Null: any license that the policy allows. */
  readonly license: ListedLicense | null;
  /** What the page is worth to whoever wrote the list, for `run.order: value`. Null: the list does not say. */
  readonly value: number | null;
}

export interface ListEntry extends ListedTerms {
  readonly url: string;
  /** The caller's own name of the page. It is kept and given back with the document. */
  readonly key: string | null;
}

/** The terms of a page that only its URL stands for. */
export const NO_TERMS = { maxPrice: null, license: null, value: null, key: null } as const satisfies Omit<
  ListEntry,
  "url"
>;
