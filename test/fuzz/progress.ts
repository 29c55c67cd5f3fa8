const headerBytes = 8;
const textBytes = 4 << 20;

/** What a worker is at, in memory that can be read also while it hangs and after it has died. */
export class Progress {
  readonly shared: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #text: Buffer;

  constructor(shared = new SharedArrayBuffer(headerBytes + textBytes)) {
    this.shared = shared;
    this.#header = new Int32Array(shared, 0, 2);
    this.#text = Buffer.from(shared, headerBytes);
  }

  begin(inputs: number, text: string): void {
    this.#header[1] = this.#text.write(text);
    Atomics.store(this.#header, 0, inputs);
  }

  get inputs(): number {
    return Atomics.load(this.#header, 0);
  }

  get text(): string {
    return this.#text.toString("utf8", 0, this.#header[1]);
  }
}
