package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// numbersOf are the values of a family's series, by the value of their only
// label.
func numbersOf(f *dto.MetricFamily) map[string]float64 {
	all := make(map[string]float64)
	for _, m := range f.GetMetric() {
		var label string
		for _, l := range m.GetLabel() {
			label = l.GetValue()
		}
		all[label] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return all
}

func only(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	f := gather(t, reg)[name]
	if len(f.GetMetric()) != 1 {
		t.Fatalf("%s has %d series, want 1", name, len(f.GetMetric()))
	}
	return numbersOf(f)[""]
}

func TestDaemonFromTheStart(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	before := time.Now()
	NewDaemon(reg)
	lint(t, reg)
	if got := numbersOf(gather(t, reg)["ccwatchd_files"]); len(got) != 2 || got["session"] != 0 || got["subagent"] != 0 {
		t.Errorf("files: got %v", got)
	}
	for name, want := range map[string]float64{
		"ccwatchd_backlog_bytes": 0, "ccwatchd_unreadable_files": 0, "ccwatchd_unreadable_directories": 0,
		"ccwatchd_ingest_lag_seconds": 0, "ccwatchd_ready": 0,
		"ccwatchd_watch_events_total": 0, "ccwatchd_watch_overflows_total": 0,
		"ccwatchd_watched_directories": 0, "ccwatchd_watch_polling": 0,
		"ccwatchd_scans_total": 0, "ccwatchd_scan_duration_seconds": 0,
		"ccwatchd_checkpoints_total": 0, "ccwatchd_checkpoint_failures_total": 0,
		"ccwatchd_checkpoint_last_success_timestamp_seconds": 0, "ccwatchd_checkpoint_size_bytes": 0,
		"ccwatchd_state_damaged_total": 0, "ccwatchd_state_lost_total": 0, "ccwatchd_state_write_blocked": 0,
		"ccwatchd_config_last_reload_successful": 1,
	} {
		if got := only(t, reg, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if got := only(t, reg, "ccwatchd_config_last_reload_success_timestamp_seconds"); got < float64(before.Unix()) {
		t.Errorf("the configuration was read at %v, want %v or later", got, before.Unix())
	}
	if got := len(gather(t, reg)["ccwatchd_build_info"].GetMetric()); got != 1 {
		t.Errorf("got %d series of build_info, want 1", got)
	}
}

func TestDaemonReload(t *testing.T) {
	const successful, success = "ccwatchd_config_last_reload_successful", "ccwatchd_config_last_reload_success_timestamp_seconds"
	reg := prometheus.NewRegistry()
	d := NewDaemon(reg)
	check := func(wantSuccessful, wantSuccess float64) {
		t.Helper()
		if got := only(t, reg, successful); got != wantSuccessful {
			t.Errorf("successful: got %v, want %v", got, wantSuccessful)
		}
		if got := only(t, reg, success); got != wantSuccess {
			t.Errorf("time of success: got %v, want %v", got, wantSuccess)
		}
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
	check := func(want map[string]float64) {
		t.Helper()
		for name, n := range want {
			if got := only(t, reg, "ccwatchd_"+name); got != n {
				t.Errorf("%s: got %v, want %v", name, got, n)
			}
		}
	}
	first := WatchStats{Events: 5, Overflows: 1, Scans: 2, Watched: 9, Unreadable: 3, Polling: true}
	d.Watch(func() WatchStats { return first })
	check(map[string]float64{
		"watch_events_total": 5, "watch_overflows_total": 1, "scans_total": 2,
		"watched_directories": 9, "unreadable_directories": 3, "watch_polling": 1,
	})
	first.Events = 7
	d.Watch(func() WatchStats { return WatchStats{Events: 10, Scans: 1, Watched: 4} })
	check(map[string]float64{
		"watch_events_total": 17, "watch_overflows_total": 1, "scans_total": 3,
		"watched_directories": 4, "unreadable_directories": 0, "watch_polling": 0,
	})
	d.Watch(func() WatchStats { return WatchStats{} })
	check(map[string]float64{"watch_events_total": 17, "watch_overflows_total": 1, "scans_total": 3})
}

func TestWriteTextFailures(t *testing.T) {
	broken := sample()
	calls := &broken.Families[0]
	calls.Samples = append(calls.Samples, calls.Samples[0])
	var b strings.Builder
	if err := exposition(broken).WriteText(&b); !errors.Is(err, errDuplicate) || b.Len() > 0 {
		t.Errorf("got %v and %q, want an error and nothing written", err, b.String())
	}
	full := errors.New("disk full")
	if err := exposition(sample()).WriteText(failingWriter{full}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
