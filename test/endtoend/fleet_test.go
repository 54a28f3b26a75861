//go:build endtoend && fleet

package endtoend

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFleet has hundreds of daemons send to one Mimir with tenants, while sessions are
// written and some of the daemons are killed. All of them send their past, too. The
// totals of every user are exact in the beginning and in the end, and so are the
// increases before and between; no series falls, and every new series begins at zero.
func TestFleet(t *testing.T) {
	mimir := NewMimir(t, tenant)
	mimir.Start(t)
	loadRules(t, mimir)
	proxy := newCountingProxy(t, mimir)
	f := newFleet(t, proxy.address)
	past, present, all := f.totals()

	begin := time.Now()
	f.start(t)
	awaitUsers(t, "the past of all machines has arrived", mimir, past)
	start := time.Now()
	f.backfill(t)
	f.setMessageTimeout(t, "24h")
	for group, share := range []float64{.2, .4, .6, .8, 1} {
		f.work(t, share, group)
		proxy.await(t, 2*machineCount)
	}
	f.setMessageTimeout(t, "1s")
	awaitUsers(t, "the totals of all users are the true ones", mimir, all)
	end := time.Now()

	// It shows the last minutes, so it is first.
	t.Run("dashboard", func(t *testing.T) { checkDashboard(t, mimir) })
	t.Run("past", func(t *testing.T) { checkPast(t, mimir, past, begin) })
	t.Run("increase", func(t *testing.T) { checkIncrease(t, mimir, present, start, end) })
	t.Run("resets", func(t *testing.T) { checkNone(t, mimir, "%s falls", "resets(%s"+window(begin, end)+") > 0", end) })
	t.Run("new series", func(t *testing.T) { checkNew(t, mimir, start, end) })
	t.Run("tenants", func(t *testing.T) { checkTenants(t, mimir) })
	t.Run("rules", func(t *testing.T) { checkRecorded(t, mimir, slices.Sorted(maps.Keys(all))) })
	reportCost(t, mimir, proxy)
}

// window is a range selector from a time to another, in whole seconds.
func window(from, to time.Time) string {
	return fmt.Sprintf("[%.0fs]", math.Ceil(to.Sub(from).Seconds()))
}

// checkPast checks that the increase of every counter before the start of the daemons
// equals the usage written then.
func checkPast(t *testing.T, mimir *Server, want usersTotals, begin time.Time) {
	t.Helper()
	got, err := summed(t, mimir, func(counter string) string {
		return "increase(" + counter + window(begin.Add(-pastOfFleet-time.Hour), begin) + " anchored)"
	}, begin)
	if err == nil {
		err = compareUsers(want.dated(), got.dated())
	}
	if err != nil {
		t.Errorf("increase in the past: %v", err)
	}
}

// checkIncrease checks that the increase of every counter equals the written usage:
// exactly if Mimir does not extrapolate, and almost if it does.
func checkIncrease(t *testing.T, mimir *Server, want usersTotals, start, end time.Time) {
	t.Helper()
	got, err := summed(t, mimir, func(counter string) string {
		return "increase(" + counter + window(start, end) + " anchored)"
	}, end)
	if err == nil {
		err = compareUsers(want, got)
	}
	if err != nil {
		t.Errorf("anchored increase: %v", err)
	}
	const extrapolated = "sum(increase(claude_tokens_total%[1]s)) / sum(increase(claude_tokens_total%[1]s anchored))"
	if r := value(t, mimir, fmt.Sprintf(extrapolated, window(start, end)), end); r < 1 || r > 1.1 {
		t.Errorf("increase() is %g of what was written, want at most a tenth more", r)
	}
}

// checkNew checks that every series that is new since the start began at zero.
func checkNew(t *testing.T, mimir *Server, start, end time.Time) {
	t.Helper()
	first := fmt.Sprintf("(min_over_time(%%[1]s%s) unless %%[1]s @ %.3f)", window(start, end), float64(start.UnixMilli())/1000)
	checkNone(t, mimir, "the new %s does not begin at 0", first+" > 0", end)
	if n := value(t, mimir, "count"+fmt.Sprintf(first, "claude_tool_calls_total"), end); n < machineCount {
		t.Errorf("only %g series of tool calls are new", n)
	}
}

// checkNone checks that an expression with the name of a counter has no result at a
// time, whatever the counter. Buckets, which are most of the series, come from the same
// data as the number of observations.
func checkNone(t *testing.T, mimir *Server, fault, expr string, at time.Time) {
	t.Helper()
	for _, name := range slices.DeleteFunc(counterNames(), func(name string) bool { return strings.HasSuffix(name, "_bucket") }) {
		series, err := mimir.Query(t.Context(), fmt.Sprintf(expr, name), at)
		if err != nil {
			t.Fatal(err)
		}
		if len(series) > 0 {
			t.Errorf(fault+": %g, and %d more series", name+seriesName(series[0].Labels), series[0].Samples[0].Value, len(series)-1)
		}
	}
}

// checkTenants checks that the series belong to one tenant, with all machines.
func checkTenants(t *testing.T, mimir *Server) {
	t.Helper()
	const machines = "count(count by (user, host) (claude_requests_total))"
	if n := value(t, mimir, machines, time.Now()); n != machineCount {
		t.Errorf("got %g machines, want %d", n, machineCount)
	}
	if n := value(t, mimir.As("team-b"), machines, time.Now()); n != 0 {
		t.Errorf("another tenant has %g machines", n)
	}
	if _, err := mimir.As("").Query(t.Context(), machines, time.Now()); err == nil {
		t.Error("a request without a tenant was answered")
	}
}

// checkDashboard checks that Mimir has a result for every expression of the dashboard
// of a team, except the list of silent daemons.
func checkDashboard(t *testing.T, mimir *Server) {
	t.Helper()
	evaluated := 0
	for _, e := range dashboardExpressions(t, substitute) {
		if !strings.HasPrefix(e.source, "team: ") || e.mayBeEmpty {
			continue
		}
		evaluated++
		n, err := e.evaluate(t, mimir)
		if silent := strings.Contains(e.source, "Silent"); err != nil || (n == 0) != silent {
			t.Errorf("%s has %d results (%v): %s", e.source, n, err, e.expr)
		}
	}
	if evaluated < 20 {
		t.Errorf("got %d expressions", evaluated)
	}
}

// reportCost measures the receiver's load while no lines are written.
func reportCost(t *testing.T, mimir *Server, proxy *countingProxy) {
	t.Helper()
	took, bytes := proxy.await(t, 6*machineCount)
	now, perMachine := time.Now(), func(n float64) float64 { return n / took.Minutes() / machineCount }
	samples := value(t, mimir, fmt.Sprintf("sum(increase(ccwatchd_remote_write_samples_total[%.0fs]))", took.Seconds()), now)
	const series = "count by (host) ({host!=\"\"})"
	t.Logf("a machine has %g to %g series, %g in the median, and sends %.0f samples and %.0f bytes a minute",
		value(t, mimir, "min("+series+")", now), value(t, mimir, "max("+series+")", now), value(t, mimir, "quantile(.5, "+series+")", now),
		perMachine(samples), perMachine(float64(bytes)))
	t.Logf("a daemon has %.0f MB of memory", value(t, mimir, "avg(process_resident_memory_bytes)", now)/1e6)
}
