import { type Answer, jsonAnswer, type SandboxRequest } from "../http/answer.ts";
import { findPage, requireKey } from "../http/guards.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Get Rate. A page that cannot be licensed has an empty list. */
export function getRates(request: SandboxRequest, state: SandboxState): Answer {
  requireKey(request, state);
  const page = findPage(request.segment, state);
  return jsonAnswer(state.rateBook.ratesOf(page.url).singleJson);
}
