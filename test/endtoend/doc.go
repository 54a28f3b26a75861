// Package endtoend runs ccwatchd together with the programs that people use with it:
// Prometheus, a current and an old one, Alertmanager and VictoriaMetrics.
//
// [Program] finds a program, and builds or fetches it if necessary; the directory
// servers pins the versions. A [Server] is a running program with its own directory and
// port, so that it can be killed and restarted. [Server.Query] evaluates PromQL.
//
// The tests have the build tag endtoend, since they take minutes:
//
//	make endtoend
package endtoend
