package main

import "fmt"

// full are the thresholds of the used part of a limit.
var full = thresholds{colors: []string{"green", "yellow", "red"}, at: []float64{0.7, 0.9}}

// limitsNow shows how full each limit is, and when it resets.
func limitsNow() panel {
	return panel{
		kind: table, title: "Usage limits now", unit: ratio, width: 12, height: 7, max: 1, thresholds: full,
		noValue: `Claude Code's status line reports them: see docs/terminal.md`,
		labels:  []string{"user", "window"}, sortBy: "Used",
		description: `Used part of each usage limit of a subscription, its part at the reset at the mean pace of the window so ` +
			`far, and the time of the reset. "ccwatchd statusline" hands them over: see docs/terminal.md. Above 100 %, the ` +
			`limit will be full before it resets: run fewer sessions at once, or smaller models.`,
		targets: []query{
			{expr: `max by (user, window) (claude_limit_used_ratio)`, name: "Used", gauge: true},
			{expr: forecasts, name: "At the reset", width: 110},
			{expr: `1000 * max by (user, window) (claude_limit_reset_timestamp_seconds)`, name: "Reset", unit: ago, width: 130},
		},
	}
}

// windowNames are the mappings from the label to the names on the page.
func windowNames() []any {
	return []any{
		map[string]any{"type": "value", "options": map[string]any{
			"five_hour": map[string]any{"text": "5 hours", "index": 0},
			"seven_day": map[string]any{"text": "Week", "index": 1},
		}},
		map[string]any{"type": "regex", "options": map[string]any{
			"pattern": "^seven_day_(.+)$", "result": map[string]any{"text": "Week, $1", "index": 2},
		}},
	}
}

// usageLimits shows how full the limits of subscriptions were, and will be.
func usageLimits() panel {
	return panel{
		kind: timeSeries, title: "Usage limits", unit: ratio, width: 24, height: 8, noValue: "no status line",
		thresholds: thresholds{colors: []string{"green", "red"}, at: []float64{1}},
		description: `Used part of usage limits, if "ccwatchd statusline" hands them over: see docs/terminal.md. The forecast of ` +
			"windows of five hours and of a week, dashed, is the part at the reset, at the mean pace of the window so far: above " +
			"100 %, the limit will be full before it resets.",
		targets: []query{
			{expr: `max by (user, window) (claude_limit_used_ratio)`, name: "{{window}} {{user}}"},
			{expr: forecasts, name: "{{window}} {{user}}: forecast", dashed: true},
		},
	}
}

// forecasts are the used parts of windows of known length at their reset.
var forecasts = `max by (user, window) (` + forecast("five_hour", 5*3600) + ` or ` + forecast("seven_day.*", 7*24*3600) + `)`

// forecast is the used part of windows at their reset, once a tenth of it has passed.
// They have that many seconds.
func forecast(window string, seconds int) string {
	return fmt.Sprintf(`%[2]d * claude_limit_used_ratio{window=~"%[1]s"} / `+
		`(%[2]d - (claude_limit_reset_timestamp_seconds{window=~"%[1]s"} - time()) > %[3]d)`, window, seconds, seconds/10)
}
