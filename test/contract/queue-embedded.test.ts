import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { openEmbeddedTransport } from "../../src/queue/embedded-transport.ts";
import { createRecorder, describeQueueContract, inEveryStage } from "./queue-contract.ts";

const IMAGE = "embedded-queue-image.tar.gz";
const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };

describe("the embedded queue", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "licet-embedded-"));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  const options = () => ({ url: "embedded", embeddedDir: join(directory, "queue") });

  describeQueueContract("the embedded database", { kind: "embedded", isShared: false, options });

  it("makes an image on the first start, starts from it, and makes it anew when it is damaged", async () => {
    const own = join(directory, "image");
    const open = () => openEmbeddedTransport(own, join(directory, "nothing-shipped"));
    await (await open()).close();
    const first = await stat(join(own, IMAGE));
    await (await open()).close();
    expect((await stat(join(own, IMAGE))).mtimeMs).toBe(first.mtimeMs);
    await writeFile(join(own, IMAGE), "half an im");
    await (await open()).close();
    expect((await stat(join(own, IMAGE))).size).toBeGreaterThan(1_000_000);
    expect(await readdir(own)).toEqual([IMAGE]);
  });

  it("says what is wrong when its directory cannot be made", async () => {
    const file = join(directory, "a-file");
    await writeFile(file, "");
    const attempt = openEmbeddedTransport(join(file, "queue"), join(directory, "nothing-shipped"));
    await expect(attempt).rejects.toMatchObject({
      code: "QUEUE_UNREACHABLE",
      hint: expect.stringContaining("written"),
    });
  });

  it("keeps two processes apart that use one directory: each has a queue of its own", async () => {
    const one = await openQueue(options());
    const other = await openQueue(options());
    await one.add([{ stage: "walk", leaseId: "a" }]);
    expect((await one.depth()).walk).toBe(1);
    expect((await other.depth()).walk).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });

  it("wakes a worker of one stage while another stage's waits, over the one session", async () => {
    const queue = await openQueue(options());
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    for (const [index, stage] of (["walk", "report", "quote", "acquire"] as const).entries()) {
      await queue.add([{ stage, leaseId: "x" }]);
      await recorder.untilSeen(index + 1);
    }
    await workers.close();
    await queue.close();
    expect(recorder.seen.map((job) => job.stage)).toEqual(["walk", "report", "quote", "acquire"]);
  });

  it("leaves no handle behind: a process that closes it ends by itself", () => {
    const module = pathToFileURL(join(import.meta.dirname, "../../dist/src/queue/bullmq-queue.js"));
    const script = `
      import { openQueue } from ${JSON.stringify(module.href)};
      const queue = await openQueue(${JSON.stringify(options())});
      const work = async () => ({ kind: "done" });
      await queue.startWorkers({ walk: work, quote: work, acquire: work, report: work },
        { concurrency: { walk: 1, quote: 1, acquire: 1, report: 1 }, onError: (error) => { throw error; } });
      await queue.add([{ stage: "walk", leaseId: "a" }]);
      await queue.close();
      console.log(process.getActiveResourcesInfo().filter((one) => one !== "PipeWrap").join());`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });
});
