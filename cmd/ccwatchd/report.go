package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/report"
)

// timesHelp describes the values of --since and --until.
const timesHelp = `Times are one of:

  2026-01-31, 2026-01     a day, also 20260131, or a month; --until includes it
  today, yesterday
  7d, 2w, 1y              the last 7, 14 or 365 days, of which today is the last
  12h, 90m                twelve hours ago, 90 minutes ago
  2026-01-31T15:04:05Z    a time in RFC 3339
  all                     no limit`

const reportHelp = `It asks the running daemon. Without one, or with paths, it reads the session files, as "ccwatchd once" does; Claude Code deletes those after 30 days, while the daemon remembers.

--by takes one of 5m, hour, day, week, month and total, and any labels: project, model, agent, tool, mcp_server, and those of the sources in the configuration; or session, for the 1,000 most expensive sessions, whose use counts from a full or half hour on. Without --since, the report covers the 30 days, 12 weeks or 12 months before --until, or its last day by hour. ` + timesHelp + `

Examples:

  ccwatchd report                           each of the last 30 days
  ccwatchd report --by project --since 7d   the projects of a week, the most expensive first
  ccwatchd report --by month,model --since all
  ccwatchd report --by month --month-start 7    months from the 7th on
  ccwatchd report --by hour --project web   today, in one project
  ccwatchd report --model opus-5            one model, whatever the form of its id
  ccwatchd report --by session --since 2d   the sessions of two days and what they used in them
  ccwatchd report --by tool --since 2026-01 --until 2026-03
  ccwatchd report --where user=ann          with a label of the configuration
  ccwatchd report --csv >usage.csv          for a spreadsheet
  ccwatchd report --json --since 1d | jq .total.cost_usd
  ccwatchd report ~/backup/.claude          of other session files
  ccwatchd report --since today --over 50   only above 50 USD, with the exit code 1

Input tokens are uncached: tokens read from the cache and written to it have columns of their own. Models have their names, such as opus-4-8 for all ids of that model; JSON and CSV have both. In CSV, labels that begin like a formula of a spreadsheet (= + - @) have an apostrophe before them. A cost with a plus sign is a lower bound: some tokens are unknown or have no price. Then all projects have the plus sign, since it is unknown which project used the tokens.

Cost is an estimate by list price, and not the bill of a subscription.`

// A reportCommand holds the arguments of the command "report".
type reportCommand struct {
	daemon        target
	since, until  string
	zone          string
	weekStart     string
	monthStart    string
	by            []string
	project       []string
	model         []string
	where         []string
	asJSON, asCSV bool
	budget        budget
}

func (c *command) addReport() {
	var r reportCommand
	clause := c.add("report", "Print the cost and tokens of each day, project, model or tool.",
		func(stdout io.Writer, log *slog.Logger) (int, error) { return r.run(c, stdout, log, time.Now()) },
		targetFlags("config.file", "log.")...)
	clause.HelpLong(reportHelp)
	clause.Flag("since", "Beginning of the time to report. Default: see below.").PlaceHolder("TIME").StringVar(&r.since)
	clause.Flag("until", "End of the time to report. Default: now.").PlaceHolder("TIME").StringVar(&r.until)
	clause.Flag("by", "Period, labels, or both, separated by commas. Repeatable. Default: day.").PlaceHolder("NAME").StringsVar(&r.by)
	clause.Flag("project", "Only this project. Repeatable.").PlaceHolder("NAME").StringsVar(&r.project)
	clause.Flag("model", "Only this model, such as opus-5, whatever the form of its id; --where model=ID is for one id. Repeatable.").PlaceHolder("NAME").StringsVar(&r.model)
	clause.Flag("where", "Only this value of a label. Repeatable.").PlaceHolder("LABEL=VALUE").StringsVar(&r.where)
	clause.Flag("tz", "Time zone of days, such as Europe/Berlin. Default: the zone of this machine.").PlaceHolder("ZONE").StringVar(&r.zone)
	clause.Flag("week-start", "Day on which weeks begin, such as sunday. Default: monday.").PlaceHolder("DAY").StringVar(&r.weekStart)
	clause.Flag("month-start", "Day on which months begin, 1 to 28, such as that of an invoice. Default: 1.").PlaceHolder("DAY").StringVar(&r.monthStart)
	clause.Flag("json", "Print JSON, as /api/v1/usage responds, or with --by session as /api/v1/sessions.").BoolVar(&r.asJSON)
	clause.Flag("csv", "Print CSV with a header.").BoolVar(&r.asCSV)
	r.budget.addFlag(clause)
	r.daemon.addFlag(clause)
	clause.Arg("path", "Session files (also .gz and .zst), and directories with sessions, to read instead of asking the daemon.").StringsVar(&c.paths)
}

