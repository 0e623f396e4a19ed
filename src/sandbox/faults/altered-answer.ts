import { type Answer, problemAnswer } from "../http/answer.ts";
import type { FaultName } from "./fault-names.ts";

/** The effect of a fault that ends a connection before the endpoint runs. */
export type EarlyFault =
  | { readonly kind: "reset" }
  | { readonly kind: "hang" }
  | { readonly kind: "answer"; readonly answer: Answer };

const PROXY_PAGE = (status: number, title: string) =>
  `<!DOCTYPE html><html><head><title>${status} ${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>`;

/** Seconds that a 429 asks to wait, where it asks for any. */
const RETRY_AFTER_SECONDS = 1;

/** The faults that keep a request from its endpoint. */
export function applyEarlyFault(fault: FaultName, now: number, turn: number): EarlyFault | null {
  switch (fault) {
    case "reset-before":
      return { kind: "reset" };
    case "timeout":
      return { kind: "hang" };
    case "status-500":
      return early(problemAnswer(500, "injected-failure", "the gateway failed"));
    case "token-500":
      return early(problemAnswer(500, "token-failure", "the token could not be made"));
    case "status-502":
      return early(html(502, "Bad Gateway"));
    case "status-503":
      return early(html(503, "Service Unavailable"));
    case "status-429":
      return early(problemAnswer(429, "rate-limited", "too many requests", ["Retry-After", retryAfter(now, turn)]));
    default:
      return null;
  }
}

/** The replacement of a good answer. `cut` is the number of bytes before the connection is reset. */
export interface AlteredAnswer {
  readonly answer: Answer;
  readonly cut?: number;
}

/** Faults between an endpoint's good answer and the client. The endpoint's effect has happened. */
export function alterAnswer(fault: FaultName, answer: Answer): AlteredAnswer | "reset" | null {
  switch (fault) {
    case "reset-after-charge":
    case "report-lost-answer":
      return "reset";
    case "status-500-after-charge":
      return { answer: problemAnswer(500, "injected-failure", "the gateway failed") };
    case "reset-mid-body":
      return { answer, cut: answer.body.length >>> 1 };
    case "truncated-json":
      return { answer: { ...answer, body: answer.body.slice(0, answer.body.length >>> 1) } };
    case "empty-200":
      return { answer: { ...answer, body: "" } };
    case "wrong-shape":
      return {
        answer: { ...answer, body: '{"content":["not","an","object"],"unexpected":true,"pages":7,"token":null}' },
      };
    case "error-200":
      return {
        answer: {
          ...answer,
          body: '{"type":"urn:problem:injected-failure","title":"Error","status":500,"detail":"failed"}',
        },
      };
    default:
      return null;
  }
}

function early(answer: Answer): EarlyFault {
  return { kind: "answer", answer };
}

function html(status: number, title: string): Answer {
  return { status, contentType: "text/html; charset=utf-8", body: PROXY_PAGE(status, title) };
}

/** The three shapes of Retry-After, in turn. */
function retryAfter(now: number, turn: number): string {
  switch (turn % 3) {
    case 0:
      return String(RETRY_AFTER_SECONDS);
    case 1:
      return "0";
    default:
      return new Date(now + RETRY_AFTER_SECONDS * 1_000).toUTCString();
  }
}
