/** Promise 7: bad input ends in a clear error or a recorded reason; and licet itself sends nothing that a gateway must protest at. */
import type { Evidence, Violation } from "./evidence.ts";

export function judgeProtests({ account }: Pick<Evidence, "account">): Violation | null {
  const [protest] = account.protests;
  return protest === undefined ? null : { promise: 7, rule: "no-protest", detail: protest };
}
