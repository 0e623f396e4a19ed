/**
 * A call of the agent, declared once: who may ask for it, what it takes, each argument with its check, and its work. Its name, types and comments are those
 * of `Agent`.
 */
import { type Checks, checkArgument, checkOptions, isObject } from "../../check-options.ts";
import type { Alerting } from "../alerts/alerting.ts";
import type { Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import type { PagesUnderWay } from "../fetch/pages-under-way.ts";
import type { Field, Input } from "./fields.ts";
import { INPUTS, type OptionsOf } from "./inputs.ts";

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
  /** Who may ask over HTTP: whoever may read, or only who may act. */
  readonly may: "read" | "act";
  readonly takes: readonly Take<unknown>[];
  work(context: CallContext, ...taken: readonly unknown[]): Result;
}

/** @param takes the arguments in their order. All of them are checked before the work begins */
type Declare = <Result, Taken extends readonly unknown[]>(
  takes: { readonly [Place in keyof Taken]: Take<Taken[Place]> },
  work: (context: CallContext, ...taken: Taken) => Result,
) => Call<Result>;

const declare =
  (may: Call<unknown>["may"]): Declare =>
  (takes, work) => ({ may, takes, work: work as unknown as Call<ReturnType<typeof work>>["work"] });
/** A call that changes nothing. */
export const reads = declare("read");
/** A call that changes something, or spends money. */
export const acts = declare("act");

/** The work of a call that needs of its agent the resources alone. */
export const withResources =
  <Taken extends readonly unknown[], Result>(work: (resources: Resources, ...taken: Taken) => Result) =>
  ({ resources }: CallContext, ...taken: Taken): Result =>
    work(resources, ...taken);

export function begin<Result>(
  name: string,
  { takes, work }: Call<Result>,
  context: CallContext,
  given: unknown[],
): Result {
  return work(context, ...takes.map((take, place) => take(name, given[place])));
}

/** An argument that is not an option. */
export const argument =
  <Value>(name: string, { check }: Field): Take<Value> =>
  (call, given) =>
    checkArgument(call, name, given, check) as Value;

/** The options of a call, which may be left out. */
export const options = <Name extends keyof typeof INPUTS>(name: Name): Take<OptionsOf<Name>> =>
  fields<OptionsOf<Name>>(INPUTS[name] as unknown as Input<OptionsOf<Name>>);

/** An object, which may be left out. @param required its fields without which it means nothing */
export function fields<Options>(
  input: Input<Options>,
  required: readonly (keyof Options & string)[] = [],
): Take<Options> {
  const checks = Object.fromEntries(
    Object.entries<Field>(input).map(([name, { check }]) => [name, check]),
  ) as Checks<Options>;
  return (call, given = {}) => checkOptions<Options>(call, given, checks, { required });
}

/** A text is not a list, although it is iterable, character by character. */
export function isList(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
}
