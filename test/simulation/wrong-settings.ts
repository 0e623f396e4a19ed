/** Answers a process whose configuration names the gateway wrongly. The gateway itself never sees such a request. */
import type { WireRequest } from "../../src/gateway/exchange.ts";
import type { ModelAnswer } from "./gateway/model-gateway.ts";

/** A mistake of `gateway.apiKey`, or of `gateway.paths.selfReport`: another server there answers every report so. */
export type Mistake =
  | { readonly kind: "key" }
  | { readonly kind: "report path"; readonly status: 400 | 404 | 405 | 422 };

export const WRONG_KEY = "key-of-somebody-else";
const WRONG_PATH = /^\/elsewhere\/(\d{3})\/selfReport$/;

export function wrongReportPath(status: number): string {
  return `/elsewhere/${status}/selfReport`;
}

/** @returns null for a request that the gateway itself answers */
export function answerMistake({ path, headers }: WireRequest): ModelAnswer | null {
  const status = WRONG_PATH.exec(path)?.[1];
  if (headers.includes(WRONG_KEY)) {
    return refuse(401, "the key is unknown");
  }
  return status === undefined ? null : refuse(Number(status), "this is not an endpoint for reports");
}

function refuse(status: number, title: string): ModelAnswer {
  const headers = { "content-type": "application/problem+json" };
  return { status, headers, body: JSON.stringify({ title, status }) };
}
