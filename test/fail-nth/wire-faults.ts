/** Every way in which one request to a gateway can go wrong, and what each may leave behind. */
import type { WireFault } from "./gateway.ts";
import { type Leavings, NOTHING_LEFT } from "./run-with-fault.ts";
import { MAX_ANSWER_BYTES } from "./world.ts";

export interface NamedWireFault {
  readonly name: string;
  readonly fault: WireFault;
  /** What a single one may leave. */
  readonly single: Leavings;
  /** What one that lasts until the run ends may leave. */
  readonly lasting: Leavings;
}

const OVERCOME: Leavings = { ...NOTHING_LEFT, sameRun: true };
const CHARGED: Leavings = { ...NOTHING_LEFT, doubts: "charged" };
const SENT: Leavings = { ...NOTHING_LEFT, doubts: "sent" };
/** A definite no: to a report, a site, an address. */
const REFUSED: Leavings = { ...NOTHING_LEFT, rejectedUses: true, refusedSites: true };

function both(leavings: Leavings): Pick<NamedWireFault, "single" | "lasting"> {
  return { single: leavings, lasting: leavings };
}

/** The gateway never got the request: asking again with the same token clears it up, unless nothing ever answers. */
const NEVER_GOT = { single: OVERCOME, lasting: SENT };
/** It was certainly not sent. */
const NOT_SENT = { single: OVERCOME, lasting: NOTHING_LEFT };
/** The gateway did what it was asked, and its answer was lost. */
const LOST_ANSWER = { single: { ...CHARGED, sameRun: true }, lasting: CHARGED };

function body(name: string, spoil: (body: Buffer) => Buffer, leavings = LOST_ANSWER): NamedWireFault {
  return { name: `a 200 ${name}`, fault: { kind: "body", spoil }, ...leavings };
}

function status(code: number, leavings: Pick<NamedWireFault, "single" | "lasting">): NamedWireFault {
  return { name: `${code}`, fault: { kind: "status", status: code, reached: false }, ...leavings };
}

const DEFINITE = [400, 401, 403, 404, 413];
const PASSING = [408, 500, 502, 503, 504];

export const WIRE_FAULTS: readonly NamedWireFault[] = [
  { name: "no connection", fault: { kind: "no-connection" }, ...NOT_SENT },
  { name: "a reset before it is read", fault: { kind: "reset", reached: false, midway: false }, ...NEVER_GOT },
  { name: "a reset while it is worked on", fault: { kind: "reset", reached: true, midway: false }, ...LOST_ANSWER },
  {
    name: "a reset in the middle of its answer",
    fault: { kind: "reset", reached: true, midway: true },
    ...LOST_ANSWER,
  },
  { name: "an answer that ends in the middle", fault: { kind: "cut" }, ...LOST_ANSWER },
  { name: "silence, and it never arrived", fault: { kind: "silence", reached: false }, ...NEVER_GOT },
  { name: "silence, and it was done", fault: { kind: "silence", reached: true }, ...LOST_ANSWER },
  body("with half of its JSON", (answer) => answer.subarray(0, answer.length / 2)),
  body("without a body", () => Buffer.alloc(0)),
  body("that is too large", () => Buffer.from(JSON.stringify({ filler: "x".repeat(MAX_ANSWER_BYTES) })), {
    single: { ...CHARGED, refusedSites: true },
    lasting: { ...CHARGED, refusedSites: true },
  }),
  body("that is a page of a proxy", () => Buffer.from("<html><title>Welcome</title></html>")),
  body("with an object of another shape", () => Buffer.from('{"unexpected":true}')),
  body("with null", () => Buffer.from("null")),
  // To a report, an empty list is an answer: it took everything and gave no receipts.
  body("with an empty list", () => Buffer.from("[]"), both(CHARGED)),
  ...DEFINITE.map((code) => status(code, both(code === 401 ? NOTHING_LEFT : REFUSED))),
  status(429, NOT_SENT),
  ...PASSING.map((code) => status(code, NEVER_GOT)),
  ...PASSING.map((code) => ({
    name: `${code}, and it was done`,
    fault: { kind: "status", status: code, reached: true } as const,
    ...LOST_ANSWER,
  })),
];
