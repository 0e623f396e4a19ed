/** One line of a site's catalog as the gateway sent it (gateway-spec § Catalog page entry); nothing in it is trusted. */
export interface CatalogEntry {
  readonly pageUrl: string;
  /** The raw text: it may be missing, empty or unparsable. */
  readonly lastMod: string | null;
  readonly propertyId: string | null;
}

/** One answer of the catalog endpoint. */
export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  /** Entries that had no usable `pageUrl`. */
  readonly unreadable: number;
  /** null when there are no more pages (the gateway omits it or sends an empty string). */
  readonly nextPageToken: string | null;
}
