package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/exposition"
	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// The daemon is killed this often.
const kills = 50

// seed decides what is random in the tests, save the speed of the machine.
var seed = flag.Uint64("seed", 1, "seed of what is random in the tests")

// TestKilled kills the daemon again and again, with and without a warning, while
// sessions are written and somebody scrapes. No counter may ever show less than
// it did, none may be created anew, and in the end all must be what one reading
// of the same files gives.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	rng := rand.New(rand.NewPCG(*seed, 0))
	p := newPlace(t)
	p.configure(t, settings(p, "10m"))
	w := newTraffic(t, rand.New(rand.NewPCG(*seed, 1)), p.projects(), fixtures(t), conversations(rng, 60))
	all := filepath.Join(t.TempDir(), "projects") // what was written, deleted or not
	share := w.size/kills + 1
	var h history
	var gone tree
	for i := range kills {
		var writing sync.WaitGroup
		writing.Go(func() {
			clock := time.NewTicker(time.Millisecond)
			defer clock.Stop()
			w.write(share, clock.C)
		})
		p.liveAndDie(t, rng, &h)
		writing.Wait()
		if i%10 == 5 {
			gone = merge(gone, p.seeAndDelete(t, &h, i))
		}
	}
	w.finish()
	if h.scrapes < kills {
		t.Errorf("only %d scrapes", h.scrapes)
	}
	copyTree(t, all, readTree(t, p.projects()), gone)

	p.configure(t, settings(p, "1s"))
	d := p.start(t).ready()
	want := shown(t, p.once(t, all))
	d.comesTo(want, &h, reference.Options{})
	d.stop()
	d = p.start(t).ready()
	d.comesTo(want, &h, reference.Options{})
	if n := d.sample("ccwatchd_label_overflow_total"); n == 0 {
		t.Error("no label had too many values")
	}
	if n := d.sample("ccwatchd_state_damaged_total") + d.sample("ccwatchd_checkpoint_failures_total"); n != 0 {
		t.Errorf("the state was damaged or not saved %v times", n)
	}
}

// settings are those of the tests that kill: few projects, so that it matters
// who comes first, and everything that is done by time is done often.
func settings(p place, settle string) string {
	return fmt.Sprintf(`
sources:
  - path: %q
    labels: {user: dev}
labels:
  max_values: {project: 4, mcp_server: 1}
intervals: {scan: 1s, poll: 20ms, checkpoint: 1s, sync: 10ms, message_timeout: %s}
`, p.projects(), settle)
}

// liveAndDie runs the daemon for a random time, scrapes it without a pause, and
// ends it with one of the two signals: mostly when it has been seen to count,
// else while it starts.
func (p place) liveAndDie(t *testing.T, rng *rand.Rand, h *history) {
	t.Helper()
	d := p.launch(t)
	scrapes := 0
	scrape := func() {
		if samples, ok := d.scrapeInTurn(scrapes); ok {
			h.see(t, samples)
			scrapes++
		}
	}
	if rng.IntN(5) > 0 {
		d.listens().ready()
		scrape()
		scrape()
	}
	end := syscall.SIGKILL
	if rng.IntN(3) == 0 {
		end = syscall.SIGTERM
	}
	time.AfterFunc(time.Duration(rng.IntN(120))*time.Millisecond, func() { _ = d.cmd.Process.Signal(end) })
	for !d.hasEnded() {
		scrape()
	}
	log := d.log.String()
	if strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") || strings.Contains(log, "panic:") || d.code > 0 {
		t.Errorf("the daemon ends with code %d:\n%s", d.code, log)
	}
}

// scrapeInTurn scrapes in both formats that tell everything, one after the other.
func (d *process) scrapeInTurn(n int) (exposition.Samples, bool) {
	if d.address == "" {
		<-time.After(time.Millisecond) // nobody listens yet
		return nil, false
	}
	return d.scrape([]string{plainText, protobuf}[n%2])
}

// seeAndDelete has a session counted and shown, and deletes it while no daemon
// runs.
func (p place) seeAndDelete(t *testing.T, h *history, n int) tree {
	t.Helper()
	s := script{cwd: "/home/dev/doomed", session: uuid(900_000 + n), at: time.Date(2026, 5, n%28+1, 0, 0, 0, 0, time.UTC)}
	tool := fmt.Sprintf("Doomed%d", n)
	path := "-home-dev-doomed/" + s.session + ".jsonl"
	content := []byte(s.prompt("doomed") + s.call(tool+"1", tool) + s.result(tool+"1", "done") + s.call(tool+"2", tool))
	if err := appendTo(filepath.Join(p.projects(), filepath.FromSlash(path)), content); err != nil {
		t.Fatal(err)
	}
	d := p.start(t).ready()
	eventually(t, "the session is shown", func() bool {
		samples, ok := d.scrape(plainText)
		if ok {
			h.see(t, samples)
		}
		calls, _ := samples.Sum("claude_tool_calls_total", "tool", tool)
		return calls == 2
	})
	d.kill()
	if err := os.Remove(filepath.Join(p.projects(), filepath.FromSlash(path))); err != nil {
		t.Fatal(err)
	}
	return tree{path: content}
}

func merge(a, b tree) tree {
	if a == nil {
		a = make(tree)
	}
	maps.Copy(a, b)
	return a
}

func copyTree(t testing.TB, dir string, trees ...tree) {
	t.Helper()
	for _, tree := range trees {
		for path, content := range tree {
			writeFile(t, filepath.Join(dir, filepath.FromSlash(path)), string(content))
		}
	}
}

// once returns the exposition of one reading of a directory, with the
// configuration of the place.
func (p place) once(t testing.TB, dir string) string {
	t.Helper()
	out, errs, code := p.run(t, "--config.file="+p.config, "once", dir)
	if code != 0 {
		t.Fatalf("once ended with code %d: %s", code, errs)
	}
	return out
}

// comesTo waits until the totals of the daemon are the right ones.
func (d *process) comesTo(want reference.Totals, h *history, o reference.Options) {
	d.t.Helper()
	if want.NonZero() < 20 {
		d.t.Fatalf("hardly anything to compare with: %v", want)
	}
	var differences reference.Differences
	defer func() {
		for _, one := range differences {
			d.t.Error(one)
		}
	}()
	eventually(d.t, "the totals are equal", func() bool {
		status, body, err := d.get("/metrics", plainText)
		if err != nil || status != http.StatusOK {
			d.t.Fatalf("scrape: %d, %v", status, err)
		}
		h.see(d.t, parse(d.t, body, plainText))
		differences = reference.Diff(want, shown(d.t, body), o)
		return len(differences) == 0
	})
}

// The fixtures that TestKilled writes must be worth their reference, together
// as each for itself.
func TestFixturesStandTogether(t *testing.T) {
	p := newPlace(t)
	copyTree(t, p.projects(), fixtures(t))
	got := shown(t, p.once(t, p.projects()))
	want := make(reference.Totals)
	for _, dir := range fixtureDirs(t) {
		for key, n := range expected(t, filepath.Join(dir, "expected.tsv")) {
			want[key] += n
		}
	}
	for _, one := range reference.Diff(want, got, reference.Options{}) {
		t.Error(one)
	}
}
