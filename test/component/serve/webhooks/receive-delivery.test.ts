import { describe, expect, it } from "vitest";
import { createAdmission } from "../../../../src/serve/webhooks/admit-notification.ts";
import { SITE_HINT_RATE, UNKNOWN_SITE_RATE } from "../../../../src/serve/webhooks/hint-rate.ts";
import { createReceiver, type Received } from "../../../../src/serve/webhooks/receive-delivery.ts";
import { openTempLedger, type TempLedger } from "../../../doubles/temp-ledger.ts";

const SITES = ["a.example", "b.example"].map((host) => ({ host, include: [], exclude: [] }));

function about(url: string): Uint8Array {
  return Buffer.from(JSON.stringify({ contentUrl: url, notificationType: "CREATED", timestamp: "2026-11-22" }));
}

async function openReceiver() {
  const temp: TempLedger = await openTempLedger();
  const clock = { at: Date.UTC(2026, 10, 22), now: () => clock.at };
  let wakes = 0;
  const receive = createReceiver({
    ledger: async () => temp.ledger,
    clock,
    admit: createAdmission(SITES),
    onHint: () => {
      wakes += 1;
    },
  });
  const receiveMany = (host: string, from: number, to: number): Promise<Received[]> =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) => receive(about(`https://${host}/${from + index}`), "main")),
    );
  const countHints = () => temp.query<{ count: number }>("SELECT count(*) AS count FROM hint")[0]?.count;
  return { temp, clock, receive, receiveMany, countHints, wakes: () => wakes };
}

const outcomesOf = (received: readonly Received[]) => [...new Set(received.map(({ outcome }) => outcome))];

describe("the receiver", () => {
  it("takes a burst of a site, then as many as its rate allows, and says when to try again", async () => {
    const { clock, receive, receiveMany, countHints } = await openReceiver();
    const { burst, perSecond } = SITE_HINT_RATE;
    expect(outcomesOf(await receiveMany("a.example", 0, burst))).toEqual(["recorded"]);
    const refused = await receive(about("https://a.example/more"), "main");
    expect(refused).toEqual({ outcome: "rate", retryAfterMs: 1000 / perSecond });
    expect(outcomesOf(await receiveMany("b.example", 0, 2))).toEqual(["recorded"]);
    clock.at += 1000;
    const next = await receiveMany("a.example", burst, burst + perSecond + 1);
    expect(next.map(({ outcome }) => outcome)).toEqual([...Array(perSecond).fill("recorded"), "rate"]);
    expect(countHints()).toBe(burst + 2 + perSecond);
  });

  it("takes no place of the rate for a delivery that is repeated", async () => {
    const { receive, receiveMany, wakes } = await openReceiver();
    await receiveMany("a.example", 0, SITE_HINT_RATE.burst);
    expect(await receive(about("https://a.example/0"), "main")).toEqual({ outcome: "known" });
    expect(wakes()).toBe(SITE_HINT_RATE.burst);
  });

  it("finds in the ledger what was recorded before a restart", async () => {
    const { temp, receive } = await openReceiver();
    await receive(about("https://a.example/0"), "main");
    await temp.reopen();
    const again = createReceiver({
      ledger: async () => temp.ledger,
      clock: { now: () => 0 },
      admit: createAdmission(SITES),
      onHint: () => expect.fail("a known hint wakes nobody"),
    });
    expect(await again(about("https://a.example/0"), "main")).toEqual({ outcome: "known" });
  });

  it("takes every notification of sites that are not configured, and records a few", async () => {
    const { receiveMany, countHints, wakes } = await openReceiver();
    const { burst } = UNKNOWN_SITE_RATE;
    expect(outcomesOf(await receiveMany("other.example", 0, burst + 50))).toEqual(["unknown_site"]);
    expect(countHints()).toBe(burst);
    expect(wakes()).toBe(0);
  });

  it("has no success to report when the ledger cannot be written", async () => {
    const { temp, receive, wakes } = await openReceiver();
    await temp.ledger.close();
    expect(await receive(about("https://a.example/0"), "main")).toMatchObject({ outcome: "unwritable" });
    await temp.reopen();
    expect(await receive(about("https://a.example/0"), "main")).toEqual({ outcome: "recorded" });
    expect(wakes()).toBe(1);
  });
});
