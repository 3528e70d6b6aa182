/** The steps of a transfer at which the drill kills a worker: between any two things that last. */
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';

export const STEPS = [
  'allocated',
  'prepared',
  'signed',
  'about to settle',
  'settled',
  'stored',
  'broadcast',
] as const;
export type Step = (typeof STEPS)[number];

/** Each step, and as often a random moment. */
export const EVERY_MOMENT: readonly (Step | null)[] = STEPS.flatMap((step) => [null, step]);

export const stepsOf = ({ moments }: { readonly moments: readonly (Step | null)[] }): readonly Step[] =>
  moments.filter((moment) => moment !== null);

/** Calls `passes` at every step; the drill's worker kills itself in it. */
export function withSteps(chain: SendingChain, passes: (step: Step) => void): SendingChain {
  const { sender, signer } = chain;
  let settling = false;
  return {
    ...chain,
    sender: {
      ...sender,
      async prepare(order, replaces) {
        passes('allocated');
        const unsigned = await sender.prepare(order, replaces);
        passes('prepared');
        return unsigned;
      },
      async broadcast(raw) {
        passes('stored');
        const outcome = await sender.broadcast(raw);
        passes('broadcast');
        return outcome;
      },
      async outcome(query) {
        if (settling) passes('settled');
        settling = false;
        const outcome = await sender.outcome(query);
        if (outcome.kind === 'mined' && outcome.final) {
          settling = true;
          passes('about to settle');
        }
        return outcome;
      },
    },
    signer: {
      ...signer,
      async sign(order) {
        const signed = await signer.sign(order);
        passes('signed');
        return signed;
      },
    },
  };
}
