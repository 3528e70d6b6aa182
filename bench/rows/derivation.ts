/** Deriving deposit addresses from the account's public key: our batches against ethers, one address at a time. */
import { randomBytes } from 'node:crypto';
import { HDNodeWallet, Mnemonic } from 'ethers';
import { evmDeriver } from '../../src/adapters/chains/evm/deriver.ts';
import { atLeast } from '../harness/finding.ts';
import { alternate, type Leg, latencyOf, rateText, ratio } from '../harness/legs.ts';
import type { Row } from '../harness/row.ts';
import { latency } from '../harness/statistics.ts';

/** As the address pool asks for them (app/address-allocator.ts). */
const BATCH = 256;

export const derivation: Row = {
  name: 'derivation',
  async run({ rounds, seconds }) {
    const words = Mnemonic.fromEntropy(randomBytes(32)).phrase;
    const account = HDNodeWallet.fromPhrase(words, '', "m/44'/60'/0'").neuter();
    const external = account.deriveChild(0);
    const deriver = evmDeriver({ accountXpub: account.extendedKey });
    const batch = (from: number) => deriver.derive({ from, count: BATCH });
    const single = (index: number) => external.deriveChild(index).address;

    for (const [index, address] of batch(0).entries()) {
      if (address !== single(index)) throw new Error(`address ${index} differs from that of ethers`);
    }
    const [ours, theirs] = await alternate([leg('ours', BATCH, batch), leg('ethers', 1, single)], {
      rounds,
      seconds: Math.min(seconds, 1),
    });
    if (!ours || !theirs) throw new Error('unreachable: two legs went in');
    return [
      {
        what: 'EVM addresses from an xpub, in batches of 256 / ethers (times: one address)',
        target: atLeast(2.3),
        unit: 'x',
        measured: ratio(ours, theirs),
        absolute: `${rateText(ours)}, ${rateText(theirs)}`,
        latencies: [latencyOf(ours), latencyOf(theirs)],
      },
    ];
  },
};

/** Calls `derive` with ever new indexes; `count` addresses a call. */
function leg(name: string, count: number, derive: (from: number) => unknown): Leg {
  let from = 0;
  return {
    name,
    async run(seconds) {
      const times: number[] = [];
      const began = performance.now();
      const end = began + seconds * 1000;
      let before = began;
      while (before < end) {
        derive(from);
        from += count;
        const after = performance.now();
        times.push((after - before) / count);
        before = after;
      }
      return { rate: (times.length * count * 1000) / (before - began), latency: latency(times) };
    },
  };
}
