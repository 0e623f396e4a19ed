/** Recognizes files of earlier exports. Only these are replaced: any other file belongs to somebody else. */
import { lstat, open } from "node:fs/promises";
import { inTheWay, toExportError } from "./export-error.ts";

/** Front matter with long texts fits. */
const HEAD_BYTES = 65_536;

/** Whether the beginning of a file shows that an export wrote it. */
export type IsOwn = (head: string) => boolean;

export const isOwnMarkdown: IsOwn = (head) => /^---\nurl: "[\s\S]*^contentHash: "sha256:[0-9a-f]{64}"$/m.test(head);

export const isOwnJsonLines: IsOwn = (head) => /^\{"url":"[^"]*","host":"[^"]*","purchaseId":\d+,/.test(head);

/**
 * An empty file has nothing to lose, and a symbolic link is replaced without a change of its target.
 * @throws LicetError EXPORT_UNWRITABLE for a file that no export wrote
 */
export async function requireOwn(path: string, isOwn: IsOwn): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size === 0) {
      return;
    }
    const head = Buffer.alloc(HEAD_BYTES);
    const file = await open(path, "r");
    try {
      const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
      if (isOwn(head.toString("utf8", 0, bytesRead))) {
        return;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return;
    }
    throw toExportError(error, path);
  }
  throw inTheWay(path, "a file that no export of licet wrote");
}
