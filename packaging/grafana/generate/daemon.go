package main

// daemon shows whether ccwatchd works, and so whether the other dashboards are right.
func daemon() board {
	const noValue = "no daemon was scraped"
	failed := thresholds{colors: []string{"green", "red"}, at: []float64{1}}
	return board{
		name:        daemonName,
		title:       "Daemon",
		description: "Health of ccwatchd: delay, completeness, state and resources.",
		panels: []panel{
			{
				kind: table, title: "Daemons", unit: count, width: 24, height: 6, noValue: "no daemon is scraped", labels: []string{"instance", "version"},
				description: "State, files, backlog and resources of every daemon. A missing daemon does not run or is not " +
					"scraped: see Status, Targets in Prometheus. Versions may count differently where the changelog " +
					"mentions it.",
				targets: []query{
					{expr: withVersion(`ccwatchd_ready`), name: "Ready", unit: truth},
					{expr: withVersion(`ccwatchd_state_write_blocked`), name: "Writes blocked", unit: truth},
					{expr: withVersion(`ccwatchd_files`), name: "Files"},
					{expr: withVersion(`ccwatchd_backlog_bytes`), name: "Backlog", unit: size},
					{expr: withVersion(`ccwatchd_watch_polling`), name: "Polling", unit: truth},
					{expr: withVersion(`process_resident_memory_bytes`), name: "Memory", unit: size},
					{expr: withVersion(`time() - process_start_time_seconds`), name: "Uptime", unit: seconds},
				},
			},
			{
				kind: stat, title: "Errors", unit: count, width: 24, height: 4, noValue: "–", thresholds: failed,
				description: "Errors of all daemons, and files or directories that are currently unreadable. The log of the " +
					"daemon names them, and the operations page explains what to do. Unknown data may have to be " +
					"counted but is not: the log and /-/status show its names.",
				targets: []query{
					{expr: `sum(ccwatchd_unreadable_files) + sum(ccwatchd_unreadable_directories)`, name: "Unreadable"},
					{expr: increaseOrZero(`ccwatchd_line_errors_total`), name: "Bad lines"},
					{expr: increaseOrZero(`ccwatchd_unknown_format_total{kind=~"type|stop_reason|usage_key|iteration|block|error"}`), name: "Unknown"},
					{expr: increaseOrZero(`ccwatchd_label_overflow_total`), name: "Label overflow"},
					{expr: increaseOrZero(`ccwatchd_checkpoint_failures_total`), name: "State not written"},
					{expr: increaseOrZero(`ccwatchd_state_damaged_total`), name: "State damaged"},
					{expr: increaseOrZero(`ccwatchd_state_lost_total`), name: "State lost"},
					{expr: `sum(1 - ccwatchd_config_last_reload_successful)`, name: "Reload failed"},
				},
			},
			{
				kind: timeSeries, title: "Successful scrapes", unit: ratio, width: 12, height: 9, noValue: noValue, max: 1,
				description: "Fraction of successful scrapes. A daemon fails scrapes while it catches up after a start, " +
					"usually for seconds; its log explains longer gaps.",
				targets: []query{{expr: `min by (instance) (avg_over_time(up[$__rate_interval]) and on (job, instance) last_over_time(ccwatchd_build_info[$__range]))`, name: "{{instance}}"}},
			},
			{
				kind: timeSeries, title: "Ingest delay", unit: plainSecs, width: 12, height: 9, noValue: "no data was written",
				description: "Percentiles of the time from the modification of a file until its lines are counted. Well below a second with file " +
					"system notifications, a second with polling, or half a minute for old files; minutes mean that the machine is overloaded.",
				targets: quantiles("", "", "$__rate_interval", `ccwatchd_ingest_lag_seconds_bucket`, ""),
			},
			{
				kind: timeSeries, title: "Backlog", unit: size, width: 8, height: 9, noValue: noValue,
				description: "Unread bytes on disk. A few are unterminated lines; a constant backlog while bytes are read is a " +
					"line without an end, or an unreadable file.",
				targets: []query{{expr: `sum by (instance) (ccwatchd_backlog_bytes)`, name: "{{instance}}"}},
			},
			{
				kind: timeSeries, title: "Bytes read", unit: sizeSec, width: 8, height: 9, noValue: noValue,
				description: "Bytes of transcripts read per second. It should follow usage; reads without usage mean that a " +
					"file is read repeatedly: see resets in the log.",
				targets: []query{{expr: total("rate", "instance", "$__rate_interval", `ccwatchd_read_bytes_total`), name: "{{instance}}"}},
			},
			{
				kind: timeSeries, title: "Snapshot age", unit: hours, width: 8, height: 9, noValue: "no snapshot yet",
				description: "Time since the last full snapshot of the state. The journal covers the time since then; a new " +
					"snapshot is written when the journal is large enough: after minutes of heavy usage, or days of " +
					"light usage. Errors above shows failures; see the log, and the disk.",
				targets: []query{{expr: `(time() - max by (instance) (ccwatchd_checkpoint_last_success_timestamp_seconds > 0)) / 3600`, name: "{{instance}}"}},
			},
			{
				kind: increases, title: "Lines by type", unit: count, width: 12, height: 9, noValue: noValue,
				description: "Lines read by the type that Claude Code writes, including copies. Lines of the type " +
					"unknown are new in Claude Code; Unknown, above, counts those that may have to be counted.",
				targets: []query{{expr: topTen("type", `ccwatchd_lines_total`), name: "{{type}}"}},
			},
			{
				kind: increases, title: "Duplicates", unit: count, width: 12, height: 9, noValue: "no duplicates",
				description: "Entries that forks, resumed sessions and retries repeat, and that are therefore not " +
					"counted again. A peak is a resumed session or a file that was read again; no action is needed.",
				targets: []query{{expr: perStep("kind", `ccwatchd_duplicates_total`), name: "{{kind}}"}},
			},
			{
				kind: timeSeries, title: "Watched directories", unit: count, width: 8, height: 9, noValue: noValue,
				description: "Directories with file system notifications. Zero where changes are found by checks, as on macOS " +
					"or at the limit of the system: raise fs.inotify.max_user_watches. Checks cost little and lose " +
					"nothing.",
				targets: []query{{expr: `sum by (instance) (ccwatchd_watched_directories)`, name: "{{instance}}"}},
			},
			{
				kind: timeSeries, title: "Memory", unit: size, width: 8, height: 9, noValue: noValue,
				description: "Resident memory of the process. It peaks at the first start and grows by about 20 MB per million " +
					"remembered ids; please report unlimited growth.",
				targets: []query{{expr: `max by (instance) (process_resident_memory_bytes` + ours + `)`, name: "{{instance}}"}},
			},
			{
				kind: timeSeries, title: "CPU", unit: ratio, width: 8, height: 9, noValue: noValue,
				description: "CPU time per second. Near zero without usage, when the daemon only scans directories every 30 " +
					"seconds.",
				targets: []query{{expr: `sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval])` + ours + `)`, name: "{{instance}}"}},
			},
		},
	}
}

// ours restricts metrics that every program exposes to ccwatchd.
const ours = ` and on (job, instance) ccwatchd_build_info`

// withVersion sums by instance, and adds the version of each.
func withVersion(expr string) string {
	return `sum by (instance) (` + expr + ours + `) * on (instance) group_left (version) ` +
		`topk by (instance) (1, max by (instance, version) (ccwatchd_build_info))`
}
