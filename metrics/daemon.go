package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// A Daemon contains the metrics of the daemon's own health. They are safe for
// concurrent use.
type Daemon struct {
	Files           *prometheus.GaugeVec // by kind: session, subagent
	Backlog         prometheus.Gauge     // bytes
	UnreadableFiles prometheus.Gauge
	SkippedLinks    *prometheus.GaugeVec // by reason
	ForgottenKeys   prometheus.Counter
	Archives        prometheus.Gauge     // compressed transcripts
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
	watch        watchTotals

	RemoteWriteSamples     *prometheus.CounterVec // by name of the endpoint
	RemoteWriteFailures    *prometheus.CounterVec // by name and reason
	RemoteWriteLastSuccess *prometheus.GaugeVec   // seconds since the epoch, by name
	RemoteWriteHistory     *prometheus.CounterVec // samples, by name and result

	reloadSuccessful prometheus.Gauge
	reloadSuccess    prometheus.Gauge
}

// NewDaemon returns a Daemon and registers its families and ccwatchd_build_info with
// reg. It panics if they are already registered.
//
// A daemon starts only with a valid configuration, so the reload metrics begin with a
// success.
func NewDaemon(reg prometheus.Registerer) *Daemon {
	f := factory{promauto.With(reg)}
	d := &Daemon{
		Files: f.gauges("files", "Number of transcript files present, by kind.", "kind"),
		Backlog: f.gauge("backlog_bytes",
			"Bytes of transcripts on disk that have not been read yet, such as incomplete lines."),
		UnreadableFiles: f.gauge("unreadable_files",
			"Number of transcript files that could not be read at the last attempt."),
		SkippedLinks: f.gauges("skipped_links",
			"Number of symbolic links below sources that are not followed, by reason.", "reason"),
		ForgottenKeys: f.counter("forgotten_keys_total",
			"Number of deduplication keys forgotten early, since their source had too many."),
		Archives: f.gauge("compressed_files",
			"Number of compressed transcript files below sources, which the daemon does not read."),
		IngestLag: f.histogram("ingest_lag_seconds", "Time from the modification of a file until its lines are counted.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300),
		Ready: f.gauge("ready", "Whether everything present at the start has been read (1) or not (0)."),

		Checkpoints: f.counter("checkpoints_total", "Number of snapshots of the state written."),
		CheckpointFailures: f.counter("checkpoint_failures_total",
			"Number of failures to write or sync a snapshot of the state or the journal."),
		CheckpointLastSuccess: f.gauge("checkpoint_last_success_timestamp_seconds",
			"Unix time of the newest snapshot of the state, or 0 before the first."),
		CheckpointSize: f.gauge("checkpoint_size_bytes", "Size of the newest snapshot of the state."),
		StateDamaged: f.counter("state_damaged_total",
			"Number of parts of the state that were unreadable at the start."),
		StateLost: f.counter("state_lost_total",
			"Number of times that the state was removed, replaced or inaccessible while in use."),
		WriteBlocked: f.gauge("state_write_blocked",
			"Whether exported counters are paused because the state cannot be written (1) or not (0)."),

		ScanDuration: f.histogram("scan_duration_seconds", "Duration of scans of the transcript directories.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30),

		RemoteWriteSamples: f.counters("remote_write_samples_total",
			"Number of samples accepted by a remote-write endpoint.", "remote_name"),
		RemoteWriteFailures: f.counters("remote_write_failures_total", "Number of failed requests to a remote-write "+
			"endpoint, by reason.", "remote_name", "reason"),
		RemoteWriteLastSuccess: f.gauges("remote_write_last_success_timestamp_seconds", "Unix time of the last "+
			"request accepted by a remote-write endpoint, or 0 before the first.", "remote_name"),
		RemoteWriteHistory: f.counters("remote_write_history_samples_total", "Number of past samples for a "+
			"remote-write endpoint after being offline, by result.", "remote_name", "result"),

		reloadSuccessful: f.gauge("config_last_reload_successful",
			"Whether the last attempt to load the configuration was successful (1) or not (0)."),
		reloadSuccess: f.gauge("config_last_reload_success_timestamp_seconds",
			"Unix time of the last successful load of the configuration."),
	}
	d.watch.register(f)
	reg.MustRegister(version.NewCollector(namespace))
	d.Files.WithLabelValues("session")
	d.Files.WithLabelValues("subagent")
	for _, reason := range []string{"dangling", "file", "loop", "nested", "owner"} { // of package watcher
		d.SkippedLinks.WithLabelValues(reason)
	}
	d.Reloaded(time.Now())
	return d
}

// Reloaded records a successful load of the configuration.
func (d *Daemon) Reloaded(now time.Time) {
	d.reloadSuccessful.Set(1)
	d.reloadSuccess.Set(float64(now.UnixMilli()) / 1000)
}

// ReloadFailed records that the configuration could not be loaded.
func (d *Daemon) ReloadFailed() { d.reloadSuccessful.Set(0) }

const namespace = "ccwatchd"

// A factory creates and registers metrics of the daemon.
type factory struct{ promauto.Factory }

func (f factory) counter(name, help string) prometheus.Counter {
	return f.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	return f.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return f.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (f factory) histogram(name, help string, bounds ...float64) prometheus.Histogram {
	return f.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds})
}
