/** A call of the agent, declared once: what it takes, each argument with its check, and its work. Its name, types and comments are those of `Agent`. */
import {
  type Check,
  type Checks,
  checkArgument,
  checkOptions,
  isCount,
  isFlag,
  isObject,
  isText,
} from "../../check-options.ts";
import type { Alerting } from "../alerts/alerting.ts";
import type { Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import type { PagesUnderWay } from "../fetch/pages-under-way.ts";

/** What the calls of one agent share. */
export interface CallContext {
  readonly resources: Resources;
  readonly bus: EventBus;
  readonly alerting: Alerting;
  /** Of `fetch`: what is being bought now. */
  readonly underWay: PagesUnderWay;
  warn(message: string): void;
  /** An agent does one run at a time. @throws LicetError USAGE_INVALID while another one is at work */
  alone<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Checks an argument. @returns what the work takes of it @throws LicetError USAGE_INVALID */
export type Take<Value> = (call: string, given: unknown) => Value;

export interface Call<Result> {
  readonly takes: readonly Take<unknown>[];
  work(context: CallContext, ...taken: readonly unknown[]): Result;
}

/** @param takes the arguments in their order. All of them are checked before the work begins */
export function call<Result, Taken extends readonly unknown[]>(
  takes: { readonly [Place in keyof Taken]: Take<Taken[Place]> },
  work: (context: CallContext, ...taken: Taken) => Result,
): Call<Result> {
  return { takes, work: work as unknown as Call<Result>["work"] };
}

export function begin<Result>(
  name: string,
  { takes, work }: Call<Result>,
  context: CallContext,
  given: unknown[],
): Result {
  return work(context, ...takes.map((take, place) => take(name, given[place])));
}

const argument =
  <Value>(name: string, check: Check): Take<Value> =>
  (call, given) =>
    checkArgument(call, name, given, check) as Value;
export const text = (name: string) => argument<string>(name, isText);
export const count = (name: string) => argument<number>(name, isCount);
export const flag = (name: string) => argument<boolean>(name, isFlag);

/** An object of options, which may be left out. */
export const options =
  <Options>(checks: Checks<Options>): Take<Options> =>
  (call, given = {}) =>
    checkOptions<Options>(call, given, checks);

/** A text is not a list, although it is iterable, character by character. */
export function isList(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
}
