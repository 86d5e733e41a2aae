// The bytes between the clients of a local Worker and workerd.
//
// Each connection of a client has one connection of its own to workerd, and both carry the same bytes in both directions, in order, unread and
// unchanged. Nothing is pooled and nothing knows HTTP, so no client can reach the connection of another. The relay watches: it remembers the
// first bytes of what each connection sent last, which names the suspects when the Worker is silent. While there is no Worker, connections wait.

import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";

/** Clients that are connected at once, those included that wait. Each has two descriptors and the buffers of two sockets. */
const MAX_CONNECTIONS = 4_096;
/** Bytes that are remembered of each connection: a head of usual length and the beginning of a body. */
const REMEMBERED_BYTES = 4_096;
/** Connections that ended without a response and are remembered, the newest. */
const MAX_LOST = 64;
/** How long a client may go on sending after the last byte for it: what it sends is dropped, because a client that cannot send reads no response. */
const LINGER_MS = 10_000;
/** The beginning of a request. What begins otherwise goes on with an earlier one, such as a body that was asked for. */
const REQUEST_LINE = /^[A-Z]{3,20} [^ \r\n]/;

/** One client, with its connection to workerd. */
export class Connection {
  /** When the exchange began that is remembered. */
  began = performance.now();
  /** When bytes were last passed on. */
  lastMs = this.began;
  /** Whether bytes of the Worker came since the client last sent something. */
  isAnswered = true;
  /** Whether the Worker has sent anything on this connection. */
  hasSpoken = false;
  /** When it ended without the response, which stops nothing in the Worker. */
  endedMs: number | undefined = undefined;
  /** Whether its client has closed its side. Most that do so have left, and nothing tells the others from them. */
  hasLeft = false;
  readonly client: Socket;
  readonly worker: Socket;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(client: Socket, worker: Socket) {
    this.client = client;
    this.worker = worker;
  }

  /** The client has sent something. */
  sent(piece: Buffer): void {
    this.lastMs = performance.now();
    if (this.#bytes === 0 || (this.isAnswered && REQUEST_LINE.test(piece.toString("latin1", 0, 32)))) {
      this.#pieces = [];
      this.#bytes = 0;
      this.began = this.lastMs;
    }
    this.isAnswered = false;
    // A copy: a part of a piece would keep the whole of it.
    if (this.#bytes < REMEMBERED_BYTES) this.#pieces.push(Buffer.from(piece.subarray(0, REMEMBERED_BYTES - this.#bytes)));
    this.#bytes += piece.length;
  }

  /** The Worker has sent something. */
  received(): void {
    this.lastMs = performance.now();
    this.isAnswered = true;
    this.hasSpoken = true;
  }

  /** Whether a request may be in progress. */
  get isUsed(): boolean {
    return this.#bytes > 0;
  }

  /** The first line of what was sent, and what follows a blank line: the headers between them may hold a secret. */
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

  /** `farewell` is sent to a client that has sent something and received nothing, when the Worker is ended. */
  constructor({ farewell, maxConnections = MAX_CONNECTIONS }: { farewell: string; maxConnections?: number }) {
    this.#farewell = farewell;
    // Nothing is read of a client that waits.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (client) => this.#take(client));
    this.#server.maxConnections = maxConnections;
  }

  /** Listens; resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((listening, failed) => {
      this.#server.once("error", failed);
      this.#server.listen({ host, port, backlog: MAX_CONNECTIONS }, () => listening((this.#server.address() as AddressInfo).port));
    });
  }

  /** Connections go to this Unix socket from now on, those that wait first. */
  open(path: string): void {
    this.#path = path;
    this.#isOpen = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const client of waiting) this.#join(client);
  }

  /** Connections that come from now on wait. */
  hold(): void {
    this.#isOpen = false;
  }

  /** The Worker is about to be ended: whoever is connected to it hears so, or loses the connection. */
  abandon(): void {
    this.hold();
    this.#lost = [];
    for (const { client, worker, isUsed, hasSpoken } of this.#connections) {
      worker.destroy();
      // Only who has received nothing at all is sure to take this for the response to its request. Others must not take what they have for all.
      if (isUsed && !hasSpoken && !client.writableEnded) linger(client, this.#farewell);
      else client.resetAndDestroy();
    }
    this.#connections.clear();
  }

  /** The connections whose requests may be at work in the Worker. */
  get inProgress(): Connection[] {
    return [...this.#connections, ...this.#lost].filter(({ isUsed }) => isUsed);
  }

  /** The Worker has responded to something that was sent at `moment`: what ended before is over, or at least not in its way. */
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
    // A broken connection is an end like others; nobody is left to hear of it.
    client.on("error", () => {});
    client.once("close", () => this.#waiting.delete(client));
    if (this.#isOpen) this.#join(client);
    else this.#waiting.add(client);
  }

  /** Connects a client to workerd. Where that fails, nothing was read of it, so that it waits for the Worker. */
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

  /** Whether a connection has been there until now. */
  #end(connection: Connection): boolean {
    connection.endedMs = performance.now();
    const wasThere = this.#connections.delete(connection);
    if (wasThere && !connection.isAnswered) this.#lost = [...this.#lost, connection].slice(-MAX_LOST);
    return wasThere;
  }
}

/** Ends the connection of a client after the last bytes for it. Bytes that it still sends are dropped meanwhile, so that it comes to read. */
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
