/**
 * The ledger's port as messages: one side asks, the other answers. Arguments and answers are plain data (ledger.ts), so a call is its method's
 * name and what it is asked. Calls wait for company as writes do that are committed together (gathering.ts): what comes in one message is
 * one commit, and the answers to it are one message again.
 */
import { assertBug, LicetError } from "../../errors.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import { createGathering, NEXT_TURN } from "../gathering/gathering.ts";
import { measureContent } from "../gathering/measure-content.ts";
import type { Ledger } from "../ledger.ts";
import { type Failure, toError, toFailure } from "./failure.ts";
import { decodeMessage, encodeMessage, type Message } from "./message.ts";

/** The way to the other side and back, such as a thread's port. */
export interface Channel {
  /** @param fail called instead of `receive`, with why no answers to the message will come */
  send(message: Message, fail: (error: unknown) => void): void;
  /** Called once, before the first message is sent. */
  listen(receive: (message: Message) => void): void;
  /** Resolves when it is time for the next message: until then, calls wait for company. @default now */
  ready?(): Promise<void>;
  /** While the way is held, the process stays alive for what comes back. It is not held at first. */
  hold(): void;
  release(): void;
}

export type Method = (...asked: readonly unknown[]) => Promise<unknown>;

type Call = readonly [id: number, method: string, asked: readonly unknown[]];

type Answer = readonly [id: number, result: unknown] | readonly [id: number, result: null, failure: Failure];

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface CallsOptions {
  /** The port's, as the other side names them. */
  readonly methods: readonly string[];
  /** Of the ledger, for errors. */
  readonly path: string;
  /** By which a call waits for company. @default the machine's clock */
  readonly clock?: Pick<Clock, "sleep">;
}

/** The port over a channel, whose other side answers. Only a call that waits for its answer keeps the process alive. */
export function createCalls<Port = Ledger>(
  channel: Channel,
  { methods, path, clock = systemClock }: CallsOptions,
): Port & Pick<Ledger, "close"> {
  const waiting = new Map<number, Waiting>();
  const send = (calls: readonly Call[]) =>
    channel.send(encodeMessage(calls), (error) => {
      for (const [id] of calls) {
        waiting.get(id)?.reject(error);
        waiting.delete(id);
      }
      releaseIdle();
    });
  const gathering = createGathering<Call>(clock, send, { ready: channel.ready });
  let lastId = 0;
  let closing: Promise<void> | null = null;

  channel.listen((message) => {
    for (const [id, result, failure] of decodeMessage(message) as readonly Answer[]) {
      const call = waiting.get(id);
      assertBug(call !== undefined, `an answer to a call that does not wait: ${id}`);
      waiting.delete(id);
      if (failure === undefined) {
        call.resolve(result);
      } else {
        call.reject(toError(failure));
      }
    }
    releaseIdle();
  });

  /** After `close` the process waits for the end of the other side. */
  function releaseIdle(): void {
    if (waiting.size === 0 && closing === null) {
      channel.release();
    }
  }

  const call = (method: string, asked: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      if (waiting.size === 1) {
        channel.hold();
      }
      gathering.add([lastId, method, asked], measureContent(asked[0]));
    });
  const refuse = async () => {
    throw new LicetError("INTERRUPTED", "the ledger is closed", { details: { path } });
  };
  const calls = methods.map((method): [string, Method] => [
    method,
    (...asked) => (closing === null ? call(method, asked) : refuse()),
  ]);
  return {
    ...(Object.fromEntries(calls) as unknown as Port),
    close: () => (closing ??= call("close", []) as Promise<void>),
  };
}

/** Does what the other side of the channel calls for, until it calls `close`. */
export function answerCalls(channel: Channel, ledger: Ledger): void {
  const methods = new Map(Object.entries(ledger) as [string, Method][]);
  // What cannot be sent is thrown where it is sent: both sides are one process.
  const gathering = createGathering<Answer>(NEXT_TURN, (answers) => channel.send(encodeMessage(answers), () => {}));
  channel.listen((message) => {
    for (const call of decodeMessage(message) as readonly Call[]) {
      const [, name] = call;
      const method = methods.get(name);
      assertBug(method !== undefined, `the ledger has no ${name}`);
      void answer(call, method).then(gathering.add);
      if (name === "close") {
        channel.release();
      }
    }
  });
  channel.hold();
}

export interface Answering {
  /** Null: the other side may not call it. */
  readonly methodOf: (name: string) => Method | null;
  /** @default all that is known of it */
  readonly failureOf?: (error: unknown) => Failure;
}

/** Does what a message calls for, and resolves with the message of all answers to it. */
export async function answerMessage(message: Message, { methodOf, failureOf }: Answering): Promise<Message> {
  const calls = decodeMessage(message) as readonly Call[];
  const answers = calls.map((call) => answer(call, methodOf(call[1]) ?? refuseCall(call), failureOf));
  return encodeMessage(await Promise.all(answers));
}

async function answer([id, , asked]: Call, method: Method, failureOf = toFailure): Promise<Answer> {
  try {
    return [id, await method(...asked)];
  } catch (error) {
    return [id, null, failureOf(error)];
  }
}

function refuseCall([, name]: Call): Method {
  return async () => {
    throw new LicetError("REQUEST_INVALID", `this ledger answers no call of ${name}`);
  };
}
