/**
 * Requests that are sent until an answer arrives: each is worked on once, and whoever repeats one gets the same answer. The sender numbers its requests
 * and says with each of them up to which number it has all answers.
 */
import { LicetError } from "../../errors.ts";

export interface NumberedRequest {
  /** From 1. */
  readonly number: number;
  /** The sender has the answers to all requests up to this one. */
  readonly done: number;
}

/** More than a sender has under way at once. */
const MAX_KEPT = 64;

export interface Repeats<Answer> {
  /**
   * @param work called for the first request of the number
   * @throws LicetError SERVICE_BUSY for more requests than may be under way; REQUEST_INVALID for one whose answer the sender has
   */
  answer(request: NumberedRequest, work: () => Promise<Answer>): Promise<Answer>;
}

export function createRepeats<Answer>(): Repeats<Answer> {
  const kept = new Map<number, Promise<Answer>>();
  let done = 0;
  return {
    answer({ number, done: doneNow }, work) {
      done = Math.max(done, doneNow);
      for (const old of kept.keys()) {
        if (old <= done) {
          kept.delete(old);
        }
      }
      const known = kept.get(number);
      if (known !== undefined) {
        return known;
      }
      if (number <= done) {
        throw new LicetError("REQUEST_INVALID", `request ${number} was answered, and its sender has the answer`);
      }
      if (kept.size >= MAX_KEPT) {
        throw new LicetError("SERVICE_BUSY", `a worker has ${kept.size} requests under way`, {
          hint: "Send the same request again in a few seconds.",
        });
      }
      const answer = work();
      kept.set(number, answer);
      return answer;
    },
  };
}
