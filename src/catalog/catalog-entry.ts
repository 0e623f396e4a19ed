/** One line of a site's catalog as the gateway sent it. Nothing in it is trusted. */
export interface CatalogEntry {
  readonly pageUrl: string;
  /** The raw text. It may be missing, empty or impossible to parse. */
  readonly lastMod: string | null;
  readonly propertyId: string | null;
}

/** One answer of the catalog endpoint. */
export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  /** Entries that had no usable `pageUrl`. */
  readonly unreadable: number;
  /** Null when there are no more pages. The gateway then omits the token or sends an empty string. */
  readonly nextPageToken: string | null;
}
