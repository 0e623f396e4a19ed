/**
 * Files that are written before they get their name. A process that is killed leaves its temporary files behind, with prices or paid content in
 * them. Their names say whose they are, so that the next process that writes in the same directory removes them.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isThere } from "../this-process.ts";

/** Only the owner may read prices and paid content, as in the ledger. A rename gives this mode to the final file. */
const FILE_MODE = 0o600;
const RANDOM_BYTES = 6;
const HOST_CHARS = 8;
/** Whoever still writes a file of another machine has written to it within this time. */
const LEFT_AFTER_MS = 86_400_000;
/** Directories that are remembered as looked through. */
const MAX_LOOKED_THROUGH = 10_000;

/** `.licet-` host, process, its birth, random; and the names that a caller chose, or an earlier version. */
const OF_PROCESS = /^\.licet-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{12}\.tmp$/;
const OF_ANYBODY = /^\.licet-[0-9a-f]{12}(?:\.lines)?\.tmp$/;

const host = createHash("sha256").update(hostname()).digest("hex").slice(0, HOST_CHARS);
const born = Math.trunc(performance.timeOrigin).toString(36);
const lookedThrough = new Set<string>();

export interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** @param id 12 hex digits, for a file that its next writer replaces. @default a name that is never used twice */
export async function openTemporary(directory: string, id?: string): Promise<TemporaryFile> {
  const name = id ?? `${host}-${process.pid}-${born}-${randomBytes(RANDOM_BYTES).toString("hex")}`;
  const path = join(directory, `.licet-${name}.tmp`);
  if (id !== undefined) {
    await rm(path, { force: true });
  }
  // New, so no existing file can be opened.
  const handle = await open(path, "wx+", FILE_MODE);
  await removeLeft(directory, handle).catch(() => undefined);
  return { path, handle };
}

/**
 * Once in each directory. What cannot be removed stays: it must not keep anybody from writing.
 * @param own a new file there, which shows the clock of the file system
 */
async function removeLeft(directory: string, own: FileHandle): Promise<void> {
  if (lookedThrough.has(directory)) {
    return;
  }
  if (lookedThrough.size >= MAX_LOOKED_THROUGH) {
    lookedThrough.clear();
  }
  lookedThrough.add(directory);
  const { mtimeMs: now } = await own.stat();
  for (const name of await readdir(directory)) {
    if (OF_PROCESS.test(name) || OF_ANYBODY.test(name)) {
      const path = join(directory, name);
      const found = await lstat(path);
      if (found.isFile() && isLeft(name, found, now)) {
        await rm(path, { force: true });
      }
    }
  }
}

function isLeft(name: string, { mtimeMs }: Stats, now: number): boolean {
  const [, hostOf, pid, bornAt] = OF_PROCESS.exec(name) ?? [];
  if (hostOf !== host) {
    return now - mtimeMs > LEFT_AFTER_MS;
  }
  return Number(pid) === process.pid ? bornAt !== born : !isThere(Number(pid));
}
