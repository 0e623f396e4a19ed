/** Looks again and again until something is over, or Ctrl-C: on a terminal in place, else one line a change, with `--json` one document a change. */
import { plainText } from "../../plain-text.ts";
import { createEventLog } from "../log/event-log.ts";
import { createLayout, type Layout } from "../output/layout.ts";
import { writeOutput } from "../output/output.ts";
import { toSafeJson } from "../output/safe-json.ts";
import type { Session } from "../session.ts";
import { createScreen } from "./screen.ts";

const LOOK_MS = 500;

export interface Watched<Seen> {
  look(): Promise<Seen>;
  /** What a terminal shows. */
  frame(seen: Seen, layout: Layout): string;
  /** What stands in a line, without its time. A look with the same line is not a change. */
  line(seen: Seen): string;
  document(seen: Seen): unknown;
  isOver(seen: Seen): boolean;
  /** Said when a person ends it. */
  readonly farewell: string;
}

/** @returns what was seen last, or null when a person ended it */
export async function watch<Seen>(session: Session, watched: Watched<Seen>): Promise<Seen | null> {
  const { io, json, logging } = session;
  const stopping = new AbortController();
  const remove = io.onInterrupt(() => stopping.abort());
  const screen = io.stdout.isTerminal && !json ? createScreen(io) : null;
  let last: string | null = null;
  try {
    for (;;) {
      const seen = await watched.look();
      if (screen !== null) {
        await screen.show(watched.frame(seen, createLayout(io, io.stdout)));
      } else {
        const line = watched.line(seen);
        if (line !== last) {
          last = line;
          const at = new Date(io.clock.now()).toISOString();
          await writeOutput(io, json ? `${toSafeJson(watched.document(seen))}\n` : `${at} ${plainText(line)}\n`);
        }
      }
      if (watched.isOver(seen)) {
        return seen;
      }
      await io.clock.sleep(LOOK_MS, stopping.signal);
      if (stopping.signal.aborted || io.stdout.isClosed?.() === true) {
        createEventLog(io, logging).info(watched.farewell);
        return null;
      }
    }
  } finally {
    remove();
  }
}
