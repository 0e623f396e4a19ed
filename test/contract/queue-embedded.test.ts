import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { createRecorder, describeQueueContract, inEveryStage } from "./queue-contract.ts";

const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };
const options = () => ({ url: "embedded" });

describe("the embedded queue", () => {
  describeQueueContract("the memory of the process", { kind: "embedded", isShared: false, options });

  it("is a separate queue for each opener", async () => {
    const one = await openQueue(options());
    const other = await openQueue(options());
    await one.add([{ stage: "walk", leaseId: "a" }]);
    expect((await one.depth()).walk).toBe(1);
    expect((await other.depth()).walk).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });

  it("wakes a worker of one stage while another stage's worker waits", async () => {
    const queue = await openQueue(options());
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    for (const [index, stage] of (["walk", "report", "quote", "acquire"] as const).entries()) {
      await queue.add([stage === "report" ? { stage, leaseId: null } : { stage, leaseId: "x" }]);
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
      const work = async () => "done";
      await queue.startWorkers({ walk: work, quote: work, acquire: work, report: work },
        { concurrency: { walk: 1, quote: 1, acquire: 1, report: 1 }, onError: (error) => { throw error; } });
      await queue.add([{ stage: "walk", leaseId: "a" }]);
      await queue.close();
      console.log(process.getActiveResourcesInfo().filter((one) => one !== "PipeWrap").join());`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });
});
