/** What a fake UTXO chain has at our addresses, whatever the gateway's records say. */
import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import type { ChangeAddresses } from '../../../src/ports/chains/change-addresses.ts';

/** More than a test makes batches. */
const CHANGE_ADDRESSES = 200;

/**
 * Base units of the outputs in blocks up to `height` that no block spends: at `addresses` (the hot
 * wallet's and issued ones) and at all addresses for change. Throws where the chain has no UTXOs.
 */
export async function unitsOfOurs(
  { sender, control }: Pick<FakeChain, 'sender' | 'control'>,
  { change, addresses, height }: { change: ChangeAddresses; addresses: readonly string[]; height: number },
): Promise<bigint> {
  if (sender.utxos === null) throw new Error('a chain without UTXOs');
  const ofChange = Array.from({ length: CHANGE_ADDRESSES }, (_, index) => change.changeAddress(index + 1));
  const outputs = [...new Set([...addresses, ...ofChange])].flatMap((address) =>
    control
      .received(address)
      .filter((output) => output.height <= height)
      .map(({ txid, output, units }) => {
        const vout = Number(output.slice('vout:'.length));
        return { txid, vout, address, key: { role: 'hot' } as const, units };
      }),
  );
  const there = await sender.utxos.unspent(outputs);
  return outputs.reduce((sum, { units }, place) => (there[place] ? sum + units : sum), 0n);
}
