/** What becomes of a forward that is not signed: it ends, unless nothing at all is signed now. */
import { expect, test } from 'bun:test';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { verdictOn } from '../../../src/app/sending/signing/apply-refusal.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../src/ports/sending/signer.ts';

const verdict = (nonces: 'counted' | 'independent', error: SendingRefused | SigningRefused) => {
  const on = { sender: { capabilities: { nonces }, utxos: null } } as unknown as SendingChain;
  return [true, false].map((feeIsOutlier) => verdictOn(on, { purpose: 'forward' }, error, { feeIsOutlier }));
};
const signer = (why: ConstructorParameters<typeof SigningRefused>[1]) => new SigningRefused('no', why);

for (const nonces of ['counted', 'independent'] as const) {
  test(`G12: of a forward that is refused alone, where nonces are ${nonces}: it ends`, () => {
    for (const error of [
      signer({}),
      signer({ lasting: true, transferId: null }),
      signer({ lasting: false, transferId: 'forward' }),
      signer({ lasting: false, transferId: 'forward', because: 'fee' }),
      ...(['money', 'undone', 'unclear', 'untried', 'cost'] as const).map(
        (because) => new SendingRefused(because, 'no'),
      ),
    ])
      expect(verdict(nonces, error)).toEqual(['fail', 'fail']);
  });

  test(`of a forward while nothing is signed, where nonces are ${nonces}: it waits with the others`, () => {
    for (const error of [
      signer({ lasting: false }),
      new SendingRefused('fees', 'no'),
      new SendingRefused('enough', 'no'),
    ])
      expect(verdict(nonces, error)).toEqual(['wait', 'wait']);
  });
}
