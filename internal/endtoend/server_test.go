//go:build endtoend

package endtoend

import (
	"testing"
	"time"
)

// Every server starts, is killed, restarts with the same address, and evaluates a
// query.
func TestServers(t *testing.T) {
	for _, s := range []struct {
		name    string
		make    func(t testing.TB) *Server
		queries bool
	}{
		{Prometheus, func(t testing.TB) *Server { return NewPrometheus(t, "Prometheus 3", Prometheus, "") }, true},
		{OldPrometheus, func(t testing.TB) *Server { return NewPrometheus(t, "Prometheus 2", OldPrometheus, "") }, true},
		{VictoriaMetrics, func(t testing.TB) *Server { return NewVictoriaMetrics(t, "") }, true},
		{Alertmanager, func(t testing.TB) *Server {
			return NewAlertmanager(t, "{route: {receiver: none}, receivers: [{name: none}]}")
		}, false},
	} {
		t.Run(s.name, func(t *testing.T) {
			server := s.make(t)
			server.Start(t)
			server.Kill(t)
			server.Start(t)
			if s.queries {
				got, err := server.Query(t.Context(), "vector(40) + 2", time.Now())
				if err != nil || len(got) != 1 || len(got[0].Samples) != 1 || got[0].Samples[0].Value != 42 {
					t.Errorf("got %v, %v", got, err)
				}
			}
			server.Stop(t)
		})
	}
}
