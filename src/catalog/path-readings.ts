/**
 * Lists how servers may read a URL's path. Globs are written for the first reading: escapes decoded once, NFC, dot segments
 * resolved, runs of slashes reduced to one. Other servers decode twice, read a backslash as a slash, cut at a
 * NUL or drop `;parameters`. The author of a catalog could choose a spelling that is read in two ways, so globs are matched with
 * all readings.
 */
import { decodeEscapes } from "./percent-escapes.ts";

export interface PathReadings {
  /**
   * A glob that includes pages must match each of these: the first reading, the reading that keeps escaped slashes, and all
   * readings that leave a folder.
   */
  readonly certain: readonly string[];
  /** A glob that excludes pages must match one of these. */
  readonly possible: readonly string[];
}

/** Finds characters that servers may read in different ways. A dot is safe only when more of its segment follows. */
const AMBIGUOUS = /[^\w\-~!$&'()*+,=:@./]|\/\/|\.(?:\/|$)/;

/** How often a path is decoded: once by the standard, and again by servers behind other servers. */
const MAX_DECODINGS = 3;

/** Overlong UTF-8 (`%C0%AF` for `/`), and `%u002F`. Old decoders accept both. */
const OVERLONG = /%C([01])%([89AB])([0-9A-F])/gi;
const UNICODE_ESCAPE = /%u([0-9a-f]{4})/gi;

/** @param path from `/`, without query, as in a canonical URL */
export function readPath(path: string): PathReadings {
  if (!AMBIGUOUS.test(path)) {
    return { certain: [path], possible: [path] };
  }
  const decoded = decodeEscapes(path).normalize("NFC");
  const literal = decodeEscapes(path, (text, escapes) => (text === "/" || text === "\\" ? escapes : text)).normalize(
    "NFC",
  );
  const certain = new Set([resolveDots(decoded), resolveDots(literal)]);
  // Also as it stands, for servers that decode nothing.
  const possible = new Set([...certain, resolveDots(path)]);
  for (const spelling of listDecodings(path, decoded)) {
    for (const loose of listLooseSpellings(spelling)) {
      const reading = resolveDots(loose);
      possible.add(reading);
      if (climbs(loose)) {
        const byTheStandard = resolveDots(loose, "runs count");
        possible.add(byTheStandard);
        certain.add(reading).add(byTheStandard);
      }
    }
  }
  return { certain: [...certain], possible: [...possible] };
}

/** The path decoded repeatedly, and by old decoders. */
function listDecodings(path: string, decoded: string): Set<string> {
  const decodings = new Set([decoded]);
  let last = decoded;
  for (let count = 1; count < MAX_DECODINGS && last.includes("%"); count++) {
    last = decodeEscapes(last);
    decodings.add(last);
  }
  const decodedByOld = decodeEscapes(
    path
      .replace(OVERLONG, (_, high: string, low: string, rest: string) =>
        String.fromCharCode(
          Number.parseInt(high, 16) * 64 + (Number.parseInt(low, 16) - 8) * 16 + Number.parseInt(rest, 16),
        ),
      )
      .replace(UNICODE_ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  return decodings.add(decodedByOld);
}

/** Applies one tolerant rule after the other, each to all spellings so far. */
function listLooseSpellings(spelling: string): string[] {
  const slashed = spelling.replaceAll("\\", "/");
  const bare = slashed.replace(/;[^/]*/g, "");
  const trimmed = bare.split("/").map(trimSegment).join("/");
  const [uncut = ""] = trimmed.split("\0");
  // Full-width letters and slashes, and invisible characters.
  const folded = trimmed
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .normalize("NFKC")
    .replaceAll("\\", "/");
  return [
    slashed,
    bare,
    trimmed,
    uncut,
    folded,
    folded
      .replace(/;[^/]*/g, "")
      .split("/")
      .map(trimSegment)
      .join("/"),
  ];
}

/** Some file systems drop dots and spaces at the end of a name. */
function trimSegment(segment: string): string {
  if (/^\.\.[. ]*$/.test(segment)) {
    return "..";
  }
  const trimmed = segment.trimEnd();
  return trimmed === "." ? "." : trimmed.replace(/[. ]+$/, "");
}

function climbs(path: string): boolean {
  return path.split("/").includes("..");
}

/**
 * Resolves dot segments and reduces runs of slashes to one. A final slash stays.
 * @param runs whether `..` behind two slashes leaves the empty name between them (RFC 3986, 5.2.4), or the folder before it, as where the
 *   runs were reduced first
 */
function resolveDots(path: string, runs: "runs count" | "runs are one" = "runs are one"): string {
  const kept: string[] = [];
  let isDirectory = false;
  for (const segment of path.split("/").slice(1)) {
    isDirectory = segment === "" || segment === "." || segment === "..";
    if (segment === "..") {
      kept.pop();
    } else if (!isDirectory || (segment === "" && runs === "runs count")) {
      kept.push(segment);
    }
  }
  const names = kept.filter((segment) => segment !== "");
  return `/${names.join("/")}${isDirectory && names.length > 0 ? "/" : ""}`;
}
