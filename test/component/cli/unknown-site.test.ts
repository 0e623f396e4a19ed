import { expect, onTestFinished, test } from "vitest";
import { createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

test("a site that the gateway does not know is named, and the others go on: exit code 4", async () => {
  const sites = ["news.example", "typo.example"].map((host) => ({ host, policy: "standard" }));
  const { cli, close } = await createCliWorld({ port: 0, sites: [newsSite(2)], rates: ONE_PRICE }, { sites });
  onTestFinished(close);
  const { code, stdout } = await cli("run");
  expect(code).toBe(4);
  expect(stdout).toMatch(/news\.example +2 .* 2 +0 +0\n/);
  expect(stdout).toContain(
    "typo.example was stopped (walk_failed): the gateway does not know the site typo.example: the gateway answered 404",
  );
});
