/** `licet alerts`: who is told what, and whether it arrives. */
import { expect, onTestFinished, test } from "vitest";
import { createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { startLoopbackServer } from "../doubles/loopback-server.ts";

async function createWorld(alerts: readonly Readonly<Record<string, unknown>>[]) {
  const world = await createCliWorld({ sites: [newsSite(1)], rates: ONE_PRICE }, { alerts });
  onTestFinished(() => world.close());
  return world;
}

test("lists the receivers, and sends each a test in its form", async () => {
  const server = await startLoopbackServer((_request, response) => void response.end("ok"));
  onTestFinished(() => server.close());
  const world = await createWorld([
    { on: ["run_failed"], webhook: `${server.baseUrl}/json` },
    { on: ["gateway_away", "waiting"], webhook: `${server.baseUrl}/slack`, form: "slack" },
  ]);
  expect(await world.json("alerts")).toMatchObject({
    code: 0,
    value: {
      ok: true,
      receivers: [
        { form: "json", kinds: ["run_failed", "slot_failed"], test: null },
        { form: "slack", kinds: ["gateway_away", "waiting"], test: null },
      ],
    },
  });
  expect(server.received).toEqual([]);
  const { code, stdout } = await world.cli("alerts", "--test");
  expect(code).toBe(0);
  expect(stdout.match(/took a test/g)).toHaveLength(2);
  const sent = server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(sent).toContainEqual(expect.objectContaining({ kind: "test", site: null, command: "licet status" }));
  expect(sent).toContainEqual({ text: expect.stringMatching(/^\*licet: test\*\n/) });
});

test("ends with 1 when a receiver takes no test, and says what to do", async () => {
  const world = await createWorld([{ on: ["run_failed"], webhook: "http://127.0.0.1:9/" }]);
  const { code, stdout } = await world.cli("alerts", "--test");
  expect(code).toBe(1);
  expect(stdout).toMatch(/no connection \(the port 9 belongs to another protocol[\s\S]*check `alerts\[\]\.webhook`/);
});

test("a form of a program is refused", async () => {
  const world = await createWorld([{ on: ["run_failed"], exec: ["true"], form: "slack" }]);
  expect(await world.json("alerts")).toMatchObject({ code: 2, value: { error: { code: "CONFIG_INVALID" } } });
});
