import type { RateInput } from "../pricing/rate.ts";

/** The two formats that content comes in. */
export type PageFormat = "markdown" | "html";

/** A page ready to serve in one format. */
export interface RenderedPage {
  readonly header: string;
  readonly body: string;
  readonly footer: string;
  readonly metadata: PageMetadata;
}

/** The metadata of a content answer. A field that the page does not show is an empty text. */
export interface PageMetadata {
  readonly author: string;
  readonly description: string;
  readonly imageUrl: string;
  readonly modified: string;
  readonly published: string;
  readonly title: string;
}

/** One page of a site. */
export interface Page {
  /** As the catalog shows it. */
  readonly url: string;
  readonly host: string;
  /** As the catalog shows it, in any format. `undefined` if the catalog shows none. */
  readonly lastMod: string | undefined;
  /** Grows with each change, so that a cached rendering is never served for a newer page. */
  readonly version: number;
  /** Whether indexing tokens are accepted. */
  readonly indexing: boolean;
  /** `refused`: it has rates and a place in the catalog, but no token is issued for it. */
  readonly access: "open" | "refused";
  render(format: PageFormat): RenderedPage;
  /** The beginning of its content answer, for a page that writes it faster than a cache stores it. */
  readonly contentPrefix?: (format: PageFormat) => string;
}

/** What the catalog shows of a page. */
export interface CatalogEntry {
  readonly pageUrl: string;
  readonly lastMod: string | undefined;
}

/** A page as a test or a control request gives it. */
export interface PageInput {
  /** Full URL, or a path below the site's root such as `/news/1`. */
  readonly url: string;
  /** HTML of the whole page; decoded, split and converted like a file's. */
  readonly html?: string | Uint8Array;
  /** Markdown of the main content, with optional front matter. */
  readonly markdown?: string;
  /** Replaces the title that the page itself shows. */
  readonly title?: string;
  readonly author?: string;
  /** The catalog's text, any text. @default the instant at which the page is added; `null`: none */
  readonly lastMod?: string | null;
  /** @default the rates file's or the spread's */
  readonly rates?: readonly RateInput[];
  /** Whether indexing tokens are accepted. @default the site's setting */
  readonly indexing?: boolean;
  /** @default "open" */
  readonly access?: "open" | "refused";
}

/** One site's pages, found by URL or read in catalog order. */
export interface Site {
  readonly host: string;
  readonly propertyId: string;
  readonly entryCount: number;
  /** The page of exactly this URL. */
  find(url: string): Page | undefined;
  /** Catalog entries in catalog order. */
  entries(offset: number, count: number): readonly CatalogEntry[];
}

/** A site whose pages can be changed while the sandbox runs. */
export interface EditableSite extends Site {
  /** Adds a page, or replaces the page with its URL. Returns which of the two happened. */
  put(input: PageInput): "CREATED" | "UPDATED";
  /** Whether there was such a page. */
  remove(url: string): boolean;
}
