/** A service that hears its worker, and whose answers are lost. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { runScriptedWorker } from "./scripted-worker.ts";

const LEASE_MS = 10_000;
const UNREACHABLE = new LicetError("SERVICE_UNREACHABLE", "no answer in time", { details: { url: "http://a" } });

test("a worker whose share is over without an answer says nothing more in its session, and comes again", async () => {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const stop = new AbortController();
  const hellos: number[] = [];
  let sessionOf = () => "none";
  const beats: { readonly session: string; readonly at: number }[] = [];
  const sessions: string[] = [];
  const running = runScriptedWorker(clock, {
    client: {
      hello: async () => {
        sessions.push(sessionOf());
        hellos.push(clock.now() - startedAt);
        if (hellos.length === 2) {
          throw UNREACHABLE;
        }
        return { session: `session ${hellos.length}`, leaseMs: LEASE_MS } as never;
      },
      beat: async ({ session }) => {
        beats.push({ session, at: clock.now() - startedAt });
        if (session === "session 3") {
          stop.abort();
        }
        throw UNREACHABLE;
      },
      exchangeAs: (session) => {
        sessionOf = session;
        return () => new Promise(() => {});
      },
    },
    stop: stop.signal,
  });
  await clock.drive(running, () => true);
  expect(sessions).toEqual(["", "", ""]);
  const lastBeatAt = beats.findLast(({ session }) => session === "session 1")?.at ?? 0;
  expect(lastBeatAt).toBeGreaterThanOrEqual(LEASE_MS);
  expect(hellos[1]).toBe(lastBeatAt);
});
