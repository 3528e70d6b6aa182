/** How fake chains of accounts send: as the real ones of the family do, but one payment at a time. */
import { BY_NONCE, type SendingWays } from '../../../ports/sending/sending-capabilities.ts';
import { fakeFamily } from './fake-family.ts';

/** Blocks after the newest one that take what is signed now. */
export const VALID_BLOCKS = 20;
const LIFE_SECONDS = 240;

export function fakeWays(family: string): SendingWays {
  const { ways } = fakeFamily(family);
  return { ...BY_NONCE, ...ways, ...(ways.expires === true ? { lifeSeconds: LIFE_SECONDS } : {}) };
}
