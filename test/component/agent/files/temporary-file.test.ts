/** What a killed process left in a directory: the next one that writes there removes it, and nothing else. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createNewFile } from "../../../../src/agent/files/new-file.ts";
import { openTemporary } from "../../../../src/agent/files/temporary-file.ts";

const DAY_SECONDS = 86_400;
const RANDOM = "0123456789ab";
const HERE = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** A process that has ended. */
const { pid: DEAD } = spawnSync(process.execPath, ["-e", ""]);

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-files-"));
  onTestFinished(() => rm(directory, { recursive: true }));
});

async function leave(name: string, ageSeconds = 0): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, "paid content");
  const at = Date.now() / 1_000 - ageSeconds;
  await utimes(path, at, at);
}

const write = async (name: string) => {
  const file = await createNewFile(join(directory, name), { toError: (error) => error });
  await file.write("text");
  await file.write(Buffer.from(" and bytes"));
  return file;
};

it("removes what processes of this machine left that have ended, and what nobody has written to for a day", async () => {
  await leave(`.licet-${HERE}-${DEAD}-abc-${RANDOM}.tmp`);
  await leave(`.licet-${HERE}-${DEAD}-abc-${RANDOM}.tmp-journal`);
  await leave(`.licet-${HERE}-${process.pid}-earlier-${RANDOM}.tmp`);
  await leave(`.licet-00000000-1-abc-${RANDOM}.tmp`, DAY_SECONDS + 60);
  await leave(`.licet-${RANDOM}.tmp`, DAY_SECONDS + 60);
  await leave(`.licet-${RANDOM}.lines.tmp`, DAY_SECONDS + 60);
  const file = await write("whole.txt");
  expect(await file.finish()).toBe("text and bytes".length);
  expect(await readdir(directory)).toEqual(["whole.txt"]);
});

it("leaves what others may still write, and what licet did not make", async () => {
  const others = [
    `.licet-${HERE}-${process.ppid}-abc-${RANDOM}.tmp`,
    `.licet-00000000-${DEAD}-abc-${RANDOM}.tmp`,
    `.licet-${RANDOM}.tmp`,
  ];
  for (const name of others) {
    await leave(name);
  }
  const strangers = [".licet-notes.tmp", `x.licet-${RANDOM}.tmp`, "other.tmp"];
  for (const name of strangers) {
    await leave(name, 2 * DAY_SECONDS);
  }
  const folder = `.licet-${HERE}-${DEAD}-abc-${RANDOM}.tmp`;
  await mkdir(join(directory, folder));
  const before = await readdir(directory);
  const open = await openTemporary(directory);
  const file = await write("whole.txt");
  expect((await readdir(directory)).filter((name) => name.endsWith(".tmp"))).toHaveLength(before.length + 2);
  await file.discard();
  await open.handle.close();
  await rm(open.path);
  expect((await readdir(directory)).sort()).toEqual(before.sort());
  expect((await stat(join(directory, others[0] as string))).size).toBe("paid content".length);
});
