package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors/version"
)

// A Daemon is the daemon's own health. Its fields may be used by several
// goroutines at once.
type Daemon struct {
	Files           *prometheus.GaugeVec // by kind: session, subagent
	Backlog         prometheus.Gauge     // bytes
	UnreadableFiles prometheus.Gauge
	IngestLag       prometheus.Histogram // seconds
	Ready           prometheus.Gauge     // 1 once caught up

	Checkpoints           prometheus.Counter
	CheckpointFailures    prometheus.Counter
	CheckpointLastSuccess prometheus.Gauge // seconds since the epoch
	CheckpointSize        prometheus.Gauge // bytes
	StateDamaged          prometheus.Counter
	StateLost             prometheus.Counter
	WriteBlocked          prometheus.Gauge // 1 while the state cannot be written

	ScanDuration prometheus.Histogram // seconds
	watch        watch

	RemoteWriteSamples     *prometheus.CounterVec // by name of the endpoint
	RemoteWriteFailures    *prometheus.CounterVec // by name and reason
	RemoteWriteLastSuccess *prometheus.GaugeVec   // seconds since the epoch, by name

	reloadSuccessful prometheus.Gauge
	reloadSuccess    prometheus.Gauge
}

// NewDaemon returns a Daemon whose families are registered with reg, together
// with ccwatchd_build_info. It panics if they are registered already.
//
// A daemon only comes to life with a configuration that could be read, so the
// families about that begin with a success.
func NewDaemon(reg prometheus.Registerer) *Daemon {
	f := factory{reg}
	d := &Daemon{
		Files:           f.gauges("files", "Transcripts that are there, by whose they are.", "kind"),
		Backlog:         f.gauge("backlog_bytes", "Bytes of transcripts on disk that were not read yet, such as lines that are only half written."),
		UnreadableFiles: f.gauge("unreadable_files", "Transcripts that could not be read when it was tried last; every walk tries again."),
		IngestLag: f.histogram("ingest_lag_seconds", "Time from the modification of a file to its lines being counted.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300),
		Ready: f.gauge("ready", "1 once everything that was there at the start has been read, 0 before."),

		Checkpoints:           f.counter("checkpoints_total", "Snapshots of the state written."),
		CheckpointFailures:    f.counter("checkpoint_failures_total", "Times that the state could not be written, be it a snapshot, the journal between two, or a sync of it."),
		CheckpointLastSuccess: f.gauge("checkpoint_last_success_timestamp_seconds", "Time of the newest snapshot of the state, in seconds since the epoch; 0 before the first."),
		CheckpointSize:        f.gauge("checkpoint_size_bytes", "Size of the newest snapshot of the state."),
		StateDamaged:          f.counter("state_damaged_total", "Parts of the state that could not be read at the start; they are set aside, and what they held is counted anew from the transcripts that are left."),
		StateLost:             f.counter("state_lost_total", "Times that the state was found removed, replaced or out of reach while it was in use; it is written anew."),
		WriteBlocked:          f.gauge("state_write_blocked", "Whether exported counters are paused because the state cannot be written (1) or not (0). Events keep being counted."),

		ScanDuration: f.histogram("scan_duration_seconds", "Duration of walks of the directories of transcripts.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30),

		RemoteWriteSamples:     f.counters("remote_write_samples_total", "Samples that a remote-write endpoint has taken.", "name"),
		RemoteWriteFailures:    f.counters("remote_write_failures_total", "Requests to a remote-write endpoint that failed, by the reason; what they held is in later ones, as far as it still matters.", "name", "reason"),
		RemoteWriteLastSuccess: f.gauges("remote_write_last_success_timestamp_seconds", "Time of the last request that a remote-write endpoint has taken, in seconds since the epoch; 0 before the first.", "name"),

		reloadSuccessful: f.gauge("config_last_reload_successful", "1 if the configuration could be read when it was tried last, 0 if not."),
		reloadSuccess:    f.gauge("config_last_reload_success_timestamp_seconds", "Time when the configuration was read with success last, in seconds since the epoch."),
	}
	d.watch.register(f)
	reg.MustRegister(version.NewCollector(namespace))
	d.Files.WithLabelValues("session")
	d.Files.WithLabelValues("subagent")
	d.Reloaded(time.Now())
	return d
}

// Reloaded notes that the configuration was read with success at the given
// time.
func (d *Daemon) Reloaded(now time.Time) {
	d.reloadSuccessful.Set(1)
	d.reloadSuccess.Set(float64(now.UnixMilli()) / 1000)
}

// ReloadFailed notes that the configuration could not be read, so that the one
// before stays in force.
func (d *Daemon) ReloadFailed() { d.reloadSuccessful.Set(0) }

const namespace = "ccwatchd"

// A factory makes metrics of the daemon and registers them.
type factory struct{ prometheus.Registerer }

func (f factory) counter(name, help string) prometheus.Counter {
	return registered(f, prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}))
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return registered(f, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels))
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	return registered(f, prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}))
}

func (f factory) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return registered(f, prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels))
}

func (f factory) histogram(name, help string, bounds ...float64) prometheus.Histogram {
	return registered(f, prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds}))
}

func registered[C prometheus.Collector](f factory, c C) C {
	f.MustRegister(c)
	return c
}
