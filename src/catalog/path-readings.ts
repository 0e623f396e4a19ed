/**
 * What a server may take a URL's path for. Its first reading is the one that globs are written for: escapes decoded once, NFC, dot
 * segments resolved, runs of slashes one (design § Policies). But servers differ: some decode twice, take a backslash for a slash, cut
 * at a NUL or drop `;parameters`. Who writes the catalog can choose a spelling by that difference, so a path that can be read in
 * more than one way is matched in all of them.
 */
import { decodeEscapes } from "./percent-escapes.ts";

export interface PathReadings {
  /** A glob that lets pages in must match each of these: the first reading, the one that keeps escaped slashes, and all that climb. */
  readonly certain: readonly string[];
  /** A glob that keeps pages out must match one of these. */
  readonly possible: readonly string[];
}

/** Characters that every server reads alike; a dot only where more of its segment follows. */
const AMBIGUOUS = /[^\w\-~!$&'()*+,=:@./]|\/\/|\.(?:\/|$)/;

/** As often as a path is decoded: once by the letter, and again by servers behind servers. */
const MAX_DECODINGS = 3;

/** Two bytes for a character of one (`%C0%AF` for `/`), and `%u002F`: old decoders take them. */
const OVERLONG = /%C([01])%([89AB])([0-9A-F])/gi;
const UNICODE_ESCAPE = /%u([0-9a-f]{4})/gi;

/** @param path from `/`, without query, as it stands in a canonical URL */
export function readPath(path: string): PathReadings {
  if (!AMBIGUOUS.test(path)) {
    return { certain: [path], possible: [path] };
  }
  const decoded = decodeEscapes(path).normalize("NFC");
  const literal = decodeEscapes(path, (text, escapes) => (text === "/" || text === "\\" ? escapes : text)).normalize(
    "NFC",
  );
  const certain = new Set([resolveDots(decoded), resolveDots(literal)]);
  const possible = new Set(certain);
  for (const spelling of listDecodings(path, decoded)) {
    for (const loose of listLooseSpellings(spelling)) {
      const reading = resolveDots(loose);
      possible.add(reading);
      if (climbs(loose)) {
        certain.add(reading);
      }
    }
  }
  return { certain: [...certain], possible: [...possible] };
}

/** The path decoded again and again, and by old decoders. */
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

/** One leniency after the other, each on top of those before. */
function listLooseSpellings(spelling: string): string[] {
  const slashed = spelling.replaceAll("\\", "/");
  const bare = slashed.replace(/;[^/]*/g, "");
  const trimmed = bare.split("/").map(trimSegment).join("/");
  const [uncut = ""] = trimmed.split("\0");
  // Full-width letters and slashes, and what nobody sees.
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

/** Dot segments resolved, runs of slashes one. A slash at the end stays. */
function resolveDots(path: string): string {
  const kept: string[] = [];
  let isDirectory = false;
  for (const segment of path.split("/")) {
    isDirectory = segment === "" || segment === "." || segment === "..";
    if (segment === "..") {
      kept.pop();
    } else if (!isDirectory) {
      kept.push(segment);
    }
  }
  return `/${kept.join("/")}${isDirectory && kept.length > 0 ? "/" : ""}`;
}
