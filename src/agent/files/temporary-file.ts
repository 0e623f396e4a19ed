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

/** `.licet-` host, process, its birth, random; with what SQLite makes beside a copy of the ledger. */
const OF_PROCESS = /^\.licet-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{12}\.tmp(?:-wal|-shm|-journal)?$/;
/** The names that a caller chose, or an earlier version: of other files, and of copies of the ledger. */
const OF_ANYBODY = /^\.licet-[0-9a-f]{12}(?:\.lines)?\.tmp$/;
const COPY_OF_ANYBODY = /\.\d{8}T\d{6}Z-[\w-]{6}\.partial(?:-wal|-shm|-journal)?$/;

const host = createHash("sha256").update(hostname()).digest("hex").slice(0, HOST_CHARS);
const born = Math.trunc(performance.timeOrigin).toString(36);
const lookedThrough = new Set<string>();

export interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** A name that is never used twice, for a file of this process. */
export function newTemporaryName(): string {
  return `.licet-${host}-${process.pid}-${born}-${randomBytes(RANDOM_BYTES).toString("hex")}.tmp`;
}

/** @param id 12 hex digits, for a file that its next writer replaces. @default a name that is never used twice */
export async function openTemporary(directory: string, id?: string): Promise<TemporaryFile> {
  const path = join(directory, id === undefined ? newTemporaryName() : `.licet-${id}.tmp`);
  if (id !== undefined) {
    await rm(path, { force: true });
  }
  // New, so no existing file can be opened.
  const handle = await open(path, "wx+", FILE_MODE);
  await removeLeft(directory, handle).catch(() => undefined);
  return { path, handle };
}

/** Before somebody else makes a file with a temporary name there. Never throws: a directory that is not there has nothing left. */
export async function removeLeftIn(directory: string): Promise<void> {
  try {
    const { path, handle } = await openTemporary(directory);
    await handle.close();
    await rm(path, { force: true });
  } catch {
    // Whoever makes the file says what is wrong with the directory.
  }
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
    if ([OF_PROCESS, OF_ANYBODY, COPY_OF_ANYBODY].some((left) => left.test(name))) {
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
