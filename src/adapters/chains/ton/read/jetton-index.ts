/**
 * Finds the owner of a jetton wallet among our deposit addresses. The jetton wallets of all of them
 * are computed, each once. A table has 8 bytes per slot, since there may be hundreds of thousands;
 * a hit is computed again before it counts.
 */
import { setImmediate } from 'node:timers/promises';
import type { JettonWalletOf } from './jetton-wallets.ts';

export interface JettonIndex {
  /** Adds the addresses of all derivation indexes below `count`. */
  extend(count: number): Promise<void>;
  /** The derivation index whose owner has this jetton wallet (hash of its address), or null. */
  indexOf(wallet: Uint8Array): number | null;
}

const FIRST_SLOTS = 1024;
/** Computed before other work of this process gets its turn: about ten milliseconds. */
const AT_A_TIME = 500;

export function jettonIndex(options: {
  walletOf: JettonWalletOf;
  ownerOf: (index: number) => Uint8Array;
}): JettonIndex {
  const { walletOf, ownerOf } = options;
  let known = 0;
  let extending: Promise<void> = Promise.resolve();
  /**
   * Index + 1, and the first four bytes of the hash; 0 and 0 in an empty slot. At most half of the
   * slots are taken.
   */
  let indexes = new Int32Array(FIRST_SLOTS);
  let prefixes = new Int32Array(FIRST_SLOTS);

  function put(index: number, prefix: number): void {
    const mask = indexes.length - 1;
    let slot = prefix & mask;
    while (indexes[slot] !== 0) slot = (slot + 1) & mask;
    indexes[slot] = index + 1;
    prefixes[slot] = prefix;
  }

  function grow(): void {
    const [oldIndexes, oldPrefixes] = [indexes, prefixes];
    indexes = new Int32Array(2 * oldIndexes.length);
    prefixes = new Int32Array(indexes.length);
    for (const [slot, entry] of oldIndexes.entries()) if (entry !== 0) put(entry - 1, oldPrefixes[slot]!);
  }

  async function extendTo(count: number): Promise<void> {
    for (let done = 0; known < count; known++, done++) {
      if (done === AT_A_TIME) {
        await setImmediate();
        done = 0;
      }
      if (2 * (known + 1) > indexes.length) grow();
      put(known, prefixOf(walletOf(ownerOf(known))));
    }
  }

  return {
    extend: (count) => {
      extending = extending.then(() => extendTo(count));
      return extending;
    },
    indexOf: (wallet) => {
      const mask = indexes.length - 1;
      const prefix = prefixOf(wallet);
      for (let slot = prefix & mask; indexes[slot] !== 0; slot = (slot + 1) & mask) {
        const index = indexes[slot]! - 1;
        if (prefixes[slot] === prefix && Buffer.compare(walletOf(ownerOf(index)), wallet) === 0) return index;
      }
      return null;
    },
  };
}

const prefixOf = (hash: Uint8Array): number => Buffer.from(hash).readInt32BE(0);
