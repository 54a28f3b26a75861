// Generate writes Grafana's dashboards for ccwatchd into ../dashboards, as JSON
// of the classic schema, which Grafana 10 to 13 import:
//
//	go run -C packaging/grafana/generate .
//
// There is a file for each dashboard. It says what the panels ask and what a
// person should make of the answer, and nothing else: the matchers of the
// variables, the colours and the places on the page are added here, the same way
// for all. Which variables a family can be narrowed by is taken from
// docs/metrics.md, so a name that does not exist is an error.
//
// The tests hold the files to what a dashboard must be: not older than this
// program, valid without a single unknown field, every expression parsed by
// Prometheus's own parser, and the rules of Grafana's linter.
//
// It is a module of its own, so that nothing of what it needs becomes a part of
// the daemon.
package main
