/** Progress of a copy: one line on a terminal, redrawn for each percent, and Ctrl-C. */
import type { CopyOptions, CopyProgressReport } from "../../agent/copies/backup-report.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import type { Session } from "../session.ts";
import { CLEAR_LINE } from "./progress-line.ts";

/** @param copy its work, under the line and the signal */
export async function watchCopy<Report>(
  { io, json, logging }: Session,
  copy: (watch: Required<Pick<CopyOptions, "signal" | "onProgress">>) => Promise<Report>,
): Promise<Report> {
  const isDrawn = io.stderr.isTerminal && !json && logging.level === "info";
  const write = (text: string) => void io.stderr.write(text).catch(() => undefined);
  let drawn: number | null = null;
  const clear = () => {
    if (drawn !== null) {
      write(CLEAR_LINE);
      drawn = null;
    }
  };
  const interrupts = watchInterrupts(io, {
    say: createEventLog(io, logging).warn,
    finishing: "the copy is being removed",
    farewell: () => "a file .licet-….tmp may be left; the next backup or restoration there removes it",
    clear,
  });
  const onProgress = ({ copiedPages, totalPages }: CopyProgressReport) => {
    const percent = Math.floor((copiedPages * 100) / Math.max(1, totalPages));
    if (isDrawn && percent !== drawn) {
      write(`${CLEAR_LINE}copying the ledger: ${percent} %${percent === 100 ? ", and auditing the copy" : ""}`);
      drawn = percent;
    }
  };
  try {
    return await copy({ signal: interrupts.signal, onProgress });
  } finally {
    clear();
    interrupts.stop();
  }
}
