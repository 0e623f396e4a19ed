import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { readInteger, requireKey } from "../http/guards.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** As the gateway specification says. */
const DEFAULT_SIZE = 25;
const MAX_SIZE = 1_000;
const MAX_DAYS = 36_500;
const DAY_MS = 86_400_000;

/**
 * Get Webhook History, newest first. A token names the last record of the page before, so new
 * records change nothing.
 */
export function getHistory(request: SandboxRequest, state: SandboxState): Answer {
  requireKey(request, state);
  const query = new URLSearchParams(request.query);
  const size = readInteger(query.get("size"), { name: "size", min: 1, max: MAX_SIZE, fallback: DEFAULT_SIZE });
  const days = readInteger(query.get("days-ago"), { name: "days-ago", min: 0, max: MAX_DAYS, fallback: MAX_DAYS });
  const before = readToken(query.get("next-token"));

  const records = state.webhooks.journal.recordsBefore(before, state.clock.now() - days * DAY_MS, size + 1);
  const shown = records.slice(0, size);
  const last = shown.at(-1);
  const items = shown.map(({ serial: _serial, lastAttemptAt: _at, ...record }) => record);
  return jsonAnswer(
    JSON.stringify(
      records.length > size && last !== undefined
        ? { Items: items, nextToken: createToken(last.serial) }
        : { Items: items },
    ),
  );
}

function createToken(serial: number): string {
  return Buffer.from(`after ${serial}`).toString("base64url");
}

function readToken(token: string | null): number {
  if (token === null || token === "") {
    return Number.POSITIVE_INFINITY;
  }
  const serial = Number(/^after (\d{1,15})$/.exec(Buffer.from(token, "base64url").toString())?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(serial) && createToken(serial) === token) {
    return serial;
  }
  refuse(400, "next-token-invalid", "next-token is not one that this history gave");
}
