/**
 * `/live`: tells pages that are looked at that something happened to a run, by the events of the runs. A page then asks for itself again, so what it
 * shows is made in one place, and no event says more than that.
 */
import type { FastifyInstance } from "fastify";
import { AGENT_EVENTS, type AgentEvents } from "../../agent/events/events.ts";
import { openEventStream } from "../api/event-stream.ts";
import { createGate } from "../api/gate.ts";
import type { LiveRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";

/** However much happens, a page asks again only so often. */
const LEAST_MS = 2_000;
const MAX_STREAMS = 100;
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
  app.get("/live", { exposeHeadRoute: false }, (_request, reply) =>
    watching(async () => {
      const stream = openEventStream(reply, resources.clock);
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
