/** `licet run --list -`: a list that another program writes. */
import { afterEach, expect, it } from "vitest";
import { cliHere } from "../../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

const urlOf = (number: number): string => `https://news.example/articles/${String(number).padStart(7, "0")}`;

it("buys what standard input names, under its caps, and exits with 4 for a bad line", async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE });
  const lines = [urlOf(3), "", JSON.stringify({ url: urlOf(1), maxPrice: "0.001 USD" }), "not a page", urlOf(3)];
  const input = lines.map((line) => `${line}\n`).join("");
  const { code, stdout } = await cliHere(["run", "--list", "-", "--json"], { cwd: world.directory, input });
  expect(JSON.parse(stdout)).toMatchObject({
    state: "completed",
    pages: { seen: 2, bought: 1, denied: 1 },
    denials: { max_price: 1 },
    list: { source: "list", path: null, lines: 5, isRead: true, pages: 2, repeated: 1, examples: [{ line: 4 }] },
  });
  expect(code).toBe(4);
  expect(world.sandbox.audit().charges.map(({ url }) => url)).toEqual([urlOf(3)]);
});
