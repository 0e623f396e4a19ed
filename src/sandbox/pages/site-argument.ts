import type { SiteSource } from "../options.ts";

/**
 * Reads a command line's `--site`: `news.example=./dir` (a directory of pages), `news.example` (the demo site), or
 * `news.example=synthetic:200000`.
 *
 * A host may be written in any script: `bücher.example` is `xn--bcher-kva.example`, as in a URL.
 *
 * @throws Error that shows how to write it.
 */
export function parseSiteArgument(text: string): SiteSource {
  const separator = text.indexOf("=");
  const host = toHost((separator < 0 ? text : text.slice(0, separator)).trim());
  const source = separator < 0 ? "" : text.slice(separator + 1).trim();
  if (host === null || (separator >= 0 && source === "")) {
    throw new Error(
      `site "${text}": write host=./directory, host=synthetic:PAGES, or the host alone for the demo site`,
    );
  }
  if (source === "" || source === "demo") {
    return { host, kind: "demo" };
  }
  if (!source.startsWith("synthetic:")) {
    return { host, kind: "directory", dir: source };
  }
  const pages = /^synthetic:(\d{1,7})(?:\/(\d{1,8}))?$/.exec(source);
  if (pages === null) {
    throw new Error(`site "${text}": write synthetic:PAGES or synthetic:PAGES/BYTES, such as synthetic:1000/6000`);
  }
  const bodyBytes = pages[2] === undefined ? {} : { bodyBytes: Number(pages[2]) };
  return { host, kind: "synthetic", pages: Number(pages[1]), ...bodyBytes };
}

/** As in a URL: in lower case, and in ASCII. Null if it is not a host. */
function toHost(text: string): string | null {
  return text === "" || /[\s/\\?#@]/.test(text) ? null : (URL.parse(`https://${text}/`)?.host ?? null);
}
