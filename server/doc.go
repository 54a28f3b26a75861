// Package server is the web server of the daemon: its listeners, its routes, and their
// protection.
//
// # Model
//
// A Handler has the routes. It mounts the metrics, the API and the page, which show the
// data that Options provide, and answers /-/healthy, /-/ready, /-/status and /-/reload
// itself. A Server listens: it has one HTTP server per address, with TLS and passwords
// from the configuration file of exporter-toolkit, and stops all of them together.
//
// # Guarantees
//
//   - Before everything has been read, /metrics and the API answer 503: partial numbers
//     would look like a reset of all counters.
//   - A request with an unknown Host header is rejected on loopback addresses, see
//     hostCheck, and a cross-site request that would change something on all addresses.
//   - Responses are not cached, and other sites can neither read nor frame them. The
//     Content-Security-Policy of the page applies to all responses.
//   - The numbers of concurrent scrapes, requests to the API, requests for the page and
//     requests for sessions are limited, each apart, slow clients included. Clients
//     that are too slow, or read hardly anything in some seconds, are disconnected.
//   - Of each source and reason one warning a minute is logged, see NewRareHandler.
//   - When Run has returned, every listener is closed. Requests have a few seconds to
//     complete.
package server
