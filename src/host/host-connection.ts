import { encodeFrame, FrameDecoder } from "./frame.ts";
import {
  failureOf,
  type HostAnswer,
  numberField,
  objectsField,
  readAnswer,
  textField,
} from "./host-answer.ts";
import { HostLostError, HostProtocolError } from "./host-errors.ts";
import { type HostProcess, type HostProgram, startHostProcess } from "./host-process.ts";

const protocol = 1;
/** Ending what an earlier host left takes it up to three seconds. */
const helloMs = 10_000;
const endMs = 2_000;

/** Programs of a host before this one that still ran and have been ended, by container ID. */
export interface EndedGroup {
  readonly owner: string;
  readonly group: number;
}

export interface HostCall {
  readonly id: number;
  /** Rejects with a `HostLostError` if the host ends first. */
  readonly answer: Promise<HostAnswer>;
}

/** One life of `multus-host`: calls go out, answers come back by id, its end fails whatever is open. */
export class HostConnection {
  /** Resolves, never rejects, once the host has ended and all open calls have been failed. */
  readonly lost: Promise<HostLostError>;
  readonly #process: HostProcess;
  readonly #open = new Map<number, PromiseWithResolvers<HostAnswer>>();
  #ended: readonly EndedGroup[] = [];
  #lost: HostLostError | undefined;
  #lastId = 0;

  private constructor(process: HostProcess) {
    this.#process = process;
    this.#readAnswers();
    this.lost = process.ended.then((reason) => this.#fail(reason));
  }

  /**
   * Resolves once the host has ended what an earlier one left and greets back.
   * @throws {HostLostError} if it does not, or speaks another protocol
   */
  static async start(program: HostProgram): Promise<HostConnection> {
    const connection = new HostConnection(startHostProcess(program));
    try {
      const answer = await connection.ask({ op: "hello" }, helloMs);
      if (numberField(answer.fields, "protocol") !== protocol)
        throw new HostProtocolError("another protocol");
      connection.#ended = objectsField(answer.fields, "ended").map((ended) => ({
        owner: textField(ended, "owner"),
        group: numberField(ended, "group"),
      }));
      return connection;
    } catch (error) {
      connection.kill(error instanceof HostLostError ? error : new HostLostError("greets wrongly", error));
      throw await connection.lost;
    }
  }

  get endedBefore(): readonly EndedGroup[] {
    return this.#ended;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /**
   * Sends a request without waiting for it.
   * @throws {FrameTooLongError} without anything having been sent
   */
  call(request: object, body: Buffer = Buffer.alloc(0)): HostCall {
    const id = ++this.#lastId;
    const parts = encodeFrame({ id, ...request }, body);
    const waiting = Promise.withResolvers<HostAnswer>();
    // Whoever does not wait for an answer (cancel) need not care for its loss.
    waiting.promise.catch(() => undefined);
    if (this.#lost !== undefined) waiting.reject(this.#lost);
    else this.#send(id, waiting, parts);
    return { id, answer: waiting.promise };
  }

  #send(id: number, waiting: PromiseWithResolvers<HostAnswer>, parts: readonly Buffer[]): void {
    this.#open.set(id, waiting);
    const { stdin } = this.#process;
    stdin.cork();
    for (const part of parts) if (part.length > 0) stdin.write(part);
    stdin.uncork();
  }

  /**
   * A short question. A host that does not answer in time hangs, and is ended.
   * @throws {HostLostError}
   * @throws {HostCallError} if it says that it cannot
   */
  async ask(request: { readonly op: string }, timeoutMs: number): Promise<HostAnswer> {
    const { answer } = this.call(request);
    const hung = () => this.kill(new HostLostError(`does not answer "${request.op}"`));
    const timer = setTimeout(hung, timeoutMs);
    try {
      const answered = await answer;
      const failure = failureOf(request.op, answered);
      if (failure !== undefined) throw failure;
      return answered;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once; the open calls fail with `reason`. */
  kill(reason: HostLostError): void {
    this.#process.kill(reason);
  }

  /** Lets it end what it runs and itself; resolves when it has gone. */
  async end(): Promise<void> {
    const killed = setTimeout(() => this.kill(new HostLostError("did not end")), endMs);
    this.#process.stdin.end();
    await this.lost;
    clearTimeout(killed);
  }

  #readAnswers(): void {
    const decoder = new FrameDecoder();
    const { stdout } = this.#process;
    const onData = (chunk: Buffer) => {
      try {
        for (const frame of decoder.push(chunk)) this.#settle(readAnswer(frame));
      } catch (error) {
        stdout.off("data", onData).resume();
        this.kill(new HostLostError("cannot be understood", error));
      }
    };
    stdout.on("data", onData);
  }

  #settle(answer: HostAnswer): void {
    const waiting = this.#open.get(answer.id);
    this.#open.delete(answer.id);
    if (waiting === undefined) throw new HostProtocolError("an answer that nobody asked for");
    waiting.resolve(answer);
  }

  #fail(reason: HostLostError): HostLostError {
    this.#lost = reason;
    for (const waiting of this.#open.values()) waiting.reject(reason);
    this.#open.clear();
    return reason;
  }
}
