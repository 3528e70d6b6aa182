/**
 * Reads consensus bytes from front to back. Every step is checked against the end: reading past it
 * throws MalformedBytes.
 */

/** The bytes are not what they should be. The node that sent them is replaced by another. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes';
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#offset;
  }

  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  /** The next `count` bytes; they share the reader's memory. */
  take(count: number): Uint8Array {
    const start = this.#step(count);
    return this.#bytes.subarray(start, start + count);
  }

  skip(count: number): void {
    this.#step(count);
  }

  byte(): number {
    return this.#bytes[this.#step(1)]!;
  }

  uint32(): number {
    return this.#view.getUint32(this.#step(4), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#step(8), true);
  }

  /** A length or count. Any form but the shortest is malformed, as nodes have it too. */
  compactSize(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.#shortest(this.#view.getUint16(this.#step(2), true), 0xfd);
    if (first === 0xfe) return this.#shortest(this.uint32(), 0x1_0000);
    throw new MalformedBytes('a length that no block has');
  }

  /**
   * A count of things that take at least `leastBytes` each; malformed when there is no room for
   * them.
   */
  count(leastBytes: number): number {
    const count = this.compactSize();
    if (count * leastBytes > this.left) throw new MalformedBytes('more things than there are bytes for');
    return count;
  }

  #shortest(value: number, least: number): number {
    if (value < least) throw new MalformedBytes('a length that is not in its shortest form');
    return value;
  }

  #step(count: number): number {
    const start = this.#offset;
    if (count > this.#bytes.length - start) throw new MalformedBytes('the bytes end too early');
    this.#offset = start + count;
    return start;
  }
}
