/** How fake chains of accounts send: as the real ones of the family do, but one payment at a time. */
import { BY_NONCE, type SendingWays } from '../../../ports/sending/sending-capabilities.ts';

/** Blocks after the newest one that take what is signed now. */
export const VALID_BLOCKS = 20;
const LIFE_SECONDS = 240;

export function fakeWays(family: string): SendingWays {
  switch (family) {
    case 'tron':
      return { ...BY_NONCE, sequences: 'free', expires: true, lifeSeconds: LIFE_SECONDS };
    case 'solana':
      return {
        ...BY_NONCE,
        sequences: 'free',
        expires: true,
        lifeSeconds: LIFE_SECONDS,
        hotWalletPaysFees: true,
      };
    case 'xrp':
      return { ...BY_NONCE, expires: true, lifeSeconds: LIFE_SECONDS, bundlesAtOnce: 10 };
    case 'ton':
      return { ...BY_NONCE, expires: true, lifeSeconds: LIFE_SECONDS, bundlesAtOnce: 1 };
    default:
      return BY_NONCE;
  }
}
