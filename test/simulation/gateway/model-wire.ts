/** The model gateway's answers as the real client's wire delivers them. */
import type { WireAnswer } from "../../../src/gateway/exchange.ts";
import type { ModelAnswer } from "./model-gateway.ts";

export function toWireAnswer({ status, headers, body }: ModelAnswer): WireAnswer {
  const flat = Object.entries(headers).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
  return { kind: "answered", status, headers: flat, body: Buffer.from(body) };
}
