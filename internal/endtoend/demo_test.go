//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const sendsNothing = "the demo sends nothing by remote write; TestRemoteWrite does"

// exceptions are the questions to which there is no answer from any server, and why.
var exceptions = map[string]string{
	`rule CcwatchdLabelOverflow {__name__="ccwatchd_label_overflow_total"}`:                       "no label is full, and there is no series before one is",
	`rule CcwatchdDown {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`:         sendsNothing,
	`rule CcwatchdSendingFails {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`: sendsNothing,
	`rule CcwatchdNotSending {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`:   sendsNothing,
}

// What dashboards, rules and documentation ask has an answer when a made-up team
// is at work, and is understood by every server.
func TestDemo(t *testing.T) {
	t.Parallel()
	demo := NewServer(t, "ccwatchd demo", Daemon(t), "/-/ready", "demo", "--config.file=ccwatchd.yml", "--speed=60", "--web.listen-address=ADDRESS", "--log.level=warn")
	demo.Write(t, "ccwatchd.yml", "intervals: {zero_window: "+someScrapes+"}\n")
	config := scrapeConfig(demo) + "rule_files: ['*.rules']\n"
	config = strings.Replace(config, "global: {", "global: {evaluation_interval: 1s, ", 1)
	present := NewPrometheus(t, "Prometheus 3", Prometheus, config)
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, config)
	victoria := NewVictoriaMetrics(t, scrapeConfig(demo))
	for _, s := range []*Server{present, old} {
		writeRules(t, s, rulesInterval)
	}
	for _, s := range []*Server{present, old, victoria} {
		s.Start(t)
	}
	// Some things happen once, and soon: so everybody is there before it begins.
	for _, s := range []*Server{present, old, victoria} {
		Eventually(t, s.Name+" scrapes", func() error {
			if len(ask(t, s, "up")) == 0 {
				return errors.New("it does not")
			}
			return nil
		})
	}
	demo.Start(t)
	for _, s := range []*Server{present, old} {
		eventuallyWell(t, s)
	}

	questions := append(append(dashboardQuestions(t), documentQuestions(t)...), ruleQuestions(t, present)...)
	for name := range exceptions {
		if !slices.ContainsFunc(questions, func(q question) bool { return q.from == name }) {
			t.Errorf("nobody asks %s", name)
		}
	}
	for _, s := range []*Server{present, old, victoria} {
		answers(t, s, questions)
		t.Logf("%s has answered %d questions %.0f s after the start", s.Name, len(questions), time.Since(demo.Started).Seconds())
	}
	for _, s := range []*Server{present, old} {
		eventuallyWell(t, s)
	}
	demo.Stop(t)
}

// recorded tells that a question is about what a rule has recorded.
var recorded = regexp.MustCompile(`[a-z]:claude_`)

// answers asks a server until every question has been answered once. Some may ask
// for what was the case only for a moment.
func answers(t *testing.T, s *Server, questions []question) {
	t.Helper()
	open := slices.DeleteFunc(slices.Clone(questions), func(q question) bool {
		// VictoriaMetrics has rules recorded by another program.
		return q.silent || exceptions[q.from] != "" || s.Name == "VictoriaMetrics" && recorded.MatchString(q.expr)
	})
	EventuallyWithin(t, 2*patience, s.Name+" has answered every question", func() error {
		open = slices.DeleteFunc(open, func(q question) bool {
			n, err := q.ask(t, s)
			if err != nil {
				t.Errorf("%s: %v", q.from, err)
			}
			return n > 0 || err != nil
		})
		if len(open) == 0 {
			return nil
		}
		return fmt.Errorf("%d are open, such as %s: %s", len(open), open[0].from, open[0].expr)
	})
	for _, q := range questions {
		if n, err := q.ask(t, s); err != nil {
			t.Errorf("%s: %v", q.from, err)
		} else if n > 0 && exceptions[q.from] != "" {
			t.Errorf("%s has an answer after all", q.from)
		}
	}
}

// What a test does not wait for: the interval of a group, and how long it takes
// an alert to fire.
var (
	rulesInterval = regexp.MustCompile(`(?m)^ {4}interval: .*\n`)
	alertFor      = regexp.MustCompile(`(?m)^ {8}for: .*\n`)
)

// writeRules writes the rules for a server, without something.
func writeRules(t *testing.T, s *Server, without ...*regexp.Regexp) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), "packaging", "prometheus", "rules", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		rules := read(t, name)
		for _, part := range without {
			rules = part.ReplaceAll(rules, nil)
		}
		s.Write(t, strings.TrimSuffix(filepath.Base(name), ".yml")+".rules", string(rules))
	}
}

// eventuallyWell waits until a server has evaluated all rules without an error.
func eventuallyWell(t *testing.T, s *Server) {
	t.Helper()
	Eventually(t, "rules are evaluated", func() error {
		rules := rulesOf(t, s)
		for _, r := range rules {
			if r.Health != "ok" {
				return fmt.Errorf("%s of %s is %s: %s", r.Name, s.Name, r.Health, r.LastError)
			}
		}
		if len(rules) == 0 {
			return fmt.Errorf("%s has no rules", s.Name)
		}
		return nil
	})
}
