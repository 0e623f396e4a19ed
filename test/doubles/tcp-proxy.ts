/** A TCP proxy that fails as networks do: connections that are cut, that nobody answers, and that one side believes to be open. */
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Everything passes again. What was held arrives now. */
  heal(): void;
  /** Resets what is open, and whoever comes. */
  refuse(): void;
  /** A black hole: whoever comes is accepted, and nothing goes in any direction until `heal`. */
  hold(): void;
  /** What is open now is half-open: its target sees it end, and whoever came is told nothing and never answered. New connections pass. */
  forget(): void;
  /** Each piece of an answer comes so much later. */
  delay(ms: number): void;
  /** What is open now is reset when so many more bytes of answers have passed: in the middle of one, most often. New connections pass. */
  cutAfter(bytes: number): void;
  /** New connections go there. What is open stays where it is. */
  aim(target: NetConnectOpts): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes of answers that may still pass. */
  left: number;
  isForgotten: boolean;
}

export async function startTcpProxy(first: NetConnectOpts): Promise<TcpProxy> {
  const links = new Set<Link>();
  let target = first;
  let [isRefusing, delayMs] = [false, 0];
  let held: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  const reset = (link: Link) => {
    links.delete(link);
    link.client.resetAndDestroy();
    link.server.destroy();
  };

  /** In order: each piece waits for those before it. */
  const relay = (link: Link, from: Socket, to: Socket) => {
    let line = Promise.resolve();
    const next = (work: () => void) => {
      line = line.then(async () => {
        await held?.over;
        if (delayMs > 0 && from === link.server) {
          await new Promise((resolve) => setTimeout(resolve, delayMs));
        }
        if (!link.isForgotten && links.has(link)) {
          work();
        }
      });
    };
    from.on("error", () => undefined);
    from.on("data", (bytes: Buffer) => {
      next(() => {
        const passing = from === link.server ? bytes.subarray(0, link.left) : bytes;
        link.left -= from === link.server ? bytes.length : 0;
        to.write(passing, () => (link.left < 0 ? reset(link) : undefined));
      });
    });
    from.on("close", () => next(() => reset(link)));
  };

  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const link = { client, server: connect(target), left: Number.POSITIVE_INFINITY, isForgotten: false };
    links.add(link);
    relay(link, link.client, link.server);
    relay(link, link.server, link.client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const set = (own: { readonly refusing?: boolean; readonly delayMs?: number }) => {
    isRefusing = own.refusing ?? false;
    delayMs = own.delayMs ?? 0;
    held?.end();
    held = null;
  };
  return {
    port: (server.address() as AddressInfo).port,
    heal: () => set({}),
    refuse: () => {
      set({ refusing: true });
      [...links].forEach(reset);
    },
    hold: () => {
      set({});
      let end = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      held = { over, end };
    },
    forget: () => {
      for (const link of links) {
        link.isForgotten = true;
        link.server.destroy();
      }
    },
    delay: (ms) => set({ delayMs: ms }),
    cutAfter: (bytes) => {
      for (const link of links) {
        link.left = bytes;
      }
    },
    aim: (other) => {
      target = other;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      set({});
      [...links].forEach(reset);
      await closed;
    },
  };
}
