/**
 * `/live`: tells pages that are looked at that something happened to a run, by the events of the runs. A page then asks for itself again, so what it
 * shows is made in one place, and no event says more than that.
 */
import type { FastifyInstance } from "fastify";
import { AGENT_EVENTS, type AgentEvents } from "../../agent/events/events.ts";
import { openEventStream } from "../api/event-stream.ts";
import { createGate, type Gate } from "../api/gate.ts";
import type { LiveRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";

/** However much happens, a page asks again only so often. */
const LEAST_MS = 2_000;
/** Pages that are told what happens: all of them, and those of one token, so that whoever opens very many keeps out nobody else. */
const MAX_STREAMS = 100;
const MAX_STREAMS_OF_READER = 25;
/** An event says nothing but that something happened, so a page that has not read some of them needs no more. */
const MAX_WAITING_BYTES = 4_096;
/** For debugging alone, and emitted only when somebody listens. */
const LEFT_OUT = "gateway.request";

const EVENTS = AGENT_EVENTS.filter((name) => name !== LEFT_OUT) as readonly (keyof AgentEvents)[];

export function addLive(app: FastifyInstance, { runs, resources, stopping }: ServiceContext): void {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) {
      listener();
    }
  };
  runs.onStart((run: LiveRun) => {
    tell();
    for (const name of EVENTS) {
      run.events.on(name, tell);
    }
    void run.ended.finally(tell);
  });
  const watching = createGate("pages that are told what happens", MAX_STREAMS);
  /** By the name of the token, null without one: there are never more readers than tokens. */
  const gates = new Map<string | null, Gate>();
  const gateOf = (reader: string | null): Gate => {
    const found =
      gates.get(reader) ?? createGate("pages of one token that are told what happens", MAX_STREAMS_OF_READER);
    gates.set(reader, found);
    return (work) => found(() => watching(work));
  };
  app.get("/live", { exposeHeadRoute: false }, (request, reply) =>
    gateOf(request.tokenName)(async () => {
      const stream = openEventStream(reply, resources.clock, { maxWaitingBytes: MAX_WAITING_BYTES });
      const ended = AbortSignal.any([stream.ended, stopping]);
      let isDue = false;
      let wake = () => {};
      const listener = () => {
        isDue = true;
        wake();
      };
      listeners.add(listener);
      ended.addEventListener("abort", () => wake(), { once: true });
      for (let id = 1; !ended.aborted; id += 1) {
        if (!isDue) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        isDue = false;
        stream.send({ id: String(id), name: "changed", data: {} });
        await resources.clock.sleep(LEAST_MS, ended);
      }
      listeners.delete(listener);
      stream.end();
      return reply;
    }),
  );
}
