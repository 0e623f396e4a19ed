/**
 * The path of a page's file below the export's directory: its host and path, in characters that every file system accepts.
 *
 * Two pages never share a file. When the URL's name can be used unchanged, the file has exactly that name. When something must be
 * changed (a query, upper case, other letters, reserved or long names, and so on), the name ends in `~` and a part of the URL's
 * hash. Unchanged names never contain `~`. So no list of names is needed, letter case does not matter, and a second export gives
 * the same files. No URL can lead out of the directory: segments consist of letters, digits, `.`, `_` and `-`, and never begin
 * with a dot.
 */
import { createHash } from "node:crypto";

/** The bytes of one segment. File systems allow 255, and Windows little more for the whole path. */
const MAX_SEGMENT_BYTES = 64;
/** Directories below the host. Deeper pages are distinguished by the hash. */
const MAX_DEPTH = 8;
const HASH_CHARS = 16;
const EXTENSION = ".md";
/** The name for the page of a directory itself, such as `/news/`. */
const INDEX = "index";

/** Names that Windows reserves for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Names that are used unchanged. */
const PLAIN = /^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/;
/** Characters that a changed name must not contain. It may contain letters and digits of any script, and their marks. */
const UNFIT = /[^\p{L}\p{M}\p{N}._-]+/gu;

/**
 * @param url canonical
 * @returns segments; the last one is the file's name
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
    // An empty query, as in `/a?`, makes a different page than no query, but `search` is the same for both.
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
  /** True when nothing was changed. */
  readonly kept: boolean;
}

function toSegment(raw: string): Segment {
  if (PLAIN.test(raw) && !RESERVED.test(raw) && Buffer.byteLength(raw) <= MAX_SEGMENT_BYTES) {
    return { name: raw, kept: true };
  }
  const readable = decode(raw).normalize("NFC").toLowerCase().replace(UNFIT, "_");
  // Leading dots hide a file or mean the parent directory. Windows drops trailing dots.
  const name = shorten(readable).replace(/^\.+/, "_").replace(/\.+$/, "_");
  return { name: name === "" || RESERVED.test(name) ? `_${name}` : name, kept: false };
}

/** A directory must not have the name of another page's file. */
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

/** Cuts only between characters. */
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
