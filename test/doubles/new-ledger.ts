import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";

let bytes: Promise<Buffer> | null = null;

/** Puts an empty ledger there. The migrations run once a process: they would take longer than most tests of a ledger. */
export async function copyNewLedger(path: string): Promise<void> {
  bytes ??= createNewLedger();
  writeFileSync(path, await bytes);
}

async function createNewLedger(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "licet-new-"));
  try {
    const path = join(directory, "licet.sqlite");
    await (await openSqliteLedger({ path })).close();
    return readFileSync(path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
