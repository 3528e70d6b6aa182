import base64, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
if not SECRET:  # anyone could sign with an empty secret
    raise SystemExit("WEBHOOK_SECRET is not a webhook secret")

def is_genuine(headers, body):
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(SECRET, signed, "sha256"))
    given = headers.get("webhook-signature", "").encode().split()  # two while both secrets work
    return any([hmac.compare_digest(expected, each) for each in given])

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        genuine = is_genuine(self.headers, body)
        self.send_response(200 if genuine else 401)
        self.end_headers()
        if genuine:
            event = json.loads(body)
            print(event.get("order_id", "test"), event.get("status"), flush=True)

HTTPServer(("127.0.0.1", 9000), Receiver).serve_forever()
