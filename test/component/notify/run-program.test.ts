import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import { checkReceiver } from "../../../src/notify/check-receiver.ts";
import { createChildEnvironment } from "../../../src/notify/child-environment.ts";
import { toReceivers } from "../../../src/notify/receivers.ts";
import { runProgram } from "../../../src/notify/run-program.ts";
import { toWebhook } from "./alert-world.ts";

const ALERT = { id: "a1b2", body: '{"kind":"run_failed"}' };

const NEVER = new AbortController().signal;

async function tell(script: string, timeoutMs = 10_000, signal = NEVER) {
  const printed: string[] = [];
  const command = [process.execPath, "-e", script];
  const sent = await runProgram({ command, env: {}, timeoutMs, signal, onOutput: (text) => printed.push(text) }, ALERT);
  return { sent, printed: printed.join("") };
}

describe("a program", () => {
  it("gets the document on its standard input and the id in its environment", async () => {
    const script = "process.stdin.on('data', (d) => process.stdout.write(process.env.LICET_ALERT_ID + ' ' + d))";
    expect(await tell(script)).toEqual({ sent: { ok: true }, printed: 'a1b2 {"kind":"run_failed"}' });
  });

  it("that ends with another code than 0, or reads nothing, has not been told, or has", async () => {
    expect((await tell("process.exit(3)")).sent).toEqual({ ok: false, error: "ended with 3" });
    expect((await tell("process.stdin.destroy()")).sent).toEqual({ ok: true });
  });

  it("is ended when it takes too long, with what it has started, and its output is cut", async () => {
    const script =
      "require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); console.log('x'.repeat(9000))";
    const { sent, printed } = await tell(`${script}; setInterval(() => {}, 1000)`, 1_000);
    expect(sent).toEqual({ ok: false, error: "not done within 1000 ms" });
    expect(printed.length).toBe(4_096);
  });

  it("is ended when licet stops", async () => {
    const { sent } = await tell("setInterval(() => {}, 1000)", 60_000, AbortSignal.timeout(300));
    expect(sent).toEqual({ ok: false, error: "licet stopped before it was done" });
  });

  it("that is not there is an error without its path", async () => {
    const command = ["/nowhere/notify"];
    const sent = await runProgram({ command, env: {}, timeoutMs: 1_000, signal: NEVER, onOutput: () => {} }, ALERT);
    expect(sent).toEqual({ ok: false, error: "cannot be started (ENOENT)" });
  });

  it("gets no variable of licet, and none with a secret of the configuration", () => {
    const config = {
      gateway: { apiKey: "the-api-key" },
      serve: { token: "the-serve-token", tokens: [{ name: "finance", token: "the-finance-token", can: "read" }] },
      webhooks: [{ secret: "hook-secret" }],
      alerts: [toWebhook("https://alerts.example/hush", [], "sign-secret")],
      queue: { url: "redis://:p%40ssword@127.0.0.1" },
    } as unknown as Config;
    const env = {
      PATH: "/bin",
      LICET_API_KEY: "x",
      NOTIFY_SOCKET: "/run/systemd/notify",
      GATEWAY_KEY: "the-api-key",
      HEADER: "Bearer the-serve-token",
      FINANCE: "the-finance-token",
      HOOK: "hook-secret",
      SIGN: "sign-secret",
      ALERTS: "https://alerts.example/hush",
      REDIS: "p@ssword",
      PAGER_KEY: "mine",
    };
    expect(createChildEnvironment(env, config)).toEqual({ PATH: "/bin", PAGER_KEY: "mine" });
  });
});

describe("the check of a receiver", () => {
  const check = (to: Parameters<typeof toReceivers>[0][number]["to"]) => {
    const [receiver] = toReceivers([{ on: ["run_failed"], unreportedForMs: null, to }]);
    return receiver === undefined ? null : checkReceiver(receiver, "/usr/bin:/bin");
  };

  it("finds a program by its path or in PATH", async () => {
    expect(await check({ kind: "exec", command: ["sh", "-c"] })).toEqual({ ok: true });
    expect(await check({ kind: "exec", command: ["/bin/sh"] })).toEqual({ ok: true });
    expect(await check({ kind: "exec", command: ["no-such-program"] })).toMatchObject({ ok: false });
  });

  it("says that nobody listens at an address, without the address", async () => {
    const to = { kind: "webhook", url: "http://127.0.0.1:1/hush", form: "json", secret: null } as const;
    expect(await check(to)).toEqual({ ok: false, error: "no connection (ECONNREFUSED)" });
  });
});
