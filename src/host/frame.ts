/** Bounds and layout of docs/multus-host.md "Frame". */
export const maxHeadBytes = 1 << 20;
export const maxBodyBytes = 32 << 20;
const prefixBytes = 8;

export interface Frame {
  readonly head: Buffer;
  readonly body: Buffer;
}

/** A frame over the bounds: as a sender, the message is too long; as a reader, the stream is out of step. */
export class FrameTooLongError extends RangeError {
  override readonly name = "FrameTooLongError";

  constructor(headBytes: number, bodyBytes: number) {
    super(`frame of ${headBytes} bytes of head and ${bodyBytes} of body`);
  }
}

/**
 * The bytes of one frame: prefix and head, then the body as it was given.
 * @throws {FrameTooLongError}
 */
export function encodeFrame(head: object, body: Buffer): readonly [Buffer, Buffer] {
  const text = JSON.stringify(head);
  const headBytes = Buffer.byteLength(text);
  if (headBytes > maxHeadBytes || body.length > maxBodyBytes) {
    throw new FrameTooLongError(headBytes, body.length);
  }
  const start = Buffer.allocUnsafe(prefixBytes + headBytes);
  start.writeUInt32BE(headBytes, 0);
  start.writeUInt32BE(body.length, 4);
  start.write(text, prefixBytes, "utf8");
  return [start, body];
}

/** Puts frames together from chunks as they arrive; holds at most one frame and the chunk that ends it. */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * The frames that are whole now, in order.
   * @throws {FrameTooLongError} The stream is out of step and of no further use.
   */
  push(chunk: Buffer): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#bytes < prefixBytes) return undefined;
    const [first] = this.#chunks;
    const prefix = first !== undefined && first.length >= prefixBytes ? first : this.#join();
    const headBytes = prefix.readUInt32BE(0);
    const bodyBytes = prefix.readUInt32BE(4);
    if (headBytes > maxHeadBytes || bodyBytes > maxBodyBytes)
      throw new FrameTooLongError(headBytes, bodyBytes);
    const end = prefixBytes + headBytes + bodyBytes;
    if (this.#bytes < end) return undefined;
    const whole = this.#join();
    this.#keep(whole.subarray(end));
    const bodyStart = prefixBytes + headBytes;
    return { head: whole.subarray(prefixBytes, bodyStart), body: whole.subarray(bodyStart, end) };
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#keep(whole);
    return whole;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}
