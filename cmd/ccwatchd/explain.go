package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/report"
)

const explainHelp = `It states what made usage expensive, and what to do about it: tokens that were written to the prompt cache again, by reason, web searches, fast mode, and, of the five most expensive sessions or of one session, large contexts, sub-agents, and tools whose results filled the context. Each fact has its cost, and is left out below a cent. Facts overlap: their costs do not add up.

It asks the running daemon. Without one it reads the session files, as "ccwatchd once" does. Sessions are explained by their transcripts, which Claude Code deletes after 30 days.

A session is named by its id or the first 8 characters of it. Without --since, the last 7 days are explained. ` + timesHelp + `

Examples:

  ccwatchd explain                          the last 7 days
  ccwatchd explain --since yesterday --until yesterday
  ccwatchd explain --project web --since 30d
  ccwatchd explain 0b6c1f2e                 one session
  ccwatchd explain --json | jq '.facts[] | [.name, .cost_usd]'

The costs are estimates by list price, and not the bill of a subscription.`

// An explainCommand holds the arguments of the command "explain".
type explainCommand struct {
	daemon       target
	session      string
	since, until string
	zone         string
	project      string
	model        string
	asJSON       bool
}

func (c *command) addExplain() {
	var e explainCommand
	clause := c.add("explain", "Print what made usage or a session expensive, and what to do about it.",
		func(stdout io.Writer, log *slog.Logger) (int, error) { return e.run(c, stdout, log, time.Now()) },
		targetFlags("config.file", "log.")...)
	clause.HelpLong(explainHelp)
	clause.Flag("since", "Beginning of the time to explain. Default: 7d, of a session its whole time.").PlaceHolder("TIME").StringVar(&e.since)
	clause.Flag("until", "End of the time to explain. Default: now.").PlaceHolder("TIME").StringVar(&e.until)
	clause.Flag("project", "Only this project.").PlaceHolder("NAME").StringVar(&e.project)
	clause.Flag("model", "Only this model, such as opus-5. Tokens written to the cache again, and numbers of sessions whose latest request used it, are of all models.").PlaceHolder("NAME").StringVar(&e.model)
	addZoneFlag(clause, &e.zone)
	clause.Flag("json", "Print JSON, as /api/v1/explain responds.").BoolVar(&e.asJSON)
	e.daemon.addFlag(clause)
	clause.Arg("session", "Id of a session, or its first 8 characters.").StringVar(&e.session)
}

var errNoSession = errors.New("no session")

// run prints the explanation. Invalid arguments have the exit code 2.
func (e *explainCommand) run(c *command, stdout io.Writer, log *slog.Logger, now time.Time) (int, error) {
	zone, err := api.ParseZone(e.zone, localZone())
	if err != nil {
		return 2, fmt.Errorf("--%w", err)
	}
	parameters, err := e.parameters(now, zone)
	if err != nil {
		return 2, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	all, incomplete, err := answer(ctx, c, &e.daemon, log, now, func(from source) (api.Explanation, error) { return from.explain(parameters) })
	switch {
	case err != nil:
		return exitCode(err), err
	case e.session != "" && len(all.Sessions) == 0:
		return 1, errors.Join(fmt.Errorf("%w %s: \"ccwatchd report --by session\" lists all", errNoSession, terminal.Printable(e.session)), incomplete)
	case e.asJSON:
		return 0, errors.Join(printJSON(stdout, all), incomplete)
	}
	err = report.WriteExplanation(stdout, &all, zone, report.Options{Width: terminalWidth(stdout), Color: c.usesColor(stdout)})
	return exitCode(err), cmp.Or(err, incomplete)
}

// parameters returns the parameters of the request to the API, with absolute times.
func (e *explainCommand) parameters(now time.Time, zone *time.Location) (url.Values, error) {
	since := e.since
	if e.session == "" {
		since = cmp.Or(since, "7d")
	}
	p := url.Values{}
	for name, value := range map[string]string{"since": since, "until": e.until, "project": e.project, "model": e.model, "id": e.session} {
		if value != "" {
			p.Set(name, value)
		}
	}
	q, err := api.ParseExplain(p, now, zone)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	for name, at := range map[string]time.Time{"since": q.Usage.Since, "until": q.Usage.Until} {
		if p.Del(name); !at.IsZero() {
			p.Set(name, at.Format(time.RFC3339))
		}
	}
	return p, nil
}
