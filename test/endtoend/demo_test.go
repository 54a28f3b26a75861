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

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

const notSending = "the demo does not use remote write; TestRemoteWrite does"

// exceptions are the expressions without a result from any server, and the reasons.
var exceptions = map[string]string{
	"team: Silent daemons A": notSending,
	`rule CcwatchdLabelOverflow {__name__="ccwatchd_label_overflow_total"}`:                       "no label reaches its limit, and the series begins then",
	`rule CcwatchdBucketsMixed {__name__="ccwatchd_ingest_lag_seconds_bucket",le="1"}`:            "all bounds have a point",
	`rule CcwatchdDown {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`:         notSending,
	`rule CcwatchdSendingFails {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`: notSending,
	`rule CcwatchdNotSending {__name__="ccwatchd_remote_write_last_success_timestamp_seconds"}`:   notSending,
}

// Every server evaluates all expressions of dashboards, rules and documentation with a
// result while the demo runs.
func TestDemo(t *testing.T) {
	t.Parallel()
	demo := NewServer(t, "ccwatchd-demo", Demo(t), "/-/ready", "--speed=150", "--web.listen-address=ADDRESS", "--", "--log.level=warn")
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
	// The first simulated events happen soon, some only once.
	for _, s := range []*Server{present, old, victoria} {
		Eventually(t, s.Name+" scrapes", func() error {
			if len(query(t, s, "up")) == 0 {
				return errors.New("no series up")
			}
			return nil
		})
	}
	demo.Start(t)
	for _, s := range []*Server{present, old} {
		awaitRules(t, s)
	}

	expressions := append(append(dashboardExpressions(t, substitute), documentedExpressions(t)...), ruleExpressions(t, present)...)
	for name := range exceptions {
		if !slices.ContainsFunc(expressions, func(e expression) bool { return e.source == name }) {
			t.Errorf("no expression matches the exception %s", name)
		}
	}
	for _, s := range []*Server{present, old, victoria} {
		checkExpressions(t, s, expressions)
		t.Logf("%s had results for %d expressions %.0f s after the start", s.Name, len(expressions), time.Since(demo.Started).Seconds())
	}
	for _, s := range []*Server{present, old} {
		awaitRules(t, s)
	}
	demo.Stop(t)
}

// recorded matches the series of recording rules.
var recorded = regexp.MustCompile(`[a-z]:claude_`)

// checkExpressions evaluates expressions until each had a result once. Some have a
// result only for a moment.
func checkExpressions(t *testing.T, s *Server, expressions []expression) {
	t.Helper()
	open := slices.DeleteFunc(slices.Clone(expressions), func(e expression) bool {
		// VictoriaMetrics does not evaluate rules itself.
		return e.mayBeEmpty || exceptions[e.source] != "" || s.Name == "VictoriaMetrics" && recorded.MatchString(e.expr)
	})
	Eventually(t, "all expressions have results from "+s.Name, func() error {
		open = slices.DeleteFunc(open, func(e expression) bool {
			n, err := e.evaluate(t, s)
			if err != nil {
				t.Errorf("%s: %v", e.source, err)
			}
			return n > 0 || err != nil
		})
		if len(open) == 0 {
			return nil
		}
		var without strings.Builder
		for _, e := range open {
			fmt.Fprintf(&without, "\n%s: %s", e.source, e.expr)
		}
		return fmt.Errorf("%d have none:%s", len(open), without.String())
	})
	for _, e := range expressions {
		if n, err := e.evaluate(t, s); err != nil {
			t.Errorf("%s: %v", e.source, err)
		} else if n > 0 && exceptions[e.source] != "" {
			t.Errorf("%s: got a result, although it is an exception", e.source)
		}
	}
}

// Settings that tests remove from rules: the interval of a group, and how long a
// condition holds before an alert fires.
var (
	rulesInterval = regexp.MustCompile(`(?m)^ {4}interval: .*\n`)
	alertFor      = regexp.MustCompile(`(?m)^ {8}for: .*\n`)
)

// writeRules writes the rules for a server, without some settings.
func writeRules(t *testing.T, s *Server, without ...*regexp.Regexp) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), "packaging", "prometheus", "rules", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		rules := filetest.Read(t, name)
		for _, part := range without {
			rules = part.ReplaceAllString(rules, "")
		}
		s.Write(t, strings.TrimSuffix(filepath.Base(name), ".yml")+".rules", rules)
	}
}

// awaitRules waits until a server has evaluated all rules without an error.
func awaitRules(t *testing.T, s *Server) {
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
