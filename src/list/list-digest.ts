/** A digest over the lines read so far: of two lists with the same one, the first lines are the same. */
import { createHash } from "node:crypto";

export interface ListDigest {
  /** Adds the next line, without its line end. */
  add(line: string): void;
  /** The digest of all lines so far, in lower-case hex. */
  read(): string;
}

export function createListDigest(): ListDigest {
  const hash = createHash("sha256");
  return {
    add(line) {
      hash.update(line).update("\n");
    },
    read: () => hash.copy().digest("hex"),
  };
}
