/**
 * Deriving deposit addresses from the account's public key: our batches against another library's
 * one address at a time, ethers for evm and libsecp256k1 itself for bitcoin and its kin.
 */
import { randomBytes } from 'node:crypto';
import { HDNodeWallet, Mnemonic } from 'ethers';
import { evmDeriver } from '../../src/adapters/chains/evm/deriver.ts';
import { utxoDeriver } from '../../src/adapters/chains/utxo/deriver.ts';
import { utxoNetwork } from '../../src/adapters/chains/utxo/network.ts';
import { publicKeysOf } from '../../src/adapters/signer/keystore.ts';
import { UTXO_FAMILIES } from '../../src/domain/catalog/family.ts';
import type { OfflineDeriver } from '../../src/ports/chains/address-deriver.ts';
import { atLeast, type Finding } from '../harness/finding.ts';
import { alternate, type Leg, latencyOf, rateText, ratio } from '../harness/legs.ts';
import { nativeDerivation } from '../harness/native-derivation.ts';
import type { Row } from '../harness/row.ts';
import { latency } from '../harness/statistics.ts';

/** As the address pool asks for them (app/invoices/addresses/address-allocator.ts). */
const BATCH = 256;

export const derivation: Row = {
  name: 'derivation',
  async run(size) {
    const keys = await publicKeysOf(Mnemonic.fromEntropy(randomBytes(32)).phrase);
    const external = HDNodeWallet.fromExtendedKey(keys.evm.xpub).derivePath('0');
    const findings = [
      await compared(size, {
        what: 'EVM',
        target: 2.3,
        deriver: evmDeriver({ accountXpub: keys.evm.xpub }),
        rival: { name: 'ethers', addressAt: (index) => external.deriveChild(index).address },
      }),
    ];
    for (const family of UTXO_FAMILIES) {
      const accountXpub = keys[family].xpub;
      findings.push(
        await compared(size, {
          what: family,
          target: 1,
          deriver: utxoDeriver({ network: utxoNetwork(family, 'main'), accountXpub }),
          rival: { name: 'libsecp256k1', addressAt: nativeDerivation(family, accountXpub) },
        }),
      );
    }
    return findings;
  },
};

interface Comparison {
  readonly what: string;
  /** How many times as fast we are at least. */
  readonly target: number;
  readonly deriver: OfflineDeriver;
  readonly rival: { readonly name: string; readonly addressAt: (index: number) => string };
}

async function compared(
  { rounds, seconds }: { rounds: number; seconds: number },
  { what, target, deriver, rival }: Comparison,
): Promise<Finding> {
  const batch = (from: number) => deriver.derive({ from, count: BATCH });
  for (const [index, address] of batch(0).entries()) {
    if (address !== rival.addressAt(index))
      throw new Error(`${what} address ${index} differs from that of ${rival.name}`);
  }
  const [ours, theirs] = await alternate([leg('ours', BATCH, batch), leg(rival.name, 1, rival.addressAt)], {
    rounds,
    seconds: Math.min(seconds, 1),
  });
  if (!ours || !theirs) throw new Error('unreachable: two legs went in');
  return {
    what: `${what} addresses from an xpub, in batches of ${BATCH} / ${rival.name} (times: one address)`,
    target: atLeast(target),
    unit: 'x',
    measured: ratio(ours, theirs),
    absolute: `${rateText(ours)}, ${rateText(theirs)}`,
    latencies: [latencyOf(ours), latencyOf(theirs)],
  };
}

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
