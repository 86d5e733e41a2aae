// The bytes between the clients of a local Worker and workerd.
//
// Each connection of a client has its own connection to workerd, and both carry the same bytes in
// both directions, in order, unread and unchanged. There is no pool and no HTTP, so no client can
// reach the connection of another. The relay keeps the first bytes of the last request on each
// connection, to name the suspects when the Worker is silent. While there is no Worker, connections
// wait.

import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";

/**
 * The clients that are connected at once, including those that wait. Each has two descriptors and
 * the buffers of two sockets.
 */
const MAX_CONNECTIONS = 4_096;
/**
 * The bytes that are kept of each connection: a head of usual length and the beginning of a body.
 */
const REMEMBERED_BYTES = 4_096;
/** The connections that are kept after they ended without a response, the newest ones. */
const MAX_LOST = 64;
/**
 * The time in which a client may continue to send after the last byte for it. The data is
 * discarded, but a client that cannot send reads no response.
 */
const LINGER_MS = 10_000;
/** The beginning of a request. Other data continues an earlier one, such as a body. */
const REQUEST_LINE = /^[A-Z]{3,20} [^ \r\n]/;

/** One client, with its connection to workerd. */
export class Connection {
  /** The time when the recorded exchange began. */
  began = performance.now();
  /** The time when bytes were last passed on. */
  lastMs = this.began;
  /** True if the Worker has sent bytes since the client last did. */
  isAnswered = true;
  /** True if the Worker has sent anything on this connection. */
  hasSpoken = false;
  /** The time when it ended without a response, which does not stop the work in the Worker. */
  endedMs: number | undefined = undefined;
  /**
   * True if its client has closed its side. Most such clients have left, and the others cannot be
   * distinguished from them.
   */
  hasLeft = false;
  readonly client: Socket;
  readonly worker: Socket;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(client: Socket, worker: Socket) {
    this.client = client;
    this.worker = worker;
  }

