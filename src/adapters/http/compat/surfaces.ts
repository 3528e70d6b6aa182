/** The providers whose clients this gateway serves. */
import { COINPAYMENTS } from './coinpayments/surface.ts';
import { COINPAYMENTS_V2 } from './coinpayments-v2/surface.ts';
import { CRYPTOMUS } from './cryptomus/surface.ts';
import { HELEKET } from './heleket/surface.ts';
import { NOWPAYMENTS } from './nowpayments/surface.ts';
import type { Surface } from './surface.ts';

/** An unknown path belongs to the first surface whose prefix it has. */
export const SURFACES: readonly Surface[] = [CRYPTOMUS, HELEKET, NOWPAYMENTS, COINPAYMENTS, COINPAYMENTS_V2];
