import { createHtmlSource, createMarkdownSource } from "../convert/page-source.ts";
import type { SiteSource } from "../options.ts";
import type { SandboxClock } from "../sandbox-clock.ts";
import { createDemoPages } from "./demo-site.ts";
import { createDirectorySite, type DirectorySiteParts } from "./directory-site.ts";
import { createListedSite, type ListedPage } from "./listed-site.ts";
import type { PageInput, Site } from "./page.ts";
import { createSyntheticSite } from "./synthetic-site.ts";

const HOST = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;
const DEFAULT_BODY_BYTES = 6_000;

/** What the sites of a sandbox share. */
export type SiteDeps = Pick<DirectorySiteParts, "clock" | "onChange">;

/** @throws Error that names the site and says what is wrong with its source. */
export async function loadSite(source: SiteSource, deps: SiteDeps): Promise<Site> {
  const { host } = source;
  if (!HOST.test(host)) {
    throw new Error(`site "${host}": a host is a domain in lower case, such as news.example or news.example:8080`);
  }
  const indexing = source.indexing ?? true;
  if (source.kind === "synthetic") {
    return createSyntheticSite({
      host,
      pages: source.pages,
      bodyBytes: source.bodyBytes ?? DEFAULT_BODY_BYTES,
      indexing,
    });
  }
  const toListedPage = (input: PageInput) => pageFromInput(input, host, deps.clock);
  const site = createListedSite({
    host,
    pages: loadPages(source, toListedPage),
    order: source.order ?? "lastMod",
    indexing,
    toListedPage,
  });
  return source.kind === "directory" ? createDirectorySite({ ...deps, site, dir: source.dir }) : site;
}

function loadPages(
  source: Exclude<SiteSource, { kind: "synthetic" }>,
  toListedPage: (input: PageInput) => ListedPage,
): Iterable<ListedPage> {
  switch (source.kind) {
    case "demo":
      return createDemoPages(source.host);
    case "directory":
      // createDirectorySite lists them.
      return [];
    case "pages":
      return source.pages.map(toListedPage);
  }
}

function pageFromInput(input: PageInput, host: string, clock: SandboxClock): ListedPage {
  if (typeof input.url !== "string" || input.url === "") {
    throw new Error(`site ${host}: a page needs a url`);
  }
  const url = input.url.startsWith("/") ? `https://${host}${input.url}` : input.url;
  const override = { title: input.title, author: input.author };
  const source =
    input.html === undefined
      ? createMarkdownSource(input.markdown ?? `# ${input.title ?? "Page"}\n\nThis is ${url}.`, override)
      : createHtmlSource(input.html, override);
  return {
    url,
    lastMod: input.lastMod === null ? undefined : (input.lastMod ?? new Date(clock.now()).toISOString()),
    source,
    ...(input.indexing === undefined ? {} : { indexing: input.indexing }),
    ...(input.access === undefined ? {} : { access: input.access }),
  };
}
