// Package endtoend runs ccwatchd together with the programs that others make
// and that people use with it: Prometheus, a present one and an old one,
// Alertmanager and VictoriaMetrics.
//
// [Program] finds a program, and has it built or fetched if need be; what the
// programs are, and which versions, is in servers. A [Server] is one that runs: it
// lives in a directory of its own and on a port that stays its own, so that it
// can be killed and started again. It is asked over HTTP, and [Server.Query] has
// what it answers.
//
// The tests have the build tag endtoend, since they take minutes:
//
//	make endtoend
package endtoend
