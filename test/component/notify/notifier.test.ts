import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";
import { failRun, openNotifier, startReceiver, TIME_LIMIT, toWebhook } from "./alert-world.ts";

const HOUR_MS = 3_600_000;

const NOON_TEXT = new Date(NOON).toISOString();

describe("a webhook", () => {
  it("is told once of an event, in whatever process and however often it is looked for", async () => {
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    const alerts = [toWebhook(receiver.url)];
    const first = openNotifier(alerts);
    await first.begin(ledger);
    await failRun(ledger, "run_1");
    expect(await first.notify(ledger, TIME_LIMIT)).toEqual({ raised: 1, delivered: 1, failed: 0 });
    expect(await first.notify(ledger, TIME_LIMIT)).toEqual({ raised: 0, delivered: 0, failed: 0 });
    const second = openNotifier(alerts, {}, NOON + 1);
    await second.begin(ledger);
    expect(await second.notify(ledger, TIME_LIMIT)).toEqual({ raised: 0, delivered: 0, failed: 0 });
    expect(receiver.documents()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        kind: "run_failed",
        message: "run run_1 failed",
        raisedAt: NOON_TEXT,
        sentAt: NOON_TEXT,
        details: { runId: "run_1", reason: "the gateway is gone", endedAt: NOON_TEXT },
        ...{ site: "news.example", run: "run_1", code: null, command: "licet runs run_1" },
        ledger: "/data/licet.sqlite",
      },
    ]);
    expect(receiver.received[0]?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-licet-alert": receiver.documents()[0]?.id,
    });
    expect(receiver.received[0]?.headers).not.toHaveProperty("x-licet-signature");
  });

  it("gets a signature of the exact bytes, if there is a secret", async () => {
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    const notifier = openNotifier([toWebhook(receiver.url, ["run_failed"], "the secret")]);
    await notifier.begin(ledger);
    await failRun(ledger, "run_1");
    await notifier.notify(ledger, TIME_LIMIT);
    const { body = "", headers } = receiver.received[0] ?? {};
    expect(headers?.["x-licet-signature"]).toBe(createHmac("sha256", "the secret").update(body).digest("hex"));
  });

  it("is not told what happened before it was configured", async () => {
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    await failRun(ledger, "run_old", NOON - 1);
    const notifier = openNotifier([toWebhook(receiver.url)]);
    await notifier.begin(ledger);
    await failRun(ledger, "run_new");
    await notifier.notify(ledger, TIME_LIMIT);
    expect(receiver.documents().map(({ details }) => details.runId)).toEqual(["run_new"]);
  });

  it.each([
    ["refuses", 500, {}, "HTTP 500"],
    ["redirects", 307, { location: "http://127.0.0.1:1/" }, "HTTP 307: redirects are not followed"],
  ])(
    "that %s is told again later with the same id, and its URL is in no log and no row",
    async (_name, status, headers, error) => {
      const { ledger } = await openTempLedger();
      const receiver = await startReceiver();
      const notifier = openNotifier([toWebhook(receiver.url)]);
      await notifier.begin(ledger);
      await failRun(ledger, "run_1");
      receiver.answer(status, headers);
      expect(await notifier.notify(ledger, TIME_LIMIT)).toEqual({ raised: 1, delivered: 0, failed: 1 });
      const { pending, undelivered } = await ledger.readAlertStatus();
      expect({ pending, undelivered }).toMatchObject({
        pending: 1,
        undelivered: [{ state: "pending", attempts: 1, error }],
      });
      expect(JSON.stringify([undelivered, notifier.logged])).not.toContain("hush");
      expect(notifier.logged).toEqual([expect.stringContaining(`did not reach webhook 127.0.0.1:`)]);
      receiver.answer(200);
      notifier.pass(9_999);
      expect(await notifier.notify(ledger, TIME_LIMIT)).toMatchObject({ delivered: 0, failed: 0 });
      notifier.pass(1);
      expect(await notifier.notify(ledger, TIME_LIMIT)).toMatchObject({ delivered: 1 });
      expect(new Set(receiver.documents().map(({ id }) => id)).size).toBe(1);
      expect(receiver.documents().map(({ sentAt }) => sentAt)).toEqual(
        [NOON, NOON + 10_000].map((at) => new Date(at).toISOString()),
      );
    },
  );

  it("that stays away is given up after hours, and the status says so", async () => {
    const { ledger } = await openTempLedger();
    const notifier = openNotifier([toWebhook("http://127.0.0.1:1/")]);
    await notifier.begin(ledger);
    await failRun(ledger, "run_1");
    let attempts = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      attempts += (await notifier.notify(ledger, TIME_LIMIT)).failed;
      notifier.pass(HOUR_MS);
    }
    expect(attempts).toBe(18);
    expect(await ledger.readAlertStatus()).toMatchObject({
      pending: 0,
      undelivered: [
        { state: "given_up", attempts: 18, error: expect.stringContaining("the port 1 belongs to another") },
      ],
    });
    expect(notifier.logged.at(-1)).toContain("it is given up");
  });

  it("that never answers costs no more than the time limit", async () => {
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    const notifier = openNotifier([toWebhook(receiver.url)]);
    await notifier.begin(ledger);
    await failRun(ledger, "run_1");
    receiver.answer(null);
    expect(await notifier.notify(ledger, { timeLimitMs: 50 })).toMatchObject({ failed: 1 });
    expect(await ledger.readAlertStatus()).toMatchObject({ undelivered: [{ error: "no answer within 50 ms" }] });
  });
});

