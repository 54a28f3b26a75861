// Generate writes Grafana's dashboards for ccwatchd into ../dashboards, as JSON
// of the classic schema, which Grafana 10.3 to 13 import:
//
//	go run -C packaging/grafana/generate .
//
// There is a Go file for each dashboard, with the queries and texts of its panels. The
// matchers of variables, colors and layout are added here, in the same way for all. The
// labels of a family are read from docs/metrics.md, so an unknown name is an error.
//
// The tests check that the JSON files are up to date and have no unknown field, parse
// every expression with Prometheus's parser, and apply the rules of Grafana's linter.
//
// It is a separate module, so that the daemon does not depend on its dependencies.
package main
