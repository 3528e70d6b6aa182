/**
 * tronweb, the second opinion on everything of Tron. It is required and not imported: its protobuf
 * files must run one after the other, and Bun runs the files of its module form in whichever order
 * they arrive.
 */
import { createRequire } from 'node:module';

export const { TronWeb, utils } = createRequire(import.meta.url)('tronweb') as typeof import('tronweb');
