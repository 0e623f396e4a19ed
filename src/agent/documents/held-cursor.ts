/** A cursor that one reader of this process has. Another reader, here or in another process, is refused meanwhile. */
import { LicetError } from "../../errors.ts";
import type { CursorRange, CursorReader, CursorTaken } from "../../ledger/document-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resources } from "../compose.ts";
import { processLabel } from "../this-process.ts";
import type { CursorFilter } from "./document-filter.ts";

/**
 * So long a reader may take for one document, or for what it stores at once. A process of this machine that has ended leaves its cursor at
 * once; this is for readers on other machines, and for a process that has got the number of an ended one.
 */
const ALIVE_MS = 10 * 60_000;
/** Between two signs of life. */
const RENEW_MS = ALIVE_MS / 4;

export class HeldCursor {
  /** How far the cursor was when it was taken. */
  readonly seq: number;
  /** Whether an earlier reader fixed a range and did not end it. */
  readonly hasPending: boolean;
  readonly #resources: Resources;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #process: string;
  #renewedAt: number;

  private constructor(
    resources: Resources,
    ledger: Ledger,
    { name, process, now, seq, pending }: CursorReader & Extract<CursorTaken, { kind: "taken" }>,
  ) {
    this.#resources = resources;
    this.#ledger = ledger;
    this.#name = name;
    this.#process = process;
    this.seq = seq;
    this.hasPending = pending !== null;
    this.#renewedAt = now;
  }

  /** @throws LicetError CURSOR_IN_USE, CURSOR_MISMATCH, CURSOR_AHEAD */
  static async take(resources: Resources, ledger: Ledger, filter: CursorFilter): Promise<HeldCursor> {
    const { clock, processes } = resources;
    const { cursor: name } = filter;
    const process = processes.begin();
    try {
      const holder = await ledger.readCursorProcess(name);
      const gone = holder !== null && processes.hasEnded(holder) ? holder : null;
      const now = clock.now();
      const selection = describeSelection(filter);
      const taken = await ledger.takeCursor({ name, selection, process, now, aliveMs: ALIVE_MS, gone });
      if (taken.kind !== "taken") {
        throw toError(name, selection, taken);
      }
      return new HeldCursor(resources, ledger, { name, process, now, ...taken });
    } catch (error) {
      processes.end(process);
      throw error;
    }
  }

  /** What is to be written next. Null: nothing is new. @throws LicetError CURSOR_IN_USE */
  async fixRange(target: string): Promise<CursorRange | null> {
    const range = await this.#ledger.fixRange({ ...this.#reader(), target, aliveMs: ALIVE_MS });
    if (range === null) {
      await this.#renew();
    }
    return range;
  }

  /** @throws LicetError CURSOR_IN_USE */
  async advance(seq: number): Promise<void> {
    const reader = this.#reader();
    if (!(await this.#ledger.advanceCursor({ ...reader, seq, aliveMs: ALIVE_MS }))) {
      throw await this.#lost();
    }
    this.#renewedAt = reader.now;
  }

  /** Called between two reads: a long reading stays alive. @throws LicetError CURSOR_IN_USE */
  async keep(): Promise<void> {
    const { clock } = this.#resources;
    if (Math.abs(clock.now() - this.#renewedAt) >= RENEW_MS) {
      await this.#renew();
    }
  }

  async release(): Promise<void> {
    try {
      await this.#ledger.releaseCursor(this.#reader());
    } finally {
      // Also when the ledger cannot be written: then the next reader sees that this one has ended.
      this.#resources.processes.end(this.#process);
    }
  }

  async #renew(): Promise<void> {
    const reader = this.#reader();
    if (!(await this.#ledger.renewCursor({ ...reader, aliveMs: ALIVE_MS }))) {
      throw await this.#lost();
    }
    this.#renewedAt = reader.now;
  }

  async #lost(): Promise<LicetError> {
    return inUse(this.#name, await this.#ledger.readCursorProcess(this.#name));
  }

  #reader(): CursorReader {
    return { name: this.#name, process: this.#process, now: this.#resources.clock.now() };
  }
}

/** As it stands in the ledger and in messages. */
function describeSelection({ site, run }: CursorFilter): string {
  const parts = [site, run].filter((part) => part !== undefined);
  return ["all documents", ...parts.map((part) => `of ${part}`)].join(" ");
}

function toError(name: string, selection: string, taken: Exclude<CursorTaken, { kind: "taken" }>): LicetError {
  switch (taken.kind) {
    case "alive":
      return inUse(name, taken.process);
    case "other_selection":
      return new LicetError("CURSOR_MISMATCH", `the cursor ${name} reads ${taken.selection}, not ${selection}`, {
        hint: "Give another cursor a name of its own: what one has passed, it does not give again.",
        details: { cursor: name, known: taken.selection, given: selection },
      });
    case "ahead":
      return new LicetError(
        "CURSOR_AHEAD",
        `the cursor ${name} is at document ${taken.seq}, and this ledger has ${taken.lastSeq}`,
        {
          hint: "The ledger knows less than the cursor: `licet audit` says what is wrong. A cursor with another name begins with the first document.",
          details: { cursor: name, seq: taken.seq, lastSeq: taken.lastSeq },
        },
      );
    default:
      return taken satisfies never;
  }
}

function inUse(name: string, process: string | null): LicetError {
  const label = process === null ? null : processLabel(process);
  return new LicetError("CURSOR_IN_USE", `another reader has the cursor ${name}${label === null ? "" : `: ${label}`}`, {
    hint: "A cursor has one reader at a time. Wait for it to end, or give this reader a cursor of its own.",
    details: { cursor: name, process: label },
  });
}
