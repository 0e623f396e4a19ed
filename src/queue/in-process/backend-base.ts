import { EventEmitter } from "node:events";
import type { KeysMap, QueueBaseOptions, StreamReadRaw, WorkerOptions } from "bullmq";
import type { InProcessStore } from "./in-process-store.ts";
import type { QueueState } from "./queue-state.ts";
import { refuseOperation } from "./refuse-operation.ts";
import type { Marker } from "./wake-marker.ts";

/** What a backend reads of the options of the queue or worker it serves. */
export type BackendOptions = Omit<QueueBaseOptions, "connection"> & Omit<Partial<WorkerOptions>, "connection">;

/** setTimeout's own limit is 24 days; no worker waits longer than this in one go. */
const MAX_BLOCK_SECONDS = 3_600;
const MIN_BLOCK_SECONDS = 0.001;

/**
 * The part of the backend that other stores need a connection for: its life, its name, and waiting. There is no connection here, so
 * it is ready at once and never lost; closing it ends its waits.
 */
export abstract class BackendBase extends EventEmitter {
  readonly minimumBlockTimeout = MIN_BLOCK_SECONDS;
  readonly maximumBlockTimeout = MAX_BLOCK_SECONDS;
  closing: Promise<void> | undefined;
  protected readonly store: InProcessStore;
  protected readonly queueName: string;
  protected readonly state: QueueState;
  protected readonly options: BackendOptions;
  #waits = new AbortController();
  #clientName: string | null = null;

  /** @throws LicetError CONFIG_INVALID for options of a worker that this backend does not have */
  constructor(store: InProcessStore, queueName: string, options: BackendOptions) {
    super();
    this.store = store;
    this.queueName = queueName;
    this.options = options;
    this.state = store.queue(queueName);
    if (options.limiter !== undefined) {
      refuseOperation("the worker option limiter (rate limits)");
    }
    if (options.metrics !== undefined) {
      refuseOperation("the worker option metrics");
    }
  }

  async waitUntilReady(): Promise<void> {}

  close(): Promise<void> {
    this.closing ??= this.disconnect();
    return this.closing;
  }

  async disconnect(): Promise<void> {
    this.#waits.abort();
    this.#leave();
  }

  async setName(name: string): Promise<void> {
    this.#join(name);
  }

  /** A worker is on its queue's list of workers from the start. */
  joinAsWorker(): void {
    this.#join(`${this.clientName()}${this.options.name === undefined ? "" : `:w:${this.options.name}`}`);
  }

  /** One line a worker or listener, as Redis lists its clients. */
  async getClientList(): Promise<string[]> {
    return [this.state.clientNames.map((name) => `name=${name}`).join("\n")];
  }

  get qualifiedName(): string {
    return this.queueName;
  }

  /** Jobs are not addressed by keys here. */
  get keys(): KeysMap {
    return {};
  }

  toKey(type: string): string {
    return `${this.queueName}:${type}`;
  }

  parseNodeKey(key: string): { prefix: string; queueName: string; id: string } {
    const colon = key.lastIndexOf(":");
    return { prefix: "", queueName: key.slice(0, colon), id: key.slice(colon + 1) };
  }

  /** Encoded, since BullMQ takes a list of clients apart at its spaces. */
  clientName(suffix = ""): string {
    return `${encodeURIComponent(this.queueName)}${suffix}`;
  }

  waitForJob(blockSeconds: number): Promise<Marker | null> {
    return this.state.marker.wait(blockSeconds * 1_000, this.#waits.signal);
  }

  readEvents(id: string, blockMs: number): Promise<StreamReadRaw> {
    return this.state.events.read(id, blockMs, this.#waits.signal);
  }

  /** Ends a wait, and those that begin before `reconnectBlocking`. */
  async disconnectBlocking(): Promise<void> {
    this.#waits.abort();
  }

  async reconnectBlocking(): Promise<void> {
    if (this.closing === undefined) {
      this.#waits = new AbortController();
    }
  }

  /** The answer of an operation that has been done. */
  protected async answer<T>(value: T): Promise<T> {
    await this.store.shareTurn();
    return value;
  }

  #join(name: string): void {
    this.#leave();
    this.#clientName = name;
    this.state.clientNames.push(name);
  }

  #leave(): void {
    const index = this.#clientName === null ? -1 : this.state.clientNames.indexOf(this.#clientName);
    if (index >= 0) {
      this.state.clientNames.splice(index, 1);
    }
    this.#clientName = null;
  }
}
