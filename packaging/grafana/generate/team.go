package main

import "strings"

// teamName is the dashboard of a fleet. Every series on it has the labels user and
// host.
const teamName = "team"

// machine are the labels of a machine.
const machine = "user, host, instance"

// team shows many people and machines that send to one server: their usage, and silent
// or old daemons.
func team() board {
	const noValue = "no usage"
	return board{
		name:  teamName,
		title: "Team",
		description: "What each user and machine of a fleet uses, what it is worth, and which machines have stopped sending. " +
			"The labels user and host are those of remote_write, or of sources.",
		panels: []panel{
			{
				kind: stat, title: "Totals", unit: count, width: 24, height: 4, noValue: "–",
				description: estimate + "Users and machines with at least one request, and what they used. The fractions of cache hits and of " +
					"failed tool calls need at least ten requests or calls.",
				targets: []query{
					{expr: total("increase", "", "$__range", costUSD), name: "Cost", unit: usd},
					{expr: active("user", "$__range"), name: "Users"},
					{expr: active(machine, "$__range"), name: "Machines"},
					{expr: increase("", `claude_sessions_total`), name: "Sessions"},
					{expr: increase("", output), name: "Output", unit: tokens},
					{expr: increase("", freshInput), name: "Fresh input", unit: tokens},
					{expr: hitRatio("", "$__range"), name: "Cache hits", unit: ratio},
					{expr: fraction("", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Tool errors", unit: ratio},
				},
			},
			users().requiring("user", noUser),
			topTenPerDay("user", "users.").requiring("user", noUser),
			topTenPerDay("host", "machines.").requiring("host", "no label host: see docs/remote-write.md"),
			machines(),
			{
				kind: timeSeries, title: "Users and machines at work", unit: count, width: 8, height: 9, noValue: noValue,
				description: "Users and machines with requests at a time. More users than people is a shared or mistyped label: see " +
					"the configuration of the machines in the list above.",
				targets: []query{
					{expr: active("user", "$__rate_interval"), name: "users"},
					{expr: active(machine, "$__rate_interval"), name: "machines"},
				},
			},
			{
				kind: timeSeries, title: "Daemons", unit: count, width: 8, height: 9, noValue: "no daemon",
				description: "Number of daemons that are scraped or send. It falls when people close their laptops; a sudden fall to a " +
					"fraction is the network, the credentials, or a limit of the server.",
				targets: []query{{expr: `count(ccwatchd_build_info)`, name: "daemons"}},
			},
			{
				kind: table, title: "Versions", unit: count, width: 8, height: 9, noValue: "no daemon", labels: []string{"version"},
				description: "Number of daemons by version. Versions may count differently where the changelog mentions it: update old " +
					"ones before you compare their users.",
				targets: []query{{expr: `count by (version) (ccwatchd_build_info)`, name: "Daemons"}},
			},
			{
				kind: table, title: "Silent daemons", unit: ago, width: 24, height: 6, noValue: "all daemons send", labels: strings.Split(machine, ", "),
				description: "Daemons that sent in the time range, but not in the last fifteen minutes, and when they last did. The machine is " +
					"off or without network, or see the log of its daemon; what it counts arrives when it sends again. " +
					"Scraped daemons are not listed: see Daemon.",
				targets: []query{{
					expr: `1000 * max by (` + machine + `) (last_over_time(ccwatchd_remote_write_last_success_timestamp_seconds[$__range]) < time() - 900)`,
					name: "Last sent", width: 150,
				}},
			},
		},
	}
}

// active is the number of different labels with a request in a window.
func active(by, window string) string {
	return "count(" + total("increase", by, window, `claude_requests_total`) + " > 0)"
}

// users is a table of the usage by user.
func users() panel {
	const (
		by     = "user"
		narrow = 80 // so that the other headings of eleven columns fit
	)
	return panel{
		kind: table, title: "Users", unit: count, width: 24, height: 9, noValue: "no usage", labels: []string{by},
		description: estimate + "All machines of a user together. A low fraction of cache hits is a habit worth talking about, " +
			"such as many short sessions: see Cache and context.",
		targets: []query{
			{expr: positive(total("increase", by, "$__range", costUSD)), name: "Cost", unit: usd},
			{expr: used(by, output), name: "Output", unit: tokens},
			{expr: used(by, freshInput), name: "Fresh input", unit: tokens},
			{expr: used(by, cachedInput), name: "Cached input", unit: tokens},
			{expr: hitRatio(by, "$__range"), name: "Cache hits", unit: ratio},
			{expr: used(by, `claude_sessions_total`), name: "Sessions", width: narrow},
			{expr: used(by, prompts), name: "Prompts", width: narrow},
			{expr: fraction(by, `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Tool errors", unit: ratio},
			{expr: used(by, `claude_commits_total`), name: "Commits", width: narrow},
			{expr: used(by, `claude_pull_requests_total`), name: "Pull requests"},
		},
	}
}

// machines is a table of the usage by machine. Most users have one machine, so it does
// not repeat the columns of users.
func machines() panel {
	return panel{
		kind: table, title: "Machines", unit: count, width: 24, height: 9, noValue: "no usage", labels: strings.Split(machine, ", "),
		description: estimate + "Each machine by itself, such as the build server and the laptop of a user. A machine that " +
			"is missing has not been used in the time range, or is listed under Silent daemons.",
		targets: []query{
			{expr: positive(total("increase", machine, "$__range", costUSD)), name: "Cost", unit: usd},
			{expr: used(machine, `claude_requests_total`), name: "Requests"},
			{expr: lastActivity(machine), name: "Last activity", unit: ago, width: 150},
		},
	}
}

// lastActivity is the time of the last line, in milliseconds, where there are requests.
func lastActivity(by string) string {
	return `1000 * max by (` + by + `) (claude_last_activity_timestamp_seconds) and ` + used(by, `claude_requests_total`)
}