describe("a process that is killed at any point", () => {
  /** Ends the process before or after its nth call to the ledger: what it would do next never happens. */
  function dieAt(ledger: Ledger, nth: number, when: "before" | "after"): { readonly ledger: Ledger; died(): boolean } {
    let calls = 0;
    let isDead = false;
    const die = () => {
      isDead = true;
      throw new Error("killed");
    };
    const dying = new Proxy(ledger, {
      get:
        (target, name) =>
        async (...args: unknown[]) => {
          calls += 1;
          if (isDead || (calls === nth && when === "before")) {
            die();
          }
          const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
          const result = await method(...args);
          return calls === nth && when === "after" ? die() : result;
        },
    });
    return { ledger: dying, died: () => isDead };
  }

  it.each(["before", "after"] as const)(
    "%s any of its steps loses no alert, and none is raised twice",
    async (when) => {
      for (let nth = 1; ; nth += 1) {
        const { ledger } = await openTempLedger();
        const receiver = await startReceiver();
        const alerts = [toWebhook(receiver.url)];
        await openNotifier(alerts).begin(ledger);
        await failRun(ledger, "run_1");
        await failRun(ledger, "run_2");
        const mortal = dieAt(ledger, nth, when);
        await openNotifier(alerts)
          .notify(mortal.ledger, TIME_LIMIT)
          .catch(() => undefined);
        const next = openNotifier(alerts, {}, NOON + HOUR_MS);
        await next.notify(ledger, TIME_LIMIT);
        const ids = receiver.documents().map(({ id, details }) => `${id} ${details.runId}`);
        expect(new Set(ids).size, `killed ${when} call ${nth}`).toBe(2);
        expect(await ledger.readAlertStatus()).toEqual({ pending: 0, undelivered: [] });
        if (!mortal.died()) {
          break;
        }
      }
    },
  );
});

describe("two processes at once", () => {
  it("raise an alert once, and one of them delivers it", async () => {
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    const alerts = [toWebhook(receiver.url)];
    const both = [openNotifier(alerts), openNotifier(alerts)];
    await both[0]?.begin(ledger);
    await failRun(ledger, "run_1");
    const ends = await Promise.all(both.map((one) => one.notify(ledger, TIME_LIMIT)));
    expect(ends.reduce((total, { raised }) => total + raised, 0)).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });
});

describe("the check of a signature in docs/service.md", () => {
  it("takes what licet sent, and refuses other bytes, another secret and an old document", async () => {
    const document = readFileSync("docs/service.md", "utf8");
    const source = /^```js\n(.*?isFromLicet.*?)^```$/ms.exec(document)?.[1] ?? "";
    const { isFromLicet } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const { ledger } = await openTempLedger();
    const receiver = await startReceiver();
    const notifier = openNotifier([toWebhook(receiver.url, ["run_failed"], "the secret")]);
    await notifier.begin(ledger);
    await failRun(ledger, "run_1");
    await notifier.notify(ledger, TIME_LIMIT);
    const { body, headers } = receiver.received[0] ?? {};
    expect(isFromLicet(body, headers, "the secret", NOON)).toBe(true);
    expect(isFromLicet(`${body} `, headers, "the secret", NOON)).toBe(false);
    expect(isFromLicet(body, headers, "another", NOON)).toBe(false);
    expect(isFromLicet(body, {}, "the secret", NOON)).toBe(false);
    expect(isFromLicet(body, headers, "the secret", NOON + 300_000)).toBe(false);
  });
});
