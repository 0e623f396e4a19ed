import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { LicetError } from "../../../errors.ts";

/**
 * Nothing is bought with less room than this: what is in progress when the disk fills up must still be written. Some 250 pages of 50 kB
 * can be under way, and each is written to the write-ahead log and then to the file.
 */
export const MIN_FREE_BYTES = 32 * 1024 * 1024;

const BYTES_PER_MB = 1_000_000;

export interface RoomCheck {
  /** Looks at the room that is left on the ledger's disk. @throws LicetError DISK_FULL */
  look(): void;
  /** As `look`, but what it found holds until `forget`: the writes of one transaction go to the disk together. */
  lookOnce(): void;
  forget(): void;
}

/** @param minFreeBytes without so much room there is none */
export function createRoomCheck(path: string, minFreeBytes: number): RoomCheck {
  const directory = dirname(path);
  let isKnown = false;
  const look = () => {
    const freeBytes = readFreeBytes(directory);
    if (freeBytes !== null && freeBytes < minFreeBytes) {
      const left = `${toMegabytes(freeBytes)} MB are free, and licet buys nothing below ${toMegabytes(minFreeBytes)} MB`;
      throw new LicetError("DISK_FULL", `the disk of the ledger is full (${left}): ${path}`, {
        hint: "Free some disk space and run again. Nothing that was committed is lost.",
        details: { path, freeBytes },
      });
    }
  };
  return {
    look,
    lookOnce() {
      if (!isKnown) {
        look();
        isKnown = true;
      }
    },
    forget() {
      isKnown = false;
    },
  };
}

/** Free bytes of the disk of a directory. Null where the file system does not say. */
export function readFreeBytes(directory: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(directory);
    return blocks > 0 ? bavail * bsize : null;
  } catch {
    return null;
  }
}

function toMegabytes(bytes: number): string {
  return (Math.floor((bytes * 10) / BYTES_PER_MB) / 10).toFixed(1);
}
