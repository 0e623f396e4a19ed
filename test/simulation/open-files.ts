/**
 * The files that processes of simulated worlds have open. All of them are this one program to the system, so nobody else closes what a process
 * held that was killed: it would be left to the garbage collector.
 */
import type { FileHandle } from "node:fs/promises";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { Owner } from "./scheduler.ts";

const handles = new WeakMap<Owner, FileHandle[]>();
let ownerAtWork: () => Owner | null = () => null;
let isWatching = false;

/** From now on, a file belongs to the process at whose event it is opened. */
export function watchOpenFiles(atWork: () => Owner | null): void {
  ownerAtWork = atWork;
  if (isWatching) {
    return;
  }
  isWatching = true;
  const { open } = files;
  files.open = async (...parameters) => {
    const owner = ownerAtWork();
    const handle = await open(...parameters);
    if (owner !== null) {
      handles.set(owner, [...(handles.get(owner) ?? []), handle]);
      if (!owner.isAlive) {
        closeFiles(owner);
      }
    }
    return handle;
  };
  syncBuiltinESMExports();
}

/** What the kernel does for a process that died. */
export function closeFiles(owner: Owner): void {
  for (const handle of handles.get(owner) ?? []) {
    // It may be closed already.
    void handle.close().catch(() => {});
  }
  handles.delete(owner);
}
