/** Packages that come without types: what is used of them. */
declare module "html-encoding-sniffer" {
  function sniffEncoding(bytes: Uint8Array, options?: { readonly maxPrescanBytes?: number }): string;
  export = sniffEncoding;
}

declare module "@joplin/turndown-plugin-gfm" {
  import type TurndownService from "turndown";

  export function gfm(service: TurndownService): void;
}
