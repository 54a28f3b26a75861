package main

// daemon is whether ccwatchd itself is well, and so all the rest to be believed.
func daemon() board {
	const none = "no daemon was scraped in this time"
	failed := levels{colors: []string{"green", "red"}, at: []float64{1}}
	return board{
		name:  daemonName,
		title: "Daemon",
		about: "Whether ccwatchd reads everything, closely and in full, and what it needs for it.",
		panels: []panel{
			{
				kind: list, title: "Daemons", unit: count, width: 24, tall: 6, none: "no daemon is scraped", rows: []string{"instance", "version"},
				about: "Every daemon: whether it is ready, how many files it follows, how much it has still to read, and what it takes. One that is missing here does not run, or is not scraped: " +
					"see Status, Targets in Prometheus. Different versions count differently where the release notes say so.",
				ask: []query{
					{expr: withVersion(`ccwatchd_ready`), name: "Ready", unit: truth},
					{expr: withVersion(`ccwatchd_state_write_blocked`), name: "Writes blocked", unit: truth},
					{expr: withVersion(`ccwatchd_files`), name: "Files"},
					{expr: withVersion(`ccwatchd_backlog_bytes`), name: "Backlog", unit: size},
					{expr: withVersion(`ccwatchd_watch_polling`), name: "Polls", unit: truth},
					{expr: withVersion(`process_resident_memory_bytes`), name: "Memory", unit: size},
					{expr: withVersion(`time() - process_start_time_seconds`), name: "Runs for", unit: seconds},
				},
			},
			{
				kind: numbers, title: "What should be zero", unit: count, width: 24, tall: 4, none: "0", good: failed,
				about: "Faults in the chosen time, of all daemons, and what cannot be read now. The log of the daemon says which file or directory it is, and the page on operations what to do. " +
					"Unknown things may have to be counted, and are not: their names are in the log and at /-/status.",
				ask: []query{
					{expr: `sum(ccwatchd_unreadable_files) + sum(ccwatchd_unreadable_directories)`, name: "Unreadable"},
					{expr: counted(`ccwatchd_line_errors_total`), name: "Bad lines"},
					{expr: counted(`ccwatchd_unknown_format_total{kind=~"type|stop_reason|usage_key|iteration|block|error"}`), name: "Unknown"},
					{expr: counted(`ccwatchd_label_overflow_total`), name: "Labels full"},
					{expr: counted(`ccwatchd_checkpoint_failures_total`), name: "State not written"},
					{expr: counted(`ccwatchd_state_damaged_total`), name: "State damaged"},
					{expr: counted(`ccwatchd_state_lost_total`), name: "State lost"},
					{expr: `sum(1 - ccwatchd_config_last_reload_successful)`, name: "Reload failed"},
				},
			},
			{
				kind: lines, title: "Scrapes answered", unit: ratio, width: 12, tall: 7, none: none, whole: true,
				about: "Share of the scrapes that a daemon answered. It answers none while it catches up after a start, which is seconds; a longer gap is in its log.",
				ask:   []query{{expr: `min by (instance) (avg_over_time(up[$__rate_interval]) and on (job, instance) last_over_time(ccwatchd_build_info[$__range]))`, name: "{{instance}}"}},
			},
			{
				kind: lines, title: "Delay", unit: seconds, width: 12, tall: 7, none: "nothing was written in this time",
				about: "Time from a file's modification to its lines being counted. Well below a second with notifications, about a second by polling; minutes mean that the machine is too busy.",
				ask: []query{
					{expr: quantile("0.5", "", "$__rate_interval", `ccwatchd_ingest_lag_seconds_bucket`), name: "half"},
					{expr: quantile("0.99", "", "$__rate_interval", `ccwatchd_ingest_lag_seconds_bucket`), name: "99 of 100"},
				},
			},
			{
				kind: lines, title: "Backlog", unit: size, width: 8, tall: 7, none: none,
				about: "Bytes on disk that were not read yet. A few are half written lines; what stays, while bytes are read, is a line without an end or a file that cannot be read.",
				ask:   []query{{expr: `sum by (instance) (ccwatchd_backlog_bytes)`, name: "{{instance}}"}},
			},
			{
				kind: lines, title: "Read", unit: sizeSec, width: 8, tall: 7, none: none,
				about: "Bytes of transcripts read a second. It should follow the work; reading without work is a file that is read again and again: see the resets in the log.",
				ask:   []query{{expr: total("rate", "instance", "$__rate_interval", `ccwatchd_read_bytes_total`), name: "{{instance}}"}},
			},
			{
				kind: stacked, title: "Lines by type", unit: perMin, width: 8, tall: 7, none: none,
				about: "Lines read a minute by what Claude Code calls them, copies too. Those of type unknown are new in Claude Code; the panel above shows those that may have to be counted.",
				ask:   []query{{expr: largest("type", 60, `ccwatchd_lines_total`), name: "{{type}}"}},
			},
			{
				kind: events, title: "Things seen before", unit: perMin, width: 8, tall: 7, none: "nothing was repeated in this time",
				about: "What forks, resumed sessions and retries repeat, a minute, and what is therefore not counted again. A peak is a session that was resumed or a file that was read anew; " +
					"nothing needs to be done.",
				ask: []query{{expr: `60 * ` + total("rate", "kind", "$__rate_interval", `ccwatchd_duplicates_total`), name: "{{kind}}"}},
			},
			{
				kind: lines, title: "Watches", unit: count, width: 8, tall: 7, none: none,
				about: "Directories that notifications come from. None where changes are found by polling alone, as on a Mac or where the system's limit is reached: raise " +
					"fs.inotify.max_user_watches there. Polling costs a little, and loses nothing.",
				ask: []query{{expr: `sum by (instance) (ccwatchd_watched_directories)`, name: "{{instance}}"}},
			},
			{
				kind: lines, title: "Age of the snapshot", unit: seconds, width: 8, tall: 7, none: "no snapshot was written yet",
				about: "Time since the whole state was written last. Another snapshot is written when the journal, which covers the gap, is worth one: after minutes of much work, " +
					"or days of little. Whether that failed is said above; then see the log, and the disk.",
				ask: []query{{expr: `time() - max by (instance) (ccwatchd_checkpoint_last_success_timestamp_seconds > 0)`, name: "{{instance}}"}},
			},
			{
				kind: lines, title: "Memory", unit: size, width: 12, tall: 7, none: none,
				about: "Memory of the process. It has a peak at the first start and grows with the ids remembered, some 20 MB for a million; what only ever grows is worth a report.",
				ask:   []query{{expr: `max by (instance) (process_resident_memory_bytes` + ours + `)`, name: "{{instance}}"}},
			},
			{
				kind: lines, title: "Processor", unit: ratio, width: 12, tall: 7, none: none,
				about: "Share of one processor. Near zero while nobody works; a walk of the directories every half minute is all it does then.",
				ask:   []query{{expr: `sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval])` + ours + `)`, name: "{{instance}}"}},
			},
		},
	}
}

// ours leaves of what every program exposes only what the daemons do.
const ours = ` and on (job, instance) ccwatchd_build_info`

// withVersion sums by instance, and says with each which version it runs.
func withVersion(expr string) string {
	return `sum by (instance) (` + expr + ours + `) * on (instance) group_left (version) ` +
		`topk by (instance) (1, max by (instance, version) (ccwatchd_build_info))`
}
