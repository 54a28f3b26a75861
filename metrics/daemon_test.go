package metrics

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// valueOf returns the value of the only series of a family, or the count of a
// histogram.
func valueOf(t *testing.T, families map[string]*dto.MetricFamily, name string) float64 {
	t.Helper()
	f := families[name]
	if len(f.GetMetric()) != 1 {
		t.Fatalf("%s has %d series, want 1", name, len(f.GetMetric()))
	}
	m := f.GetMetric()[0]
	return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
}

// checkValues checks the values of families with one series.
func checkValues(t *testing.T, reg *prometheus.Registry, values map[string]float64) {
	t.Helper()
	families := gather(t, reg)
	for name, want := range values {
		if got := valueOf(t, families, "ccwatchd_"+name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestDaemonAtStart(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	before := time.Now()
	NewDaemon(reg)
	lint(t, reg)
	checkValues(t, reg, map[string]float64{
		"backlog_bytes": 0, "unreadable_files": 0, "unreadable_directories": 0, "ingest_lag_seconds": 0, "ready": 0,
		"watch_events_total": 0, "watch_overflows_total": 0, "watched_directories": 0, "watch_polling": 0,
		"scans_total": 0, "scan_duration_seconds": 0, "checkpoints_total": 0, "checkpoint_failures_total": 0,
		"checkpoint_last_success_timestamp_seconds": 0, "checkpoint_size_bytes": 0,
		"state_damaged_total": 0, "state_lost_total": 0, "state_write_blocked": 0,
		"config_last_reload_successful": 1, "build_info": 1,
	})
	families := gather(t, reg)
	files := make(map[string]float64)
	for _, m := range families["ccwatchd_files"].GetMetric() {
		files[value(m, "kind")] = m.GetGauge().GetValue()
	}
	if want := map[string]float64{"session": 0, "subagent": 0}; !maps.Equal(files, want) {
		t.Errorf("files: got %v, want %v", files, want)
	}
	got := valueOf(t, families, "ccwatchd_config_last_reload_success_timestamp_seconds")
	if got < float64(before.Unix()) {
		t.Errorf("time of the last reload: got %v, want at least %v", got, before.Unix())
	}
}

func TestDaemonReload(t *testing.T) {
	reg := prometheus.NewRegistry()
	d := NewDaemon(reg)
	check := func(successful, success float64) {
		t.Helper()
		checkValues(t, reg, map[string]float64{
			"config_last_reload_successful":                successful,
			"config_last_reload_success_timestamp_seconds": success,
		})
	}
	d.Reloaded(time.UnixMilli(1500))
	check(1, 1.5)
	d.ReloadFailed()
	check(0, 1.5)
	d.Reloaded(time.UnixMilli(2500))
	check(1, 2.5)
}

func TestDaemonWatch(t *testing.T) {
	reg := prometheus.NewRegistry()
	d := NewDaemon(reg)
	first := WatchStats{Events: 5, Overflows: 1, Scans: 2, Watched: 9, Unreadable: 3, Polling: true}
	d.Watch(func() WatchStats { return first })
	checkValues(t, reg, map[string]float64{
		"watch_events_total": 5, "watch_overflows_total": 1, "scans_total": 2,
		"watched_directories": 9, "unreadable_directories": 3, "watch_polling": 1,
	})
	first.Events = 7
	d.Watch(func() WatchStats { return WatchStats{Events: 10, Scans: 1, Watched: 4} })
	checkValues(t, reg, map[string]float64{
		"watch_events_total": 17, "watch_overflows_total": 1, "scans_total": 3,
		"watched_directories": 4, "unreadable_directories": 0, "watch_polling": 0,
	})
	d.Watch(func() WatchStats { return WatchStats{} })
	checkValues(t, reg, map[string]float64{"watch_events_total": 17, "watch_overflows_total": 1, "scans_total": 3})
}

func TestWriteTextFailures(t *testing.T) {
	broken := sample()
	calls := &broken.Families[0]
	calls.Samples = append(calls.Samples, calls.Samples[0])
	var b strings.Builder
	if err := exposition(broken).WriteText(&b); !errors.Is(err, errDuplicate) || b.Len() > 0 {
		t.Errorf("got %v and %q, want an error and no output", err, b.String())
	}
	full := errors.New("disk full")
	if err := exposition(sample()).WriteText(failingWriter{full}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
