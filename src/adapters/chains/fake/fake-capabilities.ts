/**
 * How fake chains of accounts send: as the real ones of the family do, but one payment at a time.
 */
import { EVM_CAPABILITIES, type SendingCapabilities } from '../../../ports/sending/sending-capabilities.ts';
import { fakeFamily } from './fake-family.ts';

/** Blocks after the newest one that take what is signed now. */
export const VALID_BLOCKS = 20;
const LIFE_SECONDS = 240;

export function fakeCapabilities(family: string): SendingCapabilities {
  const { capabilities } = fakeFamily(family);
  return {
    ...EVM_CAPABILITIES,
    ...capabilities,
    ...(capabilities.expires === true ? { lifeSeconds: LIFE_SECONDS } : {}),
  };
}
