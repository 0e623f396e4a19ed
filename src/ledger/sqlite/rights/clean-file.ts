/**
 * Making removed texts unreadable. Their own pages of the file are overwritten when the texts go. But SQLite moves rows between pages while
 * others are written beside them, and leaves old bytes in the unused room of those pages, where `secure_delete` does not reach. A new copy
 * of the whole file (VACUUM) has no such room. The write-ahead log has older versions of the pages, so it is emptied too.
 */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleaning } from "../../rights-ledger.ts";
import { readFreeBytes } from "../engine/disk-room.ts";
import { isBusy, isFull } from "../engine/sqlite-error.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Asked } from "../operation.ts";
import { shortenLog } from "../service/shorten-log.ts";

/** The copy of the file in a temporary file, and the same in the write-ahead log. */
const COPIES = 2;
/** A reader of another process ends soon, as a rule: an export reads in pieces. */
const LOG_ATTEMPTS = 20;
const LOG_WAIT_MS = 100;

/**
 * Reads and writes: file_cleaning, the whole file, its log. Safe to be cut off: the mark goes only when the log is empty after the copy,
 * and the next call does it all again.
 */
export async function cleanFile(core: LedgerCore, { maxBytes }: Asked<"cleanFile">): Promise<Cleaning> {
  const since = await core.read((tx) => tx.value<number>("SELECT due_since FROM file_cleaning"));
  if (since === undefined) {
    return { state: "clean" };
  }
  const fileBytes = statSync(core.path).size;
  const due = (why: "in_use" | "disk_full"): Cleaning => ({ state: "due", since, why, fileBytes });
  if (maxBytes !== null && fileBytes > maxBytes) {
    return due("in_use");
  }
  const freeBytes = readFreeBytes(dirname(core.path));
  if (freeBytes !== null && freeBytes < fileBytes * COPIES) {
    return due("disk_full");
  }
  const obstacle = await copyWhole(core);
  if (obstacle !== null) {
    return due(obstacle);
  }
  if (!(await emptyLog(core))) {
    return due("in_use");
  }
  await core.write((tx) => tx.run("DELETE FROM file_cleaning"));
  await emptyLog(core);
  return { state: "cleaned", fileBytes: statSync(core.path).size };
}

/** @returns what prevents the copy, or null when it is made */
async function copyWhole({ db, read }: LedgerCore): Promise<"in_use" | "disk_full" | null> {
  return read(() => {
    // A copy of a large file does not fit into memory.
    db.pragma("temp_store = FILE");
    try {
      db.exec("VACUUM");
      return null;
    } catch (error) {
      if (isBusy(error)) {
        return "in_use";
      }
      if (isFull(error)) {
        return "disk_full";
      }
      throw error;
    } finally {
      db.pragma("temp_store = MEMORY");
    }
  });
}

/** @returns false when readers of another process kept the log for the whole time */
async function emptyLog(core: LedgerCore): Promise<boolean> {
  for (let attempt = 1; attempt <= LOG_ATTEMPTS; attempt++) {
    const { emptied } = await shortenLog(core);
    if (emptied) {
      return true;
    }
    await sleep(LOG_WAIT_MS);
  }
  return false;
}
