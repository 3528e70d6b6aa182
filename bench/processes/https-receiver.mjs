/**
 * The receiver of the bench's webhooks over https: answers 200 to every POST and tells on GET how
 * many came. Prints its port. It runs on Node, because Bun's TLS server takes the newest of its
 * waiting handshakes first (adapters/webhooks/handshake-turns.ts). Arguments: the files of its
 * certificate and key.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [certificate, key] = process.argv.slice(2);
let received = 0;

const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.method === 'POST') received++;
      response.end(request.method === 'POST' ? 'ok' : String(received));
    });
  },
);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
