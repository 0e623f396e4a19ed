/**
 * Writes a saved plan. The file is complete or absent: its lines are collected in a file without a name, then the first line is written before them,
 * because it names what they come to.
 */
import { type FileHandle, lstat, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileErrorCode, LicetError } from "../../errors.ts";
import { createPlanTally, formatPlanHeader, isPlanHeader, type PlanHeader } from "../../plan/plan-header.ts";
import { formatPlanLine, type PlanLine } from "../../plan/plan-line.ts";
import { createNewFile, type NewFile } from "../files/new-file.ts";
import { openTemporary } from "../files/temporary-file.ts";
import type { SavedPlanFacts } from "./plan-report.ts";

/** Lines are written in pieces of at least so many characters. */
const BUFFER_CHARS = 262_144;
/** Enough to see the name of the first field. */
const HEAD_BYTES = 64;

export interface PlanFile {
  add(line: PlanLine): Promise<void>;
  /** Puts the file in its place. */
  finish(made: Pick<PlanHeader, "createdAt" | "expiresAt" | "terms" | "basis">): Promise<SavedPlanFacts>;
  /** Removes what was written. After `finish` it does nothing. */
  discard(): Promise<void>;
}

/** @throws LicetError PLAN_UNWRITABLE, as do its methods. A file that is not a plan is never replaced */
export async function createPlanFile(path: string): Promise<PlanFile> {
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw toPlanError(error, path);
    });
  await guard(requirePlan(path));
  const lines = await guard(openWithoutName(dirname(path)));
  const tally = createPlanTally();
  let buffered: string[] = [];
  let bufferedChars = 0;

  async function flush(): Promise<void> {
    const text = buffered.join("");
    buffered = [];
    bufferedChars = 0;
    await lines.appendFile(text);
  }

  return {
    async add(line) {
      const text = formatPlanLine(line);
      tally.add(text, line);
      buffered.push(`${text}\n`);
      bufferedChars += text.length;
      if (bufferedChars >= BUFFER_CHARS) {
        await guard(flush());
      }
    },
    async finish(made) {
      const header: PlanHeader = { ...made, ...tally.totals() };
      await guard(flush());
      const whole = await createNewFile(path, { toError: toPlanError });
      try {
        await whole.write(`${formatPlanHeader(header)}\n`);
        await guard(copyLines(lines, whole));
        return toFacts(path, await whole.finish(), header);
      } finally {
        await whole.discard();
      }
    },
    async discard() {
      await lines.close().catch(() => undefined);
    },
  };
}

/** Whatever becomes of this process, nothing is left of the file when it is closed. */
async function openWithoutName(directory: string): Promise<FileHandle> {
  const { path, handle } = await openTemporary(directory);
  await rm(path);
  return handle;
}

async function copyLines(lines: FileHandle, whole: NewFile): Promise<void> {
  for await (const piece of lines.createReadStream({ start: 0, autoClose: false })) {
    await whole.write(piece as Uint8Array);
  }
}

function toFacts(path: string, bytes: number, header: PlanHeader): SavedPlanFacts {
  const { createdAt, expiresAt, pages, setAsideMicros, digest } = header;
  const [created, expires] = [createdAt, expiresAt].map((at) => new Date(at).toISOString()) as [string, string];
  return { path, bytes, createdAt: created, expiresAt: expires, pages, setAsideMicros, digest };
}

/** An empty file has nothing to lose, and a symbolic link is replaced without a change of its target. */
async function requirePlan(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return null;
    }
    throw error;
  });
  if (found === null || found.isSymbolicLink() || (found.isFile() && found.size === 0)) {
    return;
  }
  if (!found.isFile() || !isPlanHeader(await readHead(path))) {
    throw new LicetError("PLAN_UNWRITABLE", `${path} is there already, and it is not a plan`, {
      hint: "Move it away, or give another name with --out.",
      details: { path },
    });
  }
}

async function readHead(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return head.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Turns an error of the file system into one with a hint. Other errors are returned unchanged. */
function toPlanError(error: unknown, path: string): unknown {
  const code = fileErrorCode(error);
  if (code === null) {
    return error;
  }
  return new LicetError("PLAN_UNWRITABLE", `${path} cannot be written (${code})`, {
    hint: "Name a file in a directory that can be written with --out. Nothing was reserved or spent.",
    details: { path, code },
    cause: error,
  });
}
