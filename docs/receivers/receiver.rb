require "base64"
require "json"
require "openssl"
require "webrick" # gem install webrick

SECRET = Base64.decode64(ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_"))
abort "WEBHOOK_SECRET is not a webhook secret" if SECRET.empty? # anyone could sign with an empty secret

def genuine?(headers, body)
  sent = headers["webhook-timestamp"].to_s
  return false if (Time.now.to_i - sent.to_i).abs > 300

  mac = OpenSSL::HMAC.digest("SHA256", SECRET, "#{headers["webhook-id"]}.#{sent}.".b + body)
  expected = "v1,#{Base64.strict_encode64(mac)}"
  given = headers["webhook-signature"].to_s.split # two while both secrets work
  given.any? { |each| OpenSSL.secure_compare(expected, each) }
end

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: 9000)
server.mount_proc("/") do |request, response|
  body = request.body.to_s.b
  if genuine?(request, body)
    event = JSON.parse(body)
    puts "#{event["order_id"]} #{event["status"]}"
  else
    response.status = 401
  end
end
server.start
