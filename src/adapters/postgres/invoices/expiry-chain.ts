/**
 * The first part of an index of open invoices, by which expiry finds those of a chain that was read
 * far enough.
 */

/** The chain that must be read before the invoice may expire; '' if there is none. */
export const EXPIRY_CHAIN = `case when sandbox or asset is null then '' else split_part(asset, '_', 2) end`;
