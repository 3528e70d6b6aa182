/**
 * Contracts of a few instructions: takes coins, throws, burns its gas (assembled by hand), and one
 * whose action fails.
 */
import { beginCell, Cell, type StateInit } from '@ton/core';
import artefact from './contracts/jetton.artefact.json';

/** `SETCP0`, then what is left: the stack is left as it is. */
const TAKES = beginCell().storeUint(0xff00, 16).endCell();
/** `SETCP0`, then the long form of `100 THROW` (F2C4_, 11 bits of code). */
const THROWS = beginCell()
  .storeUint(0xff00, 16)
  .storeUint(0xf2c4 >> 3, 13)
  .storeUint(100, 11)
  .endCell();

/** `SETCP0`, then the empty continuation `AGAIN`: for ever. */
const BURNS = beginCell().storeUint(0xff00, 16).storeUint(0x90ea, 16).endCell();

export const payableContract = (): StateInit => ({ code: TAKES, data: Cell.EMPTY });
export const unpayableContract = (): StateInit => ({ code: THROWS, data: Cell.EMPTY });
export const burningContract = (): StateInit => ({ code: BURNS, data: Cell.EMPTY });
export const greedyContract = (): StateInit => ({ code: Cell.fromBase64(artefact.greedy), data: Cell.EMPTY });
