/** A digest over the lines read so far: of two lists with the same one, the first lines are the same. */
import { createHash, type Hash } from "node:crypto";

export interface ListDigest {
  /** How many lines were added. */
  readonly lines: number;
  /** Adds the next line, without its line end. */
  add(line: string): void;
  /** The digest of all lines so far, and of these behind them, in lower-case hex. */
  read(more?: readonly string[]): string;
}

export function createListDigest(): ListDigest {
  const hash = createHash("sha256");
  let lines = 0;
  const addTo = (to: Hash, line: string) => to.update(line).update("\n");
  return {
    get lines() {
      return lines;
    },
    add(line) {
      addTo(hash, line);
      lines += 1;
    },
    read(more = []) {
      const copy = hash.copy();
      for (const line of more) {
        addTo(copy, line);
      }
      return copy.digest("hex");
    },
  };
}
