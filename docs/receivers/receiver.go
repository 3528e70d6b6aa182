package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isGenuine(secret []byte, headers http.Header, body []byte) bool {
	sent, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(headers.Get("webhook-id") + "." + headers.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Fields(headers.Get("webhook-signature")) { // two while both secrets work
		if hmac.Equal(expected, []byte(given)) {
			return true
		}
	}
	return false
}

func main() {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(secret) == 0 {
		log.Fatal("WEBHOOK_SECRET is not a webhook secret")
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !isGenuine(secret, r.Header, body) {
			http.Error(w, "not genuine", http.StatusUnauthorized)
			return
		}
		var event struct {
			OrderID string `json:"order_id"`
			Status  string `json:"status"`
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		log.Println(event.OrderID, event.Status)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:9000", nil))
}
