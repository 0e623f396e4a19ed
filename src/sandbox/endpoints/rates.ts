import { type Answer, jsonAnswer, type SandboxRequest } from "../http/answer.ts";
import { findPage, isAnswer, refuseKey } from "../http/guards.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Get Rate. A page that cannot be licensed has an empty list. */
export function getRates(request: SandboxRequest, state: SandboxState): Answer {
  const refusal = refuseKey(request, state);
  if (refusal !== null) {
    return refusal;
  }
  const page = findPage(request.segment, state);
  return isAnswer(page) ? page : jsonAnswer(state.rateBook.ratesOf(page.url).singleJson);
}