var (
	errFormats   = errors.New("--json and --csv are mutually exclusive")
	errWhere     = errors.New("expected LABEL=VALUE")
	errParameter = errors.New("a label with the name of a parameter of /api/v1/usage cannot be selected")
	errStart     = errors.New("--week-start is for --by week, and --month-start for --by month")
	errSteps     = errors.New("--by: more than one period")
)

// run prints the report. Invalid arguments have the exit code 2.
func (r *reportCommand) run(c *command, stdout io.Writer, log *slog.Logger, now time.Time) (int, error) {
	if r.asJSON && r.asCSV {
		return 2, errFormats
	}
	var err error
	if c.paths, err = r.takeWords(c.paths); err != nil {
		return 2, err
	}
	if err := r.budget.check(); err != nil {
		return 2, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if slices.Contains(api.SplitNames(r.by), bySession) {
		return r.runSessions(ctx, c, stdout, log, now)
	}
	parameters, err := r.parameters()
	if err != nil {
		return 2, err
	}
	q, err := api.ParseUsage(parameters, now, localZone())
	if err != nil {
		return 2, fmt.Errorf("--%w", err)
	}
	if r.since == "" {
		begin := defaultSince(q.Step, last(q, now).In(q.Location))
		parameters.Set("since", begin.Format(time.RFC3339))
	}
	u, incomplete, err := answer(ctx, c, &r.daemon, log, now, func(from source) (usage.Usage, error) { return r.usage(from, parameters, log) })
	if err != nil {
		return exitCode(err), err
	}
	return r.budget.print(&u, log, func() error { return r.print(c, stdout, &u) }, incomplete)
}

// last returns the last moment covered by a report.
func last(q usage.Query, now time.Time) time.Time {
	if q.Until.IsZero() || q.Until.After(now) {
		return now
	}
	return q.Until.Add(-time.Nanosecond)
}

// parameters returns the parameters of the request to the API.
func (r *reportCommand) parameters() (url.Values, error) {
	p := url.Values{}
	for name, value := range map[string]string{"since": r.since, "until": r.until, "tz": r.zone} {
		if value != "" {
			p.Set(name, value)
		}
	}
	if err := r.addBy(p); err != nil {
		return nil, err
	}
	for _, text := range r.where {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--where: %q: %w", text, errWhere)
		}
		if api.IsUsageParameter(name) {
			return nil, fmt.Errorf("--where: %q: %w", text, errParameter)
		}
		p.Add(name, value)
	}
	for name, values := range map[string][]string{"project": r.project, usage.ModelNameLabel: r.modelNames()} {
		for _, value := range values {
			p.Add(name, value)
		}
	}
	return p, nil
}

// addBy adds the period and the labels of --by to parameters.
func (r *reportCommand) addBy(p url.Values) error {
	for _, name := range api.SplitNames(r.by) {
		if name == usage.ModelLabel && !r.asJSON && !r.asCSV {
			name = usage.ModelNameLabel
		}
		step, err := usage.ParseStep(name)
		if err != nil {
			p.Add("by", name)
			continue
		}
		if p.Has("step") {
			return errSteps
		}
		if step, err = r.beginning(step); err != nil {
			return err
		}
		p.Set("step", string(step))
	}
	if !p.Has("step") && !p.Has("by") {
		p.Set("step", string(usage.Day))
	}
	if kind := usage.Step(p.Get("step")).Kind(); r.weekStart != "" && kind != usage.Week || r.monthStart != "" && kind != usage.Month {
		return errStart
	}
	return nil
}

// beginning returns a step with the day on which its periods begin by the flags.
func (r *reportCommand) beginning(s usage.Step) (usage.Step, error) {
	name, day := "week-start", strings.ToLower(r.weekStart)
	if s == usage.Month {
		name, day = "month-start", r.monthStart
	}
	if day == "" || s != usage.Week && s != usage.Month {
		return s, nil
	}
	step, err := usage.ParseStep(string(s) + ":" + day)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", name, err)
	}
	return step, nil
}

// defaultSince returns the beginning of a report without --since.
func defaultSince(s usage.Step, now time.Time) time.Time {
	switch s.Kind() {
	case usage.Month:
		start := s.Start(now)
		return s.Start(start.AddDate(0, -11, 0))
	case usage.Week:
		return s.Start(now.AddDate(0, 0, -7*11))
	case usage.Hour, usage.FiveMinutes:
		return usage.Day.Start(now)
	}
	return usage.Day.Start(now.AddDate(0, 0, -29))
}

// print writes the usage in the format of the flags.
func (r *reportCommand) print(c *command, stdout io.Writer, u *usage.Usage) error {
	switch {
	case r.asCSV:
		return report.WriteCSV(stdout, u)
	case r.asJSON:
		return printJSON(stdout, u)
	}
	return report.Write(stdout, u, report.Options{Width: terminalWidth(stdout), Color: c.usesColor(stdout)})
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	out := json.NewEncoder(terminal.JSONWriter{To: w})
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(value)
}
