/**
 * Reads a saved plan, in blocks of lines: it may be longer than the memory. The file may be replaced or written at any time, so the digest of each
 * block is kept from the check, and no line of a block counts that has become another one since.
 */
import { hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { fileErrorCode, LicetError } from "../../errors.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { describeDifference, findDifferences } from "../../plan/plan-differences.ts";
import { createPlanTally, isPlanHeader, parsePlanHeader, type ReadPlanHeader } from "../../plan/plan-header.ts";
import { isLowered, type PlanLine, parsePlanLine } from "../../plan/plan-line.ts";
import type { PlanRefusal } from "../../plan/plan-refusal.ts";
import { toPlanTerms } from "../../plan/plan-terms.ts";

/** What a person did to the lines of a plan after licet wrote it. */
export interface PlanEdits {
  /** Whether the lines are other than licet wrote them, in whatever way is allowed. */
  readonly edited: boolean;
  readonly removed: number;
  readonly lowered: number;
}

/** What the lines of a plan come to. */
export interface PlanSum {
  readonly pages: number;
  /** What they may set aside at most, by currency. */
  readonly setAsideMicros: Readonly<Record<Currency, Micros>>;
}

export interface SavedPlan {
  /** Absolute. */
  readonly path: string;
  readonly header: ReadPlanHeader;
  readonly edits: PlanEdits;
  /** SHA-256 over all that the file says now, its first line included, in lower-case hex: an edited copy has another one. */
  readonly content: string;
  /** The pages that are left, and what they may set aside at most, by currency. */
  readonly left: PlanSum;
  /**
   * The lines that were checked. The line is null for the first one, which names no page.
   * @throws LicetError PLAN_REFUSED in front of the first block of lines that is not what was checked
   */
  lines(): AsyncIterable<{ readonly text: string; readonly line: PlanLine | null }>;
}

/** Lines that are read, compared and given together. */
const LINES_AT_ONCE = 500;
/** The first line names the terms of each site of the plan, so it may be long. */
const MAX_HEADER_BYTES = 4_194_304;
/** How many differences an error names in its message. Its details have all. */
const MAX_SHOWN_DIFFERENCES = 5;

/**
 * Reads the whole file once, so that a plan that is damaged is refused before anything is bought from it.
 * @throws LicetError PLAN_REFUSED: it cannot be read, is not a plan, or was changed in a way that is not allowed
 */
export async function openPlan(file: string): Promise<SavedPlan> {
  const path = resolve(file);
  const tally = createPlanTally();
  const digests: string[] = [];
  let header: ReadPlanHeader | null = null;
  let lowered = 0;
  for await (const block of readBlocks(path)) {
    digests.push(digestOf(block));
    for (const { text, number } of block) {
      if (header === null) {
        header = toHeader(path, text);
      } else {
        const line = toLine(path, text, number);
        tally.add(text, line);
        lowered += isLowered(line) ? 1 : 0;
      }
    }
  }
  header ??= toHeader(path, "");
  const excess = tally.findExcess(header);
  if (excess !== null) {
    throw refused(path, "changed", `${path} cannot be used: ${excess}`);
  }
  const { pages, setAsideMicros, digest } = tally.totals();
  return {
    path,
    header,
    edits: { edited: digest !== header.digest, removed: header.pages - pages, lowered },
    content: hash("sha256", digests.join("\n")),
    left: { pages, setAsideMicros },
    lines: () => readLines(path, digests),
  };
}

/**
 * Reads the first line alone: what was planned, and not what a person left of it.
 * @throws LicetError PLAN_REFUSED: it cannot be read, or is not a plan
 */
export async function openPlanHeader(file: string): Promise<Pick<SavedPlan, "path" | "header">> {
  const path = resolve(file);
  for await (const { text } of readTexts(path, { end: MAX_HEADER_BYTES })) {
    return { path, header: toHeader(path, text) };
  }
  return { path, header: toHeader(path, "") };
}

/**
 * Refuses a plan that may not be bought now.
 * @throws LicetError PLAN_REFUSED with what differs
 */
export function checkPlan({ path, header }: Pick<SavedPlan, "path" | "header">, config: Config, now: number): void {
  const { expiresAt, terms } = header;
  if (now >= expiresAt) {
    const until = new Date(expiresAt).toISOString();
    throw new LicetError("PLAN_REFUSED", `${path} counted until ${until}: nothing is bought from it any more`, {
      hint: "Make a new plan, and have it approved: licet plan --out FILE. A longer one: --expires 7d",
      details: { path, reason: "expired" satisfies PlanRefusal, expiresAt: until },
    });
  }
  // What a file says is compared with what a file would say: absent and undefined are the same.
  const termsNow = JSON.parse(
    JSON.stringify(toPlanTerms(config, Object.keys(terms.sites), terms.order)),
  ) as typeof terms;
  const differences = findDifferences(terms, termsNow);
  if (differences.length > 0) {
    const shown = differences.slice(0, MAX_SHOWN_DIFFERENCES).map(describeDifference);
    const more = differences.length > shown.length ? `; and ${differences.length - shown.length} more` : "";
    throw new LicetError("PLAN_REFUSED", `${path} was made under another configuration: ${shown.join("; ")}${more}`, {
      hint: "Make a new plan under this configuration, or run this one under the configuration that it was made with.",
      details: { path, reason: "configuration" satisfies PlanRefusal, differences },
    });
  }
}

/** Refuses a plan that says something else than what was approved. @throws LicetError PLAN_REFUSED */
export function checkContent({ path, content }: SavedPlan, approved: string): void {
  if (content !== approved) {
    throw refused(path, "changed", `${path} was changed or replaced since it was shown`, {
      hint: "Nothing was bought. Look at what it says now, and approve that.",
    });
  }
}

/** What a person did to the lines, as the end of a sentence. */
export function describeEdits({ removed, lowered }: PlanEdits): string {
  const parts = [
    ...(removed > 0 ? [`${removed} ${removed === 1 ? "page" : "pages"} taken out`] : []),
    ...(lowered > 0 ? [`${lowered} ${lowered === 1 ? "price" : "prices"} lowered`] : []),
  ];
  return `edited after it was made${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

async function* readLines(path: string, digests: readonly string[]): ReturnType<SavedPlan["lines"]> {
  let blocks = 0;
  for await (const block of readBlocks(path)) {
    if (digestOf(block) !== digests[blocks]) {
      throw changedSince(path);
    }
    for (const [index, { text, number }] of block.entries()) {
      yield { text, line: blocks + index === 0 ? null : toLine(path, text, number) };
    }
    blocks++;
  }
  if (blocks !== digests.length) {
    throw changedSince(path);
  }
}

function changedSince(path: string): LicetError {
  return refused(path, "changed", `${path} was changed or replaced after it was checked`, {
    hint: "Nothing was bought that was not checked. To apply what the file says now: licet run --plan FILE",
  });
}

function toHeader(path: string, text: string): ReadPlanHeader {
  if (!isPlanHeader(text)) {
    throw refused(path, "not_a_plan", `${path} is not a plan of licet`, {
      hint: "`licet plan --out FILE` writes one. To buy the pages of a list: licet run --list FILE",
    });
  }
  const header = parsePlanHeader(text);
  if (typeof header === "string") {
    throw refused(path, "changed", `${path} cannot be used: ${header}`, { line: 1 });
  }
  return header;
}

function toLine(path: string, text: string, number: number): PlanLine {
  const line = parsePlanLine(text);
  if (typeof line === "string") {
    throw refused(path, "changed", `line ${number} of ${path} cannot be used: ${line}`, { line: number });
  }
  return line;
}

interface NumberedText {
  readonly text: string;
  readonly number: number;
}

function digestOf(block: readonly NumberedText[]): string {
  return hash("sha256", block.map(({ text }) => text).join("\n"));
}

async function* readBlocks(path: string): AsyncGenerator<readonly NumberedText[]> {
  let block: NumberedText[] = [];
  for await (const line of readTexts(path)) {
    block.push(line);
    if (block.length === LINES_AT_ONCE) {
      yield block;
      block = [];
    }
  }
  if (block.length > 0) {
    yield block;
  }
}

/** The lines that say something, with their numbers from 1. An editor may have left a byte order mark, blank lines, and other line ends. */
async function* readTexts(path: string, part: { readonly end?: number } = {}): AsyncGenerator<NumberedText> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    if ((await file.stat()).isFIFO()) {
      throw refused(path, "unreadable", `${path} is a pipe, and a plan is read more than once`, {
        hint: "Write the plan to a file first.",
      });
    }
    let number = 0;
    for await (const read of file.readLines({ encoding: "utf8", ...part })) {
      const text = read.trim();
      number++;
      if (text !== "") {
        yield { text, number };
      }
    }
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === null) {
      throw error;
    }
    throw refused(path, "unreadable", `${path} cannot be read (${code})`, { code });
  } finally {
    await file?.close();
  }
}

function refused(
  path: string,
  reason: PlanRefusal,
  message: string,
  { hint = "Nothing was bought. Make a new plan: licet plan --out FILE", line, code }: RefusedAt = {},
): LicetError {
  return new LicetError("PLAN_REFUSED", message, {
    hint,
    details: { path, reason, ...(line === undefined ? {} : { line }), ...(code === undefined ? {} : { code }) },
  });
}

interface RefusedAt {
  readonly hint?: string;
  readonly line?: number;
  readonly code?: string;
}
