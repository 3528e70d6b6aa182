/** The providers whose clients this gateway serves. */
import { CRYPTOMUS } from './cryptomus/surface.ts';
import { HELEKET } from './heleket/surface.ts';
import { NOWPAYMENTS } from './nowpayments/surface.ts';
import type { Surface } from './surface.ts';

export const SURFACES: readonly Surface[] = [CRYPTOMUS, HELEKET, NOWPAYMENTS];