  /** Records bytes of the client. */
  sent(piece: Buffer): void {
    this.lastMs = performance.now();
    if (this.#bytes === 0 || (this.isAnswered && REQUEST_LINE.test(piece.toString("latin1", 0, 32)))) {
      this.#pieces = [];
      this.#bytes = 0;
      this.began = this.lastMs;
    }
    this.isAnswered = false;
    // A copy, because a part of a piece would keep the whole piece in memory.
    if (this.#bytes < REMEMBERED_BYTES) this.#pieces.push(Buffer.from(piece.subarray(0, REMEMBERED_BYTES - this.#bytes)));
    this.#bytes += piece.length;
  }

  /** Records bytes of the Worker. */
  received(): void {
    this.lastMs = performance.now();
    this.isAnswered = true;
    this.hasSpoken = true;
  }

  /** Returns true if a request may be in progress. */
  get isUsed(): boolean {
    return this.#bytes > 0;
  }

  /**
   * Returns the first line of the request, and the text after a blank line; the headers between
   * them may contain a secret.
   */
  get excerpt(): { line: string; body: string } {
    const text = Buffer.concat(this.#pieces).toString("utf8");
    const [line = ""] = text.split(/\r?\n/, 1);
    const body = /\r?\n\r?\n([^]*)/.exec(text)?.[1] ?? "";
    return { line, body };
  }
}

export class Relay {
  readonly #server: Server;
  readonly #farewell: string;
  /** The Unix socket of workerd. */
  #path = "";
  #isOpen = false;
  readonly #waiting = new Set<Socket>();
  readonly #connections = new Set<Connection>();
  #lost: Connection[] = [];

  /** `farewell` is sent to a client without any response yet when the Worker is ended. */
  constructor({ farewell, maxConnections = MAX_CONNECTIONS }: { farewell: string; maxConnections?: number }) {
    this.#farewell = farewell;
    // A client that waits is not read from.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (client) => this.#take(client));
    this.#server.maxConnections = maxConnections;
  }

  /** Listens on a port; resolves with its number. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((listening, failed) => {
      this.#server.once("error", failed);
      this.#server.listen({ host, port, backlog: MAX_CONNECTIONS }, () => listening((this.#server.address() as AddressInfo).port));
    });
  }

  /** Connects clients to this Unix socket from now on, waiting ones first. */
  open(path: string): void {
    this.#path = path;
    this.#isOpen = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const client of waiting) this.#join(client);
  }

  /** Makes new connections wait. */
  hold(): void {
    this.#isOpen = false;
  }

  /**
   * Prepares the end of the Worker: each connected client gets the farewell, or loses its
   * connection.
   */
  abandon(): void {
    this.hold();
    this.#lost = [];
    for (const { client, worker, isUsed, hasSpoken } of this.#connections) {
      worker.destroy();
      // Only a client that has received nothing takes this for the response to its request. Others
      // must not mistake a partial response for the whole.
      if (isUsed && !hasSpoken && !client.writableEnded) linger(client, this.#farewell);
      else client.resetAndDestroy();
    }
    this.#connections.clear();
  }

  /** Returns the connections whose requests may be running in the Worker. */
  get inProgress(): Connection[] {
    return [...this.#connections, ...this.#lost].filter(({ isUsed }) => isUsed);
  }

  /**
   * Records that the Worker has responded to a request sent at `moment`: requests whose connections
   * ended before are over, or at least do not block it.
   */
  provenAlive(moment: number): void {
    this.#lost = this.#lost.filter(({ endedMs }) => endedMs !== undefined && endedMs >= moment);
  }

  close(): void {
    this.#server.close();
    this.abandon();
    for (const client of this.#waiting) client.resetAndDestroy();
    this.#waiting.clear();
  }

  #take(client: Socket): void {
    // A broken connection is an end like any other; nobody is left to be notified.
    client.on("error", () => {});
    client.once("close", () => this.#waiting.delete(client));
    if (this.#isOpen) this.#join(client);
    else this.#waiting.add(client);
  }

  /**
   * Connects a client to workerd. If that fails, nothing was read of it, so it waits for the
   * Worker.
   */
  #join(client: Socket): void {
    const worker = connect({ path: this.#path });
    const wait = (): void => {
      if (!client.destroyed) this.#waiting.add(client);
    };
    worker.once("error", wait);
    worker.once("connect", () => {
      worker.off("error", wait);
      if (this.#isOpen && !client.destroyed) return this.#carry(new Connection(client, worker));
      // The Worker was ended meanwhile, or does not respond.
      worker.destroy();
      wait();
    });
  }

  #carry(connection: Connection): void {
    const { client, worker } = connection;
    this.#connections.add(connection);
    worker.on("error", () => {});
    client.on("data", (piece) => connection.sent(piece));
    worker.on("data", () => connection.received());
    client.pipe(worker);
    worker.pipe(client);
    worker.once("close", () => {
      if (this.#end(connection)) linger(client);
    });
    client.once("end", () => {
      connection.hasLeft = true;
    });
    client.once("close", () => {
      connection.hasLeft = true;
      this.#end(connection);
      worker.destroy();
    });
  }

  /** Ends a connection; returns true if it existed until now. */
  #end(connection: Connection): boolean {
    connection.endedMs = performance.now();
    const wasThere = this.#connections.delete(connection);
    if (wasThere && !connection.isAnswered) this.#lost = [...this.#lost, connection].slice(-MAX_LOST);
    return wasThere;
  }
}

/**
 * Ends the connection of a client after the last bytes for it. Bytes that it still sends are
 * discarded meanwhile, so that it begins to read.
 */
function linger(client: Socket, text?: string): void {
  client.unpipe();
  client.once("end", () => client.destroySoon());
  client.resume();
  const onSent = (): void => {
    const timer = setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.once("close", () => clearTimeout(timer));
  };
  if (text === undefined) client.end(onSent);
  else client.end(text, onSent);
}
