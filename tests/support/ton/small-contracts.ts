/** Contracts of a few instructions: one that takes coins and one that throws. Code cells, assembled by hand. */
import { beginCell, Cell, type StateInit } from '@ton/core';

/** `SETCP0`, then what is left: the stack is left as it is. */
const TAKES = beginCell().storeUint(0xff00, 16).endCell();
/** `SETCP0 100 THROW` (F2C0 + 10 bits... the long form `THROW n`: F2C4_ n). */
const THROWS = beginCell()
  .storeUint(0xff00, 16)
  .storeUint(0xf2c4 >> 3, 13)
  .storeUint(100, 11)
  .endCell();

export const payableContract = (): StateInit => ({ code: TAKES, data: Cell.EMPTY });
export const unpayableContract = (): StateInit => ({ code: THROWS, data: Cell.EMPTY });
