// Package server is the web server of the daemon: its listeners, its routes, and what
// clients may do.
//
// # Model
//
// A Handler answers requests. It mounts the metrics, the API and the page, which only
// read what Options provide, and answers /-/healthy, /-/ready, /-/status and /-/reload
// itself. A Server passes requests to a handler: it has one HTTP server per address,
// with TLS and passwords from the configuration file of exporter-toolkit, and ends all
// of them together.
//
// # Guarantees
//
//   - Before everything has been read, /metrics and the API answer 503: partial numbers
//     would look like a reset of all counters.
//   - On loopback addresses, a request with an unknown Host header is rejected, and so is
//     a request of another site that would change something: see hostCheck.
//   - No response may be cached, framed or read by another site. The policy of the page
//     applies to all responses.
//   - A client that is slow, or that does not read, is disconnected. Until then it counts
//     as one of the concurrent requests, whose number is limited.
//   - Run returns only after every listener is closed. Requests have a few seconds to
//     complete.
package server
