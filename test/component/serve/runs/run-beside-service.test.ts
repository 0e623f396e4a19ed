import { afterEach, describe, expect, it } from "vitest";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

let world: ServiceWorld;
afterEach(() => world.close());

describe("licet run beside a service", () => {
  it("works, and says which service is there and where", async () => {
    world = await createServiceWorld({
      sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 6, bodyBytes: 200 }], rates: ONE_PRICE },
      config: {
        budgets: [{ scope: "all", per: "month", limit: "10 USD" }],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    const report = await (await world.openAgent()).run();
    expect(report).toMatchObject({ state: "completed", pages: { acquired: 6 } });
    expect(report.warnings).toContainEqual(
      expect.stringMatching(
        new RegExp(`^a service works on this ledger too \\(process .+:${process.pid} at ${world.service.url}\\)`),
      ),
    );
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});
