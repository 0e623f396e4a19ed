/**
 * Where a page lies below the export's directory: its host and path, as far as every file system takes them.
 *
 * Two pages never share a file. A URL whose name can be kept as it is gets exactly that; from every other one (a query, upper
 * case, other letters, reserved or long names …) something was changed, and its file carries a piece of the URL's hash
 * behind a `~`, which no kept name contains. So nothing has to be remembered, case does not matter, and a second export gives
 * the same files. Nothing of a URL can lead out of the directory: segments are made of letters, digits, `.`, `_` and `-`,
 * and never begin with a dot.
 */
import { createHash } from "node:crypto";

/** Bytes of one segment; file systems take 255, and Windows little more for the whole path. */
const MAX_SEGMENT_BYTES = 64;
/** Directories below the host; what lies deeper is told apart by the hash. */
const MAX_DEPTH = 8;
const HASH_CHARS = 16;
const EXTENSION = ".md";
/** The page of a directory itself, `/news/`. */
const INDEX = "index";

/** What Windows keeps for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Names that are kept as they are. */
const PLAIN = /^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/;
/** What may stand in a changed name: letters and digits of any script, and their marks. */
const UNFIT = /[^\p{L}\p{M}\p{N}._-]+/gu;

/**
 * @param url canonical
 * @returns segments, the last one the file's name
 */
export function exportPath(url: string): readonly string[] {
  const { protocol, host, pathname } = new URL(url);
  const raw = pathname.split("/").slice(1);
  const last = raw.pop() ?? "";
  const directories = raw.slice(0, MAX_DEPTH);
  const segments = [host, ...directories].map(toSegment);
  const file = last === "" ? { name: INDEX, kept: true } : toSegment(last);
  const kept =
    protocol === "https:" &&
    // An empty query, `/a?`, makes another page than none, and `search` does not tell them apart.
    !url.includes("?") &&
    directories.length === raw.length &&
    segments.every((segment) => segment.kept && !segment.name.endsWith(EXTENSION)) &&
    file.kept &&
    last !== INDEX;
  const name = kept ? file.name : `${file.name}~${hashOf(url)}`;
  return [...segments.map((segment) => toDirectory(segment.name)), `${name}${EXTENSION}`];
}

interface Segment {
  readonly name: string;
  /** Nothing was changed. */
  readonly kept: boolean;
}

function toSegment(raw: string): Segment {
  if (PLAIN.test(raw) && !RESERVED.test(raw) && Buffer.byteLength(raw) <= MAX_SEGMENT_BYTES) {
    return { name: raw, kept: true };
  }
  const readable = decode(raw).normalize("NFC").toLowerCase().replace(UNFIT, "_");
  // Leading dots hide a file or mean a directory above; Windows drops trailing ones.
  const name = shorten(readable).replace(/^\.+/, "_").replace(/\.+$/, "_");
  return { name: name === "" || RESERVED.test(name) ? `_${name}` : name, kept: false };
}

/** A directory must not be named like a file that another page may have. */
function toDirectory(name: string): string {
  return name.endsWith(EXTENSION) ? `${name}_` : name;
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** Cuts between characters. */
function shorten(text: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_SEGMENT_BYTES) {
      break;
    }
    end += character.length;
  }
  return text.slice(0, end);
}

function hashOf(url: string): string {
  return createHash("sha256").update(url).digest("hex").slice(0, HASH_CHARS);
}
