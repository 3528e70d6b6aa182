/**
 * Reads the body of an answer up to a limit: a node that sends without end must not fill our
 * memory.
 */

/**
 * Null when there are more bytes than `max`; the rest is not fetched. Rejects as the connection
 * does.
 */
export async function answerBytes(response: Response, max: number): Promise<Buffer | null> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (length > max) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
