import { expect, onTestFinished, test } from "vitest";
import { createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

test("plan and run warn about a glob that matches no page of the catalog, on stderr and in JSON", async () => {
  const sites = [{ host: "news.example", policy: "standard", exclude: ["/tag/**"] }];
  const { cli, json, close } = await createCliWorld({ port: 0, sites: [newsSite(3)], rates: ONE_PRICE }, { sites });
  onTestFinished(close);
  const warning = "exclude /tag/** of news.example matched none of 3 pages";
  expect((await json("plan")).value).toMatchObject({ warnings: [warning] });
  expect(await cli("run")).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
});
