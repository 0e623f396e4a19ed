import { closeSync, fsyncSync, openSync } from "node:fs";

/** So that the name is on the disk too. Some file systems cannot; the file itself is synced in any case. */
export function syncDirectory(path: string): void {
  try {
    syncFile(path);
  } catch (error) {
    if (!["EINVAL", "ENOTSUP", "EISDIR", "EPERM", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      throw error;
    }
  }
}

export function syncFile(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
