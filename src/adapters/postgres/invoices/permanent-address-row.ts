/** The columns of a permanent address: a row of them is the domain's PermanentAddress. */
import { getTableColumns } from 'drizzle-orm';
import { permanentAddresses } from '../schema/addresses.ts';

export const PERMANENT_ADDRESS = getTableColumns(permanentAddresses);
