/** How a site looks from outside if the gateway refuses its pages with 403. */
import type { EndState } from "./evidence.ts";

/** One section that is forbidden says nothing of the pages elsewhere; pages that are forbidden in several may stop a site. */
export function isForbiddenAllOver(host: string, { forbidden, catalog }: EndState): boolean {
  const parts = new Set([...forbidden].filter((url) => new URL(url).host === host).map(sectionOf));
  const isElsewhere = catalog.some(({ url }) => new URL(url).host === host && !parts.has(sectionOf(url)));
  return parts.size > 1 || (parts.size === 1 && !isElsewhere);
}

function sectionOf(url: string): string {
  return new URL(url).pathname.split("/").slice(0, 2).join("/");
}
