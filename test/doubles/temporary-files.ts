import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Of Linux: files in memory. */
const IN_MEMORY = "/dev/shm";
const MAY_NOT_START = /^\S+ \/dev\/shm \S+ (?:\S+,)?noexec\b/m;
/** The suites have some 150 MB at once. A container often has 64 MB in all. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * A directory of this run of the tests, which goes with it. A commit in memory waits for no disk, so the suites take a fifth less time there. No test cuts
 * the power: what is killed leaves what it wrote to the kernel, in memory as on a disk. The nightly plays all of it on the disk, too.
 * @param wanted where it has to be, instead of in memory if that fits
 */
export function makeDirectory(wanted: string | undefined): string {
  const directory = mkdtempSync(join(wanted ?? (isFit() ? IN_MEMORY : tmpdir()), "licet-tests-"));
  // Some tests start programs there as another user.
  chmodSync(directory, 0o755);
  process.once("exit", () => removeIfPossible(directory));
  return directory;
}

/** A process that is still writing must not make a run fail whose tests have passed. */
function removeIfPossible(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.stderr.write(`${directory} is left: ${String(error)}\n`);
  }
}

function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    // Tests write programs and start them.
    return bavail * bsize >= ENOUGH_BYTES && !MAY_NOT_START.test(readFileSync("/proc/self/mounts", "utf8"));
  } catch {
    return false;
  }
}
