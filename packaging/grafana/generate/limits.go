package main

import "fmt"

// usageLimits shows how full the limits of subscriptions are, and will be.
func usageLimits() panel {
	full := levels{colors: []string{"green", "red"}, at: []float64{1}}
	return panel{
		kind: lines, title: "Usage limits", unit: ratio, width: 24, tall: 8, none: "no status line", good: full,
		about: `Used part of usage limits, if "ccwatchd statusline" hands them over: see docs/statusline.md. The forecast of ` +
			"windows of five hours and of a week, dashed, is the part at the reset, at the mean pace of the window so far: above " +
			"100 %, the limit will be full before it resets.",
		ask: []query{
			{expr: `max by (user, window) (claude_limit_used_ratio)`, name: "{{window}} {{user}}"},
			{expr: `max by (user, window) (` + forecast("five_hour", 5*3600) + ` or ` + forecast("seven_day.*", 7*24*3600) + `)`, name: "{{window}} {{user}}: forecast", dashed: true},
		},
	}
}

// forecast is the used part of windows at their reset, once a tenth of it has passed.
// They have that many seconds.
func forecast(window string, seconds int) string {
	return fmt.Sprintf(`%[2]d * claude_limit_used_ratio{window=~"%[1]s"} / `+
		`(%[2]d - (claude_limit_reset_timestamp_seconds{window=~"%[1]s"} - time()) > %[3]d)`, window, seconds, seconds/10)
}
