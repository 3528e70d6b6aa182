/**
 * Of a sender that no database was put back under: nothing waits
 * (src/app/sending/restart/start-gate.ts).
 */
import type { StartGate } from '../../../src/app/sending/restart/start-gate.ts';

export const OPEN_GATE: StartGate = {
  look: async () => undefined,
  open: async () => undefined,
  keeps: () => false,
  keepsUtxos: () => false,
  isShut: () => false,
};
