/** What an index of open invoices begins with, for expiry to find those of a chain that was read far enough. */

/** The chain that must have been read before the invoice may expire; '' where nothing is waited for. */
export const EXPIRY_CHAIN = `case when sandbox or asset is null then '' else split_part(asset, '_', 2) end`;
