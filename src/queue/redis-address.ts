/** A Redis as `queue.url` names it. It contains secrets. */
export type RedisAddress = ServerAddress | SentinelAddress | ClusterAddress;

interface Access {
  readonly username?: string;
  readonly password?: string;
  /** TLS, for `rediss://`, `rediss-sentinel://` and `rediss-cluster://`. */
  readonly tls: boolean;
}

/** One server, by its host or its Unix socket. */
export interface ServerAddress extends Access {
  readonly mode: "server";
  readonly host?: string;
  readonly port?: number;
  /** A Unix socket, instead of host and port. */
  readonly path?: string;
  readonly db?: number;
}

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** A server and its replicas, whose Sentinels say which of them is the master now. */
export interface SentinelAddress extends Access {
  readonly mode: "sentinel";
  readonly sentinels: readonly RedisHost[];
  /** The name by which the Sentinels know the master. */
  readonly master: string;
  readonly db?: number;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

export interface ClusterAddress extends Access {
  readonly mode: "cluster";
  /** Some of the nodes: they name the others. */
  readonly nodes: readonly RedisHost[];
}
